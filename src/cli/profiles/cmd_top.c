#include "answer/names.h"
#include "answer/operand.h"
#include "cli/history_options.h"
#include "cli/report.h"
#include "cli/say.h"
#include "os/file.h"
#include "os/process/proc.h"

#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

struct top_options {
    struct hf_report_options report;
    bool is_live, has_trend;
};

#define AT(field) offsetof(struct top_options, field)

static const struct hf_option live_options[] = {
    {"live", 0, HF_OPTION_FLAG, 0, AT(is_live), NULL,
        "of a process, on a terminal: print it again every two seconds"},
    {0},
};

static const struct hf_option trend_options[] = {
    {"trend", 0, HF_OPTION_FLAG, 0, AT(has_trend), NULL,
        "the profiles are one process at several times: the last, and how each row went"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Table", hf_table_options},
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

#define REFRESH_SECONDS 2
#define LINES_AROUND 4 /* the sentence, the column names, the note below, the cursor */

/* As many rows as the terminal has room for, if nobody asked for a number. */
static uint64_t rows_for_terminal(uint64_t asked)
{
    struct winsize size;
    if (asked != 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row <= LINES_AROUND)
        return asked;
    return size.ws_row - (uint64_t)LINES_AROUND;
}

/*
 * The table of the last profile, with how its rows went if there are enough points. What has to be
 * said of all profiles is said of the last.
 */
static enum hf_status top_show(struct hf_report_options *options,
    struct hf_process_history *process, size_t points_min, struct hf_error *err)
{
    struct hf_notes *notes = &process->last->notes;
    enum hf_status status = hf_names_add(&options->view.request.names, process->last, err);
    if (status != HF_OK)
        return status;
    hf_notes_done(notes);
    hf_notes_merge(notes, &process->view.folded->notes);
    options->view.request.given = process->last;
    options->view.request.comparison.since = NULL; /* what was taken before was left out */
    options->growth = process->history.count >= points_min ? &process->growth : NULL;
    return hf_report_table(options, NULL, 0, err);
}

static enum hf_status show_trend(
    struct hf_report_options *options, const struct hf_operands *operands, struct hf_error *err)
{
    struct hf_process_history process = {.keeps_last = true};
    struct hf_history_options history = {.view = options->view};
    const struct hf_request_comparison *with = &options->view.request.comparison;
    history.view.common.quiet = true; /* the table says it */
    if (with->is_series || with->base.count != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--trend, also of a folder, shows the last profile: it excludes --base and --series");
    enum hf_status status = hf_history_options_judge(&history, operands, &process, err);
    if (status == HF_OK)
        status = top_show(options, &process, 1, err);
    hf_process_history_done(&process);
    return status;
}

static enum hf_status show_again(const struct hf_report_options *options,
    struct hf_process_history *process, const char *name, struct hf_error *err)
{
    struct hf_report_options now = *options;
    now.table.rows = rows_for_terminal(options->table.rows);
    /* That is of the whole process, and of all that it has. */
    const struct hf_request *request = &options->view.request;
    bool has_history = request->fold.thread == NULL && request->comparison.since == NULL;
    enum hf_status status = HF_OK;
    if (has_history) {
        struct hf_dated_profile dated = {name, hf_timeline_now()};
        hf_profile_free(process->last);
        process->last = NULL;
        status = hf_process_history_add(process, request, &dated, true, &process->last, err);
    }
    if (status == HF_OK && has_history)
        status = hf_process_history_judge(process, request, err);
    hf_say_clear();
    if (status != HF_OK)
        return status;
    return has_history ? top_show(&now, process, HF_TREND_POINTS_MIN, err)
                       : hf_report_table(&now, &name, 1, err);
}

/* Until the process ends, or somebody ends this one. */
static enum hf_status show_live(
    const struct hf_report_options *options, const char *name, uint32_t pid, struct hf_error *err)
{
    struct hf_process_history process = {0};
    enum hf_status status = HF_OK;
    uint64_t start;
    while (status == HF_OK && hf_proc_start_ticks(pid, &start)) {
        status = show_again(options, &process, name, err);
        (void)nanosleep(&(struct timespec){.tv_sec = REFRESH_SECONDS}, NULL);
    }
    hf_process_history_done(&process);
    if (!hf_proc_start_ticks(pid, &start)) { /* what went wrong is that it has ended */
        hf_say("process %u has ended", pid);
        return HF_OK;
    }
    return status;
}

static bool has_folder(const struct hf_operands *operands)
{
    bool has = false;
    for (size_t i = 0; i < operands->count; i++)
        has = has || hf_file_is_folder(operands->items[i]);
    return has;
}

static enum hf_status top_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct top_options *options = all;
    struct hf_report_options *report = &options->report;
    uint32_t pid;
    enum hf_status status = hf_view_options_need_profile(operands, err);
    if (status != HF_OK)
        return status;
    if (options->is_live &&
        (operands->count != 1 || !hf_operand_is_process(operands->items[0], &pid)))
        return hf_error_set(err, HF_ERR_USAGE, "--live: expected one process, by its number");
    bool is_on_terminal = report->view.output == NULL && isatty(STDOUT_FILENO);
    if (options->is_live && is_on_terminal)
        return show_live(report, operands->items[0], pid, err);
    if (options->has_trend || (has_folder(operands) && !report->view.request.comparison.is_series))
        return show_trend(report, operands, err);
    return hf_report_table(report, operands->items, operands->count, err);
}

const struct hf_command hf_cmd_top = {
    .name = "top",
    .summary = "Print which functions hold the memory, ranked.",
    .operands = "PROFILE...|DIR",
    .details = "flat is what a function allocated itself, cum what it and all that it called\n"
               "allocated; the line is the one in the function that holds most. Of a folder of\n"
               "profiles: the last one, how fast each row grows, and whether it is a leak.",
    .groups = groups,
    .options_size = sizeof(struct top_options),
    .is_reader = hf_command_is_reader,
    .run = top_run,
};
