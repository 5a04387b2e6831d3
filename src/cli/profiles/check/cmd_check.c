/*
 * cmd_check.c: trend as a gate: exit status 1 says that a budget was exceeded, and nothing else
 * does. Here are the limits that are asked for, and what is written of the checks.
 */
#include "answer/operand.h"
#include "answer/timeline.h"
#include "base/strings/units.h"
#include "cli/history_options.h"
#include "cli/profiles/check/growth_check.h"
#include "cli/profiles/check/lost_check.h"
#include "cli/report.h"
#include "render/table/check_report.h"

#include <stdlib.h>

struct check_options {
    struct hf_history_options history;
    struct hf_growth_limit_texts limits;
    const char *lost, *junit;
};

#define AT(field) struct check_options, field

static const struct hf_option budget_options[] = {
    {"budget", 0, HF_OPT_TEXT(AT(limits.budget), "BYTES/TIME"),
        "fail if all memory or one place grows faster than this, e.g. 1MiB/min"},
    {"max-growth", 0, HF_OPT_TEXT(AT(limits.max_growth), "N%"),
        "fail if all memory grows by more than N% of its size at the start"},
    {"limit", 0, HF_OPT_TEXT(AT(limits.limit), "BYTES/TIME"),
        "fail if memory reaches BYTES within TIME after the last profile, e.g. 4GiB/24h"},
    {"survivors", 0, HF_OPT_TEXT(AT(limits.survivors), "N%|BYTES/TIME"),
        "fail if all memory or one place keeps more than this of what it allocates, e.g. 5%"},
    {"onset-after", 0, HF_OPT_TEXT(AT(limits.onset_after), "TIME|MARK"),
        "fail if a leak began later than TIME after the first profile, or after this mark"},
    {"lost", 0, HF_OPT_TEXT(AT(lost), "BYTES"),
        "fail if more memory of a running process than this is lost, i.e. nothing leads to it"},
    {"fail-on", 0, HF_OPT_LIST(AT(limits.fail_on), "VERDICT"),
        "fail if a place has this verdict; may be repeated (default: leak, if no budget is given)"},
    {0},
};

static const struct hf_option report_options[] = {
    {"json", 0, HF_OPT_FLAG(AT(history.is_json)), "print one JSON document instead"},
    {"junit", 0, HF_OPT_OUTPUT(AT(junit), "FILE"), "write JUnit's XML to FILE, too"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Checks", budget_options},
    {"", hf_load_options},
    {"", hf_suppression_options},
    {"", hf_place_options},
    {"", hf_owner_options},
    {"Output", hf_output_options},
    {"", report_options},
    {"Time", hf_time_options},
    {"", hf_since_options},
    {"", hf_process_options},
    HF_SHOWN_GROUPS,
    {0},
};

/* One or several; each of those has a name. */
struct checkers {
    struct check_options *options;
    const struct hf_process_histories *processes;
    struct hf_growth_check *items;   /* one for each process */
    struct hf_check_report *reports; /* of them */
};

static void checkers_put_json(const struct checkers *all, struct hf_out *out)
{
    size_t count = all->processes->count;
    for (size_t i = 0; i < count; i++) {
        const struct hf_process_history *process = all->processes->items[i];
        struct hf_listed_process listed =
            hf_history_options_listed(&all->options->history, process);
        if (count != 1)
            hf_process_list_json_begin(&listed, i == 0, "check", out);
        hf_check_json(&all->reports[i], out);
        if (count != 1)
            hf_process_list_json_end(i + 1 == count, &all->options->history.together, out);
    }
}

static enum hf_status checkers_put_text(
    const struct checkers *all, struct hf_out *out, struct hf_error *err)
{
    const struct hf_history_options *history = &all->options->history;
    enum hf_status status = HF_OK;
    if (all->processes->count != 1)
        status = hf_history_options_put_summary(history, all->processes, out, err);
    for (size_t i = 0; status == HF_OK && i < all->processes->count; i++)
        hf_check_text(&all->reports[i], out);
    return status;
}

static enum hf_status checkers_write(
    const struct checkers *all, const char *path, bool is_junit, struct hf_error *err)
{
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, path, false, err);
    if (status != HF_OK)
        return status;
    if (is_junit)
        hf_check_xml(all->reports, all->processes->count, &output.out);
    else if (all->options->history.is_json)
        checkers_put_json(all, &output.out);
    else
        status = checkers_put_text(all, &output.out, err);
    return hf_output_close(&output, status, err);
}

static enum hf_status checkers_name(
    struct hf_growth_check *c, const struct hf_history_options *history, struct hf_error *err)
{
    struct hf_out name = {0};
    struct hf_listed_process listed = hf_history_options_listed(history, c->process);
    hf_process_list_name(&listed, &name);
    struct hf_text text = hf_out_view(&name);
    const char *copy = hf_arena_copy(&c->texts, text.data, text.size);
    hf_out_done(&name);
    c->name = (struct hf_text){copy, text.size};
    return copy != NULL ? HF_OK : hf_error_memory(err);
}

static enum hf_status checkers_check(
    struct checkers *all, const struct hf_growth_limits *limits, struct hf_error *err)
{
    bool is_one_of = all->processes->count != 1;
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < all->processes->count; i++) {
        struct hf_growth_check *c = &all->items[i];
        c->process = all->processes->items[i];
        c->limits = *limits;
        c->together = &all->options->history.together;
        struct hf_budget_scope before = hf_budget_enter(&c->process->view.budget);
        if (is_one_of)
            status = checkers_name(c, &all->options->history, err);
        if (status == HF_OK)
            status = hf_growth_check_run(c, is_one_of, err);
        hf_budget_leave(before);
        all->reports[i] = (struct hf_check_report){
            c->checks, c->count, &c->process->growth, &c->process->suppressions, c->name};
    }
    return status;
}

static enum hf_status check(
    struct checkers *all, const struct hf_growth_limits *limits, struct hf_error *err)
{
    struct check_options *options = all->options;
    /* The text that is written counts for the last of them, which is as good as any. */
    struct hf_budget *budget = &all->processes->items[all->processes->count - 1]->view.budget;
    enum hf_status status = checkers_check(all, limits, err);
    struct hf_budget_scope before = hf_budget_enter(budget);
    if (status == HF_OK)
        status = checkers_write(all, options->history.view.output, false, err);
    if (status == HF_OK && options->junit != NULL)
        status = checkers_write(all, options->junit, true, err);
    hf_budget_leave(before);
    for (size_t i = 0; status == HF_OK && i < all->processes->count; i++) {
        if (!hf_check_all_passed(&all->reports[i])) {
            options->history.view.common.has_code = true;
            options->history.view.common.code = HF_EXIT_EXCEEDED;
        }
    }
    return status;
}

static enum hf_status check_processes(struct check_options *options,
    const struct hf_process_histories *processes, const struct hf_growth_limits *limits,
    struct hf_error *err)
{
    struct checkers all = {
        .options = options,
        .processes = processes,
        .items = calloc(processes->count, sizeof *all.items),
        .reports = calloc(processes->count, sizeof *all.reports),
    };
    enum hf_status status =
        all.items != NULL && all.reports != NULL ? check(&all, limits, err) : hf_error_memory(err);
    for (size_t i = 0; all.items != NULL && i < processes->count; i++)
        hf_growth_check_done(&all.items[i]);
    free(all.items);
    free(all.reports);
    return status;
}

/* Profiles do not say what is lost: the process itself does. */
static enum hf_status check_lost(
    struct check_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    struct hf_history_options *history = &options->history;
    struct hf_lost_check check = {.common = &history->view.common,
        .is_json = history->is_json,
        .output = history->view.output,
        .junit = options->junit};
    if (!hf_units_parse_bytes(hf_text_of(options->lost), &check.limit_bytes))
        return hf_error_set(err, HF_ERR_USAGE,
            "--lost: expected bytes, e.g. '64KiB' or '0', found '%s'", options->lost);
    if (hf_growth_limits_are_given(&options->limits))
        return hf_error_set(err, HF_ERR_USAGE,
            "--lost looks at a process, not at how it grows: check --budget, --max-growth, "
            "--limit, "
            "--survivors, --onset-after and --fail-on by themselves");
    if (operands->count != 1)
        return hf_error_set(
            err, HF_ERR_USAGE, "--lost: expected one PID; found %zu", operands->count);
    if (!hf_operand_is_pid(operands->items[0], &check.pid))
        return hf_error_set(
            err, HF_ERR_USAGE, "--lost: expected a PID, e.g. 4711; found '%s'", operands->items[0]);
    hf_view_options_budget(&history->view);
    return hf_lost_check_run(&check, err);
}

static bool check_is_reader(const void *options)
{
    return ((const struct check_options *)options)->lost == NULL && hf_command_is_reader(options);
}

/* A mark, unless it is a time. */
static enum hf_status find_onset_mark(const struct check_options *options,
    const struct hf_operands *operands, struct hf_growth_limits *limits, struct hf_error *err)
{
    char path[PATH_MAX];
    if (limits->onset_after == NULL || limits->has_onset_time)
        return HF_OK;
    if (options->history.view.request.times.at != NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "--onset-after with --at: expected a time, e.g. '10m', found '%s'; a mark is timed by "
            "the clock",
            limits->onset_after);
    enum hf_status status = hf_operand_find_mark(
        "--onset-after", limits->onset_after, operands->items, operands->count, path, err);
    if (status == HF_OK)
        limits->onset_ms = hf_timeline_time_of(path);
    return status;
}

static enum hf_status check_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct check_options *options = all;
    struct hf_process_histories processes = {0};
    struct hf_growth_limits limits;
    if (options->lost != NULL)
        return check_lost(options, operands, err);
    options->limits.has_load = options->history.per != NULL;
    enum hf_status status = hf_growth_limits_parse(&limits, &options->limits, err);
    if (status != HF_OK)
        return status;
    status = hf_view_options_choose_places(&options->history.view, err);
    if (status == HF_OK)
        status = hf_history_options_judge(&options->history, operands, &processes, err);
    if (status == HF_OK)
        status = find_onset_mark(options, operands, &limits, err);
    if (status == HF_OK)
        status = check_processes(options, &processes, &limits, err);
    hf_history_options_finish(&options->history, &processes);
    return status;
}

const struct hf_command hf_cmd_check = {
    .name = "check",
    .summary = "Fail if memory grows: a gate for tests.",
    .operands = "PROFILE...|DIR|PID",
    .details =
        "Reads profiles as trend does; with --lost, the heaps of a running process as heap does.\n"
        "The exit status is 1 if a budget was exceeded.",
    .groups = groups,
    .options_size = sizeof(struct check_options),
    .is_reader = check_is_reader,
    .run = check_run,
};
