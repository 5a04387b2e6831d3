/*
 * tally.h: what each function of a folded profile holds itself and below, and which function calls
 * which.
 *
 * Vocabulary, as everywhere in profilers: *flat* is what a function's own lines hold (it is the
 * leaf of the stack); *cum* is what it holds with all that it called. A function that occurs
 * several times in a stack (recursion) has that stack in its cum once, and a call that occurs
 * several times in a stack has it in its weight once; so neither ever exceeds the total. (jeprof
 * counts a recursive call once for each level.)
 *
 * In a difference each number is a pair, grew and released, and A + grew - released = B holds for
 * every entry and edge.
 *
 * Cost: linear in the nodes of the stack tree, without recursion, however deep a stack is.
 */
#ifndef HF_RENDER_TALLY_H
#define HF_RENDER_TALLY_H

#include "profile/profile.h"

#define HF_TALLY_NONE UINT32_MAX /* no frame: the entry of stacks without frames; or no entry */

struct hf_tally_entry {
    uint32_t frame; /* one of the frames counted here, or HF_TALLY_NONE for "[no stack]" */
    struct hf_total flat, cum;
};

struct hf_tally_edge {
    uint32_t caller, callee; /* indices of entries */
    struct hf_total weight;
};

struct hf_tally_options {
    size_t type;     /* value type to count */
    bool by_name;    /* frames with the same function name are one entry, whatever their line */
    bool with_edges; /* fill `edges` */
    uint32_t part;   /* count the samples of this thread, from 1; 0: of the whole process */
};

struct hf_tally {
    struct hf_tally_entry *entries; /* those with any value, in no meaningful order */
    size_t entry_count;
    struct hf_tally_edge *edges; /* likewise */
    size_t edge_count, edge_capacity;
    uint32_t *entry_of_frame; /* by frame id of the profile; HF_TALLY_NONE: holds nothing */
    struct hf_total total;
};

/* Counts the samples of the whole process, or of a thread. Free with hf_tally_done, also after an
 * error. */
HF_MUST_CHECK enum hf_status hf_tally_init(struct hf_tally *tally, const struct hf_profile *folded,
    const struct hf_tally_options *options, struct hf_error *err);
void hf_tally_done(struct hf_tally *tally);

/* The entry that counts for a frame, or for HF_TALLY_NONE; NULL: it holds nothing. */
const struct hf_tally_entry *hf_tally_find(const struct hf_tally *tally, uint32_t frame);

#endif
