#include "cli/report.h"

static const struct hf_option input_options[] = {
    {"input-budget", 0, HF_OPT_REAL(struct hf_report_options, view.request.input.input_budget, "N"),
        "multiply the limits on memory and work for an input by N (default: 1)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Input", input_options},
    {"Output", hf_output_options},
    {"Help", hf_common_options},
    {0},
};

/* What SystemTap names is printed so: not demangled, without inlined calls. */
static enum hf_status stackcollapse_stap_pl_run(
    void *options, struct hf_operands *operands, struct hf_error *err)
{
    static const char *const standard_input[] = {"-"};
    struct hf_report_options *report = options;
    report->view.request.fold.keep_allocator = true;
    report->view.request.names.keeps_given = true;
    if (operands->count == 0)
        return hf_report_folded(report, standard_input, 1, err);
    return hf_report_folded(report, operands->items, operands->count, err);
}

const struct hf_command hf_cmd_stackcollapse_stap_pl = {
    .name = "stackcollapse-stap.pl",
    .summary = "Replace stackcollapse-stap.pl: turn SystemTap's stacks into folded stacks.",
    .operands = "[STAP...]",
    .details = "Reads standard input if no file is given.",
    .groups = groups,
    .options_size = sizeof(struct hf_report_options),
    .is_reader = hf_command_is_reader,
    .run = stackcollapse_stap_pl_run,
};
