/*
 * comparison.h: what changed: from a base to what is current, or over a series of profiles.
 *
 * Two sides of files are read at once. Two of folded stacks are one tree, named and folded once;
 * others are points of a series, whose change is taken.
 */
#ifndef HF_ANSWER_COMPARISON_H
#define HF_ANSWER_COMPARISON_H

#include "answer/side.h"
#include "answer/view.h"

/*
 * Sets the folded profile of the view, its type, totals and points. `base`: no profiles if the
 * request is for a series, whose points are those of `current`. The caller frees side->read of
 * both.
 */
HF_MUST_CHECK enum hf_status hf_comparison_make(struct hf_view *view,
    const struct hf_request *request, const struct hf_fold_options *fold, struct hf_side *base,
    struct hf_side *current, struct hf_error *err);

#endif
