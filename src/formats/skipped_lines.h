/*
 * skipped_lines.h: lines that the reader of a text skips, and the words in which all readers
 * say it.
 *
 * Example:
 *
 *     struct hf_notes notes = {0};
 *     struct hf_skipped_lines skipped = {0};
 *     for (uint64_t line = 7; line < 19; line++)
 *         hf_skipped_lines_add(&skipped, line);
 *     hf_skipped_lines_note(&skipped, HF_NOTE_INFO, "line that is no frame",
 *         "lines that are not frames", "a.stap", &notes);
 *     hf_notes_done(&notes);
 */
#ifndef HF_FORMATS_SKIPPED_LINES_H
#define HF_FORMATS_SKIPPED_LINES_H

#include "os/input.h"
#include "profile/profile.h"

/* Lines that are counted, and told of at the end. */
struct hf_skipped_lines {
    uint64_t count, first_line;
};

static inline void hf_skipped_lines_add(struct hf_skipped_lines *skipped, uint64_t line)
{
    if (skipped->count++ == 0)
        skipped->first_line = line;
}

/* If any were skipped, a note "NAME: skipped 3 MANY (first: line 7)" or "NAME: skipped 1 ONE (line
 * 7)". */
void hf_skipped_lines_note(const struct hf_skipped_lines *skipped, enum hf_note_kind kind,
    const char *one, const char *many, const char *name, struct hf_notes *notes);

/* A loss: the line that was read last is not what is expected. */
void hf_skipped_line(const struct hf_input *input, struct hf_profile *profile, const char *expected,
    struct hf_text line);

/* A loss: it is cut. */
void hf_skipped_cut_line(const struct hf_input *input, struct hf_profile *profile);

#endif
