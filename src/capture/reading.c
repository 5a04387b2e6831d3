#include "capture/reading.h"

#include "live/reader.h"
#include "os/process/proc.h"
#include "profile/unbias.h"

#include <time.h>

struct sum {
    uint64_t period_bytes;
    double bytes;
};

static enum hf_status add_block(
    void *context, const struct hf_live_seen_block *block, struct hf_error *err)
{
    (void)err;
    struct sum *sum = context;
    sum->bytes += hf_unbias_weight(sum->period_bytes, block->size) * (double)block->size;
    return HF_OK;
}

static uint64_t sum_allocated(const struct hf_live_snapshot *snapshot)
{
    uint64_t bytes = 0;
    const struct hf_live_stack *stacks = hf_live_stacks(snapshot);
    for (size_t i = 0; i < snapshot->counts[HF_LIVE_STACKS]; i++)
        bytes += atomic_load_explicit(&stacks[i].bytes, memory_order_relaxed);
    return bytes;
}

enum hf_status hf_reading_take(const struct hf_found_table *table, uint32_t pid,
    const struct hf_memory_group *group, struct hf_reading *out_reading, struct hf_error *err)
{
    struct hf_live_snapshot snapshot;
    struct timespec now;
    struct sum sum = {.period_bytes = table->head.period_bytes};
    enum hf_status status = hf_live_read(&snapshot, hf_live_source_of(&table->fd, table->path),
        (struct hf_live_visitor){add_block, &sum}, err);
    if (status == HF_OK) {
        struct hf_reading reading = {
            .allocated_bytes = sum_allocated(&snapshot),
            .in_use_bytes = hf_unbias_round(sum.bytes),
            .memory = hf_memory_read(group),
        };
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        reading.at_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
        if (!hf_proc_resident_bytes(pid, &reading.resident_bytes))
            reading.resident_bytes = 0;
        *out_reading = reading;
    }
    hf_live_snapshot_done(&snapshot);
    return status;
}
