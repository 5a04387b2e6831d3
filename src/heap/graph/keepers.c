#include "heap/graph/keepers.h"

#include "base/containers/vec.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN UINT32_MAX
#define FIRST_ONE hf_keeper_many(HF_ROOT_KINDS)

struct keepers_maker {
    struct hf_keepers *keepers;
    const struct hf_block_graph *graph;
    const struct hf_variables *variables;
    uint32_t *queue; /* a ring buffer of blocks whose keeper is new */
    uint8_t *is_queued;
    size_t head, queued;
};

/* Identifies a place: these bytes, followed by the path. */
struct keeper_place {
    uint32_t kind, variable; /* 0: no variable */
    int64_t thread;
};

static enum hf_status add_keeper(struct hf_keepers *keepers, struct hf_block_keeper keeper,
    uint32_t *out_keeper, struct hf_error *err)
{
    if (!hf_vec_reserve(
            &keepers->items, &keepers->capacity, keepers->count + 1, sizeof *keepers->items))
        return hf_error_memory(err);
    *out_keeper = (uint32_t)keepers->count;
    keepers->items[keepers->count++] = keeper;
    return HF_OK;
}

/* A module may have several parts in memory; each is a holder of its own. */
static enum hf_status intern_place(struct hf_keepers *keepers, const struct hf_holder *holder,
    const struct keeper_place *place, uint32_t *out_place, struct hf_error *err)
{
    size_t size = strlen(holder->path);
    char *bytes = malloc(sizeof *place + size);
    if (bytes == NULL)
        return hf_error_memory(err);
    memcpy(bytes, place, sizeof *place);
    memcpy(bytes + sizeof *place, holder->path, size);
    bool is_there = hf_intern_put(&keepers->places, bytes, sizeof *place + size, out_place);
    free(bytes);
    return is_there ? HF_OK : hf_error_memory(err);
}

/* The variable, or the frame, that a root lies in. */
static const struct hf_variable *where_of_root(
    const struct keepers_maker *m, enum hf_root_kind kind, const struct hf_root *root)
{
    bool has_names = kind == HF_ROOT_DATA || kind == HF_ROOT_THREAD_LOCAL || kind == HF_ROOT_STACK;
    return has_names && m->variables != NULL ? hf_variables_find(m->variables, root->address)
                                             : NULL;
}

/* All frames of a function on one stack are one place. */
static enum hf_status intern_function(
    struct hf_keepers *keepers, struct hf_text name, uint32_t *out_variable, struct hf_error *err)
{
    uint32_t id;
    if (!hf_intern_put(&keepers->functions, name.data, name.size, &id))
        return hf_error_memory(err);
    *out_variable = 1 + id;
    return HF_OK;
}

/* For frames of one stack. A word that lies in no frame is further in than all frames. */
static bool is_further_out(const struct hf_variable *a, const struct hf_variable *b)
{
    return a != NULL && (b == NULL || a->start > b->start);
}

/* The keepers of single places come before all pairs, in the order of the places. */
static enum hf_status keeper_of_root(struct keepers_maker *m, enum hf_root_kind kind,
    const struct hf_root *root, uint32_t *out_keeper, struct hf_error *err)
{
    struct hf_keepers *keepers = m->keepers;
    const struct hf_holder *holder = &m->graph->holders[root->holder];
    const struct hf_variable *where = where_of_root(m, kind, root);
    uint32_t variable = where != NULL ? 1 + (uint32_t)(where - m->variables->items) : 0, place = 0;
    uint64_t key = (uint64_t)root->holder << 32 | variable;
    const uint32_t *known = hf_map_find(&keepers->by_place, key);
    if (known != NULL) {
        *out_keeper = *known;
        return HF_OK;
    }
    struct keeper_place named = {(uint32_t)kind, variable, holder->thread};
    enum hf_status status = HF_OK;
    if (kind == HF_ROOT_STACK && where != NULL)
        status = intern_function(keepers, where->name, &named.variable, err);
    if (status == HF_OK)
        status = intern_place(keepers, holder, &named, &place, err);
    if (status == HF_OK && FIRST_ONE + place == keepers->count)
        status = add_keeper(keepers,
            (struct hf_block_keeper){
                .form = HF_KEEPER_ONE, .kind = kind, .holder = holder, .where = where},
            out_keeper, err);
    *out_keeper = FIRST_ONE + place;
    if (status == HF_OK && is_further_out(where, keepers->items[*out_keeper].where))
        keepers->items[*out_keeper].where = where;
    if (status == HF_OK && hf_map_put(&keepers->by_place, key, *out_keeper, NULL) == NULL)
        status = hf_error_memory(err);
    return status;
}

/* Writes the one or two places that a keeper stands for, in their order, and returns how many; 0:
 * MANY. */
static size_t keepers_in(const struct hf_keepers *keepers, uint32_t keeper, uint32_t out_ones[2])
{
    const struct hf_block_keeper *k = &keepers->items[keeper];
    out_ones[0] = k->form == HF_KEEPER_TWO ? k->first : keeper;
    out_ones[1] = k->second;
    return k->form == HF_KEEPER_MANY ? 0 : k->form == HF_KEEPER_TWO ? 2 : 1;
}

static enum hf_status keeper_of_two(struct hf_keepers *keepers, enum hf_root_kind kind,
    uint32_t first, uint32_t second, uint32_t *out_keeper, struct hf_error *err)
{
    bool is_new;
    uint32_t *known = hf_map_put(
        &keepers->by_pair, (uint64_t)first << 32 | second, (uint32_t)keepers->count, &is_new);
    if (known == NULL)
        return hf_error_memory(err);
    *out_keeper = *known;
    return !is_new ? HF_OK
                   : add_keeper(keepers,
                         (struct hf_block_keeper){
                             .form = HF_KEEPER_TWO, .kind = kind, .first = first, .second = second},
                         out_keeper, err);
}

/*
 * A function may pass what it has to those that it calls, so the outer one of two frames of a stack
 * keeps a block. True: both are on one stack, or are the same.
 */
static bool join_frames(const struct hf_keepers *keepers, uint32_t *kept, uint32_t other)
{
    const struct hf_block_keeper *a = &keepers->items[*kept], *b = &keepers->items[other];
    if (*kept == other)
        return true;
    if (a->kind != HF_ROOT_STACK || a->holder->thread != b->holder->thread)
        return false;
    *kept = is_further_out(b->where, a->where) ? other : *kept;
    return true;
}

/* The keeper that stands for both `a` and `b`. */
static enum hf_status join_keepers(
    struct hf_keepers *keepers, uint32_t a, uint32_t b, uint32_t *out_keeper, struct hf_error *err)
{
    uint32_t ones[4];
    enum hf_root_kind kind = keepers->items[a].kind;
    size_t count = keepers_in(keepers, a, ones), added = keepers_in(keepers, b, ones + 2);
    *out_keeper = hf_keeper_many(kind);
    if (a == b || count == 0 || added == 0) {
        *out_keeper = a == b ? a : hf_keeper_many(kind);
        return HF_OK;
    }
    for (size_t i = 2; i < 2 + added; i++) {
        if (join_frames(keepers, &ones[0], ones[i]) ||
            (count > 1 && join_frames(keepers, &ones[1], ones[i])))
            continue;
        if (count == 2)
            return HF_OK; /* a third */
        ones[count++] = ones[i];
    }
    if (count == 1) {
        *out_keeper = ones[0];
        return HF_OK;
    }
    bool is_sorted = ones[0] < ones[1];
    return keeper_of_two(
        keepers, kind, ones[is_sorted ? 0 : 1], ones[is_sorted ? 1 : 0], out_keeper, err);
}

/* Adds a keeper to those of a block. */
static enum hf_status give_keeper(
    struct keepers_maker *m, uint32_t block, uint32_t keeper, struct hf_error *err)
{
    struct hf_keepers *keepers = m->keepers;
    uint32_t joined = keeper;
    enum hf_status status = HF_OK;
    if (keepers->of[block] != UNKNOWN)
        status = join_keepers(keepers, keepers->of[block], keeper, &joined, err);
    if (status != HF_OK || joined == keepers->of[block])
        return status;
    keepers->of[block] = joined;
    if (m->is_queued[block] == 0) {
        m->queue[(m->head + m->queued++) % keepers->blocks] = block;
        m->is_queued[block] = 1;
    }
    return HF_OK;
}

/* The same, for a root; the path to the block begins at its first keeper. */
static enum hf_status give_from_root(
    struct keepers_maker *m, uint32_t block, uint32_t keeper, struct hf_error *err)
{
    if (m->keepers->of[block] == UNKNOWN)
        m->keepers->from[block] = (uint32_t)m->keepers->blocks + keeper;
    return give_keeper(m, block, keeper, err);
}

/* Numbers the single keepers, before there are pairs of them; with `gives`, gives them to the
 * blocks. */
static enum hf_status take_roots(struct keepers_maker *m, bool gives, struct hf_error *err)
{
    const struct hf_block_graph *g = m->graph;
    enum hf_status status = HF_OK;
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++) {
        for (size_t i = 0; i < g->root_count[kind] && status == HF_OK; i++) {
            /* Outer frames of a stack come first, so that the example path begins there if
             * possible. */
            size_t at = kind == HF_ROOT_STACK && gives ? g->root_count[kind] - 1 - i : i;
            const struct hf_root *root = &g->roots[kind][at];
            uint32_t keeper;
            if (g->states[root->block] != HF_BLOCK_HELD + kind)
                continue;
            status = keeper_of_root(m, (enum hf_root_kind)kind, root, &keeper, err);
            if (status == HF_OK && gives)
                status = give_from_root(m, root->block, keeper, err);
        }
    }
    return status;
}

static enum hf_status take_lost(struct keepers_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < m->keepers->blocks && status == HF_OK; i++) {
        if (m->graph->states[i] == HF_BLOCK_LOST)
            status = give_from_root(m, (uint32_t)i, HF_KEEPER_IS_LOST, err);
    }
    return status;
}

/* Passes the keepers of a block on to the blocks that it points to, except those that an earlier
 * kind of roots reaches. A lost block that another one leads to is LOST_WITH. */
static enum hf_status give_on(struct keepers_maker *m, uint32_t block, struct hf_error *err)
{
    struct hf_keepers *keepers = m->keepers;
    const struct hf_block_graph *g = m->graph;
    bool is_lost = g->states[block] < HF_BLOCK_HELD;
    uint32_t keeper = is_lost ? HF_KEEPER_IS_LOST_WITH : keepers->of[block];
    enum hf_status status = HF_OK;
    for (uint32_t t = g->first[block]; t < g->first[block + 1] && status == HF_OK; t++) {
        uint32_t target = g->targets[t];
        bool is_known = keepers->of[target] != UNKNOWN;
        if (g->states[target] != (is_lost ? HF_BLOCK_LOST_WITH : g->states[block]) ||
            (is_lost && is_known))
            continue;
        status = give_keeper(m, target, keeper, err);
        if (!is_known) {
            keepers->from[target] = block;
            keepers->depth[target] = keepers->depth[block] + 1;
        }
    }
    return status;
}

static enum hf_status give_to_all(struct keepers_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    while (m->queued != 0 && status == HF_OK) {
        uint32_t block = m->queue[m->head];
        m->head = (m->head + 1) % m->keepers->blocks;
        m->queued--;
        m->is_queued[block] = 0;
        status = give_on(m, block, err);
    }
    return status;
}

static enum hf_status keepers_init(struct keepers_maker *m, struct hf_error *err)
{
    struct hf_keepers *keepers = m->keepers;
    size_t count = keepers->blocks + 1;
    uint32_t ignored;
    keepers->of = malloc(count * sizeof *keepers->of);
    keepers->from = malloc(count * sizeof *keepers->from);
    keepers->depth = calloc(count, sizeof *keepers->depth);
    m->queue = malloc(count * sizeof *m->queue);
    m->is_queued = calloc(count, 1);
    if (keepers->of == NULL || keepers->from == NULL || keepers->depth == NULL ||
        m->queue == NULL || m->is_queued == NULL)
        return hf_error_memory(err);
    memset(keepers->of, 0xff, count * sizeof *keepers->of);
    enum hf_status status =
        add_keeper(keepers, (struct hf_block_keeper){.form = HF_KEEPER_LOST}, &ignored, err);
    if (status == HF_OK)
        status = add_keeper(
            keepers, (struct hf_block_keeper){.form = HF_KEEPER_LOST_WITH}, &ignored, err);
    for (unsigned kind = 0; kind < HF_ROOT_KINDS && status == HF_OK; kind++)
        status = add_keeper(keepers,
            (struct hf_block_keeper){.form = HF_KEEPER_MANY, .kind = (enum hf_root_kind)kind},
            &ignored, err);
    return status;
}

enum hf_status hf_keepers_make(struct hf_keepers *keepers, const struct hf_heap *heap,
    const struct hf_block_graph *graph, const struct hf_variables *variables, struct hf_error *err)
{
    struct keepers_maker m = {.keepers = keepers, .graph = graph, .variables = variables};
    *keepers = (struct hf_keepers){.blocks = heap->count};
    enum hf_status status = keepers_init(&m, err);
    if (status == HF_OK)
        status = take_roots(&m, false, err);
    if (status == HF_OK && keepers->blocks + keepers->count >= UNKNOWN)
        status = hf_error_set(err, HF_ERR_LIMIT, "the heaps have 2^32 blocks or more");
    if (status == HF_OK)
        status = take_roots(&m, true, err);
    if (status == HF_OK)
        status = take_lost(&m, err);
    if (status == HF_OK)
        status = give_to_all(&m, err);
    free(m.queue);
    free(m.is_queued);
    return status;
}

bool hf_keepers_before(
    const struct hf_keepers *keepers, uint32_t block, uint32_t *out_block, uint32_t *out_keeper)
{
    bool is_block = keepers->from[block] < keepers->blocks;
    if (is_block)
        *out_block = keepers->from[block];
    else
        *out_keeper = (uint32_t)(keepers->from[block] - keepers->blocks);
    return is_block;
}

void hf_keepers_done(struct hf_keepers *keepers)
{
    free(keepers->items);
    free(keepers->of);
    free(keepers->from);
    free(keepers->depth);
    hf_map_done(&keepers->by_place);
    hf_map_done(&keepers->by_pair);
    hf_intern_done(&keepers->places);
    hf_intern_done(&keepers->functions);
    *keepers = (struct hf_keepers){0};
}
