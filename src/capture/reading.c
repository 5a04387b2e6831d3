#include "capture/reading.h"

#include "live/reader.h"
#include "live/start_moment.h"
#include "os/process/proc.h"
#include "profile/unbias.h"

#include <time.h>

struct sum {
    uint64_t period_bytes;
    double bytes;
};

static enum hf_status reading_add_block(
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

static uint64_t monotonic_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

enum hf_status hf_table_sums_take(int fd, const char *name, struct hf_live_start *start,
    struct hf_table_sums *out_sums, struct hf_error *err)
{
    struct hf_live_snapshot snapshot;
    struct hf_live_head head;
    struct hf_live_source source = hf_live_source_of(&fd, name);
    enum hf_status status = hf_live_read_head(source, &head, err);
    if (status != HF_OK)
        return status;
    struct sum sum = {.period_bytes = head.period_bytes};
    status = hf_live_read_totals(
        &snapshot, source, (struct hf_live_visitor){reading_add_block, &sum}, err);
    if (status == HF_OK)
        *out_sums = (struct hf_table_sums){sum_allocated(&snapshot), hf_unbias_round(sum.bytes)};
    if (status == HF_OK && start != NULL)
        hf_live_start_take(start, &snapshot, monotonic_now_ns());
    hf_live_snapshot_done(&snapshot);
    return status;
}

struct hf_reading hf_reading_of(
    const struct hf_table_sums *sums, uint32_t pid, const struct hf_memory_group *group)
{
    struct hf_reading reading = {
        .allocated_bytes = sums->allocated_bytes,
        .in_use_bytes = sums->in_use_bytes,
        .memory = hf_memory_read(group),
    };
    reading.at_ns = monotonic_now_ns();
    struct hf_proc_memory memory;
    if (hf_proc_memory(pid, &memory)) {
        reading.resident_bytes = memory.resident_bytes;
        reading.anonymous_bytes = memory.anonymous_bytes;
    }
    return reading;
}

bool hf_reading_is_unexplained(const struct hf_reading *reading)
{
    uint64_t anonymous = reading->anonymous_bytes, in_use = reading->in_use_bytes;
    return in_use < anonymous && anonymous - in_use >= HF_READING_LITTLE_BYTES &&
           in_use < anonymous / 100 * HF_READING_EXPLAINED;
}
