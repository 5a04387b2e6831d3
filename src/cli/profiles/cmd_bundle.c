/*
 * cmd_bundle.c: a profile with its names in one file (formats/pprof/bundle.h): `convert --to
 * bundle` without the options that a bundle leaves to whoever reads it.
 */
#include "cli/convert.h"

static const struct hf_option output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(struct hf_view_options, output, "FILE"),
        "write to FILE, e.g. leak.hfb"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", output_options},
    {"Names", hf_binary_options},
    {"", hf_input_budget_options},
    {"Help", hf_common_options},
    {0},
};

static enum hf_status bundle_run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    return hf_convert(&hf_writer_bundle, options, operands, err);
}

const struct hf_command hf_cmd_bundle = {
    .name = "bundle",
    .summary = "Put a profile and its names into one file, readable without the binaries.",
    .operands = "PROFILE... -o FILE.hfb",
    .details = "Run it where the binaries are. On any machine, every command then shows the same\n"
               "functions, inlined calls and lines. Several profiles are added up.",
    .groups = groups,
    .options_size = sizeof(struct hf_view_options),
    .is_reader = hf_command_is_reader,
    .run = bundle_run,
};
