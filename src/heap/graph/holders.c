#include "heap/graph/holders.h"

#include <stdlib.h>
#include <string.h>

static int by_bytes_held(const void *a, const void *b)
{
    const struct hf_holder_row *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes < right->bytes ? 1 : -1;
    return (left->holder > right->holder) - (left->holder < right->holder);
}

/* A block that no other block dominates belongs to the first holder whose words point to it; if
 * only blocks do, to the holder of the first that reaches it (give_to_others). */
static void give_to_pointers(struct hf_holders *holders, const struct hf_block_graph *graph,
    const struct hf_dominators *tree, uint32_t *holder_of)
{
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++) {
        for (size_t i = 0; i < graph->root_count[kind]; i++) {
            struct hf_root root = graph->roots[kind][i];
            if (holder_of[root.block] != HF_BLOCK_NONE ||
                !hf_block_graph_root_counts(graph, (enum hf_root_kind)kind, root.block))
                continue;
            holder_of[root.block] = root.holder;
            holders->rows[root.holder].bytes += tree->retained[root.block];
        }
    }
}

/* Starts with the blocks that have a holder: a block that they point to has the same one, if it has
 * none yet. */
static bool give_to_others(struct hf_holders *holders, const struct hf_heap *heap,
    const struct hf_block_graph *graph, const struct hf_dominators *tree, uint32_t *holder_of)
{
    size_t queued = 0;
    uint32_t *queue = malloc((heap->count + 1) * sizeof *queue);
    if (queue == NULL)
        return false;
    for (uint32_t i = 0; i < heap->count; i++) {
        if (holder_of[i] != HF_BLOCK_NONE)
            queue[queued++] = i;
    }
    for (size_t at = 0; at < queued; at++) {
        uint32_t block = queue[at];
        for (uint32_t t = graph->first[block]; t < graph->first[block + 1]; t++) {
            uint32_t target = graph->targets[t];
            if (holder_of[target] != HF_BLOCK_NONE ||
                !hf_block_graph_pointer_counts(graph, block, target))
                continue;
            holder_of[target] = holder_of[block];
            queue[queued++] = target;
            if (tree->immediate[target] == HF_BLOCK_NONE)
                holders->rows[holder_of[target]].bytes += tree->retained[target];
        }
    }
    free(queue);
    return true;
}

enum hf_status hf_holders_make(struct hf_holders *holders, const struct hf_heap *heap,
    const struct hf_block_graph *graph, const struct hf_dominators *tree, struct hf_error *err)
{
    size_t kept = 0;
    uint32_t *holder_of = malloc((heap->count + 1) * sizeof *holder_of);
    *holders = (struct hf_holders){calloc(graph->holder_count + 1, sizeof *holders->rows), 0};
    bool is_done = holder_of != NULL && holders->rows != NULL;
    if (is_done) {
        memset(holder_of, 0xff, (heap->count + 1) * sizeof *holder_of);
        give_to_pointers(holders, graph, tree, holder_of);
        is_done = give_to_others(holders, heap, graph, tree, holder_of);
    }
    free(holder_of);
    if (!is_done)
        return hf_error_memory(err);
    for (size_t i = 0; i < graph->holder_count; i++) {
        if (holders->rows[i].bytes != 0)
            holders->rows[kept++] =
                (struct hf_holder_row){&graph->holders[i], holders->rows[i].bytes};
    }
    holders->count = kept;
    qsort(holders->rows, kept, sizeof *holders->rows, by_bytes_held);
    return HF_OK;
}

void hf_holders_done(struct hf_holders *holders)
{
    free(holders->rows);
    *holders = (struct hf_holders){0};
}
