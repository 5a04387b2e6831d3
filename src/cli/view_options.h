/*
 * view_options.h: the options of commands that show profiles, and their tables. answer/view.h
 * answers the request that they contain. Shared by fold, top, graph, flame, diff and the commands
 * that are compatible with other tools.
 */
#ifndef HF_CLI_VIEW_OPTIONS_H
#define HF_CLI_VIEW_OPTIONS_H

#include "answer/view.h"
#include "cli/command.h"

struct hf_view_options {
    struct hf_common common;
    const char *output; /* -o */
    bool is_private;    /* the output is readable by its owner only: a capture */
    bool show_bytes;
    const char *by; /* --by; NULL: not given */
    struct hf_request request;
};

/* Option tables over it; a command's own struct starts with one. */
extern const struct hf_option hf_binary_options[]; /* --exe, --symdir */
extern const struct hf_option hf_name_options[];   /* --full-names, --keep-allocator */
extern const struct hf_option hf_owner_options[];  /* --own, --wrapper */
extern const struct hf_option hf_by_options[];     /* --by, of a table */
extern const struct hf_option hf_place_options[];  /* --by, of places */
extern const struct hf_option hf_input_budget_options[];
extern const struct hf_option hf_value_options[];       /* --value, --inuse_space ... */
extern const struct hf_option hf_filter_options[];      /* --focus ... --thread */
extern const struct hf_option hf_granularity_options[]; /* --functions --lines ... */
extern const struct hf_option hf_base_options[];        /* --base, --drop_negative */
extern const struct hf_option hf_since_options[];       /* --since */
extern const struct hf_option hf_series_options[];      /* --series */
extern const struct hf_option hf_time_options[];        /* --at, --skip, --older */

/* Parts of a command's table: how addresses are named, and help; before them, what is shown. */
#define HF_NAMING_GROUPS                                                                           \
    {"Names", hf_binary_options}, {"", hf_name_options},                                           \
    {                                                                                              \
        "Help", hf_common_options                                                                  \
    }
#define HF_SHOWN_GROUPS                                                                            \
    {"Values", hf_value_options}, {"Frames", hf_granularity_options},                              \
        {"Filters", hf_filter_options}, HF_NAMING_GROUPS

/* The request in `options`, with a listener that shows progress on the terminal. */
const struct hf_request *hf_view_options_request(struct hf_view_options *options);

/* Obeys --input-budget; once, for who asks no request. */
void hf_view_options_budget(const struct hf_view_options *options);

/* What a row is: obeys --by, --own and --wrapper, and says so in the request. */
HF_MUST_CHECK enum hf_status hf_view_options_choose_rows(
    struct hf_view_options *options, struct hf_error *err);

/* The same where stacks are shown whole: what their places are named by. */
HF_MUST_CHECK enum hf_status hf_view_options_choose_places(
    struct hf_view_options *options, struct hf_error *err);

/* Prints the notes of a view, after the report, and frees it. */
void hf_view_options_finish(struct hf_view_options *options, struct hf_view *view);

/* HF_ERR_USAGE unless there is at least one operand. */
HF_MUST_CHECK enum hf_status hf_view_options_need_profile(
    const struct hf_operands *operands, struct hf_error *err);

#endif
