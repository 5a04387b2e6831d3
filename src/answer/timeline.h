/*
 * timeline.h: profiles of one process, and when each was taken.
 *
 * A folder stands for the files in it. The time of a file is the one in its name, else that of its
 * last change. In a name, a time is YYYYMMDD or YYYY-MM-DD, then HHMMSS, HH:MM:SS or HH-MM-SS, with
 * one of "-", "_", "T" and "." between the two, in UTC; or ten digits, seconds since 1970. A live
 * table's random number is none.
 */
#ifndef HF_ANSWER_TIMELINE_H
#define HF_ANSWER_TIMELINE_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_dated_profile {
    const char *name;
    int64_t time_ms; /* since 1970, or as --at says */
};

struct hf_timeline {
    struct hf_dated_profile *items; /* the oldest first */
    size_t count, capacity;
    struct hf_arena names;
};

struct hf_timeline_options {
    const char *at;   /* times: "0,60s,2m" or, of all but the first, since the one before: "60s" */
    uint64_t skip_ns; /* leave out what was taken so soon after the first */
    bool keeps_order; /* as given, with a folder's files by time; times need not rise */
};

/*
 * Finds the profiles that `operands` name. HF_ERR_USAGE: a bad time; without keeps_order, two have
 * the same. Free with hf_timeline_done, also after an error.
 */
HF_MUST_CHECK enum hf_status hf_timeline_find(struct hf_timeline *timeline,
    const char *const *operands, size_t count, const struct hf_timeline_options *how,
    struct hf_error *err);
void hf_timeline_done(struct hf_timeline *timeline);

/* Milliseconds since 1970, by the clock. */
int64_t hf_timeline_now(void);

/* Of one profile, since 1970; INT64_MIN: it is not there. What is read when it is named is now. */
int64_t hf_timeline_time_of(const char *name);

/* Milliseconds since 1970 of the time in a name; false if there is none. */
HF_MUST_CHECK bool hf_timeline_time_in(struct hf_text name, int64_t *out_ms);

#endif
