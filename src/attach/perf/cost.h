/*
 * cost.h: what probes cost the process they are in, before they are put in for long.
 *
 * Every stop of a thread takes about the same time, whatever is done in the process: so the stops
 * of a short while are counted, by probes that record nothing, and each has its price. It is paid
 * in processor time, and so compared with the processor time that the process itself used in that
 * while: one that seldom gets a processor stops seldom, and is slowed all the same.
 *
 * What is added is in 1/1000 of that time: 3000 is four times as much in all, so 1/4 of its speed.
 */
#ifndef HF_ATTACH_COST_H
#define HF_ATTACH_COST_H

#include "attach/probe.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_cost_stops {
    uint64_t emulated, stepped; /* entries, by what the kernel does with the instruction there */
    uint64_t returns;
};

/* What was counted. All-zero: nothing. */
struct hf_cost {
    struct hf_cost_stops births, ends; /* of blocks; hf_probe_is_birth */
    uint64_t wall_ns;
    uint64_t computed_ns;   /* by the process meanwhile, less what the counting took */
    uint64_t machine_ratio; /* in 1/1000: how slow this kernel is, compared with the prices */
    /* Means of a stop while it was counted: what the process computed from one to the next, and the
     * part of it that the counting took by its prices. 0: too few to tell. */
    uint64_t counted_ns, counting_ns;
};

/*
 * ns of one stop where one that only counts (attach/keeper/stop_price.h) takes 830 ns.
 */
struct hf_cost_prices {
    uint32_t emulated_ns, stepped_ns, return_ns;
};

/* Calls a second of wall time. */
uint64_t hf_cost_calls(const struct hf_cost *cost);

/* What is added if births are followed so many thousandths of the time, and ends all of it. */
uint64_t hf_cost_added(
    const struct hf_cost *cost, const struct hf_cost_prices *prices, uint64_t births_per_mille);

/* The same in 1/1000 of a processor. */
uint64_t hf_cost_load(
    const struct hf_cost *cost, const struct hf_cost_prices *prices, uint64_t births_per_mille);

/* The mean price of an entry, with its return, of births, of ends, and of both. */
struct hf_cost_means {
    uint64_t birth_ns, end_ns, call_ns;
};
struct hf_cost_means hf_cost_means(const struct hf_cost *cost, const struct hf_cost_prices *prices);

/* "about 1/4 of its speed" */
#define HF_COST_SPEED_MAX 48
const char *hf_cost_speed(uint64_t added_per_mille, char out[HF_COST_SPEED_MAX]);

struct hf_keeper;

/* Nothing was counted: the prices of this machine. */
void hf_cost_of_machine(struct hf_keeper *keeper, struct hf_cost *out_cost);

/* Also on failure the cost has the prices of this machine. Counts for `wait_ms`, or up to five
 * times that for who is held back. Errors as of keeper.h; `keeper` is NULL in a worker
 * (keeper_line.h). */
HF_MUST_CHECK enum hf_status hf_cost_count(struct hf_keeper *keeper, uint32_t pid,
    const struct hf_probe *probes, size_t count, bool with_faults, uint32_t wait_ms,
    struct hf_cost *out_cost, struct hf_error *err);

#endif
