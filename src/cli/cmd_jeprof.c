/*
 * cmd_jeprof.c: jeprof's command lines, unchanged: jeprof [options] PROGRAM PROFILE...
 */
#include "cli/report.h"

enum output_kind { NO_OUTPUT, AS_TEXT, AS_FOLDED, AS_DOT, AS_SVG };

#define VIEW(field) offsetof(struct hf_report_options, view.field)
#define KIND offsetof(struct hf_report_options, output_kind)

static const struct hf_option kind_options[] = {
    {"text", 0, HF_OPTION_VALUE, AS_TEXT, KIND, NULL, "print the table"},
    {"collapsed", 0, HF_OPTION_VALUE, AS_FOLDED, KIND, NULL,
        "print folded stacks (also --collapse)"},
    {"dot", 0, HF_OPTION_VALUE, AS_DOT, KIND, NULL, "print the call graph as DOT"},
    {"svg", 0, HF_OPTION_VALUE, AS_SVG, KIND, NULL, "draw the call graph with Graphviz"},
    {"cum", 0, HF_OPTION_FLAG, 0, offsetof(struct hf_report_options, table.is_cumulative), NULL,
        "rank the table by cum"},
    {"show_bytes", 0, HF_OPTION_FLAG, 0, VIEW(show_bytes), NULL, "whole bytes instead of MB"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", kind_options},
    {"Compare", hf_base_options},
    {"Graph", hf_graph_options},
    {"Values", hf_value_options},
    {"Frames", hf_granularity_options},
    {"Filters", hf_filter_options},
    {"Names", hf_name_options},
    {"Help", hf_common_options},
    {0},
};

static void defaults(void *options)
{
    struct hf_report_options *report = options;
    hf_report_defaults(report);
    report->limits.is_jeprof = true;
    report->table.is_jeprof = true;
}

static enum hf_status run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_report_options *report = options;
    if (report->output_kind == NO_OUTPUT)
        return hf_error_set(err, HF_ERR_USAGE,
            "jeprof's interactive mode is not built: give --text, --collapsed, --dot or --svg, or "
            "use heapflame top");
    enum hf_status status = hf_view_need_profile(operands, err);
    if (status != HF_OK)
        return status;
    /* One operand is a profile that names its program itself. */
    size_t first = operands->count > 1 ? 1 : 0;
    const char *const *profiles = operands->items + first;
    size_t count = operands->count - first;
    if (first == 1)
        report->view.exe = operands->items[0];
    switch (report->output_kind) {
    case AS_FOLDED: return hf_report_folded(report, profiles, count, err);
    case AS_TEXT: return hf_report_table(report, profiles, count, err);
    default:
        return hf_report_graph(
            report, profiles, count, operands->items[0], report->output_kind == AS_SVG, err);
    }
}

const struct hf_command hf_cmd_jeprof = {
    .name = "jeprof",
    .summary = "Take jeprof's place: its command lines, unchanged.",
    .operands = "PROGRAM PROFILE...",
    .details = "For example: heapflame jeprof ./server heap.1 --collapsed",
    .groups = groups,
    .options_size = sizeof(struct hf_report_options),
    .defaults = defaults,
    .run = run,
};
