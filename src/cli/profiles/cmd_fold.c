#include "cli/report.h"

static const struct hf_option_group groups[] = {
    {"Output", hf_output_options},
    {"Compare", hf_base_options},
    {"", hf_since_options},
    HF_SHOWN_GROUPS,
    {0},
};

static enum hf_status cmd_fold_run(
    void *options, struct hf_operands *operands, struct hf_error *err)
{
    enum hf_status status = hf_view_options_need_profile(operands, err);
    return status == HF_OK ? hf_report_folded(options, operands->items, operands->count, err)
                           : status;
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
    .options_size = sizeof(struct hf_report_options),
    .is_reader = hf_command_is_reader,
    .run = cmd_fold_run,
};
