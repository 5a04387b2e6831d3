#include "answer/history/process_history.h"

#include "answer/loader.h"
#include "answer/names.h"
#include "answer/operand.h"
#include "answer/value_type.h"
#include "base/containers/vec.h"
#include "base/plural.h"
#include "formats/format.h"

#include <stdlib.h>
#include <string.h>

static enum hf_status refuse_thread(const struct hf_request *request, struct hf_error *err)
{
    if (request->fold.thread == NULL)
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE, "--thread: growth is shown only for the whole process");
}

static enum hf_status add_to_history(struct hf_process_history *process,
    const struct hf_request *request, const struct hf_profile *profile,
    const struct hf_lifetimes *lifetimes, int64_t time_ms, struct hf_error *err)
{
    size_t type;
    enum hf_status status = HF_OK;
    struct hf_history *history = &process->history;
    process->is_unordered |= history->profile_count != 0 && time_ms <= history->last_ms;
    if (process->is_unordered)
        return HF_OK;
    if (history->stacks == NULL) {
        status = hf_value_type_choose(profile, request->fold.value, &type, err);
        if (status == HF_OK)
            status = hf_history_init(history, profile, type, err);
    }
    return status == HF_OK ? hf_history_add(history, profile, lifetimes, time_ms, err) : status;
}

/* From a profile that was read, which is freed if that fails. `lifetimes` may be NULL. */
static enum hf_status process_history_take_births(
    struct hf_lifetimes *lifetimes, struct hf_profile *profile, struct hf_error *err)
{
    if (lifetimes == NULL)
        return HF_OK;
    enum hf_status status = hf_lifetimes_take_births(lifetimes, profile, err);
    if (status != HF_OK)
        hf_profile_free(profile);
    return status;
}

enum hf_status hf_process_history_read(const struct hf_request *request, const char *name,
    struct hf_lifetimes *lifetimes, struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_loader_options load = request->input;
    load.listener = NULL;
    load.lifetimes = lifetimes;
    enum hf_status status = hf_loader_read(&name, 1, &load, out_profile, err);
    return status == HF_OK ? process_history_take_births(lifetimes, *out_profile, err) : status;
}

enum hf_status hf_process_history_take(struct hf_process_history *process,
    const struct hf_request *request, const struct hf_dated_profile *dated,
    struct hf_profile *profile, const struct hf_lifetimes *lifetimes, struct hf_error *err)
{
    struct hf_budget_scope before = hf_budget_enter(&process->budget);
    hf_budget_give(profile->given_bytes);
    enum hf_status status =
        add_to_history(process, request, profile, lifetimes, dated->time_ms, err);
    hf_budget_leave(before);
    if (status == HF_OK)
        return HF_OK;
    if (status != HF_ERR_MEMORY)
        hf_error_in(err, hf_operand_shown(dated->name));
    hf_profile_free(profile);
    return status;
}

enum hf_status hf_process_history_add(void *context, const struct hf_request *request,
    const struct hf_dated_profile *dated, bool is_judged, struct hf_profile **out_profile,
    struct hf_error *err)
{
    struct hf_process_history *process = context;
    enum hf_status status = refuse_thread(request, err);
    if (status != HF_OK)
        return status;
    /* Births are told by the clock, which times of --at are not. */
    bool wants_lifetimes = request->times.at == NULL;
    struct hf_lifetimes lifetimes = {.from_ms = process->history.first_ms,
        .to_ms = dated->time_ms,
        .wants_births = true,
        .wants_epochs_only = !is_judged,
        .old_ms = dated->time_ms - (int64_t)(request->times.older_ns / 1000000)};
    struct hf_lifetimes *wanted = wants_lifetimes ? &lifetimes : NULL;
    status = hf_process_history_read(request, dated->name, wanted, out_profile, err);
    if (status == HF_OK)
        status = hf_process_history_take(process, request, dated, *out_profile, wanted, err);
    if (status == HF_OK && wants_lifetimes)
        status = hf_process_events_add_file(&process->events, dated->name, dated->time_ms, err);
    hf_lifetimes_done(&lifetimes);
    return status;
}

enum hf_status hf_process_history_read_table(int table, const char *name,
    struct hf_lifetimes *lifetimes, struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_input input;
    hf_input_open_descriptor(&input, table, name);
    input.now_ns = hf_loop_now_ns();
    input.lifetimes = lifetimes;
    enum hf_status status = hf_format_read(&input, out_profile, err);
    hf_input_close(&input);
    return status == HF_OK ? process_history_take_births(lifetimes, *out_profile, err) : status;
}

/* Takes the profile. */
static void process_history_keep(
    struct hf_process_history *process, struct hf_profile *profile, bool is_kept)
{
    hf_profile_free(process->last);
    process->last = is_kept ? profile : NULL;
    if (!is_kept)
        hf_profile_free(profile);
}

enum hf_status hf_process_history_add_table(struct hf_process_history *process,
    const struct hf_request *request, int table, const char *name, struct hf_error *err)
{
    struct hf_profile *profile;
    const struct hf_dated_profile dated = {name, hf_timeline_now()};
    struct hf_lifetimes lifetimes = {.from_ms = process->history.first_ms,
        .to_ms = dated.time_ms,
        .wants_births = true,
        .old_ms = dated.time_ms};
    enum hf_status status = hf_process_history_read_table(table, name, &lifetimes, &profile, err);
    if (status == HF_OK)
        status = hf_process_history_take(process, request, &dated, profile, &lifetimes, err);
    if (status == HF_OK)
        process_history_keep(process, profile, process->keeps_last);
    hf_lifetimes_done(&lifetimes);
    return status;
}

/* From when on profiles count: INT64_MIN, or when the mark of --since was made. */
static enum hf_status process_history_find_start(const struct hf_request *request,
    const char *const *names, size_t count, int64_t *out_ms, struct hf_error *err)
{
    char path[PATH_MAX];
    *out_ms = INT64_MIN;
    if (request->comparison.since == NULL)
        return HF_OK;
    if (request->times.at != NULL)
        return hf_error_set(
            err, HF_ERR_USAGE, "--since and --at exclude each other: a mark is timed by the clock");
    enum hf_status status =
        hf_operand_find_mark("--since", request->comparison.since, names, count, path, err);
    if (status == HF_OK)
        *out_ms = hf_timeline_time_of(path);
    return status;
}

enum hf_status hf_process_histories_add(struct hf_process_histories *processes,
    struct hf_process_history **out_process, struct hf_error *err)
{
    struct hf_process_history *process = calloc(1, sizeof *process);
    if (process == NULL || !hf_vec_reserve(&processes->items, &processes->capacity,
                               processes->count + 1, sizeof *processes->items)) {
        free(process);
        return hf_error_memory(err);
    }
    processes->items[processes->count++] = process;
    *out_process = process;
    process->keeps_last = processes->keeps_last;
    return processes->suppressions != NULL
               ? hf_process_history_suppress(process, processes->suppressions, err)
               : HF_OK;
}

/* The one that got a profile last, of those that this may be of; else a new one. */
static enum hf_status process_history_find(struct hf_process_histories *processes,
    struct hf_process_identity *identity, struct hf_process_history **out_process,
    struct hf_error *err)
{
    struct hf_process_history *found = NULL;
    for (size_t i = 0; i < processes->count; i++) {
        struct hf_process_history *process = processes->items[i];
        if (hf_process_identity_fits(&process->identity, identity) &&
            (found == NULL || process->history.last_ms >= found->history.last_ms))
            found = process;
    }
    enum hf_status status =
        found == NULL ? hf_process_histories_add(processes, &found, err) : HF_OK;
    if (status == HF_OK)
        hf_process_identity_learn(&found->identity, identity);
    *out_process = found;
    return status;
}

static enum hf_status refuse_same_time(const struct hf_process_history *process,
    const struct hf_dated_profile *dated, struct hf_error *err)
{
    if (process->history.profile_count == 0 || process->history.last_ms != dated->time_ms)
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "%s and %s have the same time: give --at to say when each was taken, e.g. --at 60s",
        hf_operand_shown(process->last_name), hf_operand_shown(dated->name));
}

/* Takes the profile. */
static enum hf_status place_profile(struct hf_process_histories *processes,
    const struct hf_request *request, const struct hf_dated_profile *dated, bool is_last,
    struct hf_profile *profile, struct hf_lifetimes *lifetimes, struct hf_error *err)
{
    struct hf_process_history *process = NULL;
    struct hf_process_identity identity;
    bool was_known = processes->count == 1;
    enum hf_status status = hf_process_identity_of(profile, &identity, err);
    if (status == HF_OK)
        status = process_history_find(processes, &identity, &process, err);
    if (status == HF_OK)
        status = refuse_same_time(process, dated, err);
    hf_process_identity_done(&identity);
    if (status != HF_OK) {
        hf_profile_free(profile);
        return status;
    }
    process->last_name = dated->name;
    bool is_its_time = was_known && processes->count == 1; /* that they were asked of */
    if (lifetimes != NULL)
        lifetimes->wants_epochs_only |= !is_its_time;
    status = hf_process_history_take(process, request, dated, profile, lifetimes, err);
    if (status == HF_OK)
        process_history_keep(process, profile, is_last && process->keeps_last);
    return status;
}

static enum hf_status histories_read_one(struct hf_process_histories *processes,
    const struct hf_request *request, const struct hf_dated_profile *dated, bool is_last,
    struct hf_error *err)
{
    struct hf_profile *profile;
    bool is_whole = is_last && processes->count == 1;
    struct hf_lifetimes lifetimes = {
        .from_ms = is_whole ? processes->items[0]->history.first_ms : 0,
        .to_ms = dated->time_ms,
        .wants_births = true,
        .wants_epochs_only = !is_whole,
        .old_ms = dated->time_ms - (int64_t)(request->times.older_ns / 1000000)};
    struct hf_lifetimes *wanted = request->times.at == NULL ? &lifetimes : NULL;
    enum hf_status status = hf_process_history_read(request, dated->name, wanted, &profile, err);
    if (status == HF_OK)
        status = place_profile(processes, request, dated, is_last, profile, wanted, err);
    hf_lifetimes_done(&lifetimes);
    return status;
}

/* Which of the processes of its program each is. */
static void number_starts(struct hf_process_histories *processes)
{
    for (size_t i = 0; i < processes->count; i++) {
        struct hf_process_history *process = processes->items[i];
        const char *program = hf_process_identity_program(&process->identity);
        process->is_restart = false;
        process->start = process->start_count = 1;
        for (size_t j = 0; j < processes->count; j++) {
            const struct hf_process_history *other = processes->items[j];
            if (j == i || strcmp(hf_process_identity_program(&other->identity), program) != 0)
                continue;
            process->start_count++;
            if (j > i)
                continue;
            bool has_ended = other->history.last_ms < process->history.first_ms;
            process->is_restart = has_ended && (process->start == 1 || process->is_restart);
            process->start++;
        }
    }
}

/* Whether the process of its program before was of another build. */
static bool is_other_build(const struct hf_process_histories *processes, size_t at)
{
    const struct hf_process_history *process = processes->items[at];
    const char *program = hf_process_identity_program(&process->identity);
    char build[HF_BUILD_NAME_MAX];
    hf_process_identity_build(&process->identity, build);
    for (size_t i = at; i-- != 0 && build[0] != '\0';) {
        const struct hf_process_history *other = processes->items[i];
        if (strcmp(hf_process_identity_program(&other->identity), program) == 0)
            return !hf_process_identity_same_build(&other->identity, &process->identity);
    }
    return false;
}

/* Marks are of all: whoever restarts a program marks the deployment, not the process. */
static enum hf_status add_events(struct hf_process_histories *processes, const char *const *names,
    size_t count, struct hf_error *err)
{
    char build[HF_BUILD_NAME_MAX];
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < count; i++) {
        uint32_t pid;
        if (hf_operand_is_process(names[i], &pid))
            status = hf_process_events_add_marks(&processes->marks, names[i], err);
    }
    for (size_t i = 0; status == HF_OK && i < processes->count; i++) {
        struct hf_process_history *process = processes->items[i];
        status = hf_process_events_add_all(&process->events, &processes->marks, err);
        if (status != HF_OK || !is_other_build(processes, i))
            continue;
        hf_process_identity_build(&process->identity, build);
        status = hf_process_events_add(
            &process->events, "build", hf_text_of(build), process->history.first_ms, err);
    }
    return status;
}

static enum hf_status refuse_too_few(
    const struct hf_process_histories *processes, struct hf_error *err)
{
    size_t most = 0;
    for (size_t i = 0; i < processes->count; i++) {
        size_t count = processes->items[i]->history.profile_count;
        most = count > most ? count : most;
    }
    if (most >= 2)
        return HF_OK;
    if (processes->count > 1)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected at least two profiles of one process; found profiles of %zu processes",
            /* never 1 */ processes->count);
    return hf_error_set(err, HF_ERR_USAGE,
        "expected at least two profiles of one process, or the folder they are in; found %zu",
        most);
}

enum hf_status hf_process_histories_read(struct hf_process_histories *processes,
    const struct hf_request *request, const char *const *names, size_t count, struct hf_error *err)
{
    struct hf_timeline timeline;
    struct hf_timeline_options how = {.at = request->times.at, .skip_ns = request->times.skip_ns};
    int64_t start_ms;
    enum hf_status status = hf_timeline_find(&timeline, names, count, &how, err);
    if (status == HF_OK)
        status = refuse_thread(request, err);
    if (status == HF_OK)
        status = process_history_find_start(request, names, count, &start_ms, err);
    for (size_t i = 0; status == HF_OK && i < timeline.count; i++) {
        if (request->times.at == NULL)
            status = hf_process_events_add_file(
                &processes->marks, timeline.items[i].name, timeline.items[i].time_ms, err);
        if (status == HF_OK && timeline.items[i].time_ms >= start_ms)
            status = histories_read_one(
                processes, request, &timeline.items[i], i + 1 == timeline.count, err);
    }
    hf_timeline_done(&timeline);
    number_starts(processes);
    if (status == HF_OK)
        status = add_events(processes, names, count, err);
    return status == HF_OK ? refuse_too_few(processes, err) : status;
}

void hf_process_histories_done(struct hf_process_histories *processes)
{
    for (size_t i = 0; i < processes->count; i++) {
        hf_process_history_done(processes->items[i]);
        free(processes->items[i]);
    }
    free(processes->items);
    hf_process_events_done(&processes->marks);
    *processes = (struct hf_process_histories){0};
}

/* A process that is looked at from now on. */
struct process_history_watch {
    struct hf_process_history *process;
    const struct hf_request *request;
    const char *name;
    int64_t start_ms;
};

static enum hf_status process_history_look(void *context, struct hf_error *err)
{
    const struct process_history_watch *watch = context;
    struct hf_dated_profile now = {watch->name, hf_timeline_now()};
    struct hf_profile *profile;
    if (now.time_ms < watch->start_ms)
        return HF_OK;
    enum hf_status status =
        hf_process_history_add(watch->process, watch->request, &now, true, &profile, err);
    if (status == HF_OK)
        process_history_keep(watch->process, profile, watch->process->keeps_last);
    return status;
}

static enum hf_status refuse_few_looks(
    const struct hf_process_history *process, uint32_t pid, struct hf_error *err)
{
    if (process->history.profile_count >= 2)
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "process %u was read only %zu %s: a trend needs at least 2 readings, a verdict %d", pid,
        process->history.profile_count, hf_plural(process->history.profile_count, "time", "times"),
        HF_TREND_POINTS_MIN);
}

enum hf_status hf_process_history_poll(struct hf_process_history *process,
    const struct hf_request *request, const char *name, struct hf_poller *poller,
    struct hf_loop *loop, struct hf_error *err)
{
    struct process_history_watch watch = {process, request, name, 0};
    int64_t marked_ms;
    if (request->times.at != NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "--at: expected profiles, found a PID: a running process is read by the clock, at the "
            "interval --every");
    enum hf_status status = process_history_find_start(request, &name, 1, &marked_ms, err);
    if (status != HF_OK)
        return status;
    watch.start_ms = hf_timeline_now() + (int64_t)(request->times.skip_ns / 1000000);
    if (watch.start_ms < marked_ms)
        watch.start_ms = marked_ms;
    poller->look = process_history_look;
    poller->context = &watch;
    status = hf_poller_begin(poller, loop, err);
    if (status == HF_OK)
        status = hf_loop_run(loop, err);
    hf_poller_end(poller);
    if (status == HF_OK)
        status = hf_process_events_add_marks(&process->events, name, err);
    return status == HF_OK ? refuse_few_looks(process, poller->pid, err) : status;
}

static void forget_places(struct hf_process_history *process)
{
    hf_growth_done(&process->growth);
    hf_view_done(&process->view);
}

enum hf_status hf_process_history_suppress(
    struct hf_process_history *process, const struct hf_name_list *files, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < files->count; i++) {
        struct hf_input input;
        status = hf_input_open(&input, files->items[i], err);
        if (status != HF_OK)
            return status;
        status = hf_suppressions_read(&process->suppressions, &input, err);
        hf_input_close(&input);
    }
    return status;
}

/* The process without the places that are suppressed. */
static void suppress(struct hf_growth *growth, struct hf_suppressions *suppressions)
{
    size_t kept = 0;
    for (size_t i = 0; i < growth->count; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        const struct hf_profile *folded = growth->folded;
        bool is_suppressed =
            hf_suppressions_find(suppressions, folded, place->frames, place->depth) != NULL ||
            hf_suppressions_find(suppressions, folded, place->inner, place->inner_depth) != NULL;
        for (size_t p = 0; is_suppressed && p < growth->point_count; p++) {
            growth->whole.values[p] -= place->values[p];
            growth->whole.objects[p] -= place->objects[p];
        }
        if (!is_suppressed)
            growth->places[kept++] = *place;
    }
    if (kept == growth->count)
        return;
    growth->count = kept;
    growth->whole.survival = (struct hf_survival){.kind = HF_SURVIVAL_UNKNOWN}; /* of all */
    growth->whole.course = NULL;
    hf_growth_judge_whole(growth);
}

/* The load must be known for all of the time, and there must be some. */
static enum hf_status refuse_load(const struct hf_process_history *process,
    const struct hf_request_times *times, struct hf_error *err)
{
    const struct hf_load_clock *load = times->load;
    const struct hf_history *history = &process->history;
    double first_s = (double)history->first_ms / 1000, last_s = (double)history->last_ms / 1000;
    if (load == NULL || history->profile_count < 2)
        return HF_OK;
    double from_s = load->times_s[0], to_s = load->times_s[load->count - 1];
    double step_s = (to_s - from_s) / (double)(load->count - 1);
    if (first_s < from_s - step_s)
        return hf_error_set(err, HF_ERR_USAGE,
            "--per: expected counts for all of the time of the profiles; %s begins %.0f s after "
            "the first profile",
            times->load_name, from_s - first_s);
    if (last_s > to_s + step_s)
        return hf_error_set(err, HF_ERR_USAGE,
            "--per: expected counts for all of the time of the profiles; %s ends %.0f s before "
            "the last profile",
            times->load_name, last_s - to_s);
    if (hf_load_clock_sum(load, last_s) <= hf_load_clock_sum(load, first_s))
        return hf_error_set(err, HF_ERR_USAGE,
            "--per: expected counts above 0 in %s between the first profile and the last",
            times->load_name);
    return HF_OK;
}

enum hf_status hf_process_history_judge(
    struct hf_process_history *process, const struct hf_request *request, struct hf_error *err)
{
    struct hf_request of_history = *request;
    forget_places(process);
    enum hf_status status = refuse_thread(request, err);
    struct hf_budget_scope before = hf_budget_enter(&process->budget);
    if (status == HF_OK)
        status = refuse_load(process, &request->times, err);
    process->history.load = request->times.load;
    if (status == HF_OK)
        status = hf_names_add(&request->names, process->history.stacks, err);
    hf_budget_leave(before);
    if (status != HF_OK)
        return status;
    of_history.given = process->history.stacks;
    of_history.fold.value = NULL; /* chosen already: it is the history's first */
    of_history.fold.keeps_threads = true;
    of_history.fold.places = NULL;
    of_history.comparison.since = NULL; /* taken into account, too */
    of_history.comparison.is_series = false;
    status = hf_view_make(&process->view, &of_history, NULL, 0, err);
    before = hf_budget_enter(&process->view.budget);
    if (status == HF_OK)
        status = hf_growth_find(&process->growth, &process->history, process->view.folded,
            process->view.owners.is_made ? &process->view.owners : NULL, err);
    hf_budget_leave(before);
    if (status == HF_OK)
        suppress(&process->growth, &process->suppressions);
    process->growth.old_s = (double)request->times.older_ns / 1e9;
    process->growth.has_clock = request->times.at == NULL;
    if (status == HF_OK)
        status = hf_process_events_date(&process->events, process->history.first_ms, err);
    process->growth.events = process->events.dated;
    process->growth.event_count = status == HF_OK ? process->events.count : 0;
    return status;
}

enum hf_status hf_process_history_judge_looks(
    struct hf_process_history *process, const struct hf_request *request, struct hf_error *err)
{
    enum hf_status status = refuse_few_looks(process, process->identity.pid, err);
    return status == HF_OK ? hf_process_history_judge(process, request, err) : status;
}

const struct hf_notes *hf_process_history_notes(struct hf_process_history *process)
{
    return hf_view_notes(&process->view);
}

void hf_process_history_done(struct hf_process_history *process)
{
    forget_places(process);
    hf_profile_free(process->last);
    hf_history_done(&process->history);
    hf_suppressions_done(&process->suppressions);
    hf_process_identity_done(&process->identity);
    hf_process_events_done(&process->events);
}
