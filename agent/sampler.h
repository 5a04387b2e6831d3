/*
 * sampler.h: which allocations are recorded, and how many each of them stands for.
 *
 * Bytes are sampled as a Poisson process: from one sampled byte to the next it is an exponential
 * gap with the mean `period`. An allocation of `size` bytes is recorded if a sampled byte lies in
 * it, so with the probability 1 - exp(-size / period), and then stands for 1 / that probability
 * allocations of its size: sums of these weights are un-biased whatever the sizes are.
 *
 * Integers only, no libm and no floating point: a program may have the FPU trap on inexact results.
 * Relative error of a weight below 2^-20.
 */
#ifndef HF_AGENT_SAMPLER_H
#define HF_AGENT_SAMPLER_H

#include <stdint.h>

/* Random numbers of one thread: xorshift64*. Seed it with anything. */
struct hf_sampler {
    uint64_t state;
};

void hf_sampler_seed(struct hf_sampler *sampler, uint64_t seed);

/*
 * Bytes to pass over before the next sampled one: an allocation of more is recorded. 1 to
 * 2^47 bytes of period; the gap is below 45 periods.
 */
uint64_t hf_sampler_gap(struct hf_sampler *sampler, uint64_t period_bytes);

/* 0 or 1, whatever the last gap was. It takes no number from the sequence. */
uint64_t hf_sampler_coin(const struct hf_sampler *sampler);

/* A number below `bound`, each as likely as any other. */
uint32_t hf_sampler_below(struct hf_sampler *sampler, uint32_t bound);

/* What a recorded allocation counts for in the totals of its stack (live/layout.h). */
struct hf_sampler_weight {
    uint64_t objects; /* in HF_LIVE_OBJECT-ths */
    uint64_t bytes;
};

/* Period 1: every allocation is recorded and stands for itself. */
struct hf_sampler_weight hf_sampler_weigh(uint64_t period_bytes, uint64_t size_bytes);

#endif
