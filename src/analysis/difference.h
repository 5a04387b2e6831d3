/*
 * difference.h: what changed from one profile to another, as a profile.
 *
 * Stacks are matched by what they show, not by address: both sides are folded first
 * (profile/fold.h), so a base from another run, with other load addresses, gives the same answer.
 * For each stack and type grew = max(0, B - A) and released = max(0, A - B), so A + grew - released
 * = B for every stack, and therefore for every sum over stacks.
 *
 * A pair (profile/profile.h) is folded as a whole instead, and becomes the difference in place.
 */
#ifndef HF_ANALYSIS_DIFFERENCE_H
#define HF_ANALYSIS_DIFFERENCE_H

#include "profile/profile.h"

/*
 * Makes the difference from `base` (A) to `current` (B), both folded alike and no differences
 * themselves. HF_ERR_INPUT if they hold other kinds of values. Stacks that did not change are
 * left out.
 */
HF_MUST_CHECK enum hf_status hf_difference(const struct hf_profile *base,
    const struct hf_profile *current, struct hf_profile **out_difference, struct hf_error *err);

/* Makes the difference of a folded pair, in place. */
void hf_difference_of_pair(struct hf_profile *pair);

/* Forgets what was released (jeprof --drop_negative), in place. */
void hf_difference_drop_released(struct hf_profile *difference);

#endif
