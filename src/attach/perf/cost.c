#include "attach/perf/cost.h"

#include "attach/keeper/keeper_line.h"
#include "attach/perf/perf_kinds.h"
#include "os/process/proc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Who is held back has little time of its own in a short while: so much of it is waited for. */
#define COUNTS_MOST 5
#define IDLE_NS UINT64_C(2000000)
#define ENOUGH_NS UINT64_C(50000000)

/* Of the count itself; that of a step or of a page fault is as what it is counted for. */
static const struct hf_cost_prices counting = {.emulated_ns = 830, .stepped_ns = 10000};

/* Fewer say nothing of the mean. */
#define TELLING_STOPS 1000

/* Beyond this the measurement was disturbed. */
#define RATIO_LEAST 200
#define RATIO_MOST 8000

/* At least this part of what the process computed was its own: what is left of less is an error. */
#define OWN_PART 40

static uint64_t cost_clock_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Where it cannot be measured, it is as it was on the machine of the prices. */
static uint64_t machine_ratio(struct hf_keeper *keeper)
{
    uint64_t ns = hf_keeper_line_stop_ns(keeper), ratio = ns * 1000 / counting.emulated_ns;
    return ns == 0               ? 1000
           : ratio < RATIO_LEAST ? RATIO_LEAST
           : ratio > RATIO_MOST  ? RATIO_MOST
                                 : ratio;
}

/* Opens and counts what the keeper was asked for. */
static enum hf_status count_stops(struct hf_keeper *keeper, uint32_t pid, size_t kind_count,
    uint32_t wait_ms, uint64_t *out_counts, struct hf_cost *cost, struct hf_error *err)
{
    struct timespec wait = {wait_ms / 1000, wait_ms % 1000 * 1000000L};
    struct hf_proc_times before = {0}, after = {0};
    struct hf_perf_file *files = NULL;
    size_t file_count, ring_count;
    enum hf_status status = hf_keeper_line_open(keeper, &files, &file_count, &ring_count, err);
    if (status == HF_OK)
        status = hf_keeper_line_begin(keeper, "", err);
    free(files);
    if (status != HF_OK)
        return status;
    uint64_t begin = cost_clock_ns(CLOCK_MONOTONIC);
    bool is_known = hf_proc_times(pid, &before);
    for (int i = 0; i < COUNTS_MOST; i++) {
        nanosleep(&wait, NULL);
        is_known = is_known && hf_proc_times(pid, &after);
        cost->computed_ns = is_known ? after.computed_ns - before.computed_ns : 0;
        if (cost->computed_ns < IDLE_NS || cost->computed_ns >= ENOUGH_NS)
            break;
    }
    hf_keeper_line_end(keeper);
    cost->wall_ns = cost_clock_ns(CLOCK_MONOTONIC) - begin;
    for (uint32_t i = 0; i < kind_count; i++)
        out_counts[i] = hf_keeper_line_count(keeper, i);
    return is_known ? HF_OK
                    : hf_error_set(err, HF_ERR_SYSTEM, "process %" PRIu32 " has ended", pid);
}

static uint64_t stops_ns(const struct hf_cost *cost, const struct hf_cost_stops *stops,
    const struct hf_cost_prices *prices)
{
    uint64_t ns = stops->emulated * prices->emulated_ns + stops->stepped * prices->stepped_ns +
                  stops->returns * prices->return_ns;
    return ns / 1000 * cost->machine_ratio;
}

static uint64_t entries_of(const struct hf_cost_stops *stops)
{
    return stops->emulated + stops->stepped;
}

static void cost_add_up(struct hf_cost *cost, const struct hf_probe *probes, size_t count,
    const uint64_t *counts, uint64_t faults)
{
    cost->births.emulated = faults;
    for (size_t i = 0; i < count; i++) {
        struct hf_cost_stops *stops = hf_probe_is_birth(&probes[i]) ? &cost->births : &cost->ends;
        *(probes[i].is_emulated ? &stops->emulated : &stops->stepped) += counts[i];
        stops->returns += probes[i].returns ? counts[i] : 0;
    }
    uint64_t computed = cost->computed_ns;
    uint64_t taken =
        stops_ns(cost, &cost->births, &counting) + stops_ns(cost, &cost->ends, &counting);
    uint64_t entries = entries_of(&cost->births) + entries_of(&cost->ends);
    if (entries >= TELLING_STOPS) {
        cost->counted_ns = computed / entries;
        cost->counting_ns = taken / entries;
    }
    bool has_own = taken < computed - computed / OWN_PART;
    cost->computed_ns = has_own ? computed - taken : computed / OWN_PART;
}

uint64_t hf_cost_calls(const struct hf_cost *cost)
{
    uint64_t calls = entries_of(&cost->births) + entries_of(&cost->ends);
    return cost->wall_ns != 0 ? calls * 1000000 / (cost->wall_ns / 1000) : 0;
}

static uint64_t followed_ns(
    const struct hf_cost *cost, const struct hf_cost_prices *prices, uint64_t births_per_mille)
{
    return stops_ns(cost, &cost->births, prices) / 1000 * births_per_mille +
           stops_ns(cost, &cost->ends, prices);
}

uint64_t hf_cost_added(
    const struct hf_cost *cost, const struct hf_cost_prices *prices, uint64_t births_per_mille)
{
    uint64_t ns = followed_ns(cost, prices, births_per_mille);
    return ns != 0 ? ns / (cost->computed_ns / 1000 + 1) : 0;
}

uint64_t hf_cost_load(
    const struct hf_cost *cost, const struct hf_cost_prices *prices, uint64_t births_per_mille)
{
    return followed_ns(cost, prices, births_per_mille) / (cost->wall_ns / 1000 + 1);
}

/* Of what was not seen yet, that of the plainest call. */
static uint64_t mean_ns(const struct hf_cost *cost, const struct hf_cost_prices *prices,
    const struct hf_cost_stops *stops, uint32_t return_ns)
{
    uint64_t entries = entries_of(stops);
    return entries != 0 ? stops_ns(cost, stops, prices) / entries
                        : (prices->emulated_ns + return_ns) * cost->machine_ratio / 1000;
}

struct hf_cost_means hf_cost_means(const struct hf_cost *cost, const struct hf_cost_prices *prices)
{
    const struct hf_cost_stops both = {cost->births.emulated + cost->ends.emulated,
        cost->births.stepped + cost->ends.stepped, cost->births.returns + cost->ends.returns};
    return (struct hf_cost_means){
        .birth_ns = mean_ns(cost, prices, &cost->births, prices->return_ns),
        .end_ns = mean_ns(cost, prices, &cost->ends, 0),
        .call_ns = mean_ns(cost, prices, &both, prices->return_ns / 2),
    };
}

const char *hf_cost_speed(uint64_t added_per_mille, char out[HF_COST_SPEED_MAX])
{
    uint64_t all = 1000 + added_per_mille, parts = (all + 500) / 1000, percent = 100000 / all;
    if (percent >= 99)
        (void)snprintf(out, HF_COST_SPEED_MAX, "its full speed");
    else if (percent >= 60)
        (void)snprintf(out, HF_COST_SPEED_MAX, "about %" PRIu64 " %% of its speed", percent);
    else if (parts <= 20)
        (void)snprintf(out, HF_COST_SPEED_MAX, "about 1/%" PRIu64 " of its speed", parts);
    else
        (void)snprintf(out, HF_COST_SPEED_MAX, "less than 1/20 of its speed");
    return out;
}

void hf_cost_of_machine(struct hf_keeper *keeper, struct hf_cost *out_cost)
{
    *out_cost = (struct hf_cost){.machine_ratio = machine_ratio(keeper)};
}

enum hf_status hf_cost_count(struct hf_keeper *keeper, uint32_t pid, const struct hf_probe *probes,
    size_t count, bool with_faults, uint32_t wait_ms, struct hf_cost *out_cost,
    struct hf_error *err)
{
    const struct hf_perf_wish fault = {.what = HF_PERF_FAULT, .period = 1};
    struct hf_cost cost;
    hf_cost_of_machine(keeper, &cost);
    *out_cost = cost;
    uint64_t *counts = calloc(count + 1, sizeof *counts);
    enum hf_status status = counts != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        const struct hf_perf_wish entry = hf_perf_wish_of_probe(&probes[i], false);
        status = hf_keeper_line_want(keeper, &entry, probes[i].path, err);
    }
    if (status == HF_OK && with_faults)
        status = hf_keeper_line_want(keeper, &fault, "", err);
    if (status == HF_OK)
        status = count_stops(keeper, pid, count + with_faults, wait_ms, counts, &cost, err);
    if (status == HF_OK) {
        cost_add_up(&cost, probes, count, counts, counts[count]);
        *out_cost = cost;
    }
    hf_keeper_line_close(keeper);
    free(counts);
    return status;
}
