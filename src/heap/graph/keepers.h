/*
 * keepers.h: what keeps a block, i.e. where all paths to the block begin: at one variable, module,
 * thread or mapping outside of the heaps, at two of them, or at more (which are not named).
 *
 * Kinds of roots count one after the other (enum hf_root_kind): a block that the data of modules
 * reach is kept by those data, even if stacks or registers point to it, too. A function that looks
 * something up in a cache has its address for a moment, but the cache keeps it. So a pointer left
 * on a stack does not divide what a global keeps.
 *
 * Keepers of the same kind are equal: a block that two of them reach is kept by both, and would
 * stay if one of them dropped it. This is the difference from a holder (holders.h), which has all
 * blocks that it reaches first. (If each keeper were a block, the keeper of a block would dominate
 * it.) Frames on a stack are not equal: a function passes what it has to the functions that it
 * calls. So if two frames of one stack reach a block, the outer one keeps it.
 *
 * For each block, the previous block on a shortest path from a keeper is known. This path is an
 * example; there may be others.
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
#include "heap/graph/block_graph.h"
#include "heap/graph/variables.h"

enum hf_keeper_form {
    HF_KEEPER_LOST,      /* nothing keeps it */
    HF_KEEPER_LOST_WITH, /* a lost block keeps it */
    HF_KEEPER_MANY,      /* three or more of a kind */
    HF_KEEPER_TWO,
    HF_KEEPER_ONE,
};

struct hf_block_keeper {
    enum hf_keeper_form form;
    enum hf_root_kind kind;         /* of the roots, if something keeps it */
    const struct hf_holder *holder; /* for ONE; borrowed from the graph */
    /* For ONE, in data, a thread's storage or a stack; NULL: no name. */
    const struct hf_variable *where;
    uint32_t first, second; /* for TWO: their keepers */
};

#define HF_KEEPER_IS_LOST 0u
#define HF_KEEPER_IS_LOST_WITH 1u

/* The number of the keeper MANY of a kind. */
static inline uint32_t hf_keeper_many(enum hf_root_kind kind)
{
    return HF_KEEPER_IS_LOST_WITH + 1 + (uint32_t)kind;
}

struct hf_keepers {
    struct hf_block_keeper *items; /* the first ones are LOST, LOST_WITH, and MANY of each kind */
    size_t count, capacity;
    uint32_t *of;    /* by block */
    uint32_t *from;  /* by block; see hf_keepers_before */
    uint32_t *depth; /* by block: how many blocks come before it on that path */
    size_t blocks;
    /* For keepers.c only. */
    struct hf_map by_place, by_pair;
    struct hf_intern places, functions;
};

/* The graph must be that of this heap. Borrows from both, and from `variables` (NULL: nothing has a
 * name). Call done in any case. */
HF_MUST_CHECK enum hf_status hf_keepers_make(struct hf_keepers *keepers, const struct hf_heap *heap,
    const struct hf_block_graph *graph, const struct hf_variables *variables, struct hf_error *err);
void hf_keepers_done(struct hf_keepers *keepers);

/*
 * Goes one step back on the path to a block. True: *out_block is the block before it. False: the
 * path begins here, and *out_keeper is where: ONE, or LOST if the block is lost.
 */
bool hf_keepers_before(
    const struct hf_keepers *keepers, uint32_t block, uint32_t *out_block, uint32_t *out_keeper);

#endif
