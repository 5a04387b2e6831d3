#include "cli/tables.h"
#include "formats/folded.h"

static const struct hf_option_group groups[] = {
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
    struct hf_view_options *view_options = options;
    struct hf_output output;
    struct hf_view view = {0};
    enum hf_status status = hf_view_need_profile(operands, err);
    if (status == HF_OK)
        status = hf_view_make(&view, view_options, operands->items, operands->count, err);
    if (status == HF_OK) {
        status = hf_output_open(&output, view_options->output, err);
        if (status == HF_OK) {
            status = hf_folded_write(view.folded, view.type, &output.out, err);
            status = hf_output_close(&output, status, err);
        }
    }
    hf_view_done(&view);
    return status;
}

const struct hf_command hf_cmd_fold = {
    .name = "fold",
    .summary = "Print folded stacks: one line for each, root first, with its value.",
    .operands = "PROFILE...",
    .details =
        "Values are exact integers, after the correction for sampling. With --base, growth is\n"
        "positive and what was released is negative, and the lines add up to the change of\n"
        "the whole profile.",
    .groups = groups,
    .options_size = sizeof(struct hf_view_options),
    .run = run,
};
