/*
 * session_profile.c: what a session came to: the profile of what is in use, with notes on how it
 * ended, what it cost and what is missing.
 */
#include "attach/session/recording.h"
#include "attach/session/session.h"
#include "base/plural.h"
#include "base/strings/units.h"

#include <inttypes.h>
#include <stdlib.h>

static void note_end(const struct hf_session *session, struct hf_notes *notes)
{
    double seconds = (double)(session->end_ns - session->begin_ns) / 1e9;
    char speed[HF_COST_SPEED_MAX];
    switch (session->end) {
    case HF_SESSION_TIME_OVER:
    case HF_SESSION_STOPPED:
    case HF_SESSION_CUT_SHORT: break; /* who saw it has said so */
    case HF_SESSION_PROCESS_ENDED:
        if (session->options.is_one_of_many)
            break;
        hf_notes_add(notes, HF_NOTE_INFO, "the process ended after %.1f s", seconds);
        break;
    case HF_SESSION_BECAME_ANOTHER:
        hf_notes_add(notes, HF_NOTE_INFO,
            "the process became another program (exec) after %.1f s: the profile ends there",
            seconds);
        break;
    case HF_SESSION_TOO_EXPENSIVE:
        hf_notes_add(notes, HF_NOTE_LOSS,
            "detached after %.1f s: the process ran at %s, but --max-overhead lets the probes add "
            "only %" PRIu64 " %% to its processor time",
            seconds, hf_cost_speed(session->added_per_mille, speed),
            session->options.most_per_mille / 10);
        break;
    }
}

/* What it was in the end, and what that means for the numbers. */
static void note_price(const struct hf_session *session, struct hf_notes *notes)
{
    char speed[HF_COST_SPEED_MAX];
    uint64_t all_ns = session->end_ns - session->begin_ns;
    uint64_t followed_ns = all_ns > session->thin_ns ? all_ns - session->thin_ns : 0;
    if (session->end != HF_SESSION_TOO_EXPENSIVE && session->added_per_mille > 10 &&
        !session->options.is_one_of_many)
        hf_notes_add(notes, HF_NOTE_INFO, "while attached, the process ran at %s",
            hf_cost_speed(session->added_per_mille, speed));
    if (session->thin_ns > all_ns / 50 && !session->options.is_series)
        hf_notes_add(notes, HF_NOTE_INFO,
            "allocations were followed for %.1f of %.1f s, to stay within --max-overhead: the "
            "process made about %.1f times as many in all",
            (double)followed_ns / 1e9, (double)all_ns / 1e9,
            (double)all_ns / (double)(followed_ns + 1));
}

static void note_stacks(const struct hf_session *session, struct hf_notes *notes)
{
    const struct hf_stack_counts *stacks = &session->progress.stacks;
    const char *noun = hf_plural(stacks->all, "stack", "stacks");
    if (stacks->too_short != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%" PRIu64 " of %" PRIu64 " %s %s deeper than the %" PRIu32
            " bytes copied of each: outer frames are missing%s",
            stacks->too_short, stacks->all, noun, hf_plural(stacks->too_short, "was", "were"),
            session->progress.stack_bytes,
            session->backend == &hf_backend_perf ? "; --stack copies more" : "");
    if (stacks->cut != stacks->too_short)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%" PRIu64 " of %" PRIu64 " %s %s early, in code without call frame information: "
            "outer frames are missing",
            stacks->cut - stacks->too_short, stacks->all, noun,
            hf_plural(stacks->cut - stacks->too_short, "ends", "end"));
    if (stacks->searched != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%" PRIu64 " of %" PRIu64
            " %s %s through code without call frame information, e.g. from a JIT: its "
            "callers were found by searching the stack",
            stacks->searched, stacks->all, noun, hf_plural(stacks->searched, "passes", "pass"));
}

/* How old a block has to be at the end. */
static uint64_t least_age_ns(const struct hf_session *session)
{
    uint64_t all_ns = session->end_ns - session->begin_ns, least_ns = all_ns / 4;
    if (session->options.has_older || !session->has_contexts)
        return session->options.older_ns;
    if (least_ns < HF_SESSION_MOMENT_NS)
        least_ns = all_ns / 2 < HF_SESSION_MOMENT_NS ? all_ns / 2 : HF_SESSION_MOMENT_NS;
    return least_ns < HF_SESSION_OLDER_NS ? least_ns : HF_SESSION_OLDER_NS;
}

static void note_young(
    const struct hf_session *session, uint64_t least_age_ns, struct hf_notes *notes)
{
    char bytes[HF_UNITS_MAX];
    uint64_t all_ns = session->end_ns - session->begin_ns;
    if (session->young_objects != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%" PRIu64 " %s in use (%s) %s younger than %.1f s and left out; --older 0s shows %s%s",
            session->young_objects, hf_plural(session->young_objects, "block", "blocks"),
            hf_units_bytes(session->young_bytes, bytes),
            hf_plural(session->young_objects, "is", "are"), (double)least_age_ns / 1e9,
            hf_plural(session->young_objects, "it", "them"),
            least_age_ns > all_ns / 4 ? ", a longer --duration leaves out a smaller part" : "");
}

/* The process may have ended, and its JIT have made other code since. */
static enum hf_status take_jit_names(
    const struct hf_session *session, struct hf_profile *profile, struct hf_error *err)
{
    const struct hf_recording *recording = session->options.recording;
    const struct hf_jit_list *jit = recording != NULL ? &recording->jit : session->jit;
    if (jit == NULL)
        return HF_OK;
    hf_jit_list_note(jit, &profile->notes);
    return hf_profile_string(profile, hf_jit_list_names(jit), &profile->capture.jit_names, err);
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
    status = hf_live_profile(hf_live_source_in(&bytes, "the live table"), until,
        session->chunk_head_bytes, profile, &ages, err);
    if (status != HF_OK) {
        hf_profile_free(profile);
        return status;
    }
    session->young_objects = ages.young_objects;
    session->young_bytes = ages.young_bytes;
    hf_notes_merge(&profile->notes, &session->notes);
    note_end(session, &profile->notes);
    note_price(session, &profile->notes);
    hf_tracker_counts_note(&counts, &profile->notes);
    note_stacks(session, &profile->notes);
    note_young(session, age_ns, &profile->notes);
    status = take_jit_names(session, profile, err);
    if (status != HF_OK) {
        hf_profile_free(profile);
        free(ages.items);
        return status;
    }
    if (out_ages != NULL)
        *out_ages = ages;
    else
        free(ages.items);
    profile->capture.process_id = session->options.pid; /* of its own it may have another */
    profile->capture.has_just_ended = session->end == HF_SESSION_PROCESS_ENDED;
    *out_profile = profile;
    return HF_OK;
}
