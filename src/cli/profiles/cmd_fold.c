#include "cli/report.h"
#include "os/input.h"

#define AT(field) struct hf_report_options, view.request.field

static const struct hf_option stack_options[] = {
    {"comm", 0, HF_OPT_VALUE(AT(input.tasks_by), HF_TASKS_BY_COMMAND),
        "make one root frame for each command of perf script (default)"},
    {"pid", 0, HF_OPT_VALUE(AT(input.tasks_by), HF_TASKS_BY_PROCESS),
        "make one root frame for each process of perf script, e.g. java-12688"},
    {"tid", 0, HF_OPT_VALUE(AT(input.tasks_by), HF_TASKS_BY_THREAD),
        "make one root frame for each thread of perf script, e.g. java-12688/12764"},
    {"kernel", 0, HF_OPT_FLAG(AT(fold.marks_kernel)),
        "append _[k] to the names of kernel functions"},
    {"inlined", 0, HF_OPT_FLAG(AT(fold.marks_inlined)),
        "append _[i] to the names of functions inlined into their caller"},
    {"jit", 0, HF_OPT_FLAG(AT(fold.marks_jit)),
        "append _[j] to names from a JIT compiler (perf map, jitdump)"},
    {"all", 0, HF_OPT_FLAG(AT(fold.marks_all)), "do all of --kernel, --inlined and --jit"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", hf_output_options},
    {"Compare", hf_base_options},
    {"", hf_since_options},
    {"Stacks", stack_options},
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
    .summary = "Print folded stacks: one line per stack, root first, with its value.",
    .operands = "PROFILE...",
    .details =
        "Values are integers, corrected for sampling. With --base, growth is positive and\n"
        "released memory is negative, and the lines add up to the change of the whole profile.",
    .groups = groups,
    .options_size = sizeof(struct hf_report_options),
    .is_reader = hf_command_is_reader,
    .run = cmd_fold_run,
};
