#include "cli/process/contexts_follow.h"

#include "answer/history/process_history.h"
#include "attach/postgres/context_growth.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "capture/loop.h"
#include "capture/signals.h"
#include "cli/say.h"
#include "os/process/proc.h"
#include "profile/samples.h"
#include "render/table/growth_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define WALKS 2 /* at each look; the least counts */

struct contexts_series {
    const struct hf_contexts_follow *how;
    struct hf_loop loop;
    struct hf_loop_source ticking;
    struct hf_request request;
    struct hf_process_history history;
    uint64_t due_ns, until_ns;
    uint64_t torn;
};

/* "TopMemoryContext / CacheMemoryContext  (relcache, catcache)" */
static enum hf_status follow_frame_of(struct hf_profile *profile, const struct hf_context_row *row,
    uint32_t *out_frame, struct hf_error *err)
{
    struct hf_out name = {0};
    struct hf_frame frame = {.flags = HF_FRAME_NAMED};
    hf_out_text(&name, row->path);
    if (row->cache != NULL)
        hf_out_printf(&name, "  (%s)", row->cache);
    enum hf_status status = hf_out_finish(&name, err);
    if (status == HF_OK)
        status = hf_profile_string(profile, hf_out_view(&name), &frame.name, err);
    hf_out_done(&name);
    return status == HF_OK ? hf_profile_frame(profile, &frame, out_frame, err) : status;
}

static enum hf_status follow_add_row(
    struct hf_profile *profile, const struct hf_context_row *row, struct hf_error *err)
{
    uint32_t frame, node, sample;
    const struct hf_context_held *held = &row->least[HF_CONTEXT_BEFORE];
    const uint64_t values[HF_VALUE_TYPES_MAX] = {
        [HF_INUSE_OBJECTS] = held->contexts, [HF_INUSE_SPACE] = held->used_bytes};
    if (held->used_bytes == 0)
        return HF_OK;
    enum hf_status status = follow_frame_of(profile, row, &frame, err);
    if (status == HF_OK)
        status = hf_stacktree_add(&profile->stacks, &frame, 1, &node, err);
    if (status == HF_OK)
        status = hf_sample_find(profile, node, HF_THREAD_ALL, &sample, err);
    if (status == HF_OK)
        hf_sample_add(profile, sample, values);
    return status;
}

/* Each group is a stack of one frame. */
static enum hf_status follow_profile_of(
    const struct hf_context_growth *growth, struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_profile *profile;
    enum hf_status status = hf_profile_new(&profile, err);
    if (status != HF_OK)
        return status;
    status = hf_profile_add_inuse_types(profile, err);
    for (size_t i = 0; status == HF_OK && i < growth->count; i++)
        status = follow_add_row(profile, &growth->rows[i], err);
    if (status != HF_OK)
        hf_profile_free(profile);
    else
        *out_profile = profile;
    return status;
}

static enum hf_status follow_read(
    struct contexts_series *series, struct hf_context_growth *growth, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_postgres *postgres = series->how->postgres;
    for (size_t i = 0; status == HF_OK && i < WALKS; i++) {
        struct hf_contexts contexts;
        status = hf_contexts_read_whole(&contexts, &postgres->source, &postgres->layout, err);
        if (status == HF_OK)
            hf_budget_give(contexts.count);
        if (status == HF_OK)
            status = hf_context_growth_add(growth, &contexts, HF_CONTEXT_BEFORE, err);
        hf_contexts_done(&contexts);
    }
    return status == HF_OK ? hf_context_growth_rank(growth, err) : status;
}

static enum hf_status follow_look(struct contexts_series *series, struct hf_error *err)
{
    struct hf_profile *profile = NULL;
    struct hf_context_growth growth = {.keeps_idents = series->how->keeps_idents};
    const struct hf_dated_profile dated = {"the process", hf_timeline_now()};
    enum hf_status status = follow_read(series, &growth, err);
    series->torn += growth.torn;
    if (status == HF_OK)
        status = follow_profile_of(&growth, &profile, err);
    if (status == HF_OK)
        status =
            hf_process_history_take(&series->history, &series->request, &dated, profile, NULL, err);
    if (status == HF_OK)
        hf_profile_free(profile);
    hf_context_growth_done(&growth);
    return status;
}

/* A process that has ended cannot be read, which ends the series and is no error of it. */
static enum hf_status follow_tick(void *context, struct hf_error *err)
{
    struct contexts_series *series = context;
    uint64_t every_ns = series->how->every_ns, now_ns;
    enum hf_status status = follow_look(series, err);
    if (status != HF_OK && hf_proc_is_ending(series->how->postgres->pid)) {
        if (!series->how->common->quiet)
            hf_say("process %" PRIu32 " has ended", series->how->postgres->pid);
        series->loop.is_over = true;
        return HF_OK;
    }
    now_ns = hf_loop_now_ns();
    while (series->due_ns <= now_ns)
        series->due_ns += every_ns;
    series->ticking.due_ns = series->due_ns;
    series->loop.is_over = series->loop.is_over || series->due_ns > series->until_ns;
    return status;
}

static void follow_stop(void *context, int signal, bool is_of_kernel)
{
    (void)signal;
    (void)is_of_kernel;
    struct hf_loop *loop = context;
    loop->is_over = true;
}

static enum hf_status follow_run(struct contexts_series *series, struct hf_error *err)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    struct hf_signals signals = {.source.fd = -1};
    uint64_t now_ns = hf_loop_now_ns(), duration_ns = series->how->duration_ns;
    enum hf_status status =
        hf_signals_open(&signals, stopping, HF_COUNT(stopping), follow_stop, &series->loop, err);
    series->due_ns = now_ns;
    series->until_ns = duration_ns != 0 && duration_ns < HF_LOOP_NEVER - now_ns
                           ? now_ns + duration_ns
                           : HF_LOOP_NEVER;
    series->ticking =
        (struct hf_loop_source){.fd = -1, .due_ns = now_ns, .wake = follow_tick, .context = series};
    if (status == HF_OK) {
        if (isatty(STDERR_FILENO) && !series->how->common->quiet)
            hf_say("process %" PRIu32 " is watched; press Ctrl-C for the verdicts so far",
                series->how->postgres->pid);
        hf_loop_add(&series->loop, &signals.source);
        hf_loop_add(&series->loop, &series->ticking);
        status = hf_loop_run(&series->loop, err);
    }
    hf_signals_close(&signals);
    (void)sigprocmask(SIG_SETMASK, &signals.before, NULL);
    return status;
}

static enum hf_status follow_print(struct contexts_series *series, struct hf_error *err)
{
    char next[96];
    struct hf_output output;
    struct hf_process_history *process = &series->history;
    (void)snprintf(next, sizeof next,
        "heapflame attach %" PRIu32 " --spec postgres shows which code fills a context.",
        series->how->postgres->pid);
    const struct hf_growth_report report = {.growth = &process->growth,
        .suppressions = &process->suppressions,
        .max_rows = (size_t)series->how->rows,
        .next = next};
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    struct hf_budget_scope before = hf_budget_enter(&process->view.budget);
    if (series->how->is_json)
        hf_growth_json(&report, &output.out);
    else
        hf_growth_text(&report, &output.out);
    hf_budget_leave(before);
    return hf_output_close(&output, status, err);
}

static void follow_note(const struct contexts_series *series)
{
    struct hf_notes notes = {0};
    const struct hf_growth *growth = &series->history.growth;
    if (growth->count != 0)
        hf_notes_add(&notes, HF_NOTE_INFO,
            "verdicts are by shape alone, because it is not known when the memory in a context was "
            "allocated: heapflame attach %" PRIu32
            " --what pool --every 5s shows which code fills it",
            series->how->postgres->pid);
    if (series->torn != 0)
        hf_notes_add(&notes, HF_NOTE_LOSS, "%" PRIu64 " %s read: some contexts are missing",
            series->torn,
            hf_plural(series->torn, "list of contexts changed each time it was",
                "lists of contexts changed each time they were"));
    hf_report_notes(series->how->common, &notes);
    hf_notes_done(&notes);
}

enum hf_status hf_contexts_follow(const struct hf_contexts_follow *follow, struct hf_error *err)
{
    struct contexts_series series = {.how = follow};
    enum hf_status status = follow_run(&series, err);
    if (status == HF_OK && series.history.history.profile_count < 2)
        status = hf_error_set(err, HF_ERR_USAGE,
            "process %" PRIu32
            " was read only %zu %s: a trend needs at least 2 readings, a verdict %d",
            follow->postgres->pid, series.history.history.profile_count,
            hf_plural(series.history.history.profile_count, "time", "times"), HF_TREND_POINTS_MIN);
    if (status == HF_OK)
        status = hf_process_history_judge(&series.history, &series.request, err);
    if (status == HF_OK)
        status = follow_print(&series, err);
    if (status == HF_OK)
        follow_note(&series);
    hf_process_history_done(&series.history);
    return status;
}
