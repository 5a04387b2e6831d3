/*
 * cmd_run.c: starts a program under the agent or the profiler that it has itself, watches it, and
 * ends as it ended.
 */
#include "base/strings/units.h"
#include "cli/process/recording/child_program.h"
#include "cli/say.h"
#include "live/writer.h"

#define AT(field) struct hf_run_options, field

static const struct hf_option record_options[] = {
    {"period", 0, HF_OPT_BYTES(AT(period_bytes), "BYTES"),
        "sample an allocation every BYTES on average (default: 512KiB)"},
    {"exact", 0, HF_OPT_FLAG(AT(is_exact)), "record every allocation"},
    {"budget", 0, HF_OPT_BYTES(AT(budget_bytes), "BYTES"),
        "limit the size of the live table (default: 16MiB, with --exact 1GiB)"},
    {"follow-fork", 0, HF_OPT_FLAG(AT(follows_fork)),
        "record child processes, too, each in files of its own (%p)"},
    {"engine", 0, HF_OPT_TEXT(AT(engine), "NAME"),
        "choose the recorder: agent or jemalloc (default: agent)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Recording", record_options},
    {"Dumps while the program runs", hf_dump_writer_rule_options},
    {"Leaks while the program runs", hf_dump_writer_leak_options},
    {"Files", hf_dump_writer_output_options},
    {"", hf_dump_writer_place_options},
    {"Values", hf_dump_writer_value_options},
    {"Names", hf_binary_options},
    {"", hf_input_budget_options},
    {"", hf_owner_options},
    {"Help", hf_common_options},
    HF_OPTIONS_END_AT_OPERAND,
    {0},
};

static enum hf_status run_check_budget(uint64_t bytes, struct hf_error *err)
{
    char text[HF_UNITS_MAX];
    if (bytes == 0 || (bytes >= HF_LIVE_TABLE_MIN && bytes <= HF_LIVE_TABLE_MAX))
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE, "--budget: expected 1MiB to 1024GiB, found %s",
        hf_units_exact(bytes, text));
}

static enum hf_status run_check_options(struct hf_child_program *child, struct hf_error *err)
{
    const struct hf_run_options *options = child->options;
    enum hf_status status = hf_dump_writer_check(&options->writer, err);
    if (status == HF_OK)
        status = run_check_budget(options->budget_bytes, err);
    if (status == HF_OK && options->follows_fork)
        status = hf_watched_processes_check(&options->writer, "--follow-fork", err);
    if (status != HF_OK)
        return status;
    if (options->is_exact && options->period_bytes != 0)
        return hf_error_set(err, HF_ERR_USAGE, "--exact and --period exclude each other");
    child->uses_own = options->engine != NULL && strcmp(options->engine, "jemalloc") == 0;
    if (!child->uses_own && options->engine != NULL && strcmp(options->engine, "agent") != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--engine: expected 'agent' or 'jemalloc', found '%s'", options->engine);
    if (child->uses_own &&
        (options->follows_fork || options->budget_bytes != 0 ||
            options->writer.rules.every_ns != 0 || options->writer.rules.high_water_bytes != 0))
        return hf_error_set(err, HF_ERR_USAGE,
            "--engine jemalloc: jemalloc dumps by --interval and at the end; --every, "
            "--high-water, --budget and --follow-fork need the agent");
    if (child->uses_own && (options->writer.leaks.is_on || options->writer.leaks.command != NULL))
        return hf_error_set(err, HF_ERR_USAGE,
            "--alarm needs the agent, which knows when blocks "
            "were allocated");
    const char *value = options->writer.report.view.request.fold.value;
    if (child->uses_own && value != NULL && strncmp(value, "alloc", 5) == 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--engine jemalloc: --%s needs the agent, because jemalloc counts what is in use",
            value);
    const char *folder = options->writer.folder;
    if (!child->uses_own && folder != NULL && strpbrk(folder, ",:") != NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "--dir: expected a path without a comma or a colon, found '%s'", folder);
    return HF_OK;
}

/* The program, and who can record it. */
static enum hf_status look_at_target(struct hf_child_program *child, struct hf_error *err)
{
    enum hf_status status = hf_target_find(child->command[0], &child->target, err);
    if (status == HF_OK)
        status = hf_jemalloc_build_find(&child->own, child->target.path, err);
    if (status != HF_OK)
        return status;
    const struct hf_jemalloc_build *own = &child->own;
    bool is_quiet = child->options->writer.report.view.common.quiet;
    bool is_inside = own->place == HF_JEMALLOC_INSIDE;
    if (child->uses_own)
        return own->has_profiling
                   ? HF_OK
                   : hf_error_set(err, HF_ERR_USAGE,
                         "--engine jemalloc: %s has no jemalloc with a heap profiler; heapflame "
                         "conf check says more",
                         child->target.path);
    status = hf_target_check(&child->target, err);
    if (status == HF_OK && child->target.is_go && !is_quiet)
        hf_say("%s is a Go program: only what its C code allocates is recorded; for the rest, "
               "heapflame reads the heap profiles that Go writes (net/http/pprof, runtime/pprof)",
            child->command[0]);
    if (!own->has_profiling)
        return status;
    /* Within a static program it aborts before main if it is asked to profile, but for one with a
     * prefix, which libc does not call. */
    if (status != HF_OK && !(is_inside && strcmp(own->variable, "MALLOC_CONF") == 0))
        hf_error_context(
            err, "its own jemalloc can record it (--engine jemalloc), but the agent cannot");
    if (status == HF_OK && !is_quiet)
        hf_say("the jemalloc of %s has its own heap profiler%s: --engine jemalloc uses it",
            child->command[0],
            is_inside ? ", and the agent may see nothing of what it allocates" : "");
    return status;
}

static enum hf_status run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_child_program child = hf_child_program_of(all, operands->items);
    if (operands->count == 0)
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a command, e.g. 'heapflame run -- ./server'");
    enum hf_status status = run_check_options(&child, err);
    if (status == HF_OK)
        status = look_at_target(&child, err);
    if (status == HF_OK)
        status = hf_child_program_start(&child, err);
    if (status == HF_OK)
        status = hf_child_program_accompany(&child, err);
    hf_child_program_done(&child);
    return status;
}

const struct hf_command hf_cmd_run = {
    .name = "run",
    .summary = "Start a program, record where its memory goes, and report what leaks.",
    .operands = "[--] COMMAND [ARGUMENT]...",
    .details =
        "The program runs as usual, and heapflame exits with its status. The last profile is\n"
        "written however the program ends, including kill -9 and lack of memory. While it runs,\n"
        "dump, top and flame accept its PID.",
    .groups = groups,
    .options_size = sizeof(struct hf_run_options),
    .runs_another = true,
    .defaults = hf_dump_writer_defaults,
    .run = run,
};
