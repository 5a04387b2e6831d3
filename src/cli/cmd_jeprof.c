/*
 * cmd_jeprof.c: jeprof's command lines, unchanged: jeprof [options] PROGRAM PROFILE...
 */
#include "cli/tables.h"
#include "formats/folded.h"

enum output_kind { NO_OUTPUT, AS_TEXT, AS_FOLDED, AS_DOT, AS_SVG };

#define VIEW(field) offsetof(struct hf_graph_command, view.field)
#define KIND offsetof(struct hf_graph_command, output_kind)

static const struct hf_option kind_options[] = {
    {"text", 0, HF_OPTION_VALUE, AS_TEXT, KIND, NULL, "print the table"},
    {"collapsed", 0, HF_OPTION_VALUE, AS_FOLDED, KIND, NULL, "print folded stacks"},
    {"dot", 0, HF_OPTION_VALUE, AS_DOT, KIND, NULL, "print the call graph as DOT"},
    {"svg", 0, HF_OPTION_VALUE, AS_SVG, KIND, NULL, "draw the call graph with Graphviz"},
    {"cum", 0, HF_OPTION_FLAG, 0, offsetof(struct hf_graph_command, table.is_cumulative), NULL,
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
    struct hf_graph_command *command = options;
    hf_graph_command_defaults(command);
    command->limits.is_jeprof = true;
    command->table.is_jeprof = true;
}

static enum hf_status print_folded(const struct hf_view *view, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, NULL, err);
    if (status != HF_OK)
        return status;
    status = hf_folded_write(view->folded, view->type, &output.out, err);
    return hf_output_close(&output, status, err);
}

static enum hf_status print(const struct hf_view *view, struct hf_graph_command *command,
    enum hf_granularity rows, const char *program, struct hf_error *err)
{
    switch (command->output_kind) {
    case AS_FOLDED: return print_folded(view, err);
    case AS_TEXT: return hf_report_table(view, &command->view, rows, &command->table, err);
    default:
        return hf_report_graph(
            view, &command->view, &command->limits, program, command->output_kind == AS_SVG, err);
    }
}

static enum hf_status run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_graph_command *command = options;
    if (command->output_kind == NO_OUTPUT)
        return hf_error_set(err, HF_ERR_USAGE,
            "jeprof's interactive mode is not built: give --text, --collapsed, --dot or --svg, or "
            "use heapflame top");
    enum hf_status status = hf_view_need_profile(operands, err);
    if (status != HF_OK)
        return status;
    /* One operand is a profile that names its program itself. */
    size_t first_profile = operands->count > 1 ? 1 : 0;
    if (first_profile == 1)
        command->view.exe = operands->items[0];
    enum hf_granularity rows = (enum hf_granularity)command->view.granularity;
    if (command->output_kind == AS_TEXT)
        hf_report_fold_for_table(&command->view);
    struct hf_view view = {0};
    status = hf_view_make(&view, &command->view, operands->items + first_profile,
        operands->count - first_profile, err);
    if (status == HF_OK)
        status = print(&view, command, rows, operands->items[0], err);
    hf_view_done(&view);
    return status;
}

const struct hf_command hf_cmd_jeprof = {
    .name = "jeprof",
    .summary = "Take jeprof's place: its command lines, unchanged.",
    .operands = "PROGRAM PROFILE...",
    .details = "For example: heapflame jeprof ./server heap.1 --collapsed",
    .groups = groups,
    .options_size = sizeof(struct hf_graph_command),
    .defaults = defaults,
    .run = run,
};
