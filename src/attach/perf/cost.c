#include "attach/perf/cost.h"

#include "attach/keeper/keeper_line.h"

#include <stdlib.h>
#include <time.h>

/* Opens and counts what the keeper was asked for. */
static enum hf_status count_stops(struct hf_keeper *keeper, size_t kind_count, uint32_t wait_ms,
    uint64_t *out_counts, struct hf_error *err)
{
    struct timespec wait = {wait_ms / 1000, wait_ms % 1000 * 1000000L};
    struct hf_perf_file *files = NULL;
    size_t file_count, ring_count;
    enum hf_status status = hf_keeper_line_open(keeper, &files, &file_count, &ring_count, err);
    if (status == HF_OK)
        status = hf_keeper_line_begin(keeper, "", err);
    free(files);
    if (status != HF_OK)
        return status;
    nanosleep(&wait, NULL);
    hf_keeper_line_end(keeper);
    for (uint32_t i = 0; i < kind_count; i++)
        out_counts[i] = hf_keeper_line_count(keeper, i);
    return HF_OK;
}

static struct hf_cost cost_add_up(const struct hf_probe *probes, size_t count,
    const uint64_t *counts, uint64_t faults, uint32_t wait_ms)
{
    struct hf_cost cost = {.emulated = faults * 1000 / wait_ms};
    for (size_t i = 0; i < count; i++) {
        uint64_t stops = counts[i] * 1000 / wait_ms;
        *(probes[i].is_emulated ? &cost.emulated : &cost.stepped) += stops;
        cost.returns += probes[i].returns ? stops : 0;
    }
    return cost;
}

enum hf_status hf_cost_count(struct hf_keeper *keeper, const struct hf_probe *probes, size_t count,
    bool with_faults, uint32_t wait_ms, struct hf_cost *out_cost, struct hf_error *err)
{
    const struct hf_perf_wish fault = {.what = HF_PERF_FAULT, .period = 1};
    uint64_t *counts = calloc(count + 1, sizeof *counts);
    enum hf_status status = counts != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        const struct hf_perf_wish entry = {
            .what = HF_PERF_ENTRY, .period = 1, .offset = probes[i].offset};
        status = hf_keeper_line_want(keeper, &entry, probes[i].path, err);
    }
    if (status == HF_OK && with_faults)
        status = hf_keeper_line_want(keeper, &fault, "", err);
    if (status == HF_OK)
        status = count_stops(keeper, count + with_faults, wait_ms, counts, err);
    if (status == HF_OK)
        *out_cost = cost_add_up(probes, count, counts, counts[count], wait_ms);
    hf_keeper_line_close(keeper);
    free(counts);
    return status;
}
