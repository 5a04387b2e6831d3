/*
 * view.h: makes the folded profile that answers a request.
 */
#ifndef HF_ANSWER_VIEW_H
#define HF_ANSWER_VIEW_H

#include "analysis/owner.h"
#include "analysis/series.h"
#include "answer/request.h"
#include "base/budget.h"

#include <limits.h>

struct hf_view {
    struct hf_profile *folded;
    struct hf_profile *by_line; /* the last profile by line, if that is asked for and has lines */
    struct hf_profile *by_address; /* the same of address frames (hf_fold_options) */
    size_t type;                   /* the value to show */
    struct hf_series series; /* whose change `folded` is, the oldest first; no points: of none */
    struct hf_owners owners; /* if the request asks for them and the values are of what has one */
    struct hf_timeline timeline; /* its points; names are borrowed from here */
    char since_path[PATH_MAX];   /* and from here */
    /* Of a comparison: what is shown of A and of B, so that A + grew - released = B. */
    bool has_totals; /* false without one, and if released is dropped, when nothing adds up */
    uint64_t base_total, current_total;
    uint64_t *base_by_node;  /* what each stack of `folded` held in A itself; NULL: not asked for */
    struct hf_total whole;   /* the profile before filters; 0, 0: there are none */
    struct hf_budget budget; /* of what is made of the profiles: enter it to draw them, too */
};

/*
 * Reads the profiles (files, "-", URLs, processes), adds them up, names, folds and, if the request
 * says so, compares them. Do not move `view`. Free with hf_view_done, also after an error.
 */
HF_MUST_CHECK enum hf_status hf_view_make(struct hf_view *view, const struct hf_request *request,
    const char *const *profiles, size_t count, struct hf_error *err);

/* The notes to report, also after an error; NULL: none. Call it before hf_view_done. */
const struct hf_notes *hf_view_notes(struct hf_view *view);

void hf_view_done(struct hf_view *view);

/*
 * Reads profiles, adds them up and names their addresses, without folding. Free the profile with
 * hf_profile_free.
 */
HF_MUST_CHECK enum hf_status hf_view_load(const struct hf_request *request,
    const char *const *profiles, size_t count, struct hf_profile **out_profile,
    struct hf_error *err);

#endif
