/*
 * growing.h: what `trend` and `check` share: their profiles become a history, and that places with
 * verdicts.
 */
#ifndef HF_CLI_GROWING_H
#define HF_CLI_GROWING_H

#include "analysis/growth.h"
#include "cli/view.h"

struct hf_growing_options {
    struct hf_view_options view;
    bool is_json;
    const char *at, *skip, *older;
    uint64_t old_ns; /* of --older; set by hf_growing_make */
};

/* Over it; those over its view are in view.h. */
extern const struct hf_option hf_growing_time_options[]; /* --at, --skip */

struct hf_growing {
    struct hf_history history;
    struct hf_view view; /* of the history */
    struct hf_growth growth;
};

/*
 * Reads the profiles that `operands` name, one at a time. Call done in any case, after the report:
 * it prints the notes.
 */
HF_MUST_CHECK enum hf_status hf_growing_make(struct hf_growing *growing,
    struct hf_growing_options *options, const struct hf_operands *operands, struct hf_error *err);
void hf_growing_done(struct hf_growing *growing);

#endif
