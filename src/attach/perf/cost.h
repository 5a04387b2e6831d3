/*
 * cost.h: what probes cost the process they are in, before they are put in for long.
 *
 * Every stop of a thread takes about the same time, whatever is done in the process: so the stops
 * of a short while are counted, by probes that record nothing, and each has its price.
 */
#ifndef HF_ATTACH_COST_H
#define HF_ATTACH_COST_H

#include "attach/probe.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stops a second. */
struct hf_cost {
    uint64_t emulated, stepped; /* entries, by what the kernel does with the instruction there */
    uint64_t returns;
};

/* ns of one stop, on a slow machine: bench/attach.py measures them. */
struct hf_cost_prices {
    uint32_t emulated_ns, stepped_ns, return_ns;
};

static inline uint64_t hf_cost_calls(const struct hf_cost *cost)
{
    return cost->emulated + cost->stepped;
}

/* What they add, in 1/1000 of a processor. */
static inline uint64_t hf_cost_per_mille(
    const struct hf_cost *cost, const struct hf_cost_prices *prices)
{
    return (cost->emulated * prices->emulated_ns + cost->stepped * prices->stepped_ns +
               cost->returns * prices->return_ns) /
           1000000;
}

struct hf_keeper;

/* Counts for `wait_ms`. Errors as of keeper.h; `keeper` is NULL in a worker (keeper_line.h). */
HF_MUST_CHECK enum hf_status hf_cost_count(struct hf_keeper *keeper, const struct hf_probe *probes,
    size_t count, bool with_faults, uint32_t wait_ms, struct hf_cost *out_cost,
    struct hf_error *err);

#endif
