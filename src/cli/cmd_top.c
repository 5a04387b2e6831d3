#include "cli/report.h"
#include "cli/tables.h"

struct top_command {
    struct hf_view_options view;
    struct hf_table_options table;
};

#define VIEW(field) offsetof(struct top_command, view.field)
#define TABLE(field) offsetof(struct top_command, table.field)

static const struct hf_option table_options[] = {
    {"rows", 'n', HF_OPTION_COUNT, 0, TABLE(rows), "N", "print at most this many rows"},
    {"cum", 0, HF_OPTION_FLAG, 0, TABLE(is_cumulative), NULL,
        "rank by what a function holds with all that it called"},
    {"show_bytes", 0, HF_OPTION_FLAG, 0, VIEW(show_bytes), NULL, "whole bytes, no units"},
    {"json", 0, HF_OPTION_FLAG, 0, TABLE(is_json), NULL, "print one JSON document instead"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Table", table_options},
    {"Output", hf_output_options},
    {"Compare", hf_base_options},
    {"Values", hf_value_options},
    {"Frames", hf_granularity_options},
    {"Filters", hf_filter_options},
    {"Names", hf_name_options},
    {"Help", hf_common_options},
    {0},
};

static enum hf_status run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct top_command *command = options;
    struct hf_view view = {0};
    enum hf_granularity rows = (enum hf_granularity)command->view.granularity;
    enum hf_status status = hf_view_need_profile(operands, err);
    if (status != HF_OK)
        return status;
    hf_report_fold_for_table(&command->view);
    status = hf_view_make(&view, &command->view, operands->items, operands->count, err);
    if (status == HF_OK)
        status = hf_report_table(&view, &command->view, rows, &command->table, err);
    hf_view_done(&view);
    return status;
}

const struct hf_command hf_cmd_top = {
    .name = "top",
    .summary = "Print which functions hold the memory, ranked.",
    .operands = "PROFILE...",
    .details = "flat is what a function allocated itself, cum what it and all that it called\n"
               "allocated; the line is the one in the function that holds most.",
    .groups = groups,
    .options_size = sizeof(struct top_command),
    .run = run,
};
