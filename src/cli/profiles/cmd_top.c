#include "answer/names.h"
#include "answer/operand.h"
#include "cli/history_options.h"
#include "cli/profiles/top_live.h"
#include "os/file.h"
#include "profile/samples.h"
#include "render/table/row_blocks.h"

#include <string.h>
#include <unistd.h>

struct top_options {
    struct hf_report_options report;
    bool is_live, has_trend, wants_who;
    struct hf_leak_options leaks;
};

#define AT(field) struct top_options, field

static const struct hf_option live_options[] = {
    {"live", 0, HF_OPT_FLAG(AT(is_live)),
        "refresh the table of a process every two seconds, on a terminal"},
    {"who", 0, HF_OPT_FLAG(AT(wants_who)),
        "with --live: say what holds the blocks of each leak; this stops the process for "
        "milliseconds, at most once a minute"},
    {"alarm", 0, HF_OPT_FLAG(AT(leaks.is_on)),
        "with --live: report a leak when it is certain, above the table"},
    {"learn", 0, HF_OPT_WAIT(AT(leaks.learn_ns), "TIME"),
        "report no leak before the program is TIME old (default: 7d)"},
    {"false-alarm-every", 0, HF_OPT_WAIT(AT(leaks.false_every_ns), "TIME"),
        "accept one false alarm per process every TIME (default: 600d)"},
    {0},
};

static const struct hf_option trend_options[] = {
    {"trend", 0, HF_OPT_FLAG(AT(has_trend)),
        "show the last of several profiles of one process, and how each row changed"},
    {0},
};

static const struct hf_option thread_options[] = {
    {"threads", 0, HF_OPT_VALUE(AT(report.view.request.fold.granularity), HF_BY_THREAD),
        "show the threads: one row for all of one name"},
    {0},
};

static const struct hf_option block_options[] = {
    {"temporary", 0, HF_OPT_VALUE(AT(report.table.blocks), HF_BLOCKS_TEMPORARY),
        "rank by temporary allocations: freed before their thread allocated or freed anything "
        "else"},
    {"lifetimes", 0, HF_OPT_VALUE(AT(report.table.blocks), HF_BLOCKS_BY_AGE),
        "show how long the blocks of each row lived (recordings of run, watch, dump)"},
    {"sizes", 0, HF_OPT_VALUE(AT(report.table.blocks), HF_BLOCKS_BY_SIZE),
        "show how large the blocks of each row were (recordings of run, watch, dump)"},
    {"births", 0, HF_OPT_VALUE(AT(report.table.blocks), HF_BLOCKS_BY_BIRTH),
        "show, for each part of the time, which share of each row's allocations is still in use "
        "(recordings of run, watch, dump)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Table", hf_table_options},
    {"", hf_by_options},
    {"", thread_options},
    {"", hf_owner_options},
    {"", block_options},
    {"", live_options},
    {"Output", hf_output_options},
    {"Compare", hf_base_options},
    {"", hf_since_options},
    {"", hf_series_options},
    {"Time", trend_options},
    {"", hf_time_options},
    HF_SHOWN_GROUPS,
    {0},
};

/* The one whose profile is the last of all. */
static struct hf_process_history *last_process(
    const struct hf_history_options *history, const struct hf_process_histories *processes)
{
    struct hf_process_history *last = processes->items[0];
    for (size_t i = 0; i < processes->count; i++) {
        if (processes->items[i]->last != NULL)
            last = processes->items[i];
    }
    if (processes->count > 1) {
        struct hf_out name = {0};
        struct hf_listed_process listed = hf_history_options_listed(history, last);
        hf_process_list_name(&listed, &name);
        hf_notes_add(&last->view.folded->notes, HF_NOTE_INFO,
            "the profiles are of %zu processes; this is the last one, %.*s; heapflame trend judges "
            "each",
            /* never 1 */ processes->count, (int)name.size, name.data);
        hf_out_done(&name);
    }
    return last;
}

static enum hf_status show_trend(
    struct hf_report_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    struct hf_process_histories processes = {.keeps_last = true};
    struct hf_history_options history = {.view = options->view};
    const struct hf_request_comparison *with = &options->view.request.comparison;
    history.view.common.quiet = true; /* the table says it */
    if (with->is_series || with->base.count != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--trend (also implied by a folder) excludes --base and --series: it shows the last "
            "profile");
    enum hf_status status = hf_history_options_judge(&history, operands, &processes, err);
    if (status == HF_OK)
        status = hf_report_last_table(options, last_process(&history, &processes), 1, err);
    hf_shared_leaks_done(&history.together);
    hf_process_histories_done(&processes);
    return status;
}

static bool has_folder(const struct hf_operands *operands)
{
    bool has = false;
    for (size_t i = 0; i < operands->count; i++)
        has = has || hf_file_is_folder(operands->items[i]);
    return has;
}

static enum hf_status top_of(
    struct top_options *options, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_report_options *report = &options->report;
    bool is_series = report->view.request.comparison.is_series;
    bool has_trend = options->has_trend || (has_folder(operands) && !is_series);
    if (has_trend)
        return show_trend(report, operands, err);
    return hf_report_table(report, operands->items, operands->count, err);
}

static const char *name_of_blocks(int blocks)
{
    return blocks == HF_BLOCKS_TEMPORARY ? "temporary"
           : blocks == HF_BLOCKS_BY_AGE  ? "lifetimes"
           : blocks == HF_BLOCKS_BY_SIZE ? "sizes"
                                         : "births";
}

/* What the classes of blocks cannot be shown with: they are of whole processes, as they are now. */
static enum hf_status refuse_mixed(
    const struct top_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    const struct hf_request *request = &options->report.view.request;
    const struct hf_request_comparison *with = &request->comparison;
    int blocks = options->report.table.blocks;
    const char *value = request->fold.value;
    if (blocks == HF_BLOCKS_TEMPORARY && value != NULL && strcmp(value, HF_TEMPORARY_OBJECTS) != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--temporary ranks by temporary allocations; it excludes other values, found '%s'",
            value);
    if (with->is_series || with->base.count != 0 || with->since != NULL || options->is_live ||
        options->has_trend || has_folder(operands))
        return hf_error_set(err, HF_ERR_USAGE,
            "--%s shows one profile; it excludes --base, --since, --series, --trend and --live",
            name_of_blocks(blocks));
    bool is_by_thread = request->fold.thread != NULL || request->fold.granularity == HF_BY_THREAD;
    if (blocks != HF_BLOCKS_TEMPORARY && (is_by_thread || operands->count != 1))
        return hf_error_set(err, HF_ERR_USAGE,
            "--%s is of one whole process: expected one recording or PID, and no --thread or "
            "--threads",
            name_of_blocks(blocks));
    return HF_OK;
}

/* The table of what became of blocks. */
static enum hf_status show_blocks(
    struct top_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    struct hf_report_options *report = &options->report;
    struct hf_request *request = &report->view.request;
    struct hf_lifetimes lifetimes = {.wants_classes = true, .needs_classes = true};
    bool is_temporary = report->table.blocks == HF_BLOCKS_TEMPORARY;
    enum hf_status status = refuse_mixed(options, operands, err);
    if (status != HF_OK)
        return status;
    if (request->fold.value == NULL || is_temporary)
        request->fold.value = is_temporary                                 ? HF_TEMPORARY_OBJECTS
                              : report->table.blocks == HF_BLOCKS_BY_BIRTH ? "alloc_space"
                                                                           : "alloc_objects";
    request->fold.keeps_threads = !is_temporary;
    request->input.lifetimes = is_temporary ? NULL : &lifetimes;
    status = hf_report_table(report, operands->items, operands->count, err);
    hf_lifetimes_done(&lifetimes);
    return status;
}

/* Where there is no place above a table, or no history of the whole process, no leak is found. */
static enum hf_status refuse_alarm(const struct top_options *options, struct hf_error *err)
{
    const struct hf_view_options *view = &options->report.view;
    bool is_json = options->report.table.is_json, is_thread = view->request.fold.thread != NULL;
    if (!options->leaks.is_on)
        return HF_OK;
    if (!options->is_live)
        return hf_error_set(err, HF_ERR_USAGE,
            "--alarm needs --live; run --alarm and watch --alarm report leaks without a terminal");
    if (view->output != NULL || is_json)
        return hf_error_set(err, HF_ERR_USAGE,
            "--alarm reports leaks above the table on a terminal; it excludes %s; run --alarm and "
            "watch --alarm report leaks without a terminal",
            is_json ? "--json" : "--output");
    if (is_thread || view->request.comparison.since != NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "--alarm judges all that the process holds; it excludes %s",
            is_thread ? "--thread" : "--since");
    if (!isatty(STDOUT_FILENO))
        return hf_error_set(err, HF_ERR_USAGE,
            "--alarm reports leaks above the table on a terminal, but standard output is not a "
            "terminal; run --alarm and watch --alarm report leaks without one");
    return HF_OK;
}

/* What would be about other rows than owners, other blocks than all of them, or needs a file. */
static enum hf_status top_refuse_with_who(const struct top_options *options, struct hf_error *err)
{
    const struct hf_report_options *report = &options->report;
    const struct hf_request *request = &report->view.request;
    const struct hf_request_comparison *with = &request->comparison;
    const struct hf_request_fold *fold = &request->fold;
    const struct {
        const char *name;
        bool is_given;
    } others[] = {
        {"output", report->view.output != NULL},
        {"json", report->table.is_json},
        {"base", with->base.count != 0},
        {"since", with->since != NULL},
        {"series", with->is_series},
        {"trend", options->has_trend},
        {"at", request->times.at != NULL},
        {"thread", fold->thread != NULL},
        {"ignore", fold->ignore != NULL},
        {"retain", fold->retain != NULL},
        {"exclude", fold->exclude != NULL},
        {"callers-of", fold->callers_of != NULL},
    };
    for (size_t i = 0; i < HF_COUNT(others); i++) {
        if (others[i].is_given)
            return hf_error_set(err, HF_ERR_USAGE, "--who excludes --%s", others[i].name);
    }
    if (fold->owners == HF_OWNERS_UNKNOWN || fold->granularity != HF_BY_FUNCTION)
        return hf_error_set(err, HF_ERR_USAGE,
            "--who says what holds the blocks of owners; it excludes all rows but --by owner");
    return HF_OK;
}

static enum hf_status check_who(
    const struct top_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    uint32_t pid;
    if (!options->wants_who)
        return HF_OK;
    if (!options->is_live || operands->count != 1 || !hf_operand_is_pid(operands->items[0], &pid))
        return hf_error_set(err, HF_ERR_USAGE,
            "--who needs --live and one PID; for one report, there is heapflame trend PID --who");
    enum hf_status status = top_refuse_with_who(options, err);
    if (status == HF_OK && !isatty(STDOUT_FILENO))
        return hf_error_set(err, HF_ERR_USAGE,
            "--who needs a terminal, but standard output is not one; for one report, there is "
            "heapflame trend PID --who");
    return status;
}

static enum hf_status top_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct top_options *options = all;
    struct hf_report_options *report = &options->report;
    uint32_t pid = 0;
    enum hf_status status = hf_view_options_need_profile(operands, err);
    if (status != HF_OK)
        return status;
    if (options->is_live &&
        (operands->count != 1 || !hf_operand_is_process(operands->items[0], &pid)))
        return hf_error_set(err, HF_ERR_USAGE, "--live: expected one PID");
    status = refuse_alarm(options, err);
    if (status == HF_OK)
        status = hf_leak_options_check(&options->leaks, "--alarm", err);
    if (status != HF_OK)
        return status;
    status = hf_view_options_choose_rows(&report->view, err);
    if (status == HF_OK)
        status = check_who(options, operands, err);
    if (status != HF_OK)
        return status;
    if (report->table.blocks != HF_BLOCKS_NOT_SHOWN)
        return show_blocks(options, operands, err);
    bool is_on_terminal = report->view.output == NULL && isatty(STDOUT_FILENO);
    bool is_shown_live = options->is_live && is_on_terminal && !report->table.is_json;
    const struct hf_top_live live = {
        report, &options->leaks, operands->items[0], pid, options->wants_who};
    return is_shown_live ? hf_top_live_show(&live, err) : top_of(options, operands, err);
}

static void top_defaults(void *options)
{
    hf_leak_options_defaults(&((struct top_options *)options)->leaks);
}

static bool top_is_reader(const void *options)
{
    return !((const struct top_options *)options)->wants_who;
}

const struct hf_command hf_cmd_top = {
    .name = "top",
    .summary = "Print which functions hold the memory, ranked.",
    .operands = "PROFILE...|DIR",
    .details =
        "flat is what a function allocated itself; cum is what it and all that it called\n"
        "allocated. Each function is shown with its line that holds most. For a folder of\n"
        "profiles, top shows the last one, how fast each row grows, and whether it is a leak.",
    .groups = groups,
    .options_size = sizeof(struct top_options),
    .defaults = top_defaults,
    .is_reader = top_is_reader,
    .run = top_run,
};
