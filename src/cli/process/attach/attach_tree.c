#include "cli/process/attach/attach_tree.h"

#include "base/containers/vec.h"
#include "base/strings/units.h"
#include "cli/say.h"
#include "os/process/proc.h"
#include "os/process/shielded_worker.h"
#include "profile/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FIND_NS UINT64_C(50000000)
#define FIND_PART 20 /* of the time is spent to find new ones at most: trees have many threads */
#define LISTED 8u

static uint64_t tree_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* "3 processes: nginx 4711, nginx 4712, nginx 4713" */
static void say_processes(const struct hf_looks *looks)
{
    struct hf_out line = {0};
    for (size_t i = 0; i < looks->count && i < LISTED; i++)
        hf_out_printf(&line, "%s%s %" PRIu32, i != 0 ? ", " : " ", looks->items[i].name,
            looks->items[i].process.pid);
    hf_say("%zu process%s:%.*s%s", looks->count, looks->count == 1 ? "" : "es", (int)line.size,
        line.data, looks->count > LISTED ? ", ..." : "");
    hf_out_done(&line);
    struct hf_notes notes = {0};
    hf_looks_note(looks, &notes);
    for (size_t i = 0; i < notes.count; i++)
        hf_say("%s", notes.items[i].text);
    hf_notes_done(&notes);
}

/* One price for all: that of who is slowed most. */
static void say_price(const struct hf_looks *looks, const struct hf_session_options *how)
{
    char calls[HF_UNITS_MAX], speed[HF_COST_SPEED_MAX];
    uint64_t sum = 0;
    size_t counted = 0;
    const struct hf_look *slowest = NULL;
    for (size_t i = 0; i < looks->count; i++) {
        const struct hf_look *look = &looks->items[i];
        if (look->is_late || look->recording == NULL ||
            look->recording->stage < HF_RECORDING_COUNTED)
            continue;
        const struct hf_recording_cost *cost = &look->recording->cost;
        counted += cost->is_counted;
        sum += cost->calls;
        if (slowest == NULL || cost->added_per_mille > slowest->recording->cost.added_per_mille)
            slowest = look;
    }
    if (slowest == NULL)
        return;
    const struct hf_recording *recording = slowest->recording;
    struct hf_out line = {0};
    if (counted != 0)
        hf_out_printf(&line, "%s calls a second", hf_units_grouped(sum, calls));
    else
        hf_out_string(&line, "calls cannot be counted in advance");
    hf_out_printf(&line, "; followed by %s for %g s, ", recording->is_by_bpf ? "bpf" : "perf",
        (double)how->duration_ns / 1e9);
    if (recording->cost.added_per_mille > 10)
        hf_out_printf(&line, "process %" PRIu32 " (%s), which is slowed most, will run at %s",
            slowest->process.pid, slowest->name,
            hf_cost_speed(recording->cost.added_per_mille, speed));
    else
        hf_out_printf(&line, "each will run at %s", hf_cost_speed(0, speed));
    hf_say("%.*s", (int)line.size, line.data);
    hf_out_done(&line);
}

/* How far the head is. */
struct tree_progress {
    bool has_priced;
    uint64_t begin_ns; /* when all that were there were followed; 0: not yet */
};

static void say_progress(struct hf_looks *looks, const struct hf_session_options *how,
    bool is_quiet, struct tree_progress *progress)
{
    if (!progress->has_priced && hf_looks_have_reached(looks, HF_RECORDING_COUNTED)) {
        progress->has_priced = true;
        if (!is_quiet)
            say_price(looks, how);
    }
    if (progress->begin_ns == 0 && hf_looks_have_reached(looks, HF_RECORDING_BEGUN)) {
        progress->begin_ns = tree_now_ns();
        if (!is_quiet && hf_looks_running(looks) != 0)
            hf_say("attached; press Ctrl-C to stop earlier");
    }
    for (size_t i = 0; i < looks->count && progress->begin_ns != 0 && !is_quiet; i++) {
        struct hf_look *look = &looks->items[i];
        if (look->recording == NULL || look->has_said ||
            look->recording->stage < HF_RECORDING_BEGUN)
            continue;
        if (look->is_late)
            hf_say("process %" PRIu32 " (%s) is followed, too", look->process.pid, look->name);
        look->has_said = true;
    }
}

/* A look for each new one; in a look *out_is_look. */
static enum hf_status start_looks(
    struct hf_looks *looks, struct hf_look **out_look, bool *out_is_look, struct hf_error *err)
{
    enum hf_status status = hf_members_look(&looks->members, err);
    if (status != HF_OK && looks->has_begun)
        status = HF_OK; /* the cgroup is gone, and its processes with it */
    do {
        if (status == HF_OK)
            status = hf_looks_step(looks, out_look, out_is_look, err);
    } while (status == HF_OK && *out_look != NULL && !*out_is_look);
    return status;
}

static enum hf_status nobody(const struct hf_members *members, struct hf_error *err)
{
    return members->cgroup != NULL
               ? hf_error_set(err, HF_ERR_SYSTEM, "there is no process in %s", members->cgroup)
               : hf_error_set(err, HF_ERR_SYSTEM, "there is no process %" PRIu32, members->tree);
}

static bool waits_for_signal(uint64_t wait_ns)
{
    sigset_t ending;
    struct timespec wait = {(time_t)(wait_ns / 1000000000), (long)(wait_ns % 1000000000)};
    hf_shielded_worker_signals(&ending);
    return sigtimedwait(&ending, NULL, &wait) > 0;
}

enum hf_status hf_attach_tree_follow(struct hf_looks *looks, const struct hf_session_options *how,
    bool is_quiet, struct hf_look **out_look, struct hf_error *err)
{
    struct tree_progress progress = {0};
    bool is_look = false, goes_on = true;
    while (goes_on) {
        uint64_t began_ns = tree_now_ns();
        enum hf_status status = start_looks(looks, out_look, &is_look, err);
        if (status != HF_OK || is_look)
            return status;
        if (looks->count == 0)
            return nobody(&looks->members, err);
        if (!looks->has_begun && !is_quiet)
            say_processes(looks);
        looks->has_begun = true;
        say_progress(looks, how, is_quiet, &progress);
        uint64_t now_ns = tree_now_ns(), spent_ns = (now_ns - began_ns) * FIND_PART;
        bool is_over = progress.begin_ns != 0 && now_ns - progress.begin_ns >= how->duration_ns;
        goes_on = !is_over && hf_looks_running(looks) != 0 &&
                  !waits_for_signal(spent_ns > FIND_NS ? spent_ns : FIND_NS);
    }
    hf_looks_end(looks);
    return HF_OK;
}

/* What the looks come to. */
struct tree_sum {
    struct hf_session session;
    struct hf_profile *profile;
    struct hf_live_ages ages;
    size_t age_capacity, followed, ended, gone;
    const struct hf_look *slowest;
    uint64_t added_per_mille; /* by that */
};

static enum hf_status add_ages(struct tree_sum *sum, const struct hf_live_ages *ages,
    const uint32_t *nodes, struct hf_error *err)
{
    if (!hf_vec_reserve(&sum->ages.items, &sum->age_capacity, sum->ages.count + ages->count,
            sizeof *ages->items))
        return hf_error_memory(err);
    for (size_t i = 0; i < ages->count; i++) {
        struct hf_live_age age = ages->items[i];
        age.node = nodes[age.node];
        sum->ages.items[sum->ages.count++] = age;
    }
    return HF_OK;
}

static void add_session(
    struct tree_sum *sum, const struct hf_look *look, const struct hf_session *session)
{
    struct hf_session *all = &sum->session;
    if (sum->followed == 0 || session->begin_ns < all->begin_ns)
        all->begin_ns = session->begin_ns;
    if (session->end_ns > all->end_ns)
        all->end_ns = session->end_ns;
    if (session->period_bytes > all->period_bytes)
        all->period_bytes = session->period_bytes;
    all->has_contexts |= session->has_contexts;
    all->young_objects += session->young_objects;
    all->young_bytes += session->young_bytes;
    sum->followed++;
    sum->ended += session->end == HF_SESSION_PROCESS_ENDED;
    if (session->added_per_mille > sum->added_per_mille) {
        sum->added_per_mille = session->added_per_mille;
        sum->slowest = look;
    }
}

/* Its notes say whose they are, but for those on names, which are of files. */
static enum hf_status name_profile(struct tree_sum *sum, const struct hf_look *look,
    const struct hf_request_names *names, struct hf_profile *profile, struct hf_error *err)
{
    for (size_t i = 0; i < profile->notes.count; i++)
        hf_notes_add(&sum->profile->notes, profile->notes.items[i].kind, "process %" PRIu32 ": %s",
            look->process.pid, profile->notes.items[i].text);
    hf_notes_done(&profile->notes);
    return hf_names_add(names, profile, err);
}

static enum hf_status add_recorded(struct tree_sum *sum, const struct hf_look *look,
    const struct hf_session_options *how, const struct hf_request_names *names,
    struct hf_error *err)
{
    struct hf_session_options options = *how;
    struct hf_session session;
    struct hf_profile *profile = NULL;
    struct hf_live_ages ages = {0};
    uint32_t *nodes = NULL;
    char root[HF_PROC_NAME_MAX + 16];
    options.pid = look->process.pid;
    options.recording = look->recording;
    options.is_one_of_many = true;
    enum hf_status status = hf_recording_take(look->recording, &options, &session, err);
    if (status == HF_OK)
        status = hf_session_profile(&session, &profile, &ages, err);
    if (status == HF_OK)
        status = name_profile(sum, look, names, profile, err);
    (void)snprintf(root, sizeof root, "[%s %" PRIu32 "]", look->name, look->process.pid);
    if (status == HF_OK)
        status = hf_profile_merge_below(sum->profile, profile, hf_text_of(root), &nodes, err);
    if (status == HF_OK)
        status = add_ages(sum, &ages, nodes, err);
    if (status == HF_OK)
        add_session(sum, look, &session);
    free(nodes);
    free(ages.items);
    hf_profile_free(profile);
    hf_session_close(&session);
    return status;
}

static bool is_gone(const struct hf_member *process)
{
    uint64_t ticks;
    return !hf_proc_start_ticks(process->pid, &ticks) || ticks != process->start_ticks;
}

/* Who has nothing that is watched loses nothing. */
static void note_failed(struct tree_sum *sum, const struct hf_look *look)
{
    const struct hf_recording *recording = look->recording;
    bool has_reason = recording != NULL && recording->failed != 0;
    if (has_reason && recording->failed == HF_ERR_SYSTEM && is_gone(&look->process)) {
        sum->gone++;
        return;
    }
    hf_notes_add(&sum->profile->notes,
        has_reason && recording->failed == HF_ERR_INPUT ? HF_NOTE_INFO : HF_NOTE_LOSS,
        "process %" PRIu32 " (%s) was not followed: %.*s", look->process.pid, look->name,
        has_reason ? (int)sizeof recording->reason - 1 : 64,
        has_reason ? recording->reason : "who followed it died, or had no memory");
}

static void note_tree(const struct tree_sum *sum, const struct hf_looks *looks)
{
    struct hf_notes *notes = &sum->profile->notes;
    char speed[HF_COST_SPEED_MAX];
    if (sum->ended != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%zu process%s followed; %zu ended before, and the profile has what %s in use then",
            sum->followed, sum->followed == 1 ? " was" : "es were", sum->ended,
            sum->ended == 1 ? "it had" : "they had");
    if (sum->gone != 0)
        hf_notes_add(notes, HF_NOTE_INFO, "%zu process%s ended before %s could be followed",
            sum->gone, sum->gone == 1 ? "" : "es", sum->gone == 1 ? "it" : "they");
    if (sum->added_per_mille > 10)
        hf_notes_add(notes, HF_NOTE_INFO,
            "while attached, process %" PRIu32 " (%s), which was slowed most, ran at %s",
            sum->slowest->process.pid, sum->slowest->name,
            hf_cost_speed(sum->added_per_mille, speed));
    hf_looks_note(looks, notes);
}

/* Why the first was not followed, where none was. */
static enum hf_status first_failure(const struct hf_looks *looks, struct hf_error *err)
{
    for (size_t i = 0; i < looks->count; i++) {
        const struct hf_look *look = &looks->items[i];
        const struct hf_recording *recording = look->recording;
        if (recording != NULL && recording->failed != 0 && recording->failed <= HF_ERR_NETWORK)
            return hf_error_set(err, (enum hf_status)recording->failed,
                "process %" PRIu32 " (%s): %.*s", look->process.pid, look->name,
                (int)sizeof recording->reason - 1, recording->reason);
    }
    return hf_error_set(err, HF_ERR_SYSTEM, "none of %zu processes was followed", looks->count);
}

enum hf_status hf_attach_tree_profile(const struct hf_looks *looks,
    const struct hf_session_options *how, const struct hf_request_names *names,
    struct hf_session *out_sum, struct hf_profile **out_profile, struct hf_live_ages *out_ages,
    struct hf_error *err)
{
    struct tree_sum sum = {.session = {.options = *how}};
    enum hf_status status = hf_profile_new(&sum.profile, err);
    for (size_t i = 0; i < looks->count && status == HF_OK; i++) {
        const struct hf_look *look = &looks->items[i];
        if (look->recording != NULL && look->recording->is_complete)
            status = add_recorded(&sum, look, how, names, err);
        else
            note_failed(&sum, look);
    }
    if (status == HF_OK && sum.followed == 0)
        status = first_failure(looks, err);
    if (status != HF_OK) {
        hf_profile_free(sum.profile);
        free(sum.ages.items);
        return status;
    }
    note_tree(&sum, looks);
    *out_sum = sum.session;
    *out_profile = sum.profile;
    *out_ages = sum.ages;
    return HF_OK;
}

enum hf_status hf_attach_words_init(struct hf_attach_words *words, char **given,
    const struct hf_look *looks, size_t count, struct hf_error *err)
{
    size_t known = 0;
    while (given[known] != NULL)
        known++;
    words->items = calloc(known + count + 1, sizeof *words->items);
    if (words->items == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < known; i++)
        words->items[i] = given[i];
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(
            words->numbers[i], sizeof words->numbers[i], "%" PRIu32, looks[i].process.pid);
        words->items[known + i] = words->numbers[i];
    }
    return HF_OK;
}

void hf_attach_words_done(struct hf_attach_words *words)
{
    free(words->items);
}
