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

#include "base/strings/out.h"
#include "os/input.h"
#include "profile/profile.h"

struct hf_folded_stacks;

/* What the counts of an input are. */
enum hf_folded_side {
    /* One becomes values as ever, and a difference if some are negative. Two stay two values,
     * "before" and "after", of which neither says what became of the other. */
    HF_FOLDED_ALONE,
    /* One of each line, of this side of a pair. */
    HF_FOLDED_BASE,
    HF_FOLDED_CURRENT,
};

/* How flamegraph.pl and difffolded.pl read, and who reads two files to compare them. */
struct hf_folded_how {
    enum hf_folded_side side;
    bool is_plain; /* of a side: a difference is HF_ERR_USAGE; else its lines are left out */
    /* Only neighbouring lines share frames; each line is a sample; all in the order of the input.
     */
    bool is_chart;
    bool is_reversed; /* of a chart: stacks begin with their leaf; of ends_in_separator, too */
    /* A stack gets a leaf "--" unless such a frame divides it: flamegraph.pl's palette "chain". */
    bool ends_in_separator;
    /* What is known of the profile's stacks, kept from one input to the next; NULL: it is not. */
    struct hf_folded_stacks *stacks;
};

/* Reads one input more into `profile`, which is empty or comes from this function. NULL: as ever.
 */
HF_MUST_CHECK enum hf_status hf_folded_read(struct hf_input *input, const struct hf_folded_how *how,
    struct hf_profile *profile, struct hf_error *err);

/*
 * Writes "stack before after" of a pair, as difffolded.pl; with `is_normalized` the first times the
 * sum of the second by the sum of the first, rounded down.
 */
HF_MUST_CHECK enum hf_status hf_folded_write_pair(
    const struct hf_profile *pair, bool is_normalized, struct hf_out *out, struct hf_error *err);

/* Writes the stacks of a folded profile (profile/fold.h) with the values of one type. */
HF_MUST_CHECK enum hf_status hf_folded_write(
    const struct hf_profile *folded, size_t type, struct hf_out *out, struct hf_error *err);

#endif
