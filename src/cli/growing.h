/*
 * growing.h: profiles of one process become a history, and that places with verdicts.
 */
#ifndef HF_CLI_GROWING_H
#define HF_CLI_GROWING_H

#include "analysis/growth.h"
#include "analysis/suppressions.h"
#include "cli/view.h"

struct hf_growing_options {
    struct hf_view_options view;
    bool is_json;
    bool keeps_last;                /* hf_growing.last */
    uint64_t every_ns, duration_ns; /* 0: not given */
    struct hf_name_list suppressions;
};

extern const struct hf_option hf_growing_time_options[]; /* --at, --skip, --older: of its view */

extern const struct hf_option hf_growing_process_options[];     /* --every, --duration */
extern const struct hf_option hf_growing_suppression_options[]; /* --suppressions */

/* All zero: nothing is known. */
struct hf_growing {
    struct hf_history history;
    bool is_unordered;       /* times did not rise: the history ends before that */
    struct hf_profile *last; /* of the profiles, as it was read; NULL: not kept */
    struct hf_view view;     /* of the history */
    struct hf_growth growth; /* without the places that are suppressed, also of the whole */
    struct hf_suppressions suppressions; /* and their hits */
};

/*
 * Reads the next profile, which the caller frees, and adds it. `is_judged`: hf_growing_judge
 * follows, so what it knows of lifetimes is wanted. `context` is the struct hf_growing: this may be
 * hf_view_options.read_point.
 */
HF_MUST_CHECK enum hf_status hf_growing_add(void *context, const struct hf_view_options *options,
    const struct hf_dated_profile *dated, bool is_judged, struct hf_profile **out_profile,
    struct hf_error *err);

/*
 * Names and folds the history as far as it goes, and finds its places; those before are gone.
 * `options` is changed, and borrowed until hf_growing_done.
 */
HF_MUST_CHECK enum hf_status hf_growing_judge(
    struct hf_growing *growing, struct hf_view_options *options, struct hf_error *err);

/*
 * Both, for the profiles that `operands` name, one at a time; one process alone is looked at again
 * and again (looking.h). Call done in any case, after the report: it prints the notes.
 */
HF_MUST_CHECK enum hf_status hf_growing_make(struct hf_growing *growing,
    struct hf_growing_options *options, const struct hf_operands *operands, struct hf_error *err);
void hf_growing_done(struct hf_growing *growing);

#endif
