/*
 * reading.h: the numbers of a process at one moment: what its live table adds up to, what it has
 * resident, and how near its memory cgroup is to the limit.
 *
 * Cgroups: Documentation/admin-guide/cgroup-v2.rst (memory.current, memory.max, memory.high,
 * memory.events, memory.pressure) and cgroup-v1/memory.rst (memory.usage_in_bytes,
 * memory.limit_in_bytes, memory.failcnt, memory.oom_control) of the kernel. Only the group that the
 * process is in is looked at, not those around it. Files that are missing count as 0.
 */
#ifndef HF_CAPTURE_READING_H
#define HF_CAPTURE_READING_H

#include "base/error.h"
#include "capture/found_table.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct hf_memory_group {
    char folder[PATH_MAX];
    bool is_v1, is_known;
};

/* The memory cgroup of a process, or `folder` if that is not NULL. */
struct hf_memory_group hf_memory_group_of(uint32_t pid, const char *folder);

struct hf_memory_reading {
    uint64_t current_bytes;
    uint64_t limit_bytes; /* 0: none */
    uint64_t refusals;    /* times that the group was at its limit or above `high`; only grows */
    uint64_t kills;       /* processes of it that the kernel killed for memory; only grows */
    uint64_t stall_us;    /* time that somebody waited for memory; only grows. v2 alone */
};
struct hf_memory_reading hf_memory_read(const struct hf_memory_group *group);

struct hf_reading {
    uint64_t at_ns;           /* monotonic */
    uint64_t allocated_bytes; /* ever */
    uint64_t in_use_bytes;
    uint64_t resident_bytes;
    struct hf_memory_reading memory;
};

/* Adds up the table. HF_ERR_INPUT: it is damaged. */
HF_MUST_CHECK enum hf_status hf_reading_take(const struct hf_found_table *table, uint32_t pid,
    const struct hf_memory_group *group, struct hf_reading *out_reading, struct hf_error *err);

#endif
