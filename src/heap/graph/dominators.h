/*
 * dominators.h: what would be free if a block were free. These are its *retained* bytes: its own,
 * and those of all blocks that are reached only through it.
 *
 * A block dominates another if each path from the roots to the other leads through it. The nearest
 * such block is the other's immediate dominator; the immediate dominators form a tree below the
 * roots. If two paths lead to a block and have no block in common, its dominator is the roots
 * themselves.
 *
 * Kinds of roots count one after the other (enum hf_root_kind): for a block that the data of
 * modules reach, only paths from these data count. So a pointer to the middle of a list that is
 * left on a stack does not cut the list in two.
 *
 * Semi-NCA (Georgiadis 2005, "Linear-Time Algorithms for Dominators and Related Problems", 2.3),
 * with path compression: n log n. Memory: some 50 bytes a block, and 4 a pointer.
 *
 * Example:
 *
 *     struct hf_heap heap = {0};
 *     struct hf_block_graph graph = {0};
 *     struct hf_dominators tree;
 *     status = hf_dominators_make(&tree, &heap, &graph, err);
 *     if (status == HF_OK && heap.count != 0)
 *         hf_out_u64(out, tree.retained[0]);
 *     hf_dominators_done(&tree);
 */
#ifndef HF_HEAP_DOMINATORS_H
#define HF_HEAP_DOMINATORS_H

#include "heap/graph/block_graph.h"

struct hf_dominators {
    uint32_t *immediate; /* by block; HF_BLOCK_NONE: the roots are, or it is lost */
    uint64_t *retained;  /* by block, with its own bytes; 0: lost */
};

/* The graph must be that of this heap. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_dominators_make(struct hf_dominators *tree,
    const struct hf_heap *heap, const struct hf_block_graph *graph, struct hf_error *err);
void hf_dominators_done(struct hf_dominators *tree);

#endif
