/*
 * reading.h: the numbers of a process at one moment: what its live table adds up to, what it has
 * resident, and how near its memory cgroup is to the limit.
 *
 * The first are what the process says, and whoever adds them up reads what it wrote: that is for a
 * process without rights. The others are the kernel's.
 */
#ifndef HF_CAPTURE_READING_H
#define HF_CAPTURE_READING_H

#include "base/error.h"
#include "capture/memory_group.h"

#include <stdint.h>

struct hf_reading {
    uint64_t at_ns;           /* monotonic */
    uint64_t allocated_bytes; /* ever */
    uint64_t in_use_bytes;
    uint64_t resident_bytes, anonymous_bytes; /* as in struct hf_proc_memory; 0: not known */
    struct hf_memory_reading memory;
};

struct hf_table_sums {
    uint64_t allocated_bytes, in_use_bytes; /* as in struct hf_reading */
};

/*
 * Adds up the live table that is open, called `name`, and takes what it held at the start, when
 * that is due (live/start_moment.h; NULL: not asked for). HF_ERR_INPUT: it is damaged.
 */
struct hf_live_start;
HF_MUST_CHECK enum hf_status hf_table_sums_take(int fd, const char *name,
    struct hf_live_start *start, struct hf_table_sums *out_sums, struct hf_error *err);

/* A reading of now: those sums, and what the kernel says. */
struct hf_reading hf_reading_of(
    const struct hf_table_sums *sums, uint32_t pid, const struct hf_memory_group *group);

/*
 * True if malloc explains less than HF_READING_EXPLAINED percent of the anonymous memory, and the
 * rest is not little: so much are the allocator's own records, what it keeps free, and the agent.
 */
#define HF_READING_EXPLAINED 75u
#define HF_READING_LITTLE_BYTES (UINT64_C(4) << 20)
HF_MUST_CHECK bool hf_reading_is_unexplained(const struct hf_reading *reading);

#endif
