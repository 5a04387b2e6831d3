#include "heap/graph/block_graph.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "heap/graph/pointers.h"

#include <stdlib.h>
#include <string.h>

#define WORD 8u
#define PAGE 4096u
#define UNVISITED UINT8_MAX /* a state */
#define ADDRESS_BITS 47     /* of what a program maps */
#define GROWTH (64u << 20)  /* of a heap, while it is read */
#define OPEN_MAX (1u << 20) /* most of them are old: what a program has freed, its own stacks */

/* A pointer that counts only if nothing else leads to its block. */
struct late_word {
    uint32_t from; /* the block that has it; HF_BLOCK_NONE: it is a root */
    enum hf_root_kind kind;
    struct hf_root root; /* `block` is what it seems to lead to */
};

struct graph_maker {
    struct hf_block_graph *graph;
    const struct hf_heap *heap;
    const struct hf_process_image *image;
    struct hf_pointers pointers;
    struct hf_root_ranges ranges;
    uint32_t *queue; /* blocks whose pointers are followed next */
    size_t queued;
    struct late_word *late; /* words in blocks first, in the order of the blocks */
    size_t late_count, late_capacity;
    /* Where the blocks lie that seem lost after the first search. */
    uint64_t lost_start, lost_bytes;
    const struct hf_lost_blocks *before; /* only these may be lost; NULL: all */
};

static enum hf_status push(
    uint32_t **items, size_t *count, size_t *capacity, uint32_t item, struct hf_error *err)
{
    if (!hf_vec_reserve(items, capacity, *count + 1, sizeof **items))
        return hf_error_memory(err);
    (*items)[(*count)++] = item;
    return HF_OK;
}

static enum hf_status set_aside(struct graph_maker *m, struct late_word word, struct hf_error *err)
{
    if (!hf_vec_reserve(&m->late, &m->late_capacity, m->late_count + 1, sizeof *m->late))
        return hf_error_memory(err);
    m->late[m->late_count++] = word;
    return HF_OK;
}

static enum hf_status set_end_aside(
    struct graph_maker *m, struct late_word end, struct hf_error *err)
{
    m->pointers.last_end = end.root.address;
    return set_aside(m, end, err);
}

/* ---- Open words ---- */

/* Memory of the program's own, or where there may be some meanwhile: behind what is listed. */
static bool may_be_heap(const struct hf_process_image *image, uint64_t word)
{
    const struct hf_process_mapping *mappings = image->mappings;
    if (image->count == 0 || word < mappings[0].start || word >> ADDRESS_BITS != 0)
        return false;
    size_t i = HF_FIRST_ABOVE(mappings, image->count, end, word);
    if (i == image->count || word < mappings[i].start)
        return i != 0 && word - mappings[i - 1].end < GROWTH;
    return mappings[i].inode == 0 && mappings[i].is_writable && !mappings[i].is_shared;
}

static enum hf_status note_open(
    struct graph_maker *m, uint64_t address, uint64_t word, struct hf_error *err)
{
    struct hf_block_graph *g = m->graph;
    if (!m->image->is_running || word % WORD != 0 || g->open_count == OPEN_MAX ||
        !may_be_heap(m->image, word))
        return HF_OK;
    if (!hf_vec_reserve(&g->open, &g->open_capacity, g->open_count + 1, sizeof *g->open))
        return hf_error_memory(err);
    g->open[g->open_count++] = (struct hf_open_word){address, word};
    return HF_OK;
}

/* ---- Edges ---- */

static enum hf_status add_edges(struct graph_maker *m, struct hf_error *err)
{
    struct hf_block_graph *g = m->graph;
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < m->heap->count && status == HF_OK; i++) {
        const struct hf_heap_block *block = &m->heap->blocks[i];
        uint64_t start = (block->address + WORD - 1) & ~(uint64_t)(WORD - 1), word;
        uint64_t last = block->address + block->bytes;
        const struct hf_pointer_words words = {start, last};
        g->first[i] = (uint32_t)g->target_count;
        for (uint64_t at = start; at + WORD <= last && status == HF_OK; at += WORD) {
            if (at % PAGE == 0 || at == start)
                at = hf_process_next_page(m->pointers.reader, at, last);
            if (at >= last || !hf_process_word(m->pointers.reader, at, &word)) {
                at |= PAGE - WORD; /* this page cannot be read */
                continue;
            }
            hf_pointers_look_ahead(&m->pointers, at);
            uint32_t target = hf_pointers_target(&m->pointers, word);
            if (target == HF_BLOCK_NONE)
                status = note_open(m, at, word, err);
            if (target == HF_BLOCK_NONE || target == i)
                continue;
            if (hf_pointers_is_end(&m->pointers, &words, at, word, target)) {
                status = set_end_aside(m,
                    (struct late_word){
                        .from = (uint32_t)i, .root = {.block = target, .address = at}},
                    err);
                continue;
            }
            if (g->target_count == HF_BLOCK_NONE)
                return hf_error_set(err, HF_ERR_LIMIT, "the heaps hold 2^32 pointers or more");
            status = push(&g->targets, &g->target_count, &g->target_capacity, target, err);
        }
    }
    g->first[m->heap->count] = (uint32_t)g->target_count;
    return status;
}

/* ---- Roots ---- */

enum hf_status hf_block_graph_add_root(
    struct hf_block_graph *graph, enum hf_root_kind kind, struct hf_root root, struct hf_error *err)
{
    if (!hf_vec_reserve(&graph->roots[kind], &graph->root_capacity[kind],
            graph->root_count[kind] + 1, sizeof *graph->roots[kind]))
        return hf_error_memory(err);
    graph->roots[kind][graph->root_count[kind]++] = root;
    return HF_OK;
}

static enum hf_status add_root(struct graph_maker *m, struct hf_root root, uint64_t word,
    const struct hf_pointer_words *words, struct hf_error *err)
{
    enum hf_root_kind kind = m->ranges.holders[root.holder].kind;
    root.block = hf_pointers_target(&m->pointers, word);
    if (root.block == HF_BLOCK_NONE)
        return note_open(m, root.address, word, err);
    if (words != NULL && hf_pointers_is_end(&m->pointers, words, root.address, word, root.block))
        return set_end_aside(m, (struct late_word){HF_BLOCK_NONE, kind, root}, err);
    return hf_block_graph_add_root(m->graph, kind, root, err);
}

static enum hf_status add_registers(
    struct graph_maker *m, const struct hf_root_range *range, struct hf_error *err)
{
    const struct user_regs_struct *r = &range->thread->registers;
    const uint64_t words[] = {r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp, r->r8, r->r9,
        r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < sizeof words / sizeof *words && status == HF_OK; i++)
        status = add_root(m, (struct hf_root){.holder = range->holder}, words[i], NULL, err);
    return status;
}

static enum hf_status add_root_range(
    struct graph_maker *m, const struct hf_root_range *range, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_pointer_words words = {range->start, range->end};
    uint64_t word, end = range->end;
    for (uint64_t at = (range->start + WORD - 1) & ~(uint64_t)(WORD - 1);
         at + WORD <= end && status == HF_OK; at += WORD) {
        if (at % PAGE == 0)
            at = hf_process_next_page(m->pointers.reader, at, end);
        if (at < end && hf_process_word(m->pointers.reader, at, &word))
            status = add_root(
                m, (struct hf_root){.holder = range->holder, .address = at}, word, &words, err);
        else
            at |= PAGE - WORD;
    }
    return status;
}

static enum hf_status add_roots(struct graph_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < m->ranges.count && status == HF_OK; i++) {
        const struct hf_root_range *range = &m->ranges.items[i];
        status =
            range->thread != NULL ? add_registers(m, range, err) : add_root_range(m, range, err);
    }
    return status;
}

/* ---- What reaches what ---- */

static void graph_visit(struct graph_maker *m, uint32_t block, uint8_t state)
{
    if (m->graph->states[block] != UNVISITED)
        return;
    m->graph->states[block] = state;
    m->queue[m->queued++] = block;
}

static void visit_from_queue(struct graph_maker *m, uint8_t state)
{
    const struct hf_block_graph *g = m->graph;
    while (m->queued != 0) {
        uint32_t block = m->queue[--m->queued];
        for (uint32_t i = g->first[block]; i < g->first[block + 1]; i++)
            graph_visit(m, g->targets[i], state);
    }
}

static void visit_roots(struct graph_maker *m)
{
    const struct hf_block_graph *g = m->graph;
    memset(g->states, UNVISITED, m->heap->count);
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++) {
        uint8_t state = (uint8_t)(HF_BLOCK_HELD + kind);
        for (size_t i = 0; i < g->root_count[kind]; i++)
            graph_visit(m, g->roots[kind][i].block, state);
        visit_from_queue(m, state);
    }
}

/* Visits the lost blocks to which no other leads. What is left are rings: the second call visits
 * the first block of each. */
static void visit_lost(struct graph_maker *m, const uint8_t *has_parent, bool is_ring)
{
    for (uint32_t i = 0; i < m->heap->count; i++) {
        if (m->graph->states[i] != UNVISITED || (has_parent[i] != 0 && !is_ring))
            continue;
        graph_visit(m, i, HF_BLOCK_LOST);
        visit_from_queue(m, HF_BLOCK_LOST_WITH);
    }
}

/* Adds `count` pointers from blocks to the graph: the first of the words that were set aside. */
static enum hf_status add_late_edges(struct graph_maker *m, size_t count, struct hf_error *err)
{
    struct hf_block_graph *g = m->graph;
    if (count >= HF_BLOCK_NONE - g->target_count)
        return hf_error_set(err, HF_ERR_LIMIT, "the heaps hold 2^32 pointers or more");
    if (!hf_vec_reserve(
            &g->targets, &g->target_capacity, g->target_count + count, sizeof *g->targets))
        return hf_error_memory(err);
    size_t end = g->target_count += count;
    for (size_t i = m->heap->count; i-- != 0 && count != 0;) {
        size_t old = g->first[i + 1] - g->first[i];
        uint32_t *from = g->targets + g->first[i];
        g->first[i + 1] = (uint32_t)end;
        for (; count != 0 && m->late[count - 1].from == i; count--)
            g->targets[--end] = m->late[count - 1].root.block;
        end -= old;
        memmove(g->targets + end, from, old * sizeof *from);
    }
    return HF_OK;
}

/* A block is not lost if a pointer to it looks like an end, or lies at an odd place: if no other
 * word leads to the block, these words do. */
static enum hf_status take_late_words(struct graph_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    size_t edges = 0, roots = 0;
    for (size_t i = 0; i < m->late_count && status == HF_OK; i++) {
        const struct late_word word = m->late[i];
        if (m->graph->states[word.root.block] != UNVISITED)
            continue;
        roots += word.from == HF_BLOCK_NONE;
        if (word.from == HF_BLOCK_NONE)
            status = hf_block_graph_add_root(m->graph, word.kind, word.root, err);
        else
            m->late[edges++] = word;
    }
    if (status == HF_OK && edges != 0)
        status = add_late_edges(m, edges, err);
    if (edges + roots != 0)
        visit_roots(m);
    m->late_count = 0;
    return status;
}

/* ---- Odd places ---- */

/* False: no eight bytes across the two words are an address, i.e. have zeros in their two high
 * bytes. */
static bool may_lie_between(uint64_t low, uint64_t high)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    /* And perhaps some false ones behind them. */
    uint64_t zeros = (high - each) & ~high & each << 7;
    return (zeros << 8 & zeros & UINT64_MAX >> 8) != 0 ||
           (low >> 56 == 0 && (zeros & 1u << 7) != 0);
}

/* `of` has the word `low` at its address, and `high` behind it. */
static enum hf_status look_between(
    struct graph_maker *m, struct late_word of, uint64_t low, uint64_t high, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t at = of.root.address;
    unsigned near = 0; /* a bit for each word that may be the address of an unvisited block */
    for (unsigned i = 1; i < WORD; i++) {
        uint64_t word = low >> 8 * i | high << (64 - 8 * i);
        near |= (unsigned)(word - m->lost_start < m->lost_bytes) << i;
    }
    for (unsigned i = 1; near >> i != 0 && status == HF_OK; i++) {
        if ((near >> i & 1) == 0)
            continue;
        of.root.block =
            hf_pointers_target_at_odd_place(&m->pointers, low >> 8 * i | high << (64 - 8 * i));
        of.root.address = at + i;
        if (of.root.block != HF_BLOCK_NONE && of.root.block != of.from &&
            m->graph->states[of.root.block] == UNVISITED)
            status = set_aside(m, of, err);
    }
    return status;
}

static enum hf_status look_at_odd_places(
    struct graph_maker *m, struct late_word of, uint64_t start, uint64_t end, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t words[1 + PAGE / WORD], next; /* behind the last one of the page before */
    bool goes_on = false;
    for (uint64_t at = (start + WORD - 1) & ~(uint64_t)(WORD - 1);
         at + WORD <= end && status == HF_OK; at = next) {
        uint64_t there = hf_process_next_page(m->pointers.reader, at, end);
        goes_on = goes_on && there == at;
        at = there;
        next = end - at < PAGE - at % PAGE ? end : at + PAGE - at % PAGE;
        size_t count = (size_t)(next - at) / WORD;
        if (!hf_process_copy(m->pointers.reader, at, words + 1, count * WORD)) {
            goes_on = false;
            continue;
        }
        for (size_t i = goes_on ? 1 : 2; i <= count && status == HF_OK; i++) {
            of.root.address = at + i * WORD - 2 * WORD;
            if (may_lie_between(words[i - 1], words[i]))
                status = look_between(m, of, words[i - 1], words[i], err);
        }
        words[0] = words[count];
        goes_on = true;
    }
    return status;
}

/*
 * A block that seems lost may be held by a packed structure. All memory is searched once more, for
 * the addresses of these blocks only, so that numbers cannot seem to hold others.
 */
static enum hf_status find_odd_words(struct graph_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < m->heap->count && status == HF_OK; i++) {
        const struct hf_heap_block *block = &m->heap->blocks[i];
        status = look_at_odd_places(m, (struct late_word){.from = (uint32_t)i}, block->address,
            block->address + block->bytes, err);
    }
    for (size_t i = 0; i < m->ranges.count && status == HF_OK; i++) {
        const struct hf_root_range *range = &m->ranges.items[i];
        const struct late_word of = {
            HF_BLOCK_NONE, m->ranges.holders[range->holder].kind, {.holder = range->holder}};
        status = look_at_odd_places(m, of, range->start, range->end, err);
    }
    return status;
}

/* Finds where the blocks lie that seem lost; false: there are none. */
static bool find_unvisited(struct graph_maker *m)
{
    const struct hf_heap_block *first = NULL, *last = NULL;
    for (size_t i = 0; i < m->heap->count; i++) {
        if (m->graph->states[i] != UNVISITED)
            continue;
        last = &m->heap->blocks[i];
        first = first == NULL ? last : first;
    }
    m->lost_start = first != NULL ? first->address : 0;
    m->lost_bytes = first != NULL ? last->address + last->bytes - first->address : 0;
    return first != NULL;
}

/* ---- Looks twice ---- */

static bool was_lost(const struct hf_lost_blocks *before, const struct hf_heap_block *block)
{
    size_t i = HF_FIRST_ABOVE(before->items, before->count, address, block->address - 1);
    return i < before->count && before->items[i].address == block->address &&
           before->items[i].bytes == block->bytes;
}

/* Whose word lies at an address: a block's, or a root; false: nobody's. */
static bool find_owner(const struct graph_maker *m, uint64_t address, struct late_word *out)
{
    const struct hf_heap_block *block = hf_heap_find(m->heap, address);
    *out = (struct late_word){.from = HF_BLOCK_NONE, .root.address = address};
    if (block != NULL)
        out->from = (uint32_t)(block - m->heap->blocks);
    for (size_t i = 0; block == NULL && i < m->ranges.count; i++) {
        const struct hf_root_range *range = &m->ranges.items[i];
        if (range->thread != NULL || address < range->start || address >= range->end)
            continue;
        out->kind = m->ranges.holders[range->holder].kind;
        out->root.holder = range->holder;
        return true;
    }
    return block != NULL;
}

static int by_block_from(const void *a, const void *b)
{
    const struct late_word *left = a, *right = b;
    return (left->from > right->from) - (left->from < right->from);
}

/* What was younger than all blocks at the look before is one of them now. */
static enum hf_status take_open_words(struct graph_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < m->before->open_count && status == HF_OK; i++) {
        const struct hf_open_word *open = &m->before->open[i];
        uint32_t block = hf_pointers_target(&m->pointers, open->word);
        struct late_word word;
        if (block == HF_BLOCK_NONE || m->graph->states[block] != UNVISITED ||
            was_lost(m->before, &m->heap->blocks[block]) || !find_owner(m, open->address, &word))
            continue;
        word.root.block = block;
        status = set_aside(m, word, err);
    }
    if (m->late_count != 0)
        qsort(m->late, m->late_count, sizeof *m->late, by_block_from);
    return status == HF_OK ? take_late_words(m, err) : status;
}

/* What looks lost for the first time has moved, or is new. */
static enum hf_status spare_others(struct graph_maker *m, struct hf_error *err)
{
    struct hf_root_ranges *r = &m->ranges;
    struct hf_root root = {.holder = (uint32_t)r->holder_count};
    enum hf_status status = HF_OK;
    if (!hf_vec_reserve(&r->holders, &r->holder_capacity, r->holder_count + 1, sizeof *r->holders))
        return hf_error_memory(err);
    r->holders[r->holder_count++] = (struct hf_holder){HF_ROOT_MAPPING, HF_HOLDER_CHANGED, 0};
    for (size_t i = 0; i < m->heap->count && status == HF_OK; i++) {
        if (m->graph->states[i] != UNVISITED || was_lost(m->before, &m->heap->blocks[i]))
            continue;
        root.block = (uint32_t)i;
        status = hf_block_graph_add_root(m->graph, HF_ROOT_MAPPING, root, err);
        graph_visit(m, root.block, HF_BLOCK_HELD + HF_ROOT_MAPPING);
        visit_from_queue(m, HF_BLOCK_HELD + HF_ROOT_MAPPING);
    }
    return status;
}

static enum hf_status visit_held(struct graph_maker *m, struct hf_error *err)
{
    visit_roots(m);
    enum hf_status status = take_late_words(m, err);
    if (status == HF_OK && find_unvisited(m))
        status = find_odd_words(m, err);
    if (status == HF_OK)
        status = take_late_words(m, err);
    if (status == HF_OK && m->before != NULL)
        status = take_open_words(m, err);
    return status == HF_OK && m->before != NULL ? spare_others(m, err) : status;
}

static enum hf_status visit_all(struct graph_maker *m, struct hf_error *err)
{
    const struct hf_block_graph *g = m->graph;
    uint8_t *has_parent = calloc(m->heap->count + 1, 1);
    enum hf_status status = has_parent != NULL ? visit_held(m, err) : hf_error_memory(err);
    if (status != HF_OK) {
        free(has_parent);
        return status;
    }
    for (size_t i = 0; i < m->heap->count; i++) {
        for (uint32_t t = g->first[i]; t < g->first[i + 1] && g->states[i] == UNVISITED; t++)
            has_parent[g->targets[t]] = 1;
    }
    visit_lost(m, has_parent, false);
    visit_lost(m, has_parent, true);
    free(has_parent);
    return HF_OK;
}

void hf_block_graph_add_up(struct hf_block_graph *graph, const struct hf_heap *heap)
{
    graph->held = graph->lost = graph->lost_with = (struct hf_heap_sum){0};
    for (size_t i = 0; i < heap->count; i++) {
        uint8_t state = graph->states[i];
        struct hf_heap_sum *sum = state == HF_BLOCK_LOST        ? &graph->lost
                                  : state == HF_BLOCK_LOST_WITH ? &graph->lost_with
                                                                : &graph->held;
        sum->bytes += heap->blocks[i].bytes;
        sum->count++;
    }
}

static enum hf_status graph_make(
    struct graph_maker *m, const struct hf_process_image *image, struct hf_error *err)
{
    size_t count = m->heap->count + 1;
    struct hf_block_graph *g = m->graph;
    m->queue = malloc(count * sizeof *m->queue);
    g->first = malloc(count * sizeof *g->first);
    g->states = malloc(count);
    if (m->queue == NULL || g->first == NULL || g->states == NULL)
        return hf_error_memory(err);
    enum hf_status status = hf_pointers_init(&m->pointers, m->heap, image, err);
    if (status == HF_OK)
        status = hf_root_ranges_find(&m->ranges, m->heap, image, err);
    if (status == HF_OK)
        status = add_edges(m, err);
    if (status == HF_OK)
        status = add_roots(m, err);
    return status == HF_OK ? visit_all(m, err) : status;
}

enum hf_status hf_block_graph_make_again(struct hf_block_graph *graph, const struct hf_heap *heap,
    const struct hf_process_image *image, const struct hf_lost_blocks *before, struct hf_error *err)
{
    struct graph_maker m = {.graph = graph, .heap = heap, .image = image, .before = before};
    *graph = (struct hf_block_graph){.target_count = 0};
    enum hf_status status = graph_make(&m, image, err);
    if (status == HF_OK)
        hf_block_graph_add_up(graph, heap);
    graph->holders = m.ranges.holders;
    graph->holder_count = m.ranges.holder_count;
    m.ranges.holders = NULL;
    hf_root_ranges_done(&m.ranges);
    hf_pointers_done(&m.pointers);
    free(m.queue);
    free(m.late);
    return status;
}

enum hf_status hf_block_graph_make(struct hf_block_graph *graph, const struct hf_heap *heap,
    const struct hf_process_image *image, struct hf_error *err)
{
    return hf_block_graph_make_again(graph, heap, image, NULL, err);
}

enum hf_status hf_lost_blocks_note(struct hf_lost_blocks *lost, const struct hf_heap *heap,
    struct hf_block_graph *graph, struct hf_error *err)
{
    size_t count = (size_t)(graph->lost.count + graph->lost_with.count);
    *lost = (struct hf_lost_blocks){.items = malloc((count + 1) * sizeof *lost->items)};
    if (lost->items == NULL)
        return hf_error_memory(err);
    lost->open = graph->open;
    lost->open_count = graph->open_count;
    graph->open = NULL;
    for (size_t i = 0; i < heap->count; i++) {
        if (graph->states[i] < HF_BLOCK_HELD)
            lost->items[lost->count++] = heap->blocks[i];
    }
    return HF_OK;
}

void hf_lost_blocks_done(struct hf_lost_blocks *lost)
{
    free(lost->items);
    free(lost->open);
    *lost = (struct hf_lost_blocks){0};
}

void hf_block_graph_done(struct hf_block_graph *graph)
{
    free(graph->first);
    free(graph->targets);
    free(graph->states);
    free(graph->holders);
    free(graph->open);
    for (size_t kind = 0; kind < HF_ROOT_KINDS; kind++)
        free(graph->roots[kind]);
    *graph = (struct hf_block_graph){.target_count = 0};
}
