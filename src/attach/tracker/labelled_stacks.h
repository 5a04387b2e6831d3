/*
 * labelled_stacks.h: stacks that are in the table once for each memory context that allocates
 * there: its names are the outermost frames.
 *
 * Stacks are known by number before it is known whose they are; those that nothing was allocated
 * at never come into the table. A *label* is the list of names of a context. One thread at a time.
 */
#ifndef HF_ATTACH_LABELLED_STACKS_H
#define HF_ATTACH_LABELLED_STACKS_H

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "live/writer.h"

#define HF_LABEL_NONE 0u /* no names */

struct hf_labelled_stacks {
    struct hf_live_table *table; /* borrowed; what else is in here may be zero */
    struct hf_intern names;      /* texts of name frames */
    uint64_t *name_frames;       /* by name */
    size_t name_frames_capacity;
    struct hf_intern labels;   /* uint64_t frames, outermost first */
    struct hf_intern stacks;   /* uint64_t flags and frames, leaf first */
    struct hf_map by_labelled; /* label << 32 | stack -> stack of the table */
};

void hf_labelled_stacks_done(struct hf_labelled_stacks *stacks);

/* The frame that is this name. False without room in the table's text. */
HF_MUST_CHECK bool hf_labelled_stacks_name(
    struct hf_labelled_stacks *stacks, struct hf_text name, uint64_t *out_frame);

/* The label of these names, each as a frame of its own: "[name]". False without room. */
HF_MUST_CHECK bool hf_labelled_stacks_label(struct hf_labelled_stacks *stacks,
    const struct hf_text *names_outermost_first, size_t count, uint32_t *out_label);

/* The number of a stack, new or known. False without memory. */
HF_MUST_CHECK bool hf_labelled_stacks_add(struct hf_labelled_stacks *stacks,
    const uint64_t *frames_leaf_first, size_t count, unsigned flags, uint32_t *out_stack);

/*
 * The stack of the table for a stack and a label; HF_LIVE_NONE if it has no room for it. `flags`
 * beside those of the stack: the same for all that is allocated there.
 */
uint32_t hf_labelled_stacks_in_table(
    struct hf_labelled_stacks *stacks, uint32_t stack, uint32_t label, unsigned more_flags);

#endif
