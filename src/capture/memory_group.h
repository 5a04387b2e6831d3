/*
 * memory_group.h: the memory cgroup of a process: how near it is to its limit.
 *
 * Documentation/admin-guide/cgroup-v2.rst (memory.current, memory.max, memory.high, memory.events,
 * memory.pressure, memory.oom.group) and cgroup-v1/memory.rst (memory.usage_in_bytes,
 * memory.limit_in_bytes, memory.failcnt, memory.oom_control) of the kernel. Only the group that the
 * process is in is looked at, not those around it. Files that are missing count as 0.
 */
#ifndef HF_CAPTURE_MEMORY_GROUP_H
#define HF_CAPTURE_MEMORY_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Percents of the limit from which on memory is said to run out. */
static const unsigned hf_memory_levels[] = {80, 90, 95};

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

/* True if the kernel kills all processes of it at once, and `pid` is one of them. Of v2 alone. */
bool hf_memory_group_dies_with(const struct hf_memory_group *group, uint32_t pid);

#endif
