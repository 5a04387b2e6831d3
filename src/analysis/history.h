/*
 * history.h: what each stack of a process held at many times, in bounded memory.
 *
 * Profiles are added in the order of time and may be forgotten then. A *point* is the mean of one
 * or more that follow each other: when HF_HISTORY_POINTS are full, neighbours become one, and from
 * then on a point takes twice as many profiles. So memory is bounded by distinct stacks x
 * HF_HISTORY_POINTS, and time is divided evenly, however many profiles come.
 *
 * A history is kept as a profile whose threads are its points, the oldest first: it is named and
 * folded as any other, if the fold keeps threads. It has no values of the whole process. Stacks
 * that are missing from a profile held nothing then. The last profile may come with lifetimes.
 *
 * Each may come with births: then the last profile of a point is a *look*, of which is kept how
 * much is in use of what was allocated in each epoch (profile/lifetimes.h), for stacks that hold a
 * thousandth of the memory at some look; from then on, and for HF_HISTORY_COHORT_STACKS at most.
 */
#ifndef HF_ANALYSIS_HISTORY_H
#define HF_ANALYSIS_HISTORY_H

#include "profile/lifetimes.h"
#include "profile/profile.h"
#include "statistics/load_clock.h"

#define HF_HISTORY_POINTS 64

/*
 * Threads of a history behind its points, of what the last profile says of lifetimes: births, one
 * for each bin, and what is old, as HF_HISTORY_SPACE; and one for each stack at which blocks were
 * freed, with as many HF_HISTORY_OBJECTS as there were, and HF_HISTORY_SPACE 1 at that stack. Then
 * epochs, HF_LIFETIMES_EPOCHS for each point: what is in use as HF_HISTORY_SPACE, and as
 * HF_HISTORY_OBJECTS the sum of squares of what its samples stand for, / HF_HISTORY_SQUARES.
 */
#define HF_HISTORY_BIRTHS HF_HISTORY_POINTS
#define HF_HISTORY_OLD (HF_HISTORY_BIRTHS + HF_LIFETIMES_BINS + 1)
#define HF_HISTORY_FREES (HF_HISTORY_OLD + 1)
#define HF_HISTORY_FREES_MAX 64
#define HF_HISTORY_COHORTS (HF_HISTORY_FREES + HF_HISTORY_FREES_MAX)
#define HF_HISTORY_THREADS (HF_HISTORY_COHORTS + HF_HISTORY_POINTS * HF_LIFETIMES_EPOCHS)
#define HF_HISTORY_COHORT_STACKS 512
#define HF_HISTORY_COHORT_PART 1000

#define HF_HISTORY_SQUARES 64

/* The value types of a history. Those that its profiles do not have are 0. */
enum hf_history_value {
    HF_HISTORY_VALUE, /* what is asked for */
    HF_HISTORY_OBJECTS,
    HF_HISTORY_SPACE,
    HF_HISTORY_ALLOCATED, /* bytes ever allocated */
    HF_HISTORY_VALUES
};

struct hf_history {
    struct hf_profile *stacks; /* values of a point are sums over its profiles */
    struct hf_history_point {
        int64_t time_ms;   /* sum over its profiles, from that of the first */
        uint32_t profiles; /* how many they are */
        int64_t look_ms;   /* of its last profile, since the recording began; -1: no births */
    } points[HF_HISTORY_POINTS];
    size_t count;
    uint32_t profiles_per_point;
    size_t profile_count;
    int64_t first_ms, last_ms; /* of the profiles, since 1970 */
    bool has_lifetimes;
    uint64_t lost_objects; /* as the lifetimes say */
    int64_t began_ms;      /* when the recording of the looks began, since 1970 */
    uint32_t epoch_shift;  /* as of lifetimes; 0: there are no looks */
    /* By whose clock growth is judged; borrowed, set by the caller. NULL: by time. */
    const struct hf_load_clock *load;
};

/* A history of the values called `value` (a type of the first profile). Call done in any case. */
HF_MUST_CHECK enum hf_status hf_history_init(
    struct hf_history *history, const struct hf_profile *first, size_t value, struct hf_error *err);
void hf_history_done(struct hf_history *history);

/*
 * Adds the next profile, which is later than all before. `lifetimes`: its own, or NULL; they take
 * the place of those that came with an earlier one.
 * HF_ERR_INPUT: it has no such values;
 * HF_ERR_USAGE: it is a difference.
 */
HF_MUST_CHECK enum hf_status hf_history_add(struct hf_history *history,
    const struct hf_profile *profile, const struct hf_lifetimes *lifetimes, int64_t time_ms,
    struct hf_error *err);

/* When a point was, in seconds from the first profile on. */
double hf_history_time_s(const struct hf_history *history, size_t point);

#endif
