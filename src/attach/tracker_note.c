/* What a tracker has to say beside its numbers. */
#include "attach/tracker.h"
#include "profile/notes.h"

#include <inttypes.h>

static void note_losses(const struct hf_tracker_counts *counts, struct hf_notes *notes)
{
    static const char *const why[HF_TRACKER_LOSSES] = {
        [HF_TRACKER_LOST_EVENTS] = "calls were lost on their way here, frees among them",
        [HF_TRACKER_LOST_ALLOCS] = "allocations were lost on their way here, and are not counted",
        [HF_TRACKER_LOST_STACKS] = "stacks were lost: their allocations are under [stack lost]",
        [HF_TRACKER_LOST_MEMORY] = "calls were lost because there was no memory to remember them",
    };
    for (size_t i = 0; i < HF_TRACKER_LOSSES; i++) {
        if (counts->lost[i] != 0)
            hf_notes_add(notes, HF_NOTE_LOSS, "%" PRIu64 " %s", counts->lost[i], why[i]);
    }
    if (counts->suspects != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%" PRIu64 " of the blocks in use (%" PRIu64
            " bytes) were born before calls were lost: some of them may have been freed",
            counts->suspects, counts->suspect_bytes);
    if (counts->overwritten != 0)
        hf_notes_add(notes, HF_NOTE_LOSS,
            "%" PRIu64 " frees were not seen: another block came to the same address",
            counts->overwritten);
}

void hf_tracker_note(struct hf_tracker *tracker, struct hf_notes *notes)
{
    struct hf_tracker_counts counts = hf_tracker_counts(tracker);
    note_losses(&counts, notes);
    if (counts.unknown_frees != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%" PRIu64
            " frees were of blocks that were not recorded: from before the start, or left out",
            counts.unknown_frees);
    if (counts.skipped != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%" PRIu64 " allocations in short-lived contexts are left out; --all-contexts keeps "
            "them",
            counts.skipped);
    if (counts.unpaired_entries != 0)
        hf_notes_add(notes, HF_NOTE_INFO, "%" PRIu64 " calls were entered and did not return",
            counts.unpaired_entries);
    if (counts.unpaired_returns != 0)
        hf_notes_add(notes, HF_NOTE_INFO,
            "%" PRIu64 " calls returned that were entered before the start, or unseen",
            counts.unpaired_returns);
}
