/*
 * folded.h: folded stacks, the text that flame graph tools exchange.
 *
 *     line = frame { ";" frame } " " count LF          frames root first
 *
 * Read: one count a line, or two ("before after") in every line of the file for a difference; a
 * single negative count makes the file a difference too (what was released). Blank lines and lines
 * that start with '#' are skipped; a line of another form is left out and noted with its number.
 * Counts are whole or have a fraction, which is rounded (ties to even) and noted; trailing blanks
 * and CR LF are accepted. Trailing empty frames are dropped.
 *
 * Written: in the byte order of the stacks, so equal profiles give equal bytes; a difference as
 * grew - released.
 */
#ifndef HF_FORMATS_FOLDED_H
#define HF_FORMATS_FOLDED_H

#include "base/out.h"
#include "profile/profile.h"

/* Writes the stacks of a folded profile (profile/fold.h) with the values of one type. */
HF_MUST_CHECK enum hf_status hf_folded_write(
    const struct hf_profile *folded, size_t type, struct hf_out *out, struct hf_error *err);

#endif
