/*
 * cmd_run.c: starts a program under the agent or the profiler that it has itself, watches it, and
 * ends as it ended.
 */
#include "cli/process/running.h"
#include "cli/say.h"

#define AT(field) offsetof(struct hf_run_options, field)

static const struct hf_option record_options[] = {
    {"period", 0, HF_OPTION_BYTES, 0, AT(period_bytes), "BYTES",
        "mean bytes from one sampled allocation to the next (512KiB)"},
    {"exact", 0, HF_OPTION_FLAG, 0, AT(is_exact), NULL, "record every allocation"},
    {"budget", 0, HF_OPTION_BYTES, 0, AT(budget_bytes), "BYTES",
        "most that the live table may take (16MiB; exact: 1GiB)"},
    {"follow-fork", 0, HF_OPTION_FLAG, 0, AT(follows_fork), NULL,
        "record what the program starts or forks, too; each has its files, by %p"},
    {"engine", 0, HF_OPTION_TEXT, 0, AT(engine), "NAME",
        "who records: agent, or jemalloc, if the program has one that can (agent)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Recording", record_options},
    {"Dumps on the way", hf_watching_rule_options},
    {"Files", hf_watching_output_options},
    {"", hf_watching_place_options},
    {"Names", hf_binary_options},
    {"Help", hf_common_options},
    HF_OPTIONS_END_AT_OPERAND,
    {0},
};

static enum hf_status run_check_options(struct hf_running *running, struct hf_error *err)
{
    const struct hf_run_options *options = running->options;
    enum hf_status status = hf_watching_check(&options->watching, err);
    if (status != HF_OK)
        return status;
    if (options->follows_fork)
        status = hf_watch_set_check(&options->watching, "--follow-fork", err);
    if (status != HF_OK)
        return status;
    if (options->is_exact && options->period_bytes != 0)
        return hf_error_set(err, HF_ERR_USAGE, "--exact and --period exclude each other");
    running->uses_own = options->engine != NULL && strcmp(options->engine, "jemalloc") == 0;
    if (!running->uses_own && options->engine != NULL && strcmp(options->engine, "agent") != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--engine: expected 'agent' or 'jemalloc', found '%s'", options->engine);
    if (running->uses_own &&
        (options->follows_fork || options->budget_bytes != 0 ||
            options->watching.rules.every_ns != 0 || options->watching.rules.high_water_bytes != 0))
        return hf_error_set(err, HF_ERR_USAGE,
            "--engine jemalloc: jemalloc dumps by --interval and at the end, and knows nothing of "
            "--every, --high-water, --budget and --follow-fork");
    const char *folder = options->watching.folder;
    if (!running->uses_own && folder != NULL && strpbrk(folder, ",:") != NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "--dir: a path with a comma or a colon cannot be a setting: '%s'", folder);
    return HF_OK;
}

/* The program, and who can record it. */
static enum hf_status look_at_target(struct hf_running *running, struct hf_error *err)
{
    enum hf_status status = hf_target_find(running->command[0], &running->target, err);
    if (status == HF_OK)
        status = hf_jemalloc_build_find(&running->own, running->target.path, err);
    if (status != HF_OK)
        return status;
    const struct hf_jemalloc_build *own = &running->own;
    bool is_inside = own->place == HF_JEMALLOC_INSIDE;
    if (running->uses_own)
        return own->has_profiling
                   ? HF_OK
                   : hf_error_set(err, HF_ERR_USAGE,
                         "--engine jemalloc: %s has no jemalloc with a heap profiler; heapflame "
                         "conf check says more",
                         running->target.path);
    status = hf_target_check(&running->target, err);
    if (!own->has_profiling)
        return status;
    /* Within a static program it aborts before main if it is asked to profile, but for one with a
     * prefix, which libc does not call. */
    if (status != HF_OK && !(is_inside && strcmp(own->variable, "MALLOC_CONF") == 0))
        hf_error_context(err, "its own jemalloc can record it (--engine jemalloc), the agent not");
    if (status == HF_OK && !running->options->watching.report.view.common.quiet)
        hf_say("the jemalloc of %s has a heap profiler itself%s: --engine jemalloc uses "
               "it",
            running->command[0],
            is_inside ? ", and the agent may see nothing of what it allocates" : "");
    return status;
}

static enum hf_status run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_running running = hf_running_of(all, operands->items);
    if (operands->count == 0)
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a command, as 'heapflame run -- ./server'");
    enum hf_status status = run_check_options(&running, err);
    if (status == HF_OK)
        status = look_at_target(&running, err);
    if (status == HF_OK)
        status = hf_running_start(&running, err);
    if (status == HF_OK)
        status = hf_running_accompany(&running, err);
    hf_running_done(&running);
    return status;
}

const struct hf_command hf_cmd_run = {
    .name = "run",
    .summary = "Start a program, record where its memory goes, and say what leaks.",
    .operands = "[--] COMMAND [ARGUMENT]...",
    .details =
        "The program runs as ever and heapflame exits as it does. When it has ended, also by\n"
        "kill -9 or for lack of memory, the last profile is written; meanwhile dump, top and\n"
        "flame take its process number.",
    .groups = groups,
    .options_size = sizeof(struct hf_run_options),
    .runs_another = true,
    .defaults = hf_watching_defaults,
    .run = run,
};
