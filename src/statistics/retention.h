/*
 * retention.h: how much a place keeps of what it allocates, whatever its verdict: a number to hold
 * against a limit.
 *
 * Counted is what was allocated in the older half of a piece of time, and is in use at the last
 * look: each block had the time of the younger half to be freed. That older half has
 * HF_RETENTION_COHORTS cohorts, and the number is that of the cohort that kept least. So what is
 * loaded once is kept by one of them only, and what a cache or a queue replaces within the time by
 * none.
 *
 * The bounds are those of the samples, 95 %: Poisson's for a rate (Wilson and Hilferty 1931),
 * Wilson's 1927 for a share. They are the number itself if every allocation was recorded.
 */
#ifndef HF_STATISTICS_RETENTION_H
#define HF_STATISTICS_RETENTION_H

#include "statistics/survival.h"

#define HF_RETENTION_COHORTS 3

/* All zero: nothing is known. */
struct hf_retention {
    bool is_known;   /* there are births, and enough looks */
    bool has_shares; /* and it is known what was allocated */
    struct hf_retained {
        double value, low, high;
    } rate,              /* a second, as the table's `sample` says */
        share;           /* of what was allocated, 0 .. 1 */
    double from_s, to_s; /* the older half; since the recording began */
};

/* Of the time from `since_s` on, at the earliest from the first look, to the last look. */
struct hf_retention hf_retention_of(
    const struct hf_survival_table *table, double since_s, bool is_exact);

#endif
