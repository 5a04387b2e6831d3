#include "attach/perf/cost.h"

#include "attach/perf/perf_events.h"
#include "attach/perf/tracefs.h"

#include <stdlib.h>
#include <time.h>

static enum hf_status count_stops(const struct perf_event_attr *kinds, size_t kind_count,
    uint32_t pid, uint32_t wait_ms, uint64_t *out_counts, struct hf_error *err)
{
    struct hf_perf_events events;
    struct timespec wait = {wait_ms / 1000, wait_ms % 1000 * 1000000L};
    enum hf_status status = hf_perf_events_open(&events, pid, kinds, kind_count, err);
    if (status != HF_OK)
        return status;
    hf_perf_events_enable(&events);
    nanosleep(&wait, NULL);
    hf_perf_events_disable(&events);
    for (uint32_t i = 0; i < kind_count; i++)
        out_counts[i] = hf_perf_events_count(&events, i);
    hf_perf_events_close(&events);
    return HF_OK;
}

static struct hf_cost add_up(const struct hf_probe *probes, size_t count, const uint64_t *counts,
    uint64_t faults, uint32_t wait_ms)
{
    struct hf_cost cost = {.emulated = faults * 1000 / wait_ms};
    for (size_t i = 0; i < count; i++) {
        uint64_t stops = counts[i] * 1000 / wait_ms;
        *(probes[i].is_emulated ? &cost.emulated : &cost.stepped) += stops;
        cost.returns += probes[i].returns ? stops : 0;
    }
    return cost;
}

enum hf_status hf_cost_count(uint32_t pid, const struct hf_probe *probes, size_t count,
    bool with_faults, uint32_t wait_ms, struct hf_cost *out_cost, struct hf_error *err)
{
    struct hf_tracefs tracefs = {.folder = -1};
    struct perf_event_attr *kinds = calloc(count + 1, sizeof *kinds);
    uint64_t *counts = calloc(count + 1, sizeof *counts);
    enum hf_status status = kinds != NULL && counts != NULL ? HF_OK : hf_error_memory(err);
    if (status == HF_OK && count != 0)
        status = hf_tracefs_open(&tracefs, err);
    for (size_t i = 0; i <= count && status == HF_OK; i++) {
        kinds[i] = (struct perf_event_attr){.size = sizeof *kinds,
            .type = i < count ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE,
            .config = PERF_COUNT_SW_PAGE_FAULTS,
            .disabled = 1,
            .inherit = 1};
        uint64_t event = kinds[i].config;
        if (i < count)
            status =
                hf_tracefs_add(&tracefs, probes[i].path, probes[i].offset, false, "", &event, err);
        kinds[i].config = event;
    }
    if (status == HF_OK)
        status = count_stops(kinds, count + with_faults, pid, wait_ms, counts, err);
    if (status == HF_OK)
        *out_cost = add_up(probes, count, counts, counts[count], wait_ms);
    hf_tracefs_close(&tracefs);
    free(kinds);
    free(counts);
    return status;
}
