/*
 * block_graph.h: which blocks of a heap point to which, what outside of the heap points to them,
 * and what nothing points to.
 *
 * Conservative: every word, at multiples of 8, that looks like a pointer to a block (pointers.h) is
 * one. So a number, or an old pointer in memory that was not cleared, may seem to hold a block that
 * is lost. A block that is held is never called lost, unless its pointer is kept in another form
 * (compressed, encrypted), or in memory that is not searched: that of files, and memory shared with
 * other processes.
 *
 * Two sorts of words count only if no other word leads to the block: the end of the block before,
 * and, in packed structures, an address at an odd place, i.e. not at a multiple of 8. The second
 * sort is searched for only if some block seems to be lost; this costs about as much as the search
 * of all other words.
 *
 * *Roots* are words outside of all heaps (root_ranges.h).
 *
 * A block that no root reaches is *lost*: directly, if no other lost block leads to it, otherwise
 * indirectly. In a ring of lost blocks, the one with the lowest address counts as lost directly.
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
#include "heap/graph/root_ranges.h"

struct hf_heap_sum {
    uint64_t bytes, count;
};

enum hf_block_state {
    HF_BLOCK_LOST, /* directly */
    HF_BLOCK_LOST_WITH,
    HF_BLOCK_HELD, /* + enum hf_root_kind: the first kind that reaches the block */
};

struct hf_root {
    uint32_t block, holder;
    uint64_t address; /* of the word; 0: a register */
};

/* A word that may point to a block which is younger than the list of blocks. */
struct hf_open_word {
    uint64_t address, word;
};

struct hf_block_graph {
    uint32_t *first;   /* block i points to targets[first[i]] up to targets[first[i + 1]] */
    uint32_t *targets; /* blocks */
    size_t target_count, target_capacity;
    struct hf_holder *holders;
    size_t holder_count;
    /* With the blocks that they point to, some several times. */
    struct hf_root *roots[HF_ROOT_KINDS];
    size_t root_count[HF_ROOT_KINDS], root_capacity[HF_ROOT_KINDS];
    struct hf_open_word *open; /* of a process that goes on; else none */
    size_t open_count, open_capacity;
    uint8_t *states; /* of the blocks: enum hf_block_state */
    struct hf_heap_sum held, lost, lost_with;
};

/* Whether a root, or a pointer from one block to another, counts for a block. A block that several
 * kinds of roots reach belongs to the first of these; pointers from the others do not count. */
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

/* The blocks that a graph calls lost, by address, and its open words. */
struct hf_lost_blocks {
    struct hf_heap_block *items;
    size_t count;
    struct hf_open_word *open;
    size_t open_count;
};

/* Takes the open words from the graph. */
HF_MUST_CHECK enum hf_status hf_lost_blocks_note(struct hf_lost_blocks *lost,
    const struct hf_heap *heap, struct hf_block_graph *graph, struct hf_error *err);
void hf_lost_blocks_done(struct hf_lost_blocks *lost);

/* Borrows paths from the image. Reads all heaps and roots once. Call done in any case.
 * HF_ERR_MEMORY, HF_ERR_LIMIT. */
HF_MUST_CHECK enum hf_status hf_block_graph_make(struct hf_block_graph *graph,
    const struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err);

/*
 * The same of a process that goes on while it is read (memory/race.h), at a later look: a
 * pointer that moves from what is not read yet to what is read already is seen nowhere, so a block
 * is lost only if it was lost `before`, too. One that was not is held by the word that pointed to
 * it at the look before, when it was too young to be listed: so a list that grows at its front is
 * held by its head. If there was no such word, it is held by memory that changed meanwhile
 * (HF_HOLDER_CHANGED, a mapping).
 */
#define HF_HOLDER_CHANGED "memory that changed while it was read"
HF_MUST_CHECK enum hf_status hf_block_graph_make_again(struct hf_block_graph *graph,
    const struct hf_heap *heap, const struct hf_process_image *image,
    const struct hf_lost_blocks *before, struct hf_error *err);

/* Puts a root behind the others of its kind. */
HF_MUST_CHECK enum hf_status hf_block_graph_add_root(struct hf_block_graph *graph,
    enum hf_root_kind kind, struct hf_root root, struct hf_error *err);

/* Sets held, lost and lost_with to what the states say. */
void hf_block_graph_add_up(struct hf_block_graph *graph, const struct hf_heap *heap);

void hf_block_graph_done(struct hf_block_graph *graph);

#endif
