/*
 * history_options.h: the options of commands that judge how the memory of one process develops:
 * trend, check, and top of a folder. answer/process_history.h does the work.
 */
#ifndef HF_CLI_HISTORY_OPTIONS_H
#define HF_CLI_HISTORY_OPTIONS_H

#include "answer/process_history.h"
#include "cli/view_options.h"

struct hf_history_options {
    struct hf_view_options view;
    bool is_json;
    uint64_t every_ns, duration_ns; /* 0: not given */
    struct hf_name_list suppressions;
};

/* Option tables over it; hf_time_options (view_options.h) are of its view. */
extern const struct hf_option hf_process_options[];     /* --every, --duration */
extern const struct hf_option hf_suppression_options[]; /* --suppressions */

/*
 * Reads the profiles that `operands` name, or reads a single process repeatedly, until Ctrl-C at
 * the latest. Then judges them. Call hf_process_history_done in any case.
 */
HF_MUST_CHECK enum hf_status hf_history_options_judge(struct hf_history_options *options,
    const struct hf_operands *operands, struct hf_process_history *process, struct hf_error *err);

/* Prints the notes after the report, and frees. */
void hf_history_options_finish(
    struct hf_history_options *options, struct hf_process_history *process);

#endif
