/*
 * growth_ages.h: lifetimes of the places of growth.h, computed from the last profile of a history.
 * A part of growth.c.
 *
 * *Old blocks that were given back.* Let x be what a place held at a point, and c what of its
 * blocks in use at the end was born before that point: x - c has gone since. Of what lives for a
 * short time only, that is the same at every point; where old blocks go, it is more the longer ago.
 * So the mean over the middle half of the time, less that over the last eighth, as a part of the
 * middle's x.
 */
#ifndef HF_ANALYSIS_GROWTH_AGES_H
#define HF_ANALYSIS_GROWTH_AGES_H

#include "analysis/growth/growth.h"

#include <math.h>

#define HF_GROWTH_AGES_UNKNOWN                                                                     \
    (struct hf_growth_ages)                                                                        \
    {                                                                                              \
        .old_freed = NAN, .old_bytes = NAN, .median_s = NAN, .allocated = NAN, .gone = NAN         \
    }

/* Fills in the ages of all places. `owners`: by node, the place it belongs to; `counted`: the
 * node where its memory counts. */
HF_MUST_CHECK enum hf_status hf_growth_measure_ages(struct hf_growth *growth,
    const struct hf_history *history, const struct hf_profile *folded, const uint32_t *owners,
    const uint32_t *counted, struct hf_error *err);

/*
 * What of the old blocks of a place was given back, as in struct hf_verdict_facts. `births`: of its
 * bytes in use at the end, by bins as in struct hf_births.
 */
double hf_growth_old_freed(const struct hf_growth *growth, const struct hf_growth_place *place,
    const double births[HF_LIFETIMES_BINS + 1]);

#endif
