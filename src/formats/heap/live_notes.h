/*
 * live_notes.h: what a reader of a live table's profile has to know: what was lost on the way, and
 * why functions of Python are missing.
 */
#ifndef HF_FORMATS_LIVE_NOTES_H
#define HF_FORMATS_LIVE_NOTES_H

#include "live/reader.h"
#include "profile/notes.h"

/* `damaged`: records of the table that point outside of it. */
void hf_live_note(const struct hf_live_snapshot *table, uint64_t damaged, struct hf_notes *notes);

#endif
