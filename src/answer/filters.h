/*
 * filters.h: turns the filters of a request into options for profile/fold.h; compiles the patterns.
 */
#ifndef HF_ANSWER_FILTERS_H
#define HF_ANSWER_FILTERS_H

#include "answer/request.h"

/* Owns the compiled regular expressions. */
struct hf_filters {
    struct hf_fold_options fold;
};

/* HF_ERR_USAGE for an invalid pattern or thread. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_filters_init(
    struct hf_filters *filters, const struct hf_request_fold *wanted, struct hf_error *err);
void hf_filters_done(struct hf_filters *filters);

/* True if the filters may hide part of a profile; reports then also show its total. */
bool hf_filters_hide(const struct hf_request_fold *wanted);

#endif
