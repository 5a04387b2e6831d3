#include "heap/graph/lost_trees.h"

#include <stdlib.h>

struct tree_finder {
    struct hf_block_graph *graph;
    const struct hf_heap *heap;
    uint32_t *queue;
    uint8_t *is_seen;
};

/* A block that is lost directly, and what it leads to that no other did before. */
struct lost_tree {
    uint64_t bytes;
    uint32_t top;
};

/* Visits what is lost from a block on; the bytes of it. */
static uint64_t visit_tree(struct tree_finder *f, uint32_t top, uint8_t mark)
{
    const struct hf_block_graph *g = f->graph;
    uint64_t bytes = 0;
    size_t queued = 1;
    f->queue[0] = top;
    f->is_seen[top] = mark;
    while (queued != 0) {
        uint32_t block = f->queue[--queued];
        bytes += f->heap->blocks[block].bytes;
        for (uint32_t i = g->first[block]; i < g->first[block + 1]; i++) {
            uint32_t target = g->targets[i];
            if (g->states[target] >= HF_BLOCK_HELD || f->is_seen[target] == mark)
                continue;
            f->is_seen[target] = mark;
            f->queue[queued++] = target;
        }
    }
    return bytes;
}

static int by_tree_bytes(const void *a, const void *b)
{
    const struct lost_tree *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes < right->bytes ? 1 : -1;
    return left->top < right->top ? -1 : 1;
}

/* All that is lost directly, most bytes first. */
static size_t find_lost_trees(struct tree_finder *f, struct lost_tree *trees)
{
    size_t count = 0;
    for (uint32_t i = 0; i < f->heap->count; i++) {
        if (f->graph->states[i] == HF_BLOCK_LOST && f->is_seen[i] == 0)
            trees[count++] = (struct lost_tree){visit_tree(f, i, 1), i};
    }
    qsort(trees, count, sizeof *trees, by_tree_bytes);
    return count;
}

static enum hf_status add_unread_holder(struct hf_block_graph *graph, struct hf_error *err)
{
    struct hf_holder *holders =
        realloc(graph->holders, (graph->holder_count + 1) * sizeof *graph->holders);
    if (holders == NULL)
        return hf_error_memory(err);
    graph->holders = holders;
    holders[graph->holder_count++] = (struct hf_holder){HF_ROOT_MAPPING, HF_HOLDER_REGISTER, 0};
    return HF_OK;
}

static enum hf_status spare_trees(
    struct tree_finder *f, struct lost_tree *trees, size_t registers, struct hf_error *err)
{
    struct hf_block_graph *g = f->graph;
    size_t count = find_lost_trees(f, trees);
    enum hf_status status = add_unread_holder(g, err);
    for (size_t i = 0; i < count && i < registers && status == HF_OK; i++) {
        const struct hf_root root = {trees[i].top, (uint32_t)g->holder_count - 1, 0};
        status = hf_block_graph_add_root(g, HF_ROOT_MAPPING, root, err);
        (void)visit_tree(f, trees[i].top, 2);
    }
    for (size_t i = 0; i < f->heap->count; i++) {
        if (f->is_seen[i] == 2)
            g->states[i] = HF_BLOCK_HELD + HF_ROOT_MAPPING;
    }
    hf_block_graph_add_up(g, f->heap);
    return status;
}

enum hf_status hf_lost_trees_spare(struct hf_block_graph *graph, const struct hf_heap *heap,
    size_t registers, struct hf_error *err)
{
    if (graph->lost.count == 0)
        return HF_OK;
    struct tree_finder f = {.graph = graph, .heap = heap};
    struct lost_tree *trees = malloc((size_t)graph->lost.count * sizeof *trees);
    f.queue = malloc((heap->count + 1) * sizeof *f.queue);
    f.is_seen = calloc(heap->count + 1, 1);
    enum hf_status status = trees != NULL && f.queue != NULL && f.is_seen != NULL
                                ? spare_trees(&f, trees, registers, err)
                                : hf_error_memory(err);
    free(trees);
    free(f.queue);
    free(f.is_seen);
    return status;
}
