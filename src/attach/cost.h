/*
 * cost.h: what probes cost the process they are in, before they are put in for long.
 *
 * Every stop of a thread takes about the same time, whatever is done with it: so the stops of a
 * short while are counted, by probes that record nothing. The times of one stop are of a slow
 * machine (attach.md of the bench says which), and so rather too high.
 */
#ifndef HF_ATTACH_COST_H
#define HF_ATTACH_COST_H

#include "attach/probe.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_cost {
    uint64_t calls;     /* a second, of all probes */
    uint64_t stops;     /* a second: entries and returns */
    uint64_t stepped;   /* stops a second at instructions that the kernel does not emulate */
    uint64_t per_mille; /* of one processor: what recording them all adds */
};

/* Counts for `wait_ms`. Errors as of hf_perf_events_open. */
HF_MUST_CHECK enum hf_status hf_cost_count(uint32_t pid, const struct hf_probe *probes,
    size_t count, bool with_faults, uint32_t wait_ms, struct hf_cost *out_cost,
    struct hf_error *err);

/* What `entries` and `returns` in `time_ns` add, in 1/1000 of a processor. */
uint64_t hf_cost_added(uint64_t emulated, uint64_t stepped, uint64_t returns, uint64_t time_ns);

#endif
