/*
 * cmd_@NAME@.c: what it does.
 */
#include "cli/command.h"

struct @NAME@_options {
    struct hf_common common;
    bool is_json;
};

#define AT(field) struct @NAME@_options, field

static const struct hf_option @NAME@_options[] = {
    {"json", 0, HF_OPT_FLAG(AT(is_json)), "print one JSON document instead"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", @NAME@_options},
    {"Help", hf_common_options},
    {0},
};

static enum hf_status @NAME@_run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    (void)options;
    (void)operands;
    return hf_error_set(err, HF_ERR_USAGE, "the command @NAME@ is not written yet");
}

const struct hf_command hf_cmd_@NAME@ = {
    .name = "@NAME@",
    .summary = "What it does.",
    .operands = "PROFILE...",
    .groups = groups,
    .options_size = sizeof(struct @NAME@_options),
    .run = @NAME@_run,
};
