/*
 * side.h: one side of a comparison, or the only one: profiles that are added up, named and folded.
 */
#ifndef HF_ANSWER_SIDE_H
#define HF_ANSWER_SIDE_H

#include "answer/request.h"

struct hf_side {
    const struct hf_profile *given; /* this one, named already; NULL: `profiles` are read */
    const char *const *profiles;
    size_t count;
    int64_t time_s;          /* of a point of a series, since 1970; 0: unknown */
    struct hf_profile *read; /* what is read already, but not named; NULL: nothing yet */
};

/* Reads it. `is_quiet`: on another thread, so nobody is told. The caller frees side->read. */
HF_MUST_CHECK enum hf_status hf_side_read(
    const struct hf_request *request, struct hf_side *side, bool is_quiet, struct hf_error *err);

/* Reads it, unless that is done, and names it. Free the profile with hf_profile_free. */
HF_MUST_CHECK enum hf_status hf_side_load(const struct hf_request *request, struct hf_side *side,
    struct hf_profile **out_profile, struct hf_error *err);

/* All of it: what is shown of the side, and of which type; *out_whole is its total before filters.
 */
HF_MUST_CHECK enum hf_status hf_side_make(const struct hf_request *request,
    const struct hf_fold_options *how, struct hf_side *side, struct hf_profile **out_folded,
    size_t *out_type, struct hf_total *out_whole, struct hf_error *err);

#endif
