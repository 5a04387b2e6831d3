#include "formats/skipped_lines.h"

#include <inttypes.h>

#define SHOWN_BYTES 60 /* of a line */

void hf_skipped_lines_note(const struct hf_skipped_lines *skipped, enum hf_note_kind kind,
    const char *one, const char *many, const char *name, struct hf_notes *notes)
{
    if (skipped->count == 1)
        hf_notes_add(
            notes, kind, "%s: skipped 1 %s (line %" PRIu64 ")", name, one, skipped->first_line);
    else if (skipped->count != 0)
        hf_notes_add(notes, kind, "%s: skipped %" PRIu64 " %s (first: line %" PRIu64 ")", name,
            skipped->count, many, skipped->first_line);
}

void hf_skipped_line(const struct hf_input *input, struct hf_profile *profile, const char *expected,
    struct hf_text line)
{
    hf_notes_add(&profile->notes, HF_NOTE_LOSS,
        "%s: line %" PRIu64 ": expected %s, found '%.*s'; skipped", input->name, input->line,
        expected, (int)hf_text_first(line, SHOWN_BYTES).size, line.data);
}

void hf_skipped_cut_line(const struct hf_input *input, struct hf_profile *profile)
{
    hf_notes_add(&profile->notes, HF_NOTE_LOSS,
        "%s: line %" PRIu64 " ends without a newline: the file is cut there; the line is skipped",
        input->name, input->line);
}
