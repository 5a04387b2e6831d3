#include "cli/report.h"

static const struct hf_option_group groups[] = {
    {"Table", hf_table_options},
    {"Output", hf_output_options},
    {"Compare", hf_base_options},
    {"", hf_series_options},
    {"Values", hf_value_options},
    {"Frames", hf_granularity_options},
    {"Filters", hf_filter_options},
    {"Names", hf_binary_options},
    {"", hf_name_options},
    {"Help", hf_common_options},
    {0},
};

static enum hf_status run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    enum hf_status status = hf_view_need_profile(operands, err);
    return status == HF_OK ? hf_report_table(options, operands->items, operands->count, err)
                           : status;
}

const struct hf_command hf_cmd_top = {
    .name = "top",
    .summary = "Print which functions hold the memory, ranked.",
    .operands = "PROFILE...",
    .details = "flat is what a function allocated itself, cum what it and all that it called\n"
               "allocated; the line is the one in the function that holds most.",
    .groups = groups,
    .options_size = sizeof(struct hf_report_options),
    .run = run,
};
