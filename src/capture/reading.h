/*
 * reading.h: the numbers of a process at one moment: what its live table adds up to, what it has
 * resident, and how near its memory cgroup is to the limit.
 */
#ifndef HF_CAPTURE_READING_H
#define HF_CAPTURE_READING_H

#include "base/error.h"
#include "capture/found_table.h"
#include "capture/memory_group.h"

#include <stdint.h>

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
