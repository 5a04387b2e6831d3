#include "attach/session/session.h"

#include "attach/keeper/bpf_program.h"
#include "attach/probes/probe_offset.h"
#include "attach/session/recording.h"
#include "base/strings/units.h"
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

/* Calls a second from which on blocks are sampled, by their bytes. */
#define OFTEN 20000u
#define OFTEN_PERIOD 65536u

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
    hf_images_done(&session->images);
    hf_probes_done(&session->probes);
    hf_postgres_close(&session->postgres);
    free(session->contexts);
    hf_context_choice_done(&session->choice);
    for (size_t i = 0; i < session->options.spec_count; i++)
        hf_specs_done(&session->specs[i]);
    hf_notes_done(&session->notes);
}

/* How much of a processor the process spends in the kernel without us. */
static void learn_system_time(struct hf_session *session)
{
    struct timespec wait = {.tv_nsec = HF_SESSION_COUNT_MS * 1000000L};
    struct hf_proc_times before, after;
    uint64_t start = session_now_ns();
    if (!hf_proc_times(session->options.pid, &before))
        return;
    nanosleep(&wait, NULL);
    if (hf_proc_times(session->options.pid, &after))
        session->system_per_mille =
            (after.system_ns - before.system_ns) * 1000 / (session_now_ns() - start);
}

/* Whether a backend can follow these probes; sets the period that goes with it. */
static enum hf_status try_backend(
    struct hf_session *session, const struct hf_backend *backend, struct hf_error *err)
{
    const struct hf_session_options *options = &session->options;
    bool is_often = hf_cost_calls(&session->cost) >= OFTEN && session->contexts == NULL;
    session->period_bytes = options->period_bytes;
    if (session->period_bytes == 0)
        session->period_bytes = is_often && backend->samples ? OFTEN_PERIOD : 1;
    session->backend = backend;
    if (options->stack_bytes > backend->most_stack_bytes)
        return hf_error_set(err, HF_ERR_USAGE,
            "the backend %s copies at most %" PRIu32 " bytes of a stack", backend->name,
            backend->most_stack_bytes);
    enum hf_status status = backend->check(session->probes.items, session->probes.count,
        options->with_faults, session->period_bytes, err);
    if (status != HF_OK)
        return status;
    session->added_per_mille = hf_cost_per_mille(
        &session->cost, session->period_bytes > 1 ? &backend->sampled : &backend->exact);
    if (session->added_per_mille <= options->most_per_mille)
        return HF_OK;
    return hf_error_set(err, HF_ERR_LIMIT,
        "%" PRIu64 " calls a second, followed by %s, would add about %" PRIu64
        " %% of a processor, more than %" PRIu64
        " %%: nothing was attached; allow it with --max-overhead %" PRIu64
        "%%, perhaps for a shorter time (-d 2s)",
        hf_cost_calls(&session->cost), backend->name, session->added_per_mille / 10,
        options->most_per_mille / 10, session->added_per_mille / 10 + 10);
}

enum hf_status hf_session_count(struct hf_session *session, struct hf_error *err)
{
    const struct hf_session_options *options = &session->options;
    learn_system_time(session);
    enum hf_status status = hf_cost_count(options->keeper, session->probes.items,
        session->probes.count, options->with_faults, HF_SESSION_COUNT_MS, &session->cost, err);
    if (status != HF_OK || options->backend != NULL)
        return status == HF_OK ? try_backend(session, options->backend, err) : status;
    status = try_backend(session, &hf_backend_bpf, err);
    return status == HF_OK || status == HF_ERR_LIMIT ? status
                                                     : try_backend(session, &hf_backend_perf, err);
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
        .command = hf_proc_thread_name(pid, pid, command),
        .skips_short_lived = skips_short_lived(session),
        .questions = {.thread = thread_name, .asked = session},
    };
    if (session->contexts != NULL)
        options.questions.names = context_names;
    if (!hf_proc_start_ticks(pid, &options.start_ticks))
        return hf_error_set(err, HF_ERR_SYSTEM, "process %" PRIu32 " has ended", pid);
    enum hf_status status = hf_tracker_new(&options, &session->tracker, err);
    const struct hf_context_choice *choice = &session->choice;
    size_t count = choice->count != 0 ? choice->count : session->context_count;
    const uint64_t *contexts = choice->count != 0 ? choice->addresses : session->contexts;
    for (size_t i = 0; i < count && status == HF_OK; i++)
        hf_tracker_add_context(session->tracker, contexts[i], HF_TEXT(""));
    return status;
}

/* Whether the probes cost too much: what the kernel says, if so many calls can explain it. */
struct judge {
    uint64_t due_ns, since_ns;
    uint64_t calls; /* at since_ns */
    struct hf_proc_times times;
};

static bool is_too_expensive(struct hf_session *session, struct judge *judge, uint64_t now)
{
    const struct hf_cost_prices *prices = &session->backend->exact;
    struct hf_proc_times times;
    if (now < judge->due_ns || !hf_proc_times(session->options.pid, &times))
        return false;
    uint64_t passed = now - judge->since_ns, calls = session->progress.calls - judge->calls;
    uint64_t system = (times.system_ns - judge->times.system_ns) * 1000 / passed;
    uint64_t more = system > session->system_per_mille ? system - session->system_per_mille : 0;
    uint64_t most = calls * (prices->stepped_ns + prices->return_ns) * 1000 / passed;
    bool is_ours = most > session->options.most_per_mille || !session->backend->counts_calls;
    *judge = (struct judge){now + JUDGE_NS, now, session->progress.calls, times};
    session->added_per_mille = more;
    return more > session->options.most_per_mille && is_ours;
}

/* Until something ends it. */
static enum hf_status session_follow(struct hf_session *session, void *backend, int pidfd,
    struct hf_session_watch watch, struct hf_error *err)
{
    struct pollfd process = {.fd = pidfd, .events = POLLIN};
    uint64_t looked = 0, now = session->begin_ns;
    struct judge judge = {.due_ns = now + JUDGE_NS, .since_ns = now};
    enum hf_status status = HF_OK;
    session->end = HF_SESSION_PROCESS_ENDED;
    if (!hf_proc_times(session->options.pid, &judge.times))
        return HF_OK;
    while ((status = session->backend->poll(backend, POLL_MS, err)) == HF_OK) {
        now = session->now_ns = session_now_ns();
        session->progress = session->backend->progress(backend);
        bool is_due = now - looked >= LOOK_NS;
        looked = is_due ? now : looked;
        if (session->progress.became_another)
            session->end = HF_SESSION_BECAME_ANOTHER;
        else if (poll(&process, 1, 0) == 1)
            session->end = HF_SESSION_PROCESS_ENDED;
        else if (now - session->begin_ns >= session->options.duration_ns)
            session->end = HF_SESSION_TIME_OVER;
        else if (is_too_expensive(session, &judge, now))
            session->end = HF_SESSION_TOO_EXPENSIVE;
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
    };
    return session->backend->open(&how, out_backend, err);
}

/* If nobody asked for it, and the kernel does not take it: perf, and why. */
static enum hf_status open_some_backend(
    struct hf_session *session, void **out_backend, struct hf_error *err)
{
    enum hf_status status = open_backend(session, out_backend, err);
    if (status != HF_ERR_SYSTEM || session->options.backend != NULL ||
        session->backend == &hf_backend_perf)
        return status;
    hf_notes_add(
        &session->notes, HF_NOTE_INFO, "followed by perf, because bpf cannot: %s", err->text);
    hf_tracker_free(session->tracker);
    session->tracker = NULL;
    status = try_backend(session, &hf_backend_perf, err);
    return status == HF_OK ? open_backend(session, out_backend, err) : status;
}

static enum hf_status session_record(
    struct hf_session *session, int pidfd, struct hf_session_watch watch, struct hf_error *err)
{
    void *backend = NULL;
    enum hf_status status = open_some_backend(session, &backend, err);
    if (status != HF_OK)
        return status;
    session->progress = session->backend->progress(backend);
    session->begin_ns = session->now_ns = session->progress.begin_ns;
    status = session_follow(session, backend, pidfd, watch, err);
    session->end_ns = session_now_ns();
    if (status == HF_OK)
        status = session->backend->stop(backend, err);
    session->progress = session->backend->progress(backend);
    session->backend->close(backend);
    return status;
}

enum hf_status hf_session_record(
    struct hf_session *session, struct hf_session_watch watch, struct hf_error *err)
{
    uint32_t pid = session->options.pid;
    int pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (pidfd < 0)
        return hf_error_system(err, errno, "cannot watch process %" PRIu32, pid);
    enum hf_status status = hf_images_open(&session->images, pid, err);
    if (status == HF_OK)
        status = session_record(session, pidfd, watch, err);
    close(pidfd);
    return status;
}

static void note_end(const struct hf_session *session, struct hf_notes *notes)
{
    double seconds = (double)(session->end_ns - session->begin_ns) / 1e9;
    switch (session->end) {
    case HF_SESSION_TIME_OVER:
    case HF_SESSION_STOPPED: break;
    case HF_SESSION_PROCESS_ENDED:
        hf_notes_add(notes, HF_NOTE_INFO, "the process ended after %.1f s", seconds);
        break;
    case HF_SESSION_BECAME_ANOTHER:
        hf_notes_add(notes, HF_NOTE_INFO,
            "the process became another program (exec) after %.1f s: what it was until then is "
            "shown",
            seconds);
        break;
    case HF_SESSION_TOO_EXPENSIVE:
        hf_notes_add(notes, HF_NOTE_LOSS,
            "detached after %.1f s: the probes added about %" PRIu64
            " %% of a processor, more than --max-overhead",
            seconds, session->added_per_mille / 10);
        break;
    }
}

static void note_stacks(const struct hf_session *session, struct hf_notes *notes)
{
    const struct hf_stack_counts *stacks = &session->progress.stacks;
    if (stacks->too_short != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%" PRIu64 " of %" PRIu64 " stacks were deeper than the %" PRIu32
            " bytes that are copied: frames towards the root are missing%s",
            stacks->too_short, stacks->all, session->progress.stack_bytes,
            session->backend == &hf_backend_perf ? "; --stack copies more" : "");
    if (stacks->cut != stacks->too_short)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%" PRIu64 " of %" PRIu64
            " stacks end in code whose callers are not known (no call frame information)",
            stacks->cut - stacks->too_short, stacks->all);
}

/* How old a block has to be at the end. */
static uint64_t least_age_ns(const struct hf_session *session)
{
    uint64_t half_ns = (session->end_ns - session->begin_ns) / 2;
    if (session->options.has_older || !session->has_contexts)
        return session->options.older_ns;
    return half_ns < HF_SESSION_OLDER_NS ? half_ns : HF_SESSION_OLDER_NS;
}

static void note_young(
    const struct hf_session *session, uint64_t least_age_ns, struct hf_notes *notes)
{
    char bytes[HF_UNITS_MAX];
    if (session->young_objects != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%" PRIu64
            " of the blocks in use (%s) are younger than %.1f s, and left out; --older 0s "
            "shows them",
            session->young_objects, hf_units_bytes(session->young_bytes, bytes),
            (double)least_age_ns / 1e9);
}

enum hf_status hf_session_profile(struct hf_session *session, struct hf_profile **out_profile,
    struct hf_live_ages *out_ages, struct hf_error *err)
{
    const struct hf_recording *recording = session->options.recording;
    const char *table = recording != NULL ? recording->table
                                          : (const char *)hf_tracker_table(session->tracker)->head;
    struct hf_text bytes = {table, HF_RECORDING_TABLE_BYTES};
    struct hf_tracker_counts counts =
        recording != NULL ? recording->counts : hf_tracker_counts(session->tracker);
    uint64_t age_ns = least_age_ns(session);
    uint64_t until = age_ns == 0 ? UINT64_MAX : session->end_ns - age_ns;
    struct hf_live_ages ages = {0};
    struct hf_profile *profile;
    enum hf_status status = hf_profile_new(&profile, err);
    if (status != HF_OK)
        return status;
    status =
        hf_live_profile(hf_live_source_in(&bytes, "the live table"), until, profile, &ages, err);
    if (status != HF_OK) {
        hf_profile_free(profile);
        return status;
    }
    session->young_objects = ages.young_objects;
    session->young_bytes = ages.young_bytes;
    hf_notes_merge(&profile->notes, &session->notes);
    note_end(session, &profile->notes);
    hf_tracker_counts_note(&counts, &profile->notes);
    note_stacks(session, &profile->notes);
    note_young(session, age_ns, &profile->notes);
    if (out_ages != NULL)
        *out_ages = ages;
    else
        free(ages.items);
    *out_profile = profile;
    return HF_OK;
}
