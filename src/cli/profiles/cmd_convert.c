/*
 * cmd_convert.c: any profile that is read, written in any format that is written
 * (formats/writers.h).
 */
#include "cli/convert.h"

struct convert_options {
    struct hf_view_options view;
    const char *to;
};

static const struct hf_option output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(struct convert_options, view.output, "FILE"),
        "write to FILE; its ending selects the format"},
    {"to", 0, HF_OPT_TEXT(struct convert_options, to, "FORMAT"),
        "write this format, whatever the ending of FILE: folded, heap_v2, pprof, pb, speedscope, "
        "stap, bundle"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", output_options},
    {"Compare", hf_base_options},
    {"", hf_since_options},
    {"Values", hf_value_options},
    {"Frames (of stacks without addresses)", hf_granularity_options},
    HF_NAMING_GROUPS,
    {0},
};

/* "expected one of ...; found 'x'" */
static enum hf_status refuse_format(const char *start, const char *found, struct hf_error *err)
{
    struct hf_out known = {0};
    hf_writers_list(&known);
    hf_out_char(&known, '\0');
    hf_error_set(err, HF_ERR_USAGE, "%s: expected one of %s; found '%s'", start,
        known.data != NULL ? known.data : "", found);
    hf_out_done(&known);
    return HF_ERR_USAGE;
}

static enum hf_status choose_writer(const struct convert_options *options,
    const struct hf_writer **out_writer, struct hf_error *err)
{
    const char *output = options->view.output;
    if (options->to != NULL)
        *out_writer = hf_writer_named(options->to);
    else if (output != NULL)
        *out_writer = hf_writer_of_path(output);
    else
        return hf_error_set(err, HF_ERR_USAGE,
            "give the format, e.g. -o leak.folded, or --to folded for standard output");
    if (*out_writer == NULL)
        return options->to != NULL ? refuse_format("--to", options->to, err)
                                   : refuse_format("-o: the ending says the format", output, err);
    return HF_OK;
}

static enum hf_status convert_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct convert_options *options = all;
    const struct hf_writer *writer = NULL;
    enum hf_status status = hf_view_options_need_profile(operands, err);
    if (status == HF_OK)
        status = choose_writer(options, &writer, err);
    return status == HF_OK ? hf_convert(writer, &options->view, operands, err) : status;
}

const struct hf_command hf_cmd_convert = {
    .name = "convert",
    .summary = "Write a profile in another format, with the names of its frames.",
    .operands = "PROFILE... -o FILE",
    .details =
        "Converts any format that heapflame reads to any that it writes. Several profiles are\n"
        "added up. With --base, values are signed: growth minus release.",
    .groups = groups,
    .options_size = sizeof(struct convert_options),
    .is_reader = hf_command_is_reader,
    .run = convert_run,
};
