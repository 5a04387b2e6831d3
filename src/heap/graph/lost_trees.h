/*
 * lost_trees.h: of a process that goes on while it is read (memory/race.h), what may not be lost,
 * because a register may point to it that nobody read.
 *
 * A *lost tree* is a block that is lost directly, and all that it leads to. Of `registers` that are
 * not known, each may hold one of them. Which ones cannot be told: so those of most bytes count as
 * held by HF_HOLDER_REGISTER, a mapping. At least what is still lost then is lost.
 *
 * Example:
 *
 *     struct hf_block_graph graph = {0};
 *     struct hf_heap heap = {0};
 *     status = hf_lost_trees_spare(&graph, &heap, 6, err);
 */
#ifndef HF_HEAP_LOST_TREES_H
#define HF_HEAP_LOST_TREES_H

#include "heap/graph/block_graph.h"

#define HF_HOLDER_REGISTER "a register that was not read, or nothing"

/* HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_lost_trees_spare(struct hf_block_graph *graph,
    const struct hf_heap *heap, size_t registers, struct hf_error *err);

#endif
