#include "cli/report.h"

static const struct hf_option_group groups[] = {
    {"Graph", hf_graph_options},
    {"Output", hf_output_options},
    {"Compare", hf_base_options},
    {"", hf_since_options},
    {"Values", hf_value_options},
    {"Numbers", hf_bytes_options},
    {"Frames", hf_granularity_options},
    {"Filters", hf_filter_options},
    HF_NAMING_GROUPS,
    {0},
};

static enum hf_status graph_run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_report_options *report = options;
    enum hf_status status = hf_view_options_need_profile(operands, err);
    if (status != HF_OK)
        return status;
    bool is_svg = hf_report_ends(report->view.output, ".svg");
    return hf_report_graph(
        report, operands->items, operands->count, operands->items[0], is_svg, err);
}

const struct hf_command hf_cmd_graph = {
    .name = "graph",
    .summary = "Draw a call graph as DOT, or as SVG with -o FILE.svg.",
    .operands = "PROFILE...",
    .details = "Graphviz's dot draws the SVG, if it is installed. DOT needs no other program.",
    .groups = groups,
    .options_size = sizeof(struct hf_report_options),
    .defaults = hf_report_defaults,
    .is_reader = hf_command_is_reader,
    .run = graph_run,
};
