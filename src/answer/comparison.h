/*
 * comparison.h: computes what changed from a base to the current profiles, or over a series.
 *
 * If both sides are files, two threads read them. Two files of folded stacks become one tree, which
 * is named and folded once; all other profiles become the points of a series.
 */
#ifndef HF_ANSWER_COMPARISON_H
#define HF_ANSWER_COMPARISON_H

#include "answer/side.h"
#include "answer/view.h"

/*
 * Sets the folded profile of the view, its type, totals and points. For a series, `base` is empty
 * and each profile of `current` is a point. The caller frees the `read` of both sides.
 */
HF_MUST_CHECK enum hf_status hf_comparison_make(struct hf_view *view,
    const struct hf_request *request, const struct hf_fold_options *fold, struct hf_side *base,
    struct hf_side *current, struct hf_error *err);

#endif
