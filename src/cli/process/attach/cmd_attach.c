/*
 * cmd_attach.c: what a running process allocates and does not free, seen from outside for a while.
 */
#include "cli/process/attach/attach_choice.h"
#include "cli/process/attach/attach_many.h"
#include "cli/process/attach/attach_one.h"
#include "cli/process/attach/attach_series.h"
#include "cli/process/attach/attach_specs.h"
#include "cli/save.h"
#include "os/process/shielded_worker.h"

#define AT(field) struct hf_attach_options, field

static const struct hf_option probe_options[] = {
    {"what", 0, HF_OPT_TEXT(AT(what), "KIND"),
        "watch this kind of memory: malloc, pool, mmap, brk or fault (default: malloc)"},
    {"spec", 0, HF_OPT_LIST(AT(specs), "NAME|FILE"),
        "watch the functions of this spec instead; may be repeated"},
    {"print-spec", 0, HF_OPT_TEXT(AT(printed), "NAME"), "print a built-in spec"},
    {"all-contexts", 0, HF_OPT_FLAG(AT(all_contexts)), "watch short-lived memory contexts, too"},
    {"parents", 0, HF_OPT_FLAG(AT(parents)), "show the parents of each memory context, too"},
    {"period", 0, HF_OPT_BYTES(AT(period_bytes), "BYTES"),
        "sample an allocation every BYTES on average (default: 1, or 64KiB if calls are frequent)"},
    {"seed", 0, HF_OPT_COUNT(AT(seed), "N"),
        "seed the sampling: the same N draws the same samples"},
    {"stack", 0, HF_OPT_BYTES(AT(stack_bytes), "BYTES"),
        "limit what perf copies of each stack (default: chosen from 2KiB to 24KiB)"},
    {"backend", 0, HF_OPT_TEXT(AT(backend), "NAME"),
        "choose how calls are followed: auto, bpf or perf (default: auto)"},
    {0},
};

static const struct hf_option time_options[] = {
    {"duration", 'd', HF_OPT_WAIT(AT(duration_ns), "TIME"),
        "watch for TIME (default: 13s; with --every, until the process ends, or Ctrl-C)"},
    {"for", 0, HF_OPT_WAIT(AT(duration_ns), "TIME"), "the same as --duration"},
    {"every", 0, HF_OPT_WAIT(AT(every_ns), "TIME"),
        "look every TIME, report what grows and whether it is a leak, and with -o keep each "
        "profile"},
    {"duty", 0, HF_OPT_TEXT(AT(duty), "ON/PERIOD"),
        "with --every, record allocations only for ON of each PERIOD, e.g. 1s/60s"},
    {"older", 0, HF_OPT_TIME(AT(older_ns), "TIME"),
        "show only what was allocated more than TIME before the end (default: for a pool "
        "a quarter of the duration, at most 5s; else 0s)"},
    {"max-overhead", 0, HF_OPT_TEXT(AT(overhead), "PERCENT"),
        "cost the process at most PERCENT more processor time (default: 30%)"},
    {0},
};

static const struct hf_option process_options[] = {
    {"x", 'x', HF_OPT_TEXT(AT(pid), "PID"), "watch process PID, as stap -x does"},
    {"tree", 0, HF_OPT_FLAG(AT(tree)), "watch the processes that PID started or starts, too"},
    {"cgroup", 0, HF_OPT_TEXT(AT(cgroup), "FOLDER"),
        "watch the processes of this cgroup instead of PID"},
    {"unit", 0, HF_OPT_TEXT(AT(unit), "NAME"),
        "watch the processes of this systemd unit instead of PID"},
    {0},
};

static const struct hf_option output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(AT(report.view.output), "FILE"),
        "write the profile to FILE; its ending selects the format (with --every: a folder, or a "
        "pattern, e.g. heap.%n.hfb)"},
    {"keep", 0, HF_OPT_COUNT(AT(keep), "N"),
        "with --every, keep the first profile, the peak, the largest growth and the last N; 0 "
        "keeps "
        "all (default: 0)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"What", process_options},
    {"", probe_options},
    {"Duration and cost", time_options},
    {"Output", output_options},
    {"", hf_input_budget_options},
    HF_NAMING_GROUPS,
    {0},
};

static void attach_defaults(void *all)
{
    struct hf_attach_options *options = all;
    hf_report_defaults(&options->report);
    options->older_ns = HF_OLDER_UNSAID;
    options->overhead = "30%";
    options->backend = "auto";
}

static enum hf_status attach_shielded(struct hf_attach_options *options,
    struct hf_session_options *how, char **words, struct hf_error *err)
{
    struct hf_common *common = &options->report.view.common;
    bool is_one = !options->tree && options->cgroup == NULL && options->unit == NULL;
    bool is_worker;
    enum hf_status status = hf_shielded_worker_begin(&is_worker, &common->code, err);
    if (is_worker && how->is_series)
        return hf_attach_in_series(options, how, words, err);
    if (is_worker)
        return is_one ? hf_attach_to_one(options, how, words, err)
                      : hf_attach_to_many(options, how, words, err);
    common->has_code = true;
    return status;
}

static enum hf_status attach_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_attach_options *options = all;
    struct hf_session_options how = {
        .all_contexts = options->all_contexts, .shows_parents = options->parents};
    hf_view_options_budget(&options->report.view);
    if (options->printed != NULL)
        return hf_attach_specs_print(options->printed, err);
    enum hf_status status = hf_attach_choose(options, operands, &how, err);
    if (status == HF_OK && how.is_series)
        status = hf_attach_series_check(options, err);
    else if (status == HF_OK && options->report.view.output != NULL)
        status = hf_save_check(options->report.view.output, err);
    return status == HF_OK ? attach_shielded(options, &how, operands->words, err) : status;
}

const struct hf_command hf_cmd_attach = {
    .name = "attach",
    .summary = "Watch a running process: report what it allocates and does not free.",
    .operands = "PID",
    .details =
        "The process is not restarted or stopped, and nothing is loaded into it: the kernel\n"
        "reports its calls of malloc or of a memory pool, or its page faults, each with its\n"
        "stack. The profile is what was allocated in this time and not freed by its end. Before\n"
        "it starts, attach prints what it will watch and what that costs the process.\n\n"
        "Without -o, attach prints the stacks, the heaviest first, in SystemTap's format. With\n"
        "--every, it prints which places grow, how fast, and whether they are leaks.",
    .groups = groups,
    .options_size = sizeof(struct hf_attach_options),
    .defaults = attach_defaults,
    .run = attach_run,
};
