/*
 * side.h: reads, adds up, names and folds the profiles of one side of a comparison (or of the only
 * side).
 */
#ifndef HF_ANSWER_SIDE_H
#define HF_ANSWER_SIDE_H

#include "analysis/owner.h"
#include "answer/request.h"

struct hf_side {
    const struct hf_profile *given; /* use this one, which has its names; NULL: read `profiles` */
    const char *const *profiles;
    size_t count;
    int64_t time_s;                  /* for a point of a series, since 1970; 0: unknown */
    struct hf_owners *owners;        /* that learn of it; NULL: nobody does */
    struct hf_profile **out_by_line; /* set to what is shown of it, folded by line, if it has lines;
                                        NULL: nobody wants that */
    struct hf_profile **out_by_address; /* likewise, of address frames, if it has addresses */
    struct hf_profile *read;            /* already read, not yet named; NULL: not read yet */
};

/* Sets side->read, which the caller frees. `is_quiet`: without progress, for other threads. */
HF_MUST_CHECK enum hf_status hf_side_read(
    const struct hf_request *request, struct hf_side *side, bool is_quiet, struct hf_error *err);

/* Reads the side if necessary, and names it. Free the profile with hf_profile_free. */
HF_MUST_CHECK enum hf_status hf_side_load(const struct hf_request *request, struct hf_side *side,
    struct hf_profile **out_profile, struct hf_error *err);

/* All of it: what is shown of the side, and of which type; *out_whole is its total before filters.
 */
HF_MUST_CHECK enum hf_status hf_side_make(const struct hf_request *request,
    const struct hf_fold_options *how, struct hf_side *side, struct hf_profile **out_folded,
    size_t *out_type, struct hf_total *out_whole, struct hf_error *err);

/* When every side has been made: its stacks end at their owners, if the request says so. */
HF_MUST_CHECK enum hf_status hf_side_cut(const struct hf_request *request, struct hf_owners *owners,
    struct hf_profile *folded, size_t type, struct hf_error *err);

#endif
