/*
 * tables.h: option tables that several commands share beside those of view.h.
 */
#ifndef HF_CLI_TABLES_H
#define HF_CLI_TABLES_H

#include "cli/report.h"

/* Options struct of every command that draws a flame graph. */
struct hf_flame_command {
    struct hf_view_options view;
    struct hf_picture_options picture;
};

/* Options struct of every command that draws a call graph. */
struct hf_graph_command {
    struct hf_view_options view;
    struct hf_graph_limits limits;
    struct hf_table_options table; /* jeprof prints both */
    int output_kind;
};

extern const struct hf_option hf_output_options[];  /* -o; over struct hf_view_options */
extern const struct hf_option hf_picture_options[]; /* over struct hf_flame_command */
extern const struct hf_option hf_graph_options[];   /* over struct hf_graph_command */

/* jeprof's limits, to start from. */
void hf_graph_command_defaults(void *options);

#endif
