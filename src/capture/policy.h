/*
 * policy.h: when a watcher writes a dump, and which dumps it keeps.
 *
 * Pure functions of readings: no clock, no file.
 */
#ifndef HF_CAPTURE_POLICY_H
#define HF_CAPTURE_POLICY_H

#include "capture/reading.h"

enum hf_dump_reason {
    HF_DUMP_NOT, /* none is due */
    HF_DUMP_INTERVAL,
    HF_DUMP_HIGH_WATER,
    HF_DUMP_TIME,
    HF_DUMP_PRESSURE, /* memory runs out */
    HF_DUMP_LEAK,     /* somebody else saw one; it is never removed */
    HF_DUMP_FINAL,
};

/* 0: not by this. */
struct hf_dump_rules {
    uint64_t interval_bytes;   /* so many bytes were allocated since the last dump for this */
    uint64_t high_water_bytes; /* in use, or resident, are so many more than at the last maximum */
    uint64_t every_ns;
    bool by_pressure;
};

/* What of the past counts; all-zero before the first reading. */
struct hf_policy {
    struct hf_dump_rules rules;
    bool has_started;
    uint64_t interval_from, high_water, resident_high_water, time_from;
    unsigned level; /* of hf_memory_levels that the group's memory passed */
    uint64_t refusals, stall_us, pressure_from;
};

/*
 * Memory runs out when the group passes one of hf_memory_levels, for each once until it is
 * below 70 %; when it is refused memory, or waits for memory a tenth of the time, at most every
 * HF_POLICY_PRESSURE_NS.
 */
#define HF_POLICY_PRESSURE_NS UINT64_C(10000000000)

/* Whether a dump is due at this reading, and why; the most urgent if there are several reasons. */
enum hf_dump_reason hf_policy_next(struct hf_policy *policy, const struct hf_reading *reading);

/* A dump that was written and is still there. */
struct hf_kept_dump {
    uint64_t number; /* 0, 1, 2 ... as they were written */
    uint64_t in_use_bytes;
    uint64_t growth_bytes; /* in use, since the dump before; 0 if it shrank */
};

#define HF_KEEP_PAIRS 3

/*
 * The index of one dump to be removed, or `count` if all stay: the first, the one with most in use,
 * the `last` newest (0: all), and the HF_KEEP_PAIRS pairs of neighbours between which most grew.
 */
size_t hf_keep_excess(const struct hf_kept_dump *dumps, size_t count, size_t last);

#endif
