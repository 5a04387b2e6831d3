/*
 * notes.h: notes that accompany the numbers: losses, assumptions, missing files.
 *
 * Notes are sentences for people. The same sentence again only counts. At most HF_LIMIT_NOTES are
 * kept, the rest is counted. One thread at a time.
 *
 * Example:
 *
 *     struct hf_notes notes = {0};
 *     hf_notes_add(&notes, HF_NOTE_LOSS, "%s: the last record is cut", "a.heap");
 *     if (notes.has_loss)
 *         hf_out_string(out, notes.items[0].text);
 *     hf_notes_done(&notes);
 */
#ifndef HF_PROFILE_NOTES_H
#define HF_PROFILE_NOTES_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hf_note_kind {
    HF_NOTE_INFO, /* worth knowing */
    HF_NOTE_LOSS, /* data is missing or cut: exit status 4 */
};

struct hf_note {
    enum hf_note_kind kind;
    uint64_t times; /* how often the same note came */
    char *text;     /* may hold bytes of the input: escape it */
};

struct hf_notes {
    struct hf_note *items;
    size_t count, capacity;
    uint64_t dropped; /* notes beyond HF_LIMIT_NOTES, or lost for want of memory */
    bool has_loss;    /* some note, kept or dropped, was a loss */
};

/* An all-zero object is empty and ready. */
void hf_notes_done(struct hf_notes *notes);

/* Adds a sentence, or counts it. Never fails: without memory the note is counted as dropped. */
void hf_notes_add(struct hf_notes *notes, enum hf_note_kind kind, const char *format, ...)
    HF_PRINTF(3, 4);

struct hf_regex;

/* Says on how many names the pattern of `option` was given up at a limit, if it was. */
void hf_notes_given_up(struct hf_notes *notes, const char *option, const struct hf_regex *regex);

/* Adds all of `from`. */
void hf_notes_merge(struct hf_notes *into, const struct hf_notes *from);

#endif
