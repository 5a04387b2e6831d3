/*
 * dominators.h: what would be free if a block were: its *retained* bytes, those of all blocks that
 * are reached through it only.
 *
 * A block dominates another if each path from the roots to that leads through it. The nearest such
 * block is the other's immediate dominator; together they are a tree below the roots. A block to
 * which two paths lead that have no block in common has the roots themselves as its dominator.
 *
 * Kinds of roots count one after the other (enum hf_root_kind): what the data of modules reach has
 * only paths from these. So a pointer to the middle of a list that is left on a stack does not cut
 * the list in two.
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

#include "heap/block_graph.h"

struct hf_dominators {
    uint32_t *immediate; /* by block: HF_BLOCK_NONE for the roots, and for what is lost */
    uint64_t *retained;  /* by block, with itself; 0: lost */
};

/* Of a graph that was made of that heap. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_dominators_make(struct hf_dominators *tree,
    const struct hf_heap *heap, const struct hf_block_graph *graph, struct hf_error *err);
void hf_dominators_done(struct hf_dominators *tree);

#endif
