#include "cli/load.h"
#include "cli/report.h"
#include "os/proc.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

struct top_options {
    struct hf_report_options report;
    bool is_live;
};

static const struct hf_option live_options[] = {
    {"live", 0, HF_OPTION_FLAG, 0, offsetof(struct top_options, is_live), NULL,
        "of a process, on a terminal: print it again every two seconds"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Table", hf_table_options},
    {"", live_options},
    {"Output", hf_output_options},
    {"Compare", hf_base_options},
    {"", hf_series_options},
    HF_SHOWN_GROUPS,
    {0},
};

#define REFRESH_SECONDS 2
#define CLEAR "\033[H\033[2J"
#define LINES_AROUND 4 /* the sentence, the column names, the note below, the cursor */

/* As many rows as the terminal has room for, if nobody asked for a number. */
static uint64_t rows_for_terminal(uint64_t asked)
{
    struct winsize size;
    if (asked != 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row <= LINES_AROUND)
        return asked;
    return size.ws_row - (uint64_t)LINES_AROUND;
}

/* Until the process ends, or somebody ends this one. */
static enum hf_status show_again(
    const struct hf_report_options *options, const char *name, uint32_t pid, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t start;
    while (status == HF_OK && hf_proc_start_ticks(pid, &start)) {
        struct hf_report_options now = *options;
        now.table.rows = rows_for_terminal(options->table.rows);
        (void)!write(STDOUT_FILENO, CLEAR, strlen(CLEAR));
        status = hf_report_table(&now, &name, 1, err);
        (void)nanosleep(&(struct timespec){.tv_sec = REFRESH_SECONDS}, NULL);
    }
    if (!hf_proc_start_ticks(pid, &start)) { /* what went wrong is that it has ended */
        fprintf(stderr, "heapflame: process %u has ended\n", pid);
        return HF_OK;
    }
    return status;
}

static enum hf_status run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct top_options *options = all;
    struct hf_report_options *report = &options->report;
    uint32_t pid;
    enum hf_status status = hf_view_need_profile(operands, err);
    if (status != HF_OK)
        return status;
    if (options->is_live && (operands->count != 1 || !hf_load_is_process(operands->items[0], &pid)))
        return hf_error_set(err, HF_ERR_USAGE, "--live: expected one process, by its number");
    bool is_on_terminal = report->view.output == NULL && isatty(STDOUT_FILENO);
    if (options->is_live && is_on_terminal)
        return show_again(report, operands->items[0], pid, err);
    return hf_report_table(report, operands->items, operands->count, err);
}

const struct hf_command hf_cmd_top = {
    .name = "top",
    .summary = "Print which functions hold the memory, ranked.",
    .operands = "PROFILE...",
    .details = "flat is what a function allocated itself, cum what it and all that it called\n"
               "allocated; the line is the one in the function that holds most.",
    .groups = groups,
    .options_size = sizeof(struct top_options),
    .run = run,
};
