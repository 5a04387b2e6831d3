/*
 * filters.h: what a request shows of a profile, as profile/fold.h takes it: patterns are compiled.
 */
#ifndef HF_ANSWER_FILTERS_H
#define HF_ANSWER_FILTERS_H

#include "answer/request.h"

/* Its regular expressions are its own. */
struct hf_filters {
    struct hf_fold_options fold;
};

/* HF_ERR_USAGE: a bad pattern, or thread. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_filters_init(
    struct hf_filters *filters, const struct hf_request_fold *wanted, struct hf_error *err);
void hf_filters_done(struct hf_filters *filters);

/* True if part of a profile may be left out, so that its whole is worth telling. */
bool hf_filters_hide(const struct hf_request_fold *wanted);

#endif
