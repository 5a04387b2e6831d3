/*
 * capture_facts.h: what the input says about the process, and about how it was recorded.
 */
#ifndef HF_PROFILE_CAPTURE_FACTS_H
#define HF_PROFILE_CAPTURE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#define HF_USAGE_CURVE_POINTS 64
#define HF_USAGE_CURVE_SHIFT_MAX 57 /* 64 of them are all of 63 bits */

/* Point i is of the end of span i, of 2^shift ns each, since the recording began; the last is of
 * the time at which the profile was read. All-zero: nothing is known. */
struct hf_usage_curve {
    uint32_t shift, count;
    uint64_t in_use_bytes[HF_USAGE_CURVE_POINTS];
    uint64_t allocated_bytes[HF_USAGE_CURVE_POINTS]; /* ever, up to then */
};

/* All-zero: it says nothing. */
struct hf_capture_facts {
    uint64_t period_bytes;    /* mean bytes between samples; 0 unknown, 1 everything */
    uint64_t sampled_objects; /* in use, and seen; 0 unknown. As read: no sum */
    uint64_t peak_bytes;      /* the most that was ever in use; 0 unknown */
    uint64_t peak_most_bytes; /* the largest estimate of many, if it was chosen among them; or 0 */
    uint64_t peak_after_ms;   /* when, from when the recording began */
    uint64_t start_after_ms;  /* likewise, of the start (live/start_moment.h); 0 unknown */
    uint64_t began_ms;        /* when that was, since 1970; 0 unknown */
    uint32_t epoch_shift;     /* classes of births are 2^so many ns each; 0: there are none */
    /* Allocations were recorded a part of the time, and values are multiplied by so many 1/1000; 0:
     * they are not. */
    uint32_t weight_per_mille;
    bool has_classes;       /* of blocks by age, size and birth: profile/lifetimes.h */
    bool has_no_freed;      /* only by birth, and of what is in use: nothing of what was freed */
    uint32_t process_id;    /* of all that it holds; 0 unknown. It may long be another's */
    uint32_t command;       /* string: how the process was started; empty: unknown */
    uint32_t program;       /* string: its path, of a profile without its modules; or empty */
    uint64_t process_start; /* clock ticks since the machine started, which tells; 0 unknown */
    uint32_t jit_names;     /* string: of its JIT, as a perf map has them; or empty */
    bool is_of_peak;        /* its values in use are those of the peak */
    bool has_just_ended;    /* who reads it saw its process end: nobody has its number yet */
    struct hf_usage_curve curve;
    bool is_no_heap; /* the allocator's frames are like any other: samples of time or events, or
                        of a program that is known by its mappings only (live/layout.h) */
};

#endif
