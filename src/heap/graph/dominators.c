#include "heap/graph/dominators.h"

#include <stdlib.h>
#include <string.h>

/*
 * Held blocks are numbered in the order of a depth-first walk, from 1 on; 0 means the roots. All
 * arrays except `number` are indexed by these numbers.
 */
struct numbering {
    const struct hf_block_graph *graph;
    uint32_t *number; /* by block; 0: not held */
    uint32_t *block;
    uint32_t *parent; /* in the walk; later where compressed paths lead */
    uint32_t *semi, *label, *dominator;
    /* The blocks that point to i are sources[first[i]] up to sources[first[i + 1]]. */
    uint32_t *first, *sources;
    uint32_t *path; /* of a walk or a compression */
    uint32_t *next; /* for each block of the path, the pointer that the walk is at */
    size_t count;   /* with the roots */
};

static void numbering_done(struct numbering *n)
{
    uint32_t **all[] = {&n->number, &n->block, &n->parent, &n->semi, &n->label, &n->dominator,
        &n->first, &n->sources, &n->path, &n->next};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(*all[i]);
}

static bool numbering_init(struct numbering *n, size_t blocks)
{
    uint32_t **all[] = {&n->number, &n->block, &n->parent, &n->semi, &n->label, &n->dominator,
        &n->first, &n->path, &n->next};
    bool has_all = true;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = calloc(blocks + 2, sizeof **all[i]);
        has_all = has_all && *all[i] != NULL;
    }
    n->count = 1;
    return has_all;
}

static void enter(struct numbering *n, uint32_t block, uint32_t parent)
{
    uint32_t number = (uint32_t)n->count++;
    n->number[block] = number;
    n->block[number] = block;
    n->parent[number] = parent;
}

/* Numbers everything that `block` leads to and that has no number yet. */
static void walk_from(struct numbering *n, uint32_t block)
{
    size_t depth = 0;
    const struct hf_block_graph *g = n->graph;
    if (n->number[block] != 0)
        return;
    enter(n, block, 0);
    n->path[0] = block;
    n->next[0] = g->first[block];
    for (;;) {
        uint32_t at = n->path[depth];
        if (n->next[depth] == g->first[at + 1]) {
            if (depth == 0)
                return;
            depth--;
            continue;
        }
        uint32_t target = g->targets[n->next[depth]++];
        if (n->number[target] != 0 || !hf_block_graph_pointer_counts(g, at, target))
            continue;
        enter(n, target, n->number[at]);
        n->path[++depth] = target;
        n->next[depth] = g->first[target];
    }
}

static void walk_all(struct numbering *n)
{
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++) {
        for (size_t i = 0; i < n->graph->root_count[kind]; i++) {
            uint32_t block = n->graph->roots[kind][i].block;
            if (hf_block_graph_root_counts(n->graph, (enum hf_root_kind)kind, block))
                walk_from(n, block);
        }
    }
}

/* Counts a pointer from one number to another, or, the second time, writes it. */
static void turn(struct numbering *n, uint32_t source, uint32_t target)
{
    if (n->sources == NULL)
        n->first[target + 1]++;
    else
        n->sources[n->first[target]++] = source;
}

static void turn_all(struct numbering *n)
{
    const struct hf_block_graph *g = n->graph;
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++) {
        for (size_t i = 0; i < g->root_count[kind]; i++) {
            uint32_t block = g->roots[kind][i].block;
            if (hf_block_graph_root_counts(g, (enum hf_root_kind)kind, block))
                turn(n, 0, n->number[block]);
        }
    }
    for (uint32_t i = 1; i < n->count; i++) {
        for (uint32_t t = g->first[n->block[i]]; t < g->first[n->block[i] + 1]; t++) {
            if (hf_block_graph_pointer_counts(g, n->block[i], g->targets[t]))
                turn(n, i, n->number[g->targets[t]]);
        }
    }
}

/* Turns the pointers round: by block, which blocks point to it. */
static bool turn_pointers(struct numbering *n)
{
    turn_all(n);
    for (size_t i = 1; i <= n->count; i++)
        n->first[i] += n->first[i - 1];
    n->sources = malloc(((size_t)n->first[n->count] + 1) * sizeof *n->sources);
    if (n->sources == NULL)
        return false;
    turn_all(n);
    memmove(n->first + 1, n->first, n->count * sizeof *n->first);
    n->first[0] = 0;
    return true;
}

/* The number with the least semidominator on the path from i up to the last linked block. */
static uint32_t evaluate(struct numbering *n, uint32_t i, uint32_t linked)
{
    size_t depth = 0;
    if (i < linked)
        return n->label[i];
    uint32_t at = i;
    do {
        n->path[depth++] = at;
        at = n->parent[at];
    } while (at >= linked);
    uint32_t above = n->path[--depth];
    while (depth-- != 0) {
        uint32_t here = n->path[depth];
        if (n->semi[n->label[above]] < n->semi[n->label[here]])
            n->label[here] = n->label[above];
        n->parent[here] = n->parent[above];
        above = here;
    }
    return n->label[i];
}

static void find_semidominators(struct numbering *n)
{
    for (uint32_t i = 0; i < n->count; i++) {
        n->semi[i] = n->label[i] = i;
        n->dominator[i] = n->parent[i];
    }
    for (uint32_t i = (uint32_t)n->count - 1; i != 0; i--) {
        n->semi[i] = n->parent[i];
        for (uint32_t s = n->first[i]; s < n->first[i + 1]; s++) {
            uint32_t semi = n->semi[evaluate(n, n->sources[s], i + 1)];
            n->semi[i] = semi < n->semi[i] ? semi : n->semi[i];
        }
    }
}

static void find_dominators(struct numbering *n)
{
    for (uint32_t i = 1; i < n->count; i++) {
        while (n->dominator[i] > n->semi[i])
            n->dominator[i] = n->dominator[n->dominator[i]];
    }
}

static void dominators_tell(
    const struct numbering *n, const struct hf_heap *heap, const struct hf_dominators *tree)
{
    memset(tree->immediate, 0xff, heap->count * sizeof *tree->immediate);
    for (uint32_t i = 1; i < n->count; i++) {
        uint32_t block = n->block[i], above = n->dominator[i];
        tree->immediate[block] = above != 0 ? n->block[above] : HF_BLOCK_NONE;
        tree->retained[block] = heap->blocks[block].bytes;
    }
    for (uint32_t i = (uint32_t)n->count - 1; i != 0; i--) {
        if (n->dominator[i] != 0)
            tree->retained[n->block[n->dominator[i]]] += tree->retained[n->block[i]];
    }
}

enum hf_status hf_dominators_make(struct hf_dominators *tree, const struct hf_heap *heap,
    const struct hf_block_graph *graph, struct hf_error *err)
{
    struct numbering n = {.graph = graph};
    tree->immediate = malloc((heap->count + 1) * sizeof *tree->immediate);
    tree->retained = calloc(heap->count + 1, sizeof *tree->retained);
    bool is_done =
        tree->immediate != NULL && tree->retained != NULL && numbering_init(&n, heap->count);
    if (is_done) {
        walk_all(&n);
        is_done = turn_pointers(&n);
    }
    if (is_done) {
        find_semidominators(&n);
        find_dominators(&n);
        dominators_tell(&n, heap, tree);
    }
    numbering_done(&n);
    return is_done ? HF_OK : hf_error_memory(err);
}

void hf_dominators_done(struct hf_dominators *tree)
{
    free(tree->immediate);
    free(tree->retained);
    *tree = (struct hf_dominators){0};
}
