/*
 * timeline.h: finds the profiles of processes, and when each was taken.
 *
 * A folder stands for the files in it, but for documents of a run (PROGRAM.PID.run.json). The time
 * of a file is the time in its name, or else when it was last changed. A time in a name is YYYYMMDD
 * or YYYY-MM-DD, one of "-", "_", "T" and ".", and HHMMSS, HH:MM:SS or HH-MM-SS, in UTC; or ten
 * digits, seconds since 1970. The random number in the name of a live table is not a time.
 */
#ifndef HF_ANSWER_TIMELINE_H
#define HF_ANSWER_TIMELINE_H

#define HF_TIMELINE_RUN_ENDING ".run.json"

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_dated_profile {
    const char *name;
    int64_t time_ms; /* since 1970, or since the first if `at` is given */
};

struct hf_timeline {
    struct hf_dated_profile *items; /* the oldest first */
    size_t count, capacity;
    struct hf_arena names;
};

struct hf_timeline_options {
    const char *at;   /* all times, e.g. "0,60s,2m", or the interval, e.g. "60s"; NULL: not given */
    uint64_t skip_ns; /* leave out profiles from the first skip_ns */
    bool keeps_order; /* in the order of the operands (a folder's by time); times may fall */
};

/*
 * Finds the profiles that `operands` name. Two may have the same time, of different processes.
 * HF_ERR_USAGE for an invalid time. Free with hf_timeline_done, also after an error.
 */
HF_MUST_CHECK enum hf_status hf_timeline_find(struct hf_timeline *timeline,
    const char *const *operands, size_t count, const struct hf_timeline_options *how,
    struct hf_error *err);
void hf_timeline_done(struct hf_timeline *timeline);

/* The current time, in milliseconds since 1970. */
int64_t hf_timeline_now(void);

/* When a profile was taken, since 1970: for URLs, processes and "-" now. INT64_MIN: not found. */
int64_t hf_timeline_time_of(const char *name);

/* The time in a name, in milliseconds since 1970; false if there is none. */
HF_MUST_CHECK bool hf_timeline_time_in(struct hf_text name, int64_t *out_ms);

#endif
