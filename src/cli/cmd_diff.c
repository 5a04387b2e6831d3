#include "cli/tables.h"

struct diff_command {
    struct hf_flame_command flame;
    struct hf_table_options table;
};

#define VIEW(field) offsetof(struct diff_command, flame.view.field)
#define TABLE(field) offsetof(struct diff_command, table.field)

static const struct hf_option output_options[] = {
    {"output", 'o', HF_OPTION_TEXT, 0, VIEW(output), "FILE",
        "write here; FILE.svg is a flame graph, FILE.dot a call graph"},
    {"growth-only", 0, HF_OPTION_FLAG, 0, VIEW(drop_negative), NULL, "leave out what was released"},
    {0},
};

static const struct hf_option table_options[] = {
    {"rows", 'n', HF_OPTION_COUNT, 0, TABLE(rows), "N", "print at most this many rows"},
    {"cum", 0, HF_OPTION_FLAG, 0, TABLE(is_cumulative), NULL,
        "rank by what a function holds with all that it called"},
    {"show_bytes", 0, HF_OPTION_FLAG, 0, VIEW(show_bytes), NULL, "whole bytes, no units"},
    {"json", 0, HF_OPTION_FLAG, 0, TABLE(is_json), NULL, "print one JSON document instead"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", output_options},
    {"Table", table_options},
    {"Picture", hf_picture_options},
    {"Values", hf_value_options},
    {"Frames", hf_granularity_options},
    {"Filters", hf_filter_options},
    {"Names", hf_name_options},
    {"Help", hf_common_options},
    {0},
};

static enum hf_status report(
    struct diff_command *command, const char *current, struct hf_error *err)
{
    struct hf_view_options *options = &command->flame.view;
    enum hf_granularity rows = (enum hf_granularity)options->granularity;
    bool is_picture = hf_report_ends(options->output, ".svg");
    bool is_graph = hf_report_ends(options->output, ".dot");
    struct hf_view view = {0};
    if (!is_picture && !is_graph)
        hf_report_fold_for_table(options);
    enum hf_status status = hf_view_make(&view, options, &current, 1, err);
    if (status == HF_OK && is_picture) {
        status = hf_report_picture(&view, options, &command->flame.picture, err);
    } else if (status == HF_OK && is_graph) {
        struct hf_graph_command graph = {0};
        hf_graph_command_defaults(&graph);
        status = hf_report_graph(&view, options, &graph.limits, current, false, err);
    } else if (status == HF_OK) {
        status = hf_report_table(&view, options, rows, &command->table, err);
    }
    hf_view_done(&view);
    return status;
}

static enum hf_status run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct diff_command *command = options;
    if (operands->count != 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "give two profiles, the older one first: heapflame diff A B (found %zu)",
            operands->count);
    command->flame.view.base.items[command->flame.view.base.count++] = operands->items[0];
    return report(command, operands->items[1], err);
}

const struct hf_command hf_cmd_diff = {
    .name = "diff",
    .summary = "Say what grew and what was released between two profiles.",
    .operands = "A B",
    .details =
        "A is the older one. Stacks are matched by what they are, not by address, so the two\n"
        "may come from different runs. A + grew - released = B, in every line.",
    .groups = groups,
    .options_size = sizeof(struct diff_command),
    .run = run,
};
