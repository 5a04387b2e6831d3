/*
 * holders.h: what holds the blocks of the heaps from outside: a module by its data, a thread by its
 * stack, registers or thread-local storage, or another mapping.
 *
 * A holder holds the blocks that its words point to, and what these retain (dominators.h). If
 * several holders lead to a block, it counts for the first of those that point to it, or to the
 * nearest block that all paths lead through. So the bytes of all holders add up to all that is
 * held.
 *
 * Example:
 *
 *     struct hf_heap heap = {0};
 *     struct hf_block_graph graph = {0};
 *     struct hf_dominators tree = {0};
 *     struct hf_holders holders;
 *     status = hf_holders_make(&holders, &heap, &graph, &tree, err);
 *     for (size_t i = 0; status == HF_OK && i < holders.count; i++)
 *         hf_out_u64(out, holders.rows[i].bytes);
 *     hf_holders_done(&holders);
 */
#ifndef HF_HEAP_HOLDERS_H
#define HF_HEAP_HOLDERS_H

#include "heap/graph/dominators.h"

struct hf_holder_row {
    const struct hf_holder *holder; /* borrowed from the graph */
    uint64_t bytes;
};

struct hf_holders {
    struct hf_holder_row *rows; /* most bytes first; those that hold nothing are left out */
    size_t count;
};

/* Graph and tree must be those of this heap. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_holders_make(struct hf_holders *holders, const struct hf_heap *heap,
    const struct hf_block_graph *graph, const struct hf_dominators *tree, struct hf_error *err);
void hf_holders_done(struct hf_holders *holders);

#endif
