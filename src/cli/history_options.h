/*
 * history_options.h: the options of commands that judge how the memory of one process develops:
 * trend, check, and top of a folder. answer/history/process_history.h does the work.
 */
#ifndef HF_CLI_HISTORY_OPTIONS_H
#define HF_CLI_HISTORY_OPTIONS_H

#include "answer/history/load_file.h"
#include "answer/history/program_leaks.h"
#include "cli/view_options.h"
#include "render/table/process_list.h"

struct hf_history_options {
    struct hf_view_options view;
    bool is_json;
    uint64_t every_ns, duration_ns; /* 0: not given */
    struct hf_name_list suppressions;
    const char *per, *per_column;
    struct hf_load_file load;        /* of `per` */
    struct hf_shared_leaks together; /* of the processes that were judged: what they say together */
};

/* Option tables over it; hf_time_options (view_options.h) are of its view. */
extern const struct hf_option hf_process_options[];     /* --every, --duration */
extern const struct hf_option hf_suppression_options[]; /* --suppressions */
extern const struct hf_option hf_load_options[];        /* --per, --per-column */

/* Runs a loop that the poller is to be a part of; see hf_history_options_watch. */
typedef enum hf_status hf_history_loop_fn(
    void *context, struct hf_poller *poller, struct hf_loop *loop, struct hf_error *err);

/* Sets all of `poller` but pid, look and its context, and has `run` run it in a loop that ends with
 * Ctrl-C at the latest. */
HF_MUST_CHECK enum hf_status hf_history_options_watch(const struct hf_history_options *options,
    struct hf_poller *poller, hf_history_loop_fn *run, void *context, struct hf_error *err);

/*
 * Reads the profiles that `operands` name, each into the history of its process, or reads a single
 * process repeatedly, until Ctrl-C at the latest. Then judges those with two profiles and more.
 * Call hf_process_histories_done in any case.
 */
HF_MUST_CHECK enum hf_status hf_history_options_judge(struct hf_history_options *options,
    const struct hf_operands *operands, struct hf_process_histories *processes,
    struct hf_error *err);

/* Prints the notes after the report, and frees. */
void hf_history_options_finish(
    struct hf_history_options *options, struct hf_process_histories *processes);

/* How a process is listed beside others. Borrows from it. */
struct hf_listed_process hf_history_options_listed(
    const struct hf_history_options *options, const struct hf_process_history *process);

/* Prints how many there are, which program was started again, and what its processes say together.
 */
HF_MUST_CHECK enum hf_status hf_history_options_put_summary(
    const struct hf_history_options *options, const struct hf_process_histories *processes,
    struct hf_out *out, struct hf_error *err);

#endif
