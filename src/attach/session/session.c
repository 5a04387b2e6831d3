#include "attach/session/session.h"

#include "attach/keeper/bpf_program.h"
#include "attach/probes/breakpoint.h"
#include "attach/probes/probe_offset.h"
#include "attach/session/backend_choice.h"
#include "attach/session/children.h"
#include "attach/session/pace.h"
#include "attach/session/recording.h"
#include "base/plural.h"
#include "os/process/proc.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS 10
#define LOOK_NS UINT64_C(50000000)
#define JUDGE_NS UINT64_C(1000000000)
#define PUT_NS UINT64_C(250000000)
#define PUT_SHARE 50
#define JIT_SHARE 50

static uint64_t session_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool follows_contexts(const struct hf_session *session)
{
    for (size_t i = 0; i < session->probes.spec_count; i++) {
        if (session->probes.specs[i]->labels_contexts)
            return true;
    }
    return false;
}

static enum hf_status find_contexts(struct hf_session *session, struct hf_error *err)
{
    struct hf_contexts contexts = {0};
    enum hf_status status = hf_postgres_open(&session->postgres, session->options.pid, err);
    if (status == HF_OK)
        status = hf_contexts_read_whole(
            &contexts, &session->postgres.source, &session->postgres.layout, err);
    if (status == HF_OK) {
        session->contexts = calloc(contexts.count + 1, sizeof *session->contexts);
        status = session->contexts != NULL ? HF_OK : hf_error_memory(err);
    }
    session->has_contexts = status == HF_OK;
    for (size_t i = 0; i < session->probes.spec_count; i++) {
        if (session->probes.specs[i]->chunk_head_bytes != 0)
            session->chunk_head_bytes = session->probes.specs[i]->chunk_head_bytes;
    }
    for (size_t i = 0; status == HF_OK && i < contexts.count; i++)
        session->contexts[session->context_count++] = contexts.items[i].address;
    hf_contexts_done(&contexts);
    return status;
}

void hf_session_prepare(void)
{
    struct hf_entry_decoder *entry_decoder = NULL;
    if (hf_entry_decoder_new(&entry_decoder, NULL) == HF_OK)
        hf_entry_decoder_free(entry_decoder);
    (void)!hf_bpf_program_prepare(NULL);
}

enum hf_status hf_session_open(
    struct hf_session *session, const struct hf_session_options *options, struct hf_error *err)
{
    uint64_t started;
    enum hf_status status = HF_OK;
    *session = (struct hf_session){.options = *options};
    if (!hf_proc_start_ticks(options->pid, &started))
        return hf_error_set(err, HF_ERR_SYSTEM, "there is no process %" PRIu32, options->pid);
    for (size_t i = 0; i < options->spec_count && status == HF_OK; i++)
        status =
            hf_specs_parse(&session->specs[i], options->specs[i].text, options->specs[i].name, err);
    if (status == HF_OK && options->spec_count != 0)
        status = hf_probes_resolve(&session->probes, options->pid, session->specs,
            options->spec_count, options->is_any_spec, &session->notes, err);
    if (status == HF_OK && follows_contexts(session))
        status = find_contexts(session, err);
    return status;
}

void hf_session_close(struct hf_session *session)
{
    hf_tracker_free(session->tracker);
    hf_images_close(&session->images);
    hf_probes_done(&session->probes);
    hf_postgres_close(&session->postgres);
    free(session->contexts);
    free(session->own_jit);
    hf_context_choice_done(&session->choice);
    for (size_t i = 0; i < session->options.spec_count; i++)
        hf_specs_done(&session->specs[i]);
    hf_notes_done(&session->notes);
}

/* The tracker asks for names. */
static struct hf_text thread_name(void *asked, uint32_t tid)
{
    struct hf_session *session = asked;
    return hf_proc_thread_name(session->options.pid, tid, session->thread_name);
}

static size_t context_names(
    void *asked, uint64_t context, struct hf_text name, struct hf_text *out_names)
{
    struct hf_session *session = asked;
    struct hf_text labels[HF_TRACKER_NAMES]; /* its own first */
    size_t most = session->options.shows_parents ? HF_TRACKER_NAMES : 1, count = 0;
    for (uint64_t at = context; at != 0 && count < most; count++) {
        if (!hf_context_label(&session->postgres.source, &session->postgres.layout, at,
                session->labels[count], &labels[count], &at))
            break;
    }
    if (count == 0 && name.size != 0)
        labels[count++] = name;
    for (size_t i = 0; i < count; i++)
        out_names[i] = labels[count - 1 - i];
    return count;
}

static uint64_t context_bytes(void *asked, uint64_t context)
{
    const struct hf_session *session = asked;
    uint64_t bytes;
    return hf_context_held(&session->postgres.source, &session->postgres.layout, context, &bytes)
               ? bytes
               : 0;
}

static bool skips_short_lived(const struct hf_session *session)
{
    bool skips = false;
    for (size_t i = 0; i < session->probes.spec_count; i++)
        skips |= session->probes.specs[i]->skips_short_lived;
    return skips && !session->options.all_contexts;
}

static enum hf_status make_tracker(struct hf_session *session, struct hf_error *err)
{
    uint32_t pid = session->options.pid;
    char command[HF_PROC_NAME_MAX];
    struct hf_tracker_options options = {
        .pid = hf_proc_inner_id(pid),
        .period_bytes = session->period_bytes,
        .table_bytes = HF_RECORDING_TABLE_BYTES,
        .table = session->options.recording != NULL ? session->options.recording->table : NULL,
        .goes_on = session->is_gathered,
        .is_dated = session->options.is_series,
        .command = hf_proc_thread_name(pid, pid, command),
        .skips_short_lived = skips_short_lived(session),
        .chunk_head_bytes = session->chunk_head_bytes,
        .questions = {.thread = thread_name, .asked = session},
    };
    if (session->contexts != NULL) {
        options.questions.names = context_names;
        options.questions.context_bytes = context_bytes;
    }
    if (!session->is_gathered && !hf_proc_start_ticks(pid, &options.start_ticks))
        return hf_error_set(err, HF_ERR_SYSTEM, "process %" PRIu32 " has ended", pid);
    enum hf_status status = hf_tracker_new(&options, &session->tracker, err);
    const struct hf_context_choice *choice = &session->choice;
    size_t count = choice->count != 0 ? choice->count : session->context_count;
    const uint64_t *contexts = choice->count != 0 ? choice->addresses : session->contexts;
    for (size_t i = 0; i < count && status == HF_OK; i++)
        hf_tracker_add_context(session->tracker, contexts[i], HF_TEXT(""));
    return status;
}

static bool session_see(const struct hf_session *session, struct hf_pace_seen *out_seen)
{
    struct hf_proc_times times;
    if (!hf_proc_times(session->options.pid, &times))
        return false;
    const struct hf_backend_progress *progress = &session->progress;
    *out_seen = (struct hf_pace_seen){
        .now_ns = session->now_ns,
        .computed_ns = times.computed_ns,
        .user_ns = times.user_ns,
        .system_ns = times.system_ns,
        .births = progress->birth_stops,
        .ends = progress->stops - progress->birth_stops,
    };
    return true;
}

/* Its habits are those of its whole life. False: it has ended. */
static bool begin_pace(const struct hf_session *session, struct hf_pace *pace)
{
    struct hf_pace_seen seen;
    if (!session_see(session, &seen))
        return false;
    struct hf_cost_means means = hf_cost_means(&session->cost, hf_backend_choice_prices(session));
    struct hf_pace_options options = {
        .most_per_mille = session->options.most_per_mille,
        .kernel_per_mille = seen.system_ns / (seen.user_ns / 1000 + 1),
        .birth_ns = session->progress.tells_births ? means.birth_ns : means.call_ns,
        .end_ns = session->progress.tells_births ? means.end_ns : means.call_ns,
        .counted_ns = session->cost.counted_ns,
        .counting_ns = session->cost.counting_ns,
        .knows_stops = session->progress.knows_stops,
        .can_thin = session->backend->follow_births != NULL,
        .is_in_windows = session->duty.period_ns != 0,
    };
    hf_pace_begin(pace, &options, &seen);
    return true;
}

static void keep_pace(struct hf_session *session, struct hf_pace *pace)
{
    struct hf_pace_seen seen;
    if (!session_see(session, &seen))
        return; /* it has ended, which is seen soon */
    enum hf_pace_step step = hf_pace_look(pace, &seen);
    session->added_per_mille = hf_pace_added(pace, &seen);
    session->thin_ns = hf_pace_thin_ns(pace, seen.now_ns);
    if (step == HF_PACE_TOO_MUCH)
        session->end = HF_SESSION_TOO_EXPENSIVE;
}

uint64_t hf_session_followed_ns(const struct hf_session *session)
{
    return session->followed_ns +
           (session->follows_births ? session->now_ns - session->followed_from_ns : 0);
}

/* Births are followed where the price allows it and a window is open. Probes take a while to go in.
 */
static enum hf_status keep_births(
    struct hf_session *session, struct hf_pace *pace, void *backend, struct hf_error *err)
{
    bool wants = hf_duty_wants(&session->duty, session->now_ns) && !pace->is_thin;
    if (wants == session->follows_births || session->end == HF_SESSION_TOO_EXPENSIVE)
        return HF_OK;
    session->followed_ns = hf_session_followed_ns(session);
    session->windows += !wants;
    session->windows_ns = wants ? session->windows_ns : session->followed_ns;
    enum hf_status status = session->backend->follow_births(backend, wants, err);
    session->follows_births = wants;
    session->followed_from_ns = session->now_ns = session_now_ns();
    if (wants && session->duty.period_ns == 0)
        hf_pace_resumed(pace, session->now_ns);
    else if (wants)
        hf_duty_began(&session->duty, session->now_ns);
    return status;
}

/* Somebody reads the table: it is made true, and left alone until the next look (recording.h). */
static enum hf_status keep_looks(struct hf_session *session, void *backend, struct hf_error *err)
{
    struct hf_recording *recording = session->options.recording;
    enum hf_status status = HF_OK;
    if (!session->options.is_series || recording->looks_wanted == recording->looks_done)
        return HF_OK;
    uint32_t wanted = recording->looks_wanted;
    hf_tracker_forget_suspects(session->tracker);
    if (session->backend->look != NULL)
        status = session->backend->look(backend, err);
    session->end_ns = session->now_ns = session_now_ns();
    enum hf_session_end end = session->end;
    session->end = HF_SESSION_CUT_SHORT;
    hf_recording_put(recording, session);
    session->end = end;
    recording->looks_done = wanted;
    return status;
}

/* `pidfd`: negative before Linux 5.3; then a process that has ended has no program any more. */
static bool has_process_ended(const struct hf_session *session, int pidfd)
{
    struct pollfd process = {.fd = pidfd, .events = POLLIN};
    uint64_t program;
    return pidfd >= 0 ? poll(&process, 1, 0) == 1
                      : !hf_proc_program(session->options.pid, &program);
}

/*
 * The end of the process may come between any two reads: what fails then, e.g. probes that go in
 * again, fails because of it, and what was recorded is all that will be.
 */
static enum hf_status session_unless_ended(
    struct hf_session *session, int pidfd, enum hf_status status)
{
    if (status == HF_OK || status == HF_ERR_MEMORY ||
        !(hf_proc_is_ending(session->options.pid) || has_process_ended(session, pidfd)))
        return status;
    session->end = HF_SESSION_PROCESS_ENDED;
    return HF_OK;
}

/* For the case that a file kills this process: what is there is all that will be. Takes at most a
 * fiftieth of the time. */
static void put_by(struct hf_session *session, uint64_t *due_ns)
{
    if (session->options.recording == NULL || session->now_ns < *due_ns)
        return;
    session->end_ns = session->now_ns;
    session->end = HF_SESSION_CUT_SHORT;
    hf_recording_put(session->options.recording, session);
    uint64_t now = session_now_ns(), wait = (now - session->now_ns) * PUT_SHARE;
    *due_ns = now + (wait > PUT_NS ? wait : PUT_NS);
}

/*
 * What a JIT made is gone soon, and its entry with it. A look takes at most a fiftieth of the time;
 * while there is no list, the next one comes later and later.
 */
static void session_look_at_jit(struct hf_session *session)
{
    if (session->jit == NULL || session->images.jit_count == 0 ||
        session->now_ns < session->jit_due_ns)
        return;
    if (session->jit->descriptor == 0)
        session->jit->descriptor = hf_jit_list_descriptor(session->options.pid);
    bool is_there = session->jit->descriptor != 0;
    hf_jit_list_look(session->jit, &session->images.memory);
    uint64_t now = session_now_ns(), wait = (now - session->now_ns) * JIT_SHARE;
    session->jit_wait_ns = is_there ? LOOK_NS : session->jit_wait_ns * 2 + LOOK_NS;
    session->jit_due_ns = now + (wait > session->jit_wait_ns ? wait : session->jit_wait_ns);
}

/* Until something ends it. */
static enum hf_status session_follow(struct hf_session *session, void *backend, int pidfd,
    struct hf_session_watch watch, struct hf_error *err)
{
    /* Who cannot thin must rather read on: each look asks the broker for files. */
    uint64_t judge_ns = session->backend->follow_births != NULL ? LOOK_NS : JUDGE_NS;
    uint64_t looked = 0, judged = 0, put_due_ns = 0, now;
    struct hf_pace pace;
    enum hf_status status = HF_OK;
    session->end = HF_SESSION_PROCESS_ENDED;
    if (!begin_pace(session, &pace))
        return HF_OK;
    while ((status = session->backend->poll(backend, POLL_MS, err)) == HF_OK) {
        now = session->now_ns = session_now_ns();
        session->progress = session->backend->progress(backend);
        bool is_due = now - looked >= LOOK_NS;
        looked = is_due ? now : looked;
        put_by(session, &put_due_ns);
        session_look_at_jit(session);
        session->end = HF_SESSION_TIME_OVER;
        if (is_due && now - judged >= judge_ns) {
            judged = now;
            keep_pace(session, &pace);
        }
        status = keep_births(session, &pace, backend, err);
        if (status == HF_OK)
            status = keep_looks(session, backend, err);
        if (status != HF_OK || session->end == HF_SESSION_TOO_EXPENSIVE)
            break;
        if (session->progress.became_another)
            session->end = HF_SESSION_BECAME_ANOTHER;
        else if (has_process_ended(session, pidfd))
            session->end = HF_SESSION_PROCESS_ENDED;
        else if (now - session->begin_ns >= session->options.duration_ns)
            session->end = HF_SESSION_TIME_OVER;
        else if (is_due && !watch.look(watch.context, session))
            session->end = HF_SESSION_STOPPED;
        else
            continue;
        break;
    }
    return status;
}

/* Which contexts are followed, if it cannot be all. */
static enum hf_status choose_contexts(struct hf_session *session, struct hf_error *err)
{
    if (!session->backend->needs_choice || session->contexts == NULL || !skips_short_lived(session))
        return HF_OK;
    return hf_context_choice_make(&session->choice, session->options.keeper, session->options.pid,
        &session->postgres.source, &session->postgres.layout, session->probes.items,
        session->probes.count, &session->notes, err);
}

static enum hf_status open_backend(
    struct hf_session *session, void **out_backend, struct hf_error *err)
{
    const struct hf_session_options *options = &session->options;
    enum hf_status status = choose_contexts(session, err);
    if (status == HF_OK)
        status = make_tracker(session, err);
    if (status != HF_OK)
        return status;
    struct hf_backend_options how = {
        .keeper = options->keeper,
        .pid = options->pid,
        .probes = session->probes.items,
        .probe_count = session->probes.count,
        .with_faults = options->with_faults,
        .images = &session->images,
        .tracker = session->tracker,
        .period_bytes = session->period_bytes,
        .seed = options->seed,
        .stack_bytes = options->stack_bytes,
        .has_contexts = session->contexts != NULL,
        .skips_short_lived = skips_short_lived(session),
        .name_offset = session->postgres.layout.name * sizeof(uint64_t),
        .contexts = session->contexts,
        .context_count = session->context_count,
        .chosen = session->choice.addresses,
        .chosen_count = session->choice.count,
        .is_one_of_many = options->is_one_of_many,
        .is_part_of_time = options->is_series,
        .log = options->recording != NULL ? options->recording->log : NULL,
    };
    return session->backend->open(&how, out_backend, err);
}

/* If nobody asked for it, and the kernel does not take it: perf, and why. */
static enum hf_status open_some_backend(
    struct hf_session *session, void **out_backend, struct hf_error *err)
{
    enum hf_status status = open_backend(session, out_backend, err);
    if (status != HF_ERR_SYSTEM || session->options.backend != NULL ||
        session->backend == &hf_backend_perf || session->options.on_period_ns != 0)
        return status; /* perf has no windows (duty.h) */
    hf_notes_add(
        &session->notes, HF_NOTE_INFO, "using the perf backend, because bpf failed: %s", err->text);
    hf_tracker_free(session->tracker);
    session->tracker = NULL;
    status = hf_backend_choice_try(session, &hf_backend_perf, err);
    return status == HF_OK ? open_backend(session, out_backend, err) : status;
}

/*
 * Breakpoints that were there before the probes, and went with them: nobody else had them. Those of
 * a process that came later are copies of our own, made by fork.
 */
static void note_breakpoints(struct hf_session *session)
{
    size_t count = 0;
    bool is_there = !session->options.is_late && session->end != HF_SESSION_PROCESS_ENDED &&
                    session->end != HF_SESSION_BECAME_ANOTHER;
    for (size_t i = 0; i < session->probes.count && is_there; i++) {
        const struct hf_probe *probe = &session->probes.items[i];
        count += probe->has_breakpoint && !hf_breakpoint_is_at(&session->images, probe->address);
    }
    if (count != 0)
        hf_notes_add(&session->notes, HF_NOTE_INFO,
            "removed %zu %s that another tool, probably killed, had left in the process", count,
            hf_plural(count, "breakpoint", "breakpoints"));
}

static enum hf_status session_record(
    struct hf_session *session, int pidfd, struct hf_session_watch watch, struct hf_error *err)
{
    void *backend = NULL;
    enum hf_status status = open_some_backend(session, &backend, err);
    if (status != HF_OK)
        return status;
    struct hf_children before, after;
    if (session->options.recording == NULL)
        session->own_jit = calloc(1, sizeof *session->own_jit); /* without it, there are no names */
    session->jit =
        session->options.recording != NULL ? &session->options.recording->jit : session->own_jit;
    session->progress = session->backend->progress(backend);
    session->begin_ns = session->now_ns = session->followed_from_ns = session->progress.begin_ns;
    session->follows_births = true;
    session->duty = hf_duty_of(session->options.on_ns, session->options.on_period_ns,
        session->options.seed, session->begin_ns);
    hf_children_look(&before, session->options.pid);
    status = session_follow(session, backend, pidfd, watch, err);
    status = session_unless_ended(session, pidfd, status);
    session->end_ns = session->now_ns = session_now_ns();
    hf_children_look(&after, session->options.pid);
    if (status == HF_OK)
        status = session->backend->stop(backend, err);
    if (status == HF_OK)
        hf_tracker_weigh_contexts(session->tracker);
    session->progress = session->backend->progress(backend);
    if (!session->options.is_one_of_many)
        hf_children_note(&before, &after, session->progress.stops + session->progress.calls,
            session->end_ns - session->begin_ns, &session->notes);
    session->backend->close(backend);
    note_breakpoints(session);
    return status;
}

enum hf_status hf_session_record(
    struct hf_session *session, struct hf_session_watch watch, struct hf_error *err)
{
    uint32_t pid = session->options.pid;
    int pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (pidfd < 0 && errno == ESRCH)
        return hf_error_set(err, HF_ERR_SYSTEM, "process %" PRIu32 " has ended", pid);
    if (pidfd < 0 && errno != ENOSYS)
        return hf_error_system(err, errno, "cannot watch process %" PRIu32, pid);
    enum hf_status status = hf_images_open(&session->images, pid, err);
    if (status == HF_OK)
        status = session_record(session, pidfd, watch, err);
    if (pidfd >= 0)
        close(pidfd);
    return status;
}

/* Its contexts are asked for names alone: those that are there now need not have been at the start.
 */
static void gather_context_names(struct hf_session *session)
{
    bool has_contexts = session->has_contexts;
    if (has_contexts)
        (void)!find_contexts(session, NULL);
    session->context_count = 0;
    session->has_contexts = has_contexts;
}

enum hf_status hf_session_gather(const struct hf_session_options *options, struct hf_error *err)
{
    struct hf_session session;
    enum hf_status status = hf_recording_take(options->recording, options, &session, err);
    session.is_gathered = true;
    if (status == HF_OK && session.backend->gather == NULL)
        status = hf_error_set(err, HF_ERR_INPUT, "the recording is not complete");
    if (status == HF_OK) {
        gather_context_names(&session);
        status = make_tracker(&session, err);
    }
    if (status == HF_OK) {
        const struct hf_backend_gathering gathering = {
            .keeper = options->keeper,
            .pid = options->pid,
            .tracker = session.tracker,
            .log = options->recording->log,
            .period_bytes = session.period_bytes,
        };
        status = session.backend->gather(&gathering, err);
    }
    if (status == HF_OK) {
        hf_tracker_weigh_contexts(session.tracker);
        hf_recording_put(options->recording, &session);
    }
    hf_session_close(&session);
    return status;
}
