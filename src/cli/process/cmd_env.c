/*
 * cmd_env.c: the environment that makes any program record itself, for where `run` cannot stand
 * before it: service files, containers.
 */
#include "cli/command.h"
#include "cli/process/recording/agent_path.h"

static const struct hf_option_group groups[] = {
    {"Help", hf_common_options},
    {0},
};

static enum hf_status env_run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    char agent[PATH_MAX];
    struct hf_output output;
    (void)options;
    if (operands->count > 1)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected at most one operand, the settings, e.g. 'period:64KiB'; found %zu",
            operands->count);
    enum hf_status status = hf_agent_path(agent, err);
    if (status == HF_OK)
        status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    hf_out_printf(&output.out, "LD_PRELOAD=%s HEAPFLAME_CONF=prof:true%s%s\n", agent,
        operands->count != 0 ? "," : "", operands->count != 0 ? operands->items[0] : "");
    return hf_output_close(&output, status, err);
}

const struct hf_command hf_cmd_env = {
    .name = "env",
    .summary = "Print the environment that makes a program record itself.",
    .operands = "[SETTINGS]",
    .details =
        "Put the line before a command, or its two variables into a service file. The program\n"
        "then keeps a live table, which heapflame dump, top, flame and watch read. heapflame\n"
        "run does this and more.",
    .groups = groups,
    .options_size = sizeof(struct hf_common),
    .run = env_run,
};
