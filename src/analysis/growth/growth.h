/*
 * growth.h: the places of a program where memory grows over time, and the other places that hold
 * much.
 *
 * Vocabulary: a *place* is a node of the stacks with all that it calls and that is no place itself;
 * so places have no byte in common. They are found as suspects are (suspects.h), among what grew:
 * first the large ones, then, with these left out, those beside them, so that a small leak is not
 * hidden by a large cache; last, what holds a twentieth of the memory without growing.
 *
 * With owners, what a place holds counts for the owner that it has: no place lies below one.
 *
 * Each place has its points, its trend and its verdict.
 *
 * Example:
 *
 *     struct hf_history *history = NULL; // of the profiles of one process
 *     struct hf_profile *folded = NULL; // its stacks, named and folded
 *     static struct hf_growth growth;
 *     if (history != NULL && folded != NULL)
 *         status = hf_growth_find(&growth, history, folded, NULL, err);
 *     for (size_t i = 0; i < growth.count && status == HF_OK; i++)
 *         hf_out_text(out, growth.places[i].name);
 *     hf_growth_done(&growth);
 */
#ifndef HF_ANALYSIS_GROWTH_H
#define HF_ANALYSIS_GROWTH_H

#include "analysis/history.h"
#include "analysis/owner.h"
#include "analysis/verdict.h"
#include "base/containers/arena.h"
#include "statistics/retention.h"
#include "statistics/trend.h"

#define HF_GROWTH_PLACES 40u

/* What a live table says of lifetimes. */
struct hf_growth_ages {
    double old_freed;         /* as in struct hf_verdict_facts */
    double old_bytes;         /* in use for longer than was asked; NAN: not known */
    double median_s;          /* half of what is in use is older; NAN: not known, or from before */
    double allocated, gone;   /* bytes a second, allocated and given back; NAN: not known */
    uint64_t freed;           /* recorded blocks that were freed */
    uint64_t freed_elsewhere; /* of the same function, called on another way */
    struct hf_text site;      /* where most of them were freed, raw; empty: nowhere */
    double site_share;        /* of `freed` and `freed_elsewhere`: how many there */
};

struct hf_growth_place {
    uint32_t node;          /* of the folded history */
    const uint32_t *frames; /* its stack, the place itself first */
    size_t depth;
    const uint32_t *inner; /* the frames that all stacks of it have below it */
    size_t inner_depth;
    struct hf_text name;        /* raw: escape it */
    struct hf_text via;         /* as of a suspect */
    struct hf_text suppression; /* as of a suspect */
    double *values, *objects;   /* at each point */
    double *allocated;          /* bytes ever, until each point; 0: not known */
    struct hf_trend trend;
    struct hf_verdict verdict;
    double share;  /* of all that grew, 0 .. 1 */
    double noise;  /* as in struct hf_trend_points */
    double sample; /* what one stands for of those by which `survival` judges; 0: not known */
    struct hf_growth_ages ages;
    struct hf_survival survival; /* of a leak that is still told: by which it was found */
    const struct hf_survival_course *course; /* NULL: births are not known */
    struct hf_retention kept;                /* of what it allocated; by the clock of `load` */
};

struct hf_growth {
    struct hf_growth_place places[HF_GROWTH_PLACES]; /* the most urgent first */
    size_t count;
    struct hf_growth_place whole; /* all of it: no frames */
    double grew;                  /* by all stacks that did: what shares are of */
    double times_s[HF_HISTORY_POINTS];
    struct hf_load_window load;        /* the clock by which it is judged, over its times */
    double clock_s[HF_HISTORY_POINTS]; /* times_s by that clock */
    size_t point_count;
    double lost_samples; /* as in struct hf_verdict_facts */
    bool is_bytes;
    bool is_in_use; /* the values are bytes in use */
    bool is_exact;  /* every allocation was recorded, and nothing was lost */
    /* What is said of leaks; set by the caller, for the sentences. */
    bool has_clock;                        /* times are those of the clock */
    bool is_brief;                         /* as in struct hf_verdict_facts */
    const struct hf_verdict_event *events; /* of the process, in any order; borrowed */
    size_t event_count;
    const struct hf_verdict_left
        *left;    /* the whole's, which the first leak tells; NULL: no limit */
    double old_s; /* what counts as old; 0: nobody asked. Set by the caller, for the sentences */
    const struct hf_history *history; /* borrowed, as `folded` */
    const struct hf_profile *folded;
    struct hf_arena arena;
};

/*
 * Finds the places of a history. `folded` is its profile, named and folded; its values of the whole
 * process become what that held at last. `owners` learned of it; NULL: nobody did. Free with
 * hf_growth_done, also after an error.
 */
HF_MUST_CHECK enum hf_status hf_growth_find(struct hf_growth *growth,
    const struct hf_history *history, struct hf_profile *folded, struct hf_owners *owners,
    struct hf_error *err);

/* Gives a place whose points and lifetimes are known its trend, share and verdict. */
void hf_growth_judge(const struct hf_growth *growth, struct hf_growth_place *place);

/* The whole: a leak, if any of the places is one. */
void hf_growth_judge_whole(struct hf_growth *growth);

void hf_growth_done(struct hf_growth *growth);

#endif
