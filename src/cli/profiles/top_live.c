#include "cli/profiles/top_live.h"

#include "base/strings/escape.h"
#include "cli/history_options.h"
#include "cli/process/heap/held_places.h"
#include "cli/profiles/live_held.h"
#include "cli/profiles/live_screen.h"
#include "cli/say.h"
#include "os/process/proc.h"
#include "profile/samples.h"
#include "symbol/lookup/kept_files.h"

#include <stdio.h>
#include <unistd.h>

#define REFRESH_MS 2000
#define LINES_AROUND 4 /* the sentence, the column names, what is hidden, a note */

/* A process that is shown again and again. */
struct live_table {
    struct hf_report_options options;
    const char *name;
    struct hf_process_history process;
    struct hf_kept_files kept; /* from one look to the next */
    bool has_history;          /* that is of the whole process, and of all that it has */
    bool has_alarm;
    struct hf_leak_alarm alarm;
    struct hf_out told; /* the line of the last leak; empty: none yet */
    /* Of --who, in its worker. */
    int looked_at; /* the live table that is open for this look; -1: it is asked for by name */
    bool wants_heap;
    struct hf_live_held *held;   /* NULL: not asked for */
    char why[HF_ERROR_TEXT_MAX]; /* it is not known what holds the blocks; "": it is */
    struct hf_live_snapshot table;
    struct hf_table_blocks blocks;
};

static enum hf_status live_read_look(void *context, struct hf_lifetimes *lifetimes,
    struct hf_profile **out_profile, struct hf_error *err)
{
    const struct live_table *live = context;
    return live->looked_at >= 0 ? hf_process_history_read_table(
                                      live->looked_at, live->name, lifetimes, out_profile, err)
                                : hf_process_history_read(&live->options.view.request, live->name,
                                      lifetimes, out_profile, err);
}

/* What is on the screen goes with it: who keeps standard error in a file has it there, too. */
static enum hf_status live_look_for_leaks(
    struct live_table *live, const struct hf_dated_profile *dated, struct hf_error *err)
{
    struct hf_leak_told told;
    const struct hf_leak_look look = {*dated, live_read_look, live};
    enum hf_status status = hf_leak_alarm_choose(
        &live->alarm, &live->process, &live->options.view.request, &look, &told, err);
    if (status != HF_OK)
        return status;
    if (told.what[0] == '\0')
        return HF_OK;
    live->told.size = 0;
    hf_leak_options_line(&told, &live->told);
    struct hf_text line = hf_out_view(&live->told);
    if (!isatty(STDERR_FILENO))
        hf_say("%.*s", (int)line.size, line.data);
    hf_out_char(&live->told, '\n');
    return hf_out_finish(&live->told, err);
}

static enum hf_status live_judge(
    struct live_table *live, const struct hf_dated_profile *dated, struct hf_error *err)
{
    enum hf_status status =
        hf_process_history_judge(&live->process, &live->options.view.request, err);
    if (status == HF_OK && live->has_alarm)
        status = live_look_for_leaks(live, dated, err);
    return status;
}

static enum hf_status live_read(struct live_table *live, struct hf_error *err)
{
    struct hf_process_history *process = &live->process;
    const struct hf_request *request = &live->options.view.request;
    struct hf_dated_profile dated = {live->name, hf_timeline_now()};
    if (!live->has_history)
        return HF_OK;
    hf_profile_free(process->last);
    process->last = NULL;
    enum hf_status status =
        hf_process_history_add(process, request, &dated, true, &process->last, err);
    return status == HF_OK ? live_judge(live, &dated, err) : status;
}

/* Why what was asked for is not below the rows. */
static void live_put_why(const struct live_table *live, struct hf_out *out)
{
    if (live->why[0] == '\0')
        return;
    hf_out_string(out, "note: what holds the blocks is not known: ");
    hf_escape_terminal(out, hf_text_of(live->why));
    hf_out_char(out, '\n');
}

/* As many rows as the window has room for, if nobody asked for a number. */
static enum hf_status live_draw(
    struct live_table *live, const struct hf_live_screen *screen, struct hf_error *err)
{
    struct hf_out text = {0};
    struct hf_report_options now = live->options;
    now.screen = &text;
    now.view.common.quiet = true; /* a note is on the screen */
    now.table.columns = screen->columns;
    now.table.is_leak_first = true;
    hf_out_text(&text, hf_out_view(&live->told));
    live_put_why(live, &text);
    size_t around = LINES_AROUND;
    around += live->told.size != 0 ? 1 : 0;
    around += live->why[0] != '\0' ? 1 : 0;
    if (now.table.rows == 0 && screen->rows > around)
        now.table.rows = now.table.max_lines = screen->rows - around;
    now.table.find_held = live->held != NULL ? hf_live_held_find : NULL;
    now.table.holder = live->held;
    enum hf_status status =
        live->has_history ? hf_report_last_table(&now, &live->process, HF_TREND_POINTS_MIN, err)
                          : hf_report_table(&now, &live->name, 1, err);
    if (status == HF_OK)
        status = hf_out_finish(&text, err);
    if (status == HF_OK)
        status = hf_live_screen_show(screen, hf_out_view(&text), err);
    hf_out_done(&text);
    return status;
}

/* Until it is time to read it again. */
static enum hf_status live_show(struct live_table *live, struct hf_error *err)
{
    struct hf_live_screen screen;
    enum hf_status status = live_read(live, err);
    do {
        screen = hf_live_screen_now();
        if (status == HF_OK)
            status = live_draw(live, &screen, err);
    } while (status == HF_OK && hf_live_screen_wait(&screen, REFRESH_MS));
    return status;
}

/* Until the process ends, or somebody ends this one. */
static enum hf_status live_show_all(struct live_table *live, uint32_t pid, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t start;
    while (status == HF_OK && hf_proc_start_ticks(pid, &start))
        status = live_show(live, err);
    return status;
}

/* ---- With what holds the leaks ---- */

/* In the worker, as the next two. Without a table, the same as before is shown. */
static enum hf_status live_look(void *context, int table, const char *name, struct hf_error *err)
{
    struct live_table *live = context;
    const struct hf_dated_profile dated = {live->name, hf_timeline_now()};
    const struct hf_live_screen screen = hf_live_screen_now();
    enum hf_status status = HF_OK;
    live->looked_at = table;
    live->wants_heap = false;
    if (table >= 0) {
        hf_live_held_begin(live->held);
        status = hf_process_history_add_table(
            &live->process, &live->options.view.request, table, live->name, err);
        if (status == HF_OK)
            status = live_judge(live, &dated, err);
    } else if (name[0] != '\0') {
        (void)snprintf(live->why, sizeof live->why, "%s", name);
    }
    if (status == HF_OK)
        status = live_draw(live, &screen, err);
    live->wants_heap =
        status == HF_OK && table >= 0 && hf_live_held_ask(live->held, hf_loop_now_ns());
    return status;
}

static enum hf_status live_see_table(
    void *context, const int *table, uint64_t asked_ns, struct hf_error *err)
{
    struct live_table *live = context;
    hf_table_blocks_done(&live->blocks); /* of the snapshot before */
    hf_live_snapshot_done(&live->table);
    return hf_table_blocks_read(
        &live->blocks, &live->table, hf_live_source_of(table, "live table"), asked_ns, err);
}

static enum hf_status live_report_held(
    void *context, const struct hf_heap_reading *reading, struct hf_error *err)
{
    struct live_table *live = context;
    struct hf_text names[HF_LIVE_HELD_ROWS];
    size_t count = hf_live_held_names(live->held, names);
    struct hf_held_places found = {0};
    const struct hf_live_screen screen = hf_live_screen_now();
    const struct hf_held_reading from = {reading, &live->blocks, &live->table};
    enum hf_status status =
        hf_held_places_find_owners(&found, names, count, &live->options.view.request, &from, err);
    for (size_t i = 0; status == HF_OK && i < count; i++)
        hf_live_held_put(live->held, names[i], &found.items[i]);
    hf_held_places_done(&found);
    if (status != HF_OK)
        return status;
    live->why[0] = '\0';
    return live_draw(live, &screen, err);
}

/* Who may stop the process is here, and reads nothing of it. */
static enum hf_status live_show_held(struct live_table *live, uint32_t pid, struct hf_error *err)
{
    uint64_t start;
    struct hf_heap_reader *reader;
    const struct hf_heap_reader_task task = {.common = &live->options.view.common,
        .report = live_report_held,
        .see_table = live_see_table,
        .context = live,
        .table = -1,
        .look = live_look,
        .wants_heap = &live->wants_heap};
    live->options.view.common.quiet = true; /* the screen is the table's */
    live->process.keeps_last = true;
    enum hf_status status = hf_heap_reader_begin(&task, pid, &reader, err);
    while (status == HF_OK && hf_proc_start_ticks(pid, &start)) {
        struct hf_live_screen screen = hf_live_screen_now();
        status = hf_heap_reader_look(reader, err);
        while (status == HF_OK && hf_live_screen_wait(&screen, REFRESH_MS)) {
            screen = hf_live_screen_now();
            status = hf_heap_reader_look_again(reader, err);
        }
    }
    hf_heap_reader_end(reader);
    hf_table_blocks_done(&live->blocks); /* of one that worked here */
    hf_live_snapshot_done(&live->table);
    hf_live_held_done(live->held);
    return status;
}

enum hf_status hf_top_live_show(const struct hf_top_live *top, struct hf_error *err)
{
    const struct hf_request *request = &top->report->view.request;
    struct hf_live_held held = {0};
    struct live_table live = {.options = *top->report,
        .name = top->name,
        .has_alarm = top->leaks->is_on,
        .alarm.rules = hf_leak_options_rules(top->leaks, REFRESH_MS * UINT64_C(1000000)),
        .has_history = request->fold.thread == NULL && request->comparison.since == NULL,
        .looked_at = -1,
        .held = top->wants_who ? &held : NULL};
    live.options.view.request.names.kept = &live.kept;
    enum hf_status status =
        top->wants_who ? live_show_held(&live, top->pid, err) : live_show_all(&live, top->pid, err);
    hf_live_screen_end();
    hf_out_done(&live.told);
    hf_leak_alarm_done(&live.alarm);
    hf_process_history_done(&live.process);
    hf_kept_files_done(&live.kept);
    if (hf_proc_is_ending(top->pid)) { /* what went wrong is that */
        hf_say("process %u has ended", top->pid);
        return HF_OK;
    }
    return status;
}
