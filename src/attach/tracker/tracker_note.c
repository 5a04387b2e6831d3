/* What a tracker has to say beside its numbers. */
#include "attach/tracker/tracker.h"
#include "base/plural.h"
#include "profile/notes.h"

#include <inttypes.h>

/* Says "COUNT ONE" or "COUNT MANY"; nothing of 0. */
static void note(struct hf_notes *notes, enum hf_note_kind kind, uint64_t count, const char *one,
    const char *many)
{
    if (count != 0)
        hf_notes_add(notes, kind, "%" PRIu64 " %s", count, hf_plural(count, one, many));
}

static void tracker_note_note_losses(const struct hf_tracker_counts *counts, struct hf_notes *notes)
{
    static const struct {
        const char *one, *many;
    } losses[HF_TRACKER_LOSSES] = {
        [HF_TRACKER_LOST_EVENTS] = {"call was lost before heapflame could read it, perhaps a free",
            "calls were lost before heapflame could read them, including frees"},
        [HF_TRACKER_LOST_ALLOCS] =
            {"allocation was lost before heapflame could read it, and is not counted",
                "allocations were lost before heapflame could read them, and are not counted"},
        [HF_TRACKER_LOST_STACKS] = {"stack was lost: its allocation is shown under [stack lost]",
            "stacks were lost: their allocations are shown under [stack lost]"},
        [HF_TRACKER_LOST_MEMORY] = {"call was lost because there was no memory to remember it",
            "calls were lost because there was no memory to remember them"},
    };
    for (size_t i = 0; i < HF_TRACKER_LOSSES; i++)
        note(notes, HF_NOTE_LOSS, counts->lost[i], losses[i].one, losses[i].many);
    if (counts->suspects != 0)
        hf_notes_add(notes, HF_NOTE_LOSS, "%" PRIu64 " of the blocks in use (%" PRIu64 " %s) %s",
            counts->suspects, counts->suspect_bytes,
            hf_plural(counts->suspect_bytes, "byte", "bytes"),
            hf_plural(counts->suspects,
                "was allocated before calls were lost: it may have been freed",
                "were allocated before calls were lost: some of them may have been freed"));
    note(notes, HF_NOTE_LOSS, counts->forgotten,
        "block was left out, because calls were lost after it was allocated: it may have been "
        "freed",
        "blocks were left out, because calls were lost after they were allocated: they may have "
        "been "
        "freed");
    note(notes, HF_NOTE_LOSS, counts->overwritten,
        "free was missed: its address was allocated again",
        "frees were missed: their addresses were allocated again");
}

void hf_tracker_note(struct hf_tracker *tracker, struct hf_notes *notes)
{
    struct hf_tracker_counts counts = hf_tracker_counts(tracker);
    hf_tracker_counts_note(&counts, notes);
}

void hf_tracker_counts_note(const struct hf_tracker_counts *counts, struct hf_notes *notes)
{
    tracker_note_note_losses(counts, notes);
    note(notes, HF_NOTE_INFO, counts->unknown_frees,
        "freed block had not been recorded: it was allocated before the start, or left out",
        "freed blocks had not been recorded: they were allocated before the start, or left out");
    note(notes, HF_NOTE_INFO, counts->skipped,
        "allocation in a short-lived context was left out; --all-contexts keeps it",
        "allocations in short-lived contexts were left out; --all-contexts keeps them");
    note(notes, HF_NOTE_INFO, counts->unpaired_entries, "call had not returned at the end",
        "calls had not returned at the end");
    note(notes, HF_NOTE_INFO, counts->unpaired_returns,
        "return had no recorded call: the call began before the start, or was missed",
        "returns had no recorded call: the calls began before the start, or were missed");
}
