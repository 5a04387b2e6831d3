/*
 * unbias.h: estimates, from what a sampling profiler recorded, what was really there.
 *
 * jemalloc and tcmalloc sample allocations so that each byte starts a sample with rate 1/R (a
 * Poisson process). An allocation of size S is then seen with probability 1 - exp(-S/R), so what
 * is seen of one stack, n objects and s bytes, stands for n*f and s*f with
 * f = 1 / (1 - exp(-(s/n)/R)).
 * Source: jemalloc, doc_internal/PROFILING_INTERNALS.md; google/pprof, scaleHeapSample.
 * jemalloc 5.3 with prof_unbias (its default) writes the (n, s) that make this formula exact.
 *
 * The rule is applied to each stack once, before any sum: the correction of a sum is not the sum
 * of corrections. `double` is used inside the formula only; the result is rounded to the nearest
 * integer, ties to even, right there, so that later sums and differences of integers add up.
 *
 * Example:
 *
 *     uint64_t objects = 3, bytes = 144; // sampled, of one stack
 *     hf_unbias_poisson(524288, &objects, &bytes);
 *     hf_out_u64(out, bytes);
 */
#ifndef HF_PROFILE_UNBIAS_H
#define HF_PROFILE_UNBIAS_H

#include <stdint.h>

/*
 * Replaces (*objects, *bytes) as sampled by their estimate. `period_bytes` is R; R <= 1 means that
 * every allocation was recorded: nothing changes. A pair with a zero in it stays as it is.
 * An estimate beyond 2^64-1 becomes 2^64-1.
 */
void hf_unbias_poisson(uint64_t period_bytes, uint64_t *objects, uint64_t *bytes);

/* How many objects one that was sampled stands for: f above for its own size. 1 if R <= 1. */
double hf_unbias_weight(uint64_t period_bytes, uint64_t bytes);

/* Nearest integer, ties to even, kept inside uint64_t: for a sum of weights. */
uint64_t hf_unbias_round(double value);

/*
 * The same for tcmalloc's first sampler (until 2009): the steps between its samples were drawn
 * evenly from 0 to the period that it writes, `period_bytes` on average. An allocation below that
 * is seen with probability size / period_bytes, a larger one always.
 * Source: pprof of gperftools, AdjustSamples.
 */
void hf_unbias_even(double period_bytes, uint64_t *objects, uint64_t *bytes);

#endif
