#include "heap/block_graph.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define WORD 8u
#define PAGE 4096u
#define RED_ZONE 128u              /* below a stack pointer: System V ABI for x86-64, 3.2.2 */
#define THREAD_DATA_MAX (1u << 20) /* below fs_base */
#define THREAD_HEAD 4096u          /* above it: struct pthread of the C library */
#define HEADERS_MAX 64
#define UNVISITED UINT8_MAX /* a state */

static const char agent_name[] = "/libheapflame.so";

/* Words that belong together: of a block, or of a range of roots. */
struct graph_words {
    uint64_t start, end;
};

/* A pointer that is rather the end of the block before. */
struct end_word {
    uint32_t from; /* the block that has it; HF_BLOCK_NONE: it is a root */
    enum hf_root_kind kind;
    struct hf_root root; /* `block` is what it seems to lead to */
};

struct graph_maker {
    struct hf_block_graph *graph;
    const struct hf_heap *heap;
    const struct hf_process_image *image;
    struct hf_process_reader *reader;
    struct hf_block_index index;
    uint64_t own_bytes; /* of a thread, below its fs_base */
    uint32_t holder;    /* whose words are looked at */
    uint32_t *queue;    /* of blocks to go on from */
    size_t queued;
    struct end_word *ends; /* those of blocks in their order */
    size_t end_count, end_capacity;
    uint64_t last_end; /* the address of the last word that was set aside */
};

static enum hf_status push(
    uint32_t **items, size_t *count, size_t *capacity, uint32_t item, struct hf_error *err)
{
    if (!hf_vec_reserve(items, capacity, *count + 1, sizeof **items))
        return hf_error_memory(err);
    (*items)[(*count)++] = item;
    return HF_OK;
}

/* In glibc's heaps the last word of a block is the head of the next chunk. */
static bool is_next_head(
    const struct graph_maker *m, const struct hf_heap_block *block, uint64_t word)
{
    if (block->bytes <= WORD || word != block->address + block->bytes - WORD)
        return false;
    const struct hf_heap_region *region = hf_heap_region_at(m->heap, word);
    return region == NULL || strcmp(region->allocator, "glibc") == 0;
}

/*
 * An address of user space has no more than 47 bits, so programs keep something else in the 16 high
 * ones (a tag, a counter, a NaN), and perhaps in the 3 low ones. A number is as large more often,
 * so this one has to be the start of a block: of random words one in 2^45 is that of a given one.
 */
static uint32_t target_behind_tag(const struct graph_maker *m, uint64_t word)
{
    uint64_t address = word & ((UINT64_C(1) << 48) - 8);
    uint32_t block = hf_block_index_find(&m->index, address);
    return block != HF_BLOCK_NONE && m->heap->blocks[block].address == address ? block
                                                                               : HF_BLOCK_NONE;
}

/* The block that a word points to. */
static uint32_t graph_target_of(const struct graph_maker *m, uint64_t word)
{
    if (word >> 48 != 0)
        return target_behind_tag(m, word);
    uint32_t block = hf_block_index_find(&m->index, word);
    if (block == HF_BLOCK_NONE)
        return HF_BLOCK_NONE;
    return is_next_head(m, &m->heap->blocks[block], word) ? HF_BLOCK_NONE : block;
}

/* ---- Ends ---- */

static uint64_t graph_word_in(
    const struct graph_maker *m, const struct graph_words *words, uint64_t at)
{
    uint64_t word;
    bool is_in = at >= words->start && at + WORD <= words->end;
    return is_in && hf_process_word(m->reader, at, &word) ? word : 0;
}

/*
 * A vector has the end of its block behind the addresses of its first element and behind its last,
 * an iterator of a deque behind those of an element and of the first of its piece. Where blocks lie
 * side by side, as in jemalloc's slabs, that is the address of the next one.
 */
static bool is_end_word(const struct graph_maker *m, const struct graph_words *words, uint64_t at,
    uint64_t word, uint32_t target)
{
    const struct hf_heap_block *blocks = m->heap->blocks;
    if (target == 0 || blocks[target].address != word ||
        blocks[target - 1].address + blocks[target - 1].bytes != word)
        return false;
    uint64_t start = blocks[target - 1].address;
    uint64_t before = graph_word_in(m, words, at - WORD),
             first = graph_word_in(m, words, at - 2 * WORD);
    if (before == start && graph_word_in(m, words, at + WORD) == word)
        return true; /* a full vector: its last element ends there, too */
    if (m->last_end == at - WORD && before != word)
        return false; /* what ends before is another vector; here begins the next one */
    return before >= start && before <= word && first >= start && first <= word &&
           (before == start || first == start);
}

static enum hf_status set_end_aside(
    struct graph_maker *m, struct end_word end, struct hf_error *err)
{
    if (!hf_vec_reserve(&m->ends, &m->end_capacity, m->end_count + 1, sizeof *m->ends))
        return hf_error_memory(err);
    m->ends[m->end_count++] = end;
    m->last_end = end.root.address;
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
        const struct graph_words words = {start, last};
        g->first[i] = (uint32_t)g->target_count;
        for (uint64_t at = start; at + WORD <= last && status == HF_OK; at += WORD) {
            if (at % PAGE == 0 || at == start)
                at = hf_process_next_page(m->reader, at, last);
            if (at >= last || !hf_process_word(m->reader, at, &word)) {
                at |= PAGE - WORD; /* nothing of this page is there */
                continue;
            }
            uint32_t target = graph_target_of(m, word);
            if (target == HF_BLOCK_NONE || target == i)
                continue;
            if (is_end_word(m, &words, at, word, target)) {
                status = set_end_aside(m,
                    (struct end_word){
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

static enum hf_status put_root(
    struct graph_maker *m, enum hf_root_kind kind, struct hf_root root, struct hf_error *err)
{
    struct hf_block_graph *g = m->graph;
    if (!hf_vec_reserve(&g->roots[kind], &g->root_capacity[kind], g->root_count[kind] + 1,
            sizeof *g->roots[kind]))
        return hf_error_memory(err);
    g->roots[kind][g->root_count[kind]++] = root;
    return HF_OK;
}

/* `words`: that it is one of; NULL: a register. */
static enum hf_status add_root(struct graph_maker *m, enum hf_root_kind kind, uint64_t word,
    uint64_t address, const struct graph_words *words, struct hf_error *err)
{
    uint32_t target = graph_target_of(m, word);
    const struct hf_root root = {target, m->holder, address};
    if (target == HF_BLOCK_NONE)
        return HF_OK;
    if (words != NULL && is_end_word(m, words, address, word, target))
        return set_end_aside(m, (struct end_word){HF_BLOCK_NONE, kind, root}, err);
    return put_root(m, kind, root, err);
}

/* Whose words come next. A module is known by its path, a thread by its number. */
static enum hf_status begin_holder(struct graph_maker *m, enum hf_root_kind kind, const char *path,
    pid_t thread, struct hf_error *err)
{
    struct hf_block_graph *g = m->graph;
    const struct hf_holder *last = g->holder_count != 0 ? &g->holders[m->holder] : NULL;
    if (last != NULL && last->kind == kind && last->thread == thread &&
        strcmp(last->path, path) == 0)
        return HF_OK;
    if (!hf_vec_reserve(&g->holders, &g->holder_capacity, g->holder_count + 1, sizeof *g->holders))
        return hf_error_memory(err);
    m->holder = (uint32_t)g->holder_count++;
    g->holders[m->holder] = (struct hf_holder){kind, path, thread};
    return HF_OK;
}

static enum hf_status add_root_range(struct graph_maker *m, enum hf_root_kind kind, uint64_t start,
    uint64_t end, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct graph_words words = {start, end};
    uint64_t word;
    for (uint64_t at = (start + WORD - 1) & ~(uint64_t)(WORD - 1);
         at + WORD <= end && status == HF_OK; at += WORD) {
        if (at % PAGE == 0)
            at = hf_process_next_page(m->reader, at, end);
        if (at < end && hf_process_word(m->reader, at, &word))
            status = add_root(m, kind, word, at, &words, err);
        else
            at |= PAGE - WORD;
    }
    return status;
}

static uint64_t largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What the program headers of a module say, as they lie in memory. */
struct graph_module {
    uint64_t own_bytes; /* for each thread */
    uint64_t end;       /* of its data, also of those that are not in the file */
};

/* All 0: `start` is not that of a module. */
static struct graph_module graph_read_module(struct graph_maker *m, uint64_t start)
{
    Elf64_Ehdr head;
    struct graph_module module = {0};
    if (!hf_process_copy(m->reader, start, &head, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(Elf64_Phdr))
        return module;
    uint64_t bias = start;
    for (unsigned i = 0; i < head.e_phnum && i < HEADERS_MAX; i++) {
        Elf64_Phdr part;
        if (!hf_process_copy(m->reader, start + head.e_phoff + i * sizeof part, &part, sizeof part))
            continue;
        if (part.p_type == PT_LOAD && part.p_offset == 0)
            bias = start - part.p_vaddr;
        if (part.p_type == PT_LOAD)
            module.end = largest(module.end, bias + part.p_vaddr + part.p_memsz);
        if (part.p_type == PT_TLS && part.p_memsz <= THREAD_DATA_MAX && part.p_align <= THREAD_HEAD)
            module.own_bytes = part.p_memsz + part.p_align;
    }
    return module;
}

/*
 * Those of all modules that were there when the program began lie side by side below the thread's
 * fs_base (System V ABI for x86-64, Drepper 2013, "ELF handling for thread-local storage", variant
 * II); below them is the stack of the thread.
 */
static void find_own_bytes(struct graph_maker *m)
{
    for (size_t i = 0; i < m->image->count; i++) {
        const struct hf_process_mapping *mapping = &m->image->mappings[i];
        if (mapping->inode != 0 && mapping->file_offset == 0)
            m->own_bytes += graph_read_module(m, mapping->start).own_bytes;
    }
    if (m->own_bytes > THREAD_DATA_MAX)
        m->own_bytes = THREAD_DATA_MAX;
}

/* The stack of a thread, and its own data behind it, in the mapping that has its stack pointer. */
static enum hf_status add_stack(struct graph_maker *m, const struct hf_stopped_thread *thread,
    const struct hf_process_mapping *mapping, struct hf_error *err)
{
    uint64_t sp = largest(thread->registers.rsp - RED_ZONE, mapping->start);
    uint64_t own = thread->registers.fs_base;
    bool is_same = own >= sp && own < mapping->end;
    uint64_t end = is_same ? largest(own - m->own_bytes, sp) : mapping->end;
    enum hf_status status = begin_holder(m, HF_ROOT_STACK, "", thread->tid, err);
    if (status == HF_OK)
        status = add_root_range(m, HF_ROOT_STACK, sp, end, err);
    if (status == HF_OK)
        status = begin_holder(m, HF_ROOT_THREAD_LOCAL, "", thread->tid, err);
    return status == HF_OK ? add_root_range(m, HF_ROOT_THREAD_LOCAL, end, mapping->end, err)
                           : status;
}

static enum hf_status add_registers(
    struct graph_maker *m, const struct hf_stopped_thread *thread, struct hf_error *err)
{
    const struct user_regs_struct *r = &thread->registers;
    const uint64_t words[] = {r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp, r->r8, r->r9,
        r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};
    enum hf_status status = begin_holder(m, HF_ROOT_REGISTER, "", thread->tid, err);
    for (size_t i = 0; i < sizeof words / sizeof *words && status == HF_OK; i++)
        status = add_root(m, HF_ROOT_REGISTER, words[i], 0, NULL, err);
    return status;
}

static enum hf_status graph_add_threads(struct graph_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < m->image->thread_count && status == HF_OK; i++) {
        const struct hf_stopped_thread *thread = &m->image->threads[i];
        const struct hf_process_mapping *mapping =
            hf_process_image_find(m->image, thread->registers.rsp);
        status = add_registers(m, thread, err);
        if (status == HF_OK && mapping != NULL)
            status = add_stack(m, thread, mapping, err);
    }
    return status;
}

/* The thread whose stack or whose own data lie in a mapping, or NULL. */
static const struct hf_stopped_thread *thread_in(
    const struct graph_maker *m, const struct hf_process_mapping *mapping, bool is_stack)
{
    for (size_t i = 0; i < m->image->thread_count; i++) {
        const struct user_regs_struct *r = &m->image->threads[i].registers;
        uint64_t address = is_stack ? r->rsp : r->fs_base;
        if (address >= mapping->start && address < mapping->end)
            return &m->image->threads[i];
    }
    return NULL;
}

/* What the recorder has is no root: it knows blocks by their addresses, and old stacks. */
static enum hf_status add_range_but_recorder(struct graph_maker *m, enum hf_root_kind kind,
    uint64_t start, uint64_t end, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_process_range *own = m->image->recorder;
    size_t count = m->image->recorder_count, next = HF_FIRST_ABOVE(own, count, end, start);
    for (; start < end && status == HF_OK; next++) {
        bool has_next = next < count && own[next].start < end;
        uint64_t until = has_next ? own[next].start : end;
        if (until > start)
            status = add_root_range(m, kind, start, until, err);
        start = has_next ? own[next].end : end;
    }
    return status;
}

/* What of a heap is no block is its allocator's. */
static enum hf_status add_part_but_heaps(struct graph_maker *m, uint64_t start, uint64_t end,
    enum hf_root_kind kind, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_heap *heap = m->heap;
    size_t next = HF_FIRST_ABOVE(heap->regions, heap->region_count, end, start);
    for (; start < end && status == HF_OK; next++) {
        bool has_next = next < heap->region_count && heap->regions[next].start < end;
        uint64_t until = has_next ? heap->regions[next].start : end;
        if (until > start)
            status = add_range_but_recorder(m, kind, start, until, err);
        start = has_next ? heap->regions[next].end : end;
    }
    return status;
}

/* The same, which are of a thread around its fs_base if its stack is elsewhere, as the first one's.
 */
static enum hf_status add_anonymous(struct graph_maker *m, const struct hf_process_mapping *mapping,
    uint64_t start, struct hf_error *err)
{
    const struct hf_stopped_thread *owner = thread_in(m, mapping, false);
    uint64_t own = owner != NULL ? owner->registers.fs_base : mapping->end;
    uint64_t own_start = least(largest(own - m->own_bytes, start), mapping->end);
    uint64_t own_end = least(own + THREAD_HEAD, mapping->end);
    enum hf_status status = HF_OK;
    if (owner != NULL)
        status = begin_holder(m, HF_ROOT_THREAD_LOCAL, "", owner->tid, err);
    if (owner != NULL && status == HF_OK)
        status = add_part_but_heaps(m, own_start, own_end, HF_ROOT_THREAD_LOCAL, err);
    else
        own_start = own_end = mapping->end;
    if (status == HF_OK)
        status = begin_holder(m, HF_ROOT_MAPPING, mapping->path, 0, err);
    if (status == HF_OK)
        status = add_part_but_heaps(m, start, own_start, HF_ROOT_MAPPING, err);
    return status == HF_OK ? add_part_but_heaps(m, own_end, mapping->end, HF_ROOT_MAPPING, err)
                           : status;
}

static bool is_of_agent(const struct hf_process_mapping *mapping)
{
    size_t size = strlen(mapping->path), tail = sizeof agent_name - 1;
    return size >= tail && strcmp(mapping->path + size - tail, agent_name) == 0;
}

/* What the program cannot write, or is not its own alone. */
static bool is_no_root(const struct hf_process_mapping *mapping)
{
    return !mapping->is_writable || mapping->is_shared;
}

/*
 * A module's data, and behind them, without a name, those that are not in its file. The kernel may
 * have put a mapping of somebody else right behind, and calls both one.
 */
static enum hf_status graph_add_mappings(struct graph_maker *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_process_mapping *module = NULL;
    uint64_t module_end = 0;
    for (size_t i = 0; i < m->image->count && status == HF_OK; i++) {
        const struct hf_process_mapping *mapping = &m->image->mappings[i];
        if (mapping->inode != 0 && mapping->file_offset == 0)
            module_end = graph_read_module(m, mapping->start).end;
        if (mapping->inode != 0)
            module = mapping;
        uint64_t data_end = mapping->inode != 0 ? mapping->end : least(module_end, mapping->end);
        data_end = largest(data_end, mapping->start);
        if (is_no_root(mapping) || thread_in(m, mapping, true) != NULL)
            continue;
        if (data_end != mapping->start && !is_of_agent(module)) {
            status = begin_holder(m, HF_ROOT_DATA, module->path, 0, err);
            if (status == HF_OK)
                status = add_part_but_heaps(m, mapping->start, data_end, HF_ROOT_DATA, err);
        }
        if (status == HF_OK && data_end != mapping->end)
            status = add_anonymous(m, mapping, data_end, err);
    }
    return status;
}

/* ---- Who reaches what ---- */

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
    for (unsigned kind = 0; kind < HF_ROOT_KINDS; kind++) {
        uint8_t state = (uint8_t)(HF_BLOCK_HELD + kind);
        for (size_t i = 0; i < g->root_count[kind]; i++)
            graph_visit(m, g->roots[kind][i].block, state);
        visit_from_queue(m, state);
    }
}

/* A lost block to which no other leads; then of what is left, which is rings, the first. */
static void visit_lost(struct graph_maker *m, const uint8_t *has_parent, bool is_ring)
{
    for (uint32_t i = 0; i < m->heap->count; i++) {
        if (m->graph->states[i] != UNVISITED || (has_parent[i] != 0 && !is_ring))
            continue;
        graph_visit(m, i, HF_BLOCK_LOST);
        visit_from_queue(m, HF_BLOCK_LOST_WITH);
    }
}

/* `count` more pointers of blocks, which come first of the ends that were set aside. */
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
        for (; count != 0 && m->ends[count - 1].from == i; count--)
            g->targets[--end] = m->ends[count - 1].root.block;
        end -= old;
        memmove(g->targets + end, from, old * sizeof *from);
    }
    return HF_OK;
}

/* Nothing is lost for being at an end: what no other word leads to, these do. */
static enum hf_status take_ends_back(struct graph_maker *m, size_t *out_count, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    size_t edges = 0;
    *out_count = 0;
    for (size_t i = 0; i < m->end_count && status == HF_OK; i++) {
        const struct end_word end = m->ends[i];
        if (m->graph->states[end.root.block] != UNVISITED)
            continue;
        (*out_count)++;
        if (end.from == HF_BLOCK_NONE)
            status = put_root(m, end.kind, end.root, err);
        else
            m->ends[edges++] = end;
    }
    return status == HF_OK && edges != 0 ? add_late_edges(m, edges, err) : status;
}

static enum hf_status visit_held(struct graph_maker *m, struct hf_error *err)
{
    size_t count = 0;
    memset(m->graph->states, UNVISITED, m->heap->count);
    visit_roots(m);
    enum hf_status status = take_ends_back(m, &count, err);
    if (count != 0) {
        memset(m->graph->states, UNVISITED, m->heap->count);
        visit_roots(m);
    }
    return status;
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

static void graph_add_up(struct hf_block_graph *graph, const struct hf_heap *heap)
{
    for (size_t i = 0; i < heap->count; i++) {
        uint8_t state = graph->states[i];
        struct hf_heap_sum *sum = state == HF_BLOCK_LOST        ? &graph->lost
                                  : state == HF_BLOCK_LOST_WITH ? &graph->lost_with
                                                                : &graph->held;
        sum->bytes += heap->blocks[i].bytes;
        sum->count++;
    }
}

static enum hf_status graph_make(struct graph_maker *m, struct hf_error *err)
{
    size_t count = m->heap->count + 1;
    struct hf_block_graph *g = m->graph;
    m->reader = calloc(1, sizeof *m->reader);
    m->queue = malloc(count * sizeof *m->queue);
    g->first = malloc(count * sizeof *g->first);
    g->states = malloc(count);
    if (m->reader == NULL || m->queue == NULL || g->first == NULL || g->states == NULL)
        return hf_error_memory(err);
    m->reader->image = m->image;
    find_own_bytes(m);
    enum hf_status status = hf_block_index_init(&m->index, m->heap, err);
    if (status == HF_OK)
        status = add_edges(m, err);
    if (status == HF_OK)
        status = graph_add_threads(m, err);
    if (status == HF_OK)
        status = graph_add_mappings(m, err);
    return status == HF_OK ? visit_all(m, err) : status;
}

enum hf_status hf_block_graph_make(struct hf_block_graph *graph, const struct hf_heap *heap,
    const struct hf_process_image *image, struct hf_error *err)
{
    struct graph_maker m = {.graph = graph, .heap = heap, .image = image};
    *graph = (struct hf_block_graph){.target_count = 0};
    enum hf_status status = graph_make(&m, err);
    if (status == HF_OK)
        graph_add_up(graph, heap);
    hf_block_index_done(&m.index);
    free(m.reader);
    free(m.queue);
    free(m.ends);
    return status;
}

void hf_block_graph_done(struct hf_block_graph *graph)
{
    free(graph->first);
    free(graph->targets);
    free(graph->states);
    free(graph->holders);
    for (size_t kind = 0; kind < HF_ROOT_KINDS; kind++)
        free(graph->roots[kind]);
    *graph = (struct hf_block_graph){.target_count = 0};
}
