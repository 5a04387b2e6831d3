/*
 * listing.h: the source of functions, and beside each line what it holds: jeprof's --list.
 *
 *     ROUTINE ====================== leak in /src/leak.c
 *        1.5    1.5 Total MB (flat / cumulative)
 *          .      .   12: static void leak(size_t size)
 *     ---
 *        1.5    1.5   13:     void *block = malloc(size);
 *     ---
 *          .      .   14: }
 *
 * Shown are the lines from the first that holds something to the last, between marks, and five more
 * on both sides. Inlined functions are functions, too. A file that cannot be read gives lines
 * without text, and a note.
 */
#ifndef HF_RENDER_LISTING_H
#define HF_RENDER_LISTING_H

#include "base/strings/out.h"
#include "base/strings/regex.h"
#include "profile/profile.h"

struct hf_listing_options {
    size_t type;              /* index of the value type shown */
    bool is_exact;            /* whole bytes instead of MB */
    struct hf_regex *pattern; /* which functions */
};

/*
 * Writes the functions of a profile folded by line, in the order of their names. HF_ERR_MEMORY
 * only; failures of `out` are latched there.
 */
HF_MUST_CHECK enum hf_status hf_listing(const struct hf_profile *folded,
    const struct hf_listing_options *options, struct hf_notes *notes, struct hf_out *out,
    struct hf_error *err);

#endif
