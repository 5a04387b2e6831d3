#include "cli/process/attach/attach_sum.h"

#include "base/containers/vec.h"
#include "base/plural.h"
#include "os/process/proc.h"
#include "profile/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
        has_reason ? recording->reason : "the process that followed it died or had no memory");
}

static void note_tree(const struct tree_sum *sum, const struct hf_looks *looks)
{
    struct hf_notes *notes = &sum->profile->notes;
    char speed[HF_COST_SPEED_MAX];
    if (sum->ended != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%zu %s followed; %zu ended earlier, and the profile has what %s had in use then",
            sum->followed, hf_plural(sum->followed, "process was", "processes were"), sum->ended,
            hf_plural(sum->ended, "it", "they"));
    if (sum->gone != 0)
        hf_notes_add(notes, HF_NOTE_INFO, "%zu %s could be followed", sum->gone,
            hf_plural(sum->gone, "process ended before it", "processes ended before they"));
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

enum hf_status hf_attach_sum(const struct hf_looks *looks, const struct hf_session_options *how,
    const struct hf_request_names *names, struct hf_session *out_sum,
    struct hf_profile **out_profile, struct hf_live_ages *out_ages, struct hf_error *err)
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
