/*
 * keepers.h: what keeps a block: the one variable, module, thread or mapping outside of the heaps
 * from which all paths to the block come, or the two, or that there are more.
 *
 * Kinds of roots count one after the other (enum hf_root_kind): what the data of modules reach is
 * kept by those data, whatever stacks and registers point to as well. Who looks something up in a
 * cache has its address for a moment; it is the cache that keeps it. So a pointer left on a stack
 * does not divide what a global has.
 *
 * Of one kind all keepers are equal: a block that two of them reach is kept by both, and would stay
 * if one let go of it. That is what tells a keeper from a holder (holders.h), which has what is
 * reached first. (A keeper of a block is what dominates it, if each keeper were a block.) Frames on
 * a stack are not equal: what a function has, it gives to those that it calls, so of two frames of
 * one stack the one further out keeps the block.
 *
 * Each block knows the one before it on a shortest path from a keeper: an example, never the only
 * one.
 *
 * Example:
 *
 *     struct hf_heap heap = {0};
 *     struct hf_block_graph graph = {0};
 *     struct hf_keepers keepers;
 *     status = hf_keepers_make(&keepers, &heap, &graph, NULL, err);
 *     for (size_t i = 0; status == HF_OK && i < heap.count; i++)
 *         hf_out_u64(out, keepers.items[keepers.of[i]].form == HF_KEEPER_LOST);
 *     hf_keepers_done(&keepers);
 */
#ifndef HF_HEAP_KEEPERS_H
#define HF_HEAP_KEEPERS_H

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "heap/block_graph.h"
#include "heap/variables.h"

enum hf_keeper_form {
    HF_KEEPER_LOST,      /* nothing does */
    HF_KEEPER_LOST_WITH, /* a lost block does */
    HF_KEEPER_MANY,      /* three or more of a kind */
    HF_KEEPER_TWO,
    HF_KEEPER_ONE,
};

struct hf_block_keeper {
    enum hf_keeper_form form;
    enum hf_root_kind kind;          /* that of those which are kept by something */
    const struct hf_holder *holder;  /* of ONE; borrowed from the graph */
    const struct hf_variable *where; /* of ONE: of data, a thread or a stack; NULL: no name */
    uint32_t first, second;          /* of TWO: keepers */
};

#define HF_KEEPER_IS_LOST 0u
#define HF_KEEPER_IS_LOST_WITH 1u

/* The keeper MANY of a kind. */
static inline uint32_t hf_keeper_many(enum hf_root_kind kind)
{
    return HF_KEEPER_IS_LOST_WITH + 1 + (uint32_t)kind;
}

struct hf_keepers {
    struct hf_block_keeper *items; /* the first ones are LOST, LOST_WITH, and MANY of each kind */
    size_t count, capacity;
    uint32_t *of;    /* by block */
    uint32_t *from;  /* by block: see hf_keepers_before */
    uint32_t *depth; /* blocks of that path before it */
    size_t blocks;
    /* Its own. */
    struct hf_map by_place, by_pair;
    struct hf_intern places, functions;
};

/* Of a graph that was made of that heap; borrows from both and from `variables` (NULL: no data has
 * a name). Call done in any case. */
HF_MUST_CHECK enum hf_status hf_keepers_make(struct hf_keepers *keepers, const struct hf_heap *heap,
    const struct hf_block_graph *graph, const struct hf_variables *variables, struct hf_error *err);
void hf_keepers_done(struct hf_keepers *keepers);

/*
 * The path to a block, backwards: true, and *out_block is the block before it; false, and
 * *out_keeper is what the path comes from: ONE, or LOST for what is lost.
 */
bool hf_keepers_before(
    const struct hf_keepers *keepers, uint32_t block, uint32_t *out_block, uint32_t *out_keeper);

#endif
