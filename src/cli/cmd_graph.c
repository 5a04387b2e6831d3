#include "cli/tables.h"

static const struct hf_option bytes_options[] = {
    {"show_bytes", 0, HF_OPTION_FLAG, 0, offsetof(struct hf_view_options, show_bytes), NULL,
        "whole bytes, no units"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Graph", hf_graph_options},
    {"Output", hf_output_options},
    {"Compare", hf_base_options},
    {"Values", hf_value_options},
    {"Numbers", bytes_options},
    {"Frames", hf_granularity_options},
    {"Filters", hf_filter_options},
    {"Names", hf_name_options},
    {"Help", hf_common_options},
    {0},
};

static enum hf_status run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_graph_command *command = options;
    struct hf_view view = {0};
    enum hf_status status = hf_view_need_profile(operands, err);
    if (status == HF_OK)
        status = hf_view_make(&view, &command->view, operands->items, operands->count, err);
    if (status == HF_OK)
        status = hf_report_graph(&view, &command->view, &command->limits, operands->items[0],
            hf_report_ends(command->view.output, ".svg"), err);
    hf_view_done(&view);
    return status;
}

const struct hf_command hf_cmd_graph = {
    .name = "graph",
    .summary = "Draw the call graph: DOT, or SVG with -o FILE.svg.",
    .operands = "PROFILE...",
    .details = "SVG is drawn by Graphviz's dot, if that is installed; DOT needs nothing.",
    .groups = groups,
    .options_size = sizeof(struct hf_graph_command),
    .defaults = hf_graph_command_defaults,
    .run = run,
};
