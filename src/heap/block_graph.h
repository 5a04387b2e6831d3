/*
 * block_graph.h: which blocks of a heap point to which, what outside of the heap points to them,
 * and what nothing points to.
 *
 * Conservative: every word, at multiples of 8, that looks like a pointer to a block (pointers.h) is
 * one. So whoever computes with numbers, or does not clear what it reuses, may seem to hold a block
 * that is lost; a block that is held is never called lost, unless its pointer is kept in another
 * form (compressed, encrypted) or in memory that is not looked at: that of files, and what is
 * shared with other processes.
 *
 * Two sorts of words lead to a block only if no other does: the end of the block before, and, in
 * packed structures, an address at an odd place, which is no multiple of 8. The second are looked
 * for only if some block seems to be lost; that costs about as much as to look at all words once.
 *
 * *Roots* are words outside of all heaps (root_ranges.h).
 *
 * What no root reaches is *lost*: directly, if no other lost block leads to it, else indirectly. Of
 * a ring of lost blocks the one with the lowest address counts as lost directly.
 *
 * Example:
 *
 *     struct hf_heap heap = {0};
 *     struct hf_process_image image = {0};
 *     struct hf_block_graph graph;
 *     status = hf_block_graph_make(&graph, &heap, &image, err);
 *     if (status == HF_OK)
 *         hf_out_u64(out, graph.lost.bytes);
 *     hf_block_graph_done(&graph);
 */
#ifndef HF_HEAP_BLOCK_GRAPH_H
#define HF_HEAP_BLOCK_GRAPH_H

#include "heap/block_index.h"
#include "heap/root_ranges.h"

struct hf_heap_sum {
    uint64_t bytes, count;
};

enum hf_block_state {
    HF_BLOCK_LOST, /* directly */
    HF_BLOCK_LOST_WITH,
    HF_BLOCK_HELD, /* + enum hf_root_kind: the first of the kinds that reaches it */
};

struct hf_root {
    uint32_t block, holder;
    uint64_t address; /* of the word; 0: a register */
};

struct hf_block_graph {
    uint32_t *first;   /* of block i: targets[first[i]] up to targets[first[i + 1]] */
    uint32_t *targets; /* blocks */
    size_t target_count, target_capacity;
    struct hf_holder *holders;
    size_t holder_count;
    struct hf_root *roots[HF_ROOT_KINDS]; /* blocks to which these point; some several times */
    size_t root_count[HF_ROOT_KINDS], root_capacity[HF_ROOT_KINDS];
    uint8_t *states; /* of the blocks: enum hf_block_state */
    struct hf_heap_sum held, lost, lost_with;
};

/* Whether a root, or a pointer from one block to another, is one of those by which its kind reaches
 * the block: what an earlier kind reaches, too, is that kind's alone. */
static inline bool hf_block_graph_root_counts(
    const struct hf_block_graph *graph, enum hf_root_kind kind, uint32_t block)
{
    return graph->states[block] == HF_BLOCK_HELD + (unsigned)kind;
}

static inline bool hf_block_graph_pointer_counts(
    const struct hf_block_graph *graph, uint32_t from, uint32_t to)
{
    return graph->states[from] == graph->states[to];
}

/* Borrows paths of the image. Reads all of the heaps and roots once. Call done in any case.
 * HF_ERR_MEMORY, HF_ERR_LIMIT. */
HF_MUST_CHECK enum hf_status hf_block_graph_make(struct hf_block_graph *graph,
    const struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);
void hf_block_graph_done(struct hf_block_graph *graph);

#endif
