#include "heap/graph/root_ranges.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define RED_ZONE 128u              /* below a stack pointer: System V ABI for x86-64, 3.2.2 */
#define THREAD_DATA_MAX (1u << 20) /* below fs_base */
#define THREAD_HEAD 4096u          /* above it: struct pthread of the C library */
#define HEADERS_MAX 64
#define LEAF_BYTES (UINT64_C(1) << 30) /* that one part of jemalloc's tables covers */

static const char agent_name[] = "/libheapflame.so";

struct range_finder {
    struct hf_root_ranges *ranges;
    const struct hf_heap *heap;
    const struct hf_process_image *image;
    struct hf_process_reader *reader;
    uint64_t own_bytes; /* thread-local storage of each thread, below its fs_base */
};

/* Ranges that are added from here on belong to this holder. A module is identified by its path, a
 * thread by its number. */
static enum hf_status begin_holder(struct range_finder *m, enum hf_root_kind kind, const char *path,
    pid_t thread, struct hf_error *err)
{
    struct hf_root_ranges *r = m->ranges;
    const struct hf_holder *last = r->holder_count != 0 ? &r->holders[r->holder_count - 1] : NULL;
    if (last != NULL && last->kind == kind && last->thread == thread &&
        strcmp(last->path, path) == 0)
        return HF_OK;
    if (!hf_vec_reserve(&r->holders, &r->holder_capacity, r->holder_count + 1, sizeof *r->holders))
        return hf_error_memory(err);
    r->holders[r->holder_count++] = (struct hf_holder){kind, path, thread};
    return HF_OK;
}

static enum hf_status add_range(
    struct range_finder *m, struct hf_root_range range, struct hf_error *err)
{
    struct hf_root_ranges *r = m->ranges;
    range.holder = (uint32_t)r->holder_count - 1;
    if (!hf_vec_reserve(&r->items, &r->capacity, r->count + 1, sizeof *r->items))
        return hf_error_memory(err);
    r->items[r->count++] = range;
    return HF_OK;
}

static enum hf_status add_whole(
    struct range_finder *m, uint64_t start, uint64_t end, struct hf_error *err)
{
    const struct hf_root_range range = {.start = start, .end = end};
    return start < end ? add_range(m, range, err) : HF_OK;
}

/* jemalloc remembers in each thread's storage which part of its tables has which GiB, by the first
 * address of the GiB (rtree_ctx, include/jemalloc/internal/rtree_tsd.h). A block may lie there. */
static bool is_of_tables(const struct range_finder *m, uint64_t word, uint64_t next)
{
    const struct hf_heap_region *region = NULL;
    if (word != 0 && (word & (LEAF_BYTES - 1)) == 0)
        region = hf_heap_region_at(m->heap, next);
    return region != NULL && strcmp(region->part, HF_HEAP_TABLES) == 0;
}

/* Adds a thread's own storage, without the words of its allocator. */
static enum hf_status add_own_words(
    struct range_finder *m, uint64_t start, uint64_t end, struct hf_error *err)
{
    uint64_t words[2], from = start;
    uint64_t first = (start + sizeof *words - 1) & ~(uint64_t)(sizeof *words - 1);
    enum hf_status status = HF_OK;
    for (uint64_t at = first; at + sizeof words <= end && status == HF_OK; at += sizeof *words) {
        if (!hf_process_copy(m->reader, at, words, sizeof words) ||
            !is_of_tables(m, words[0], words[1]))
            continue;
        status = add_whole(m, from, at, err);
        from = at + sizeof *words;
    }
    return status == HF_OK ? add_whole(m, from, end, err) : status;
}

static enum hf_status add_bytes(
    struct range_finder *m, uint64_t start, uint64_t end, struct hf_error *err)
{
    bool is_own = m->ranges->holders[m->ranges->holder_count - 1].kind == HF_ROOT_THREAD_LOCAL;
    return is_own ? add_own_words(m, start, end, err) : add_whole(m, start, end, err);
}

static uint64_t largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What the program headers of a module say, as found in memory. */
struct range_module {
    uint64_t own_bytes; /* thread-local storage, for each thread */
    uint64_t end;       /* of its data, with those that are not in the file */
};

/* All 0: no module begins at `start`. */
static struct range_module range_read_module(struct range_finder *m, uint64_t start)
{
    Elf64_Ehdr head;
    struct range_module module = {0};
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
 * The thread-local storage of all modules that were loaded when the program began lies side by side
 * below the thread's fs_base (System V ABI for x86-64, Drepper 2013, "ELF handling for thread-local
 * storage", variant II); below it is the stack of the thread.
 */
static void find_own_bytes(struct range_finder *m)
{
    for (size_t i = 0; i < m->image->count; i++) {
        const struct hf_process_mapping *mapping = &m->image->mappings[i];
        if (mapping->inode != 0 && mapping->file_offset == 0)
            m->own_bytes += range_read_module(m, mapping->start).own_bytes;
    }
    if (m->own_bytes > THREAD_DATA_MAX)
        m->own_bytes = THREAD_DATA_MAX;
}

/* The stack of a thread, and its own data behind it, in the mapping that has its stack pointer. */
static enum hf_status add_stack(struct range_finder *m, const struct hf_stopped_thread *thread,
    const struct hf_process_mapping *mapping, struct hf_error *err)
{
    uint64_t sp = largest(thread->registers.rsp - RED_ZONE, mapping->start);
    uint64_t own = thread->registers.fs_base;
    bool is_same = own >= sp && own < mapping->end;
    uint64_t end = is_same ? largest(own - m->own_bytes, sp) : mapping->end;
    enum hf_status status = begin_holder(m, HF_ROOT_STACK, "", thread->tid, err);
    if (status == HF_OK)
        status = add_bytes(m, sp, end, err);
    if (status == HF_OK)
        status = begin_holder(m, HF_ROOT_THREAD_LOCAL, "", thread->tid, err);
    return status == HF_OK ? add_bytes(m, end, mapping->end, err) : status;
}

static enum hf_status begin_registers(
    struct range_finder *m, const struct hf_stopped_thread *thread, struct hf_error *err)
{
    enum hf_status status = begin_holder(m, HF_ROOT_REGISTER, "", thread->tid, err);
    return status == HF_OK ? add_range(m, (struct hf_root_range){.thread = thread}, err) : status;
}

static enum hf_status range_add_threads(struct range_finder *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < m->image->thread_count && status == HF_OK; i++) {
        const struct hf_stopped_thread *thread = &m->image->threads[i];
        const struct hf_process_mapping *mapping =
            hf_process_image_find(m->image, thread->registers.rsp);
        status = begin_registers(m, thread, err);
        if (status == HF_OK && mapping != NULL)
            status = add_stack(m, thread, mapping, err);
    }
    return status;
}

/* The thread whose stack or whose own data lie in a mapping, or NULL. */
static const struct hf_stopped_thread *thread_in(
    const struct range_finder *m, const struct hf_process_mapping *mapping, bool is_stack)
{
    for (size_t i = 0; i < m->image->thread_count; i++) {
        const struct user_regs_struct *r = &m->image->threads[i].registers;
        uint64_t address = is_stack ? r->rsp : r->fs_base;
        if (address >= mapping->start && address < mapping->end)
            return &m->image->threads[i];
    }
    return NULL;
}

/* The recorder's memory is left out: it has addresses of blocks, and old stacks. */
static enum hf_status add_range_but_recorder(
    struct range_finder *m, uint64_t start, uint64_t end, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_process_range *own = m->image->recorder;
    size_t count = m->image->recorder_count, next = HF_FIRST_ABOVE(own, count, end, start);
    for (; start < end && status == HF_OK; next++) {
        bool has_next = next < count && own[next].start < end;
        uint64_t until = has_next ? own[next].start : end;
        if (until > start)
            status = add_bytes(m, start, until, err);
        start = has_next ? own[next].end : end;
    }
    return status;
}

/* Heaps are left out: what is not a block there belongs to the allocator. Regions that are unknown
 * as a whole are not left out. */
static enum hf_status add_part_but_heaps(
    struct range_finder *m, uint64_t start, uint64_t end, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_heap *heap = m->heap;
    size_t next = HF_FIRST_ABOVE(heap->regions, heap->region_count, end, start);
    for (; start < end && status == HF_OK; next++) {
        while (next < heap->region_count && heap->regions[next].holds_unknown)
            next++;
        bool has_next = next < heap->region_count && heap->regions[next].start < end;
        uint64_t until = has_next ? heap->regions[next].start : end;
        if (until > start)
            status = add_range_but_recorder(m, start, until, err);
        start = has_next ? heap->regions[next].end : end;
    }
    return status;
}

/* Adds an anonymous mapping. If a thread's stack is elsewhere, as the main thread's is, the part
 * around its fs_base belongs to that thread. */
static enum hf_status add_anonymous(struct range_finder *m,
    const struct hf_process_mapping *mapping, uint64_t start, struct hf_error *err)
{
    const struct hf_stopped_thread *owner = thread_in(m, mapping, false);
    uint64_t own = owner != NULL ? owner->registers.fs_base : mapping->end;
    uint64_t own_start = least(largest(own - m->own_bytes, start), mapping->end);
    uint64_t own_end = least(own + THREAD_HEAD, mapping->end);
    enum hf_status status = HF_OK;
    if (owner != NULL)
        status = begin_holder(m, HF_ROOT_THREAD_LOCAL, "", owner->tid, err);
    if (owner != NULL && status == HF_OK)
        status = add_part_but_heaps(m, own_start, own_end, err);
    else
        own_start = own_end = mapping->end;
    if (status == HF_OK)
        status = begin_holder(m, HF_ROOT_MAPPING, mapping->path, 0, err);
    if (status == HF_OK)
        status = add_part_but_heaps(m, start, own_start, err);
    return status == HF_OK ? add_part_but_heaps(m, own_end, mapping->end, err) : status;
}

static bool is_of_agent(const struct hf_process_mapping *mapping)
{
    size_t size = strlen(mapping->path), tail = sizeof agent_name - 1;
    return size >= tail && strcmp(mapping->path + size - tail, agent_name) == 0;
}

/* Memory that the program cannot write, or that it shares with others. */
static bool is_no_root(const struct hf_process_mapping *mapping)
{
    return !mapping->is_writable || mapping->is_shared;
}

/*
 * Adds each module's data; behind them, in a mapping without a name, lie those that are not in its
 * file. The kernel may have put another mapping right behind, and lists both as one.
 */
static enum hf_status range_add_mappings(struct range_finder *m, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_process_mapping *module = NULL;
    uint64_t module_end = 0;
    for (size_t i = 0; i < m->image->count && status == HF_OK; i++) {
        const struct hf_process_mapping *mapping = &m->image->mappings[i];
        if (mapping->inode != 0 && mapping->file_offset == 0)
            module_end = range_read_module(m, mapping->start).end;
        if (mapping->inode != 0)
            module = mapping;
        uint64_t data_end = mapping->inode != 0 ? mapping->end : least(module_end, mapping->end);
        data_end = largest(data_end, mapping->start);
        if (is_no_root(mapping) || thread_in(m, mapping, true) != NULL)
            continue;
        if (data_end != mapping->start && !is_of_agent(module)) {
            status = begin_holder(m, HF_ROOT_DATA, module->path, 0, err);
            if (status == HF_OK)
                status = add_part_but_heaps(m, mapping->start, data_end, err);
        }
        if (status == HF_OK && data_end != mapping->end)
            status = add_anonymous(m, mapping, data_end, err);
    }
    return status;
}

enum hf_status hf_root_ranges_find(struct hf_root_ranges *ranges, const struct hf_heap *heap,
    const struct hf_process_image *image, struct hf_error *err)
{
    struct range_finder m = {
        .ranges = ranges, .heap = heap, .image = image, .reader = hf_process_reader_new(image)};
    *ranges = (struct hf_root_ranges){0};
    if (m.reader == NULL)
        return hf_error_memory(err);
    find_own_bytes(&m);
    enum hf_status status = range_add_threads(&m, err);
    if (status == HF_OK)
        status = range_add_mappings(&m, err);
    free(m.reader);
    return status;
}

void hf_root_ranges_done(struct hf_root_ranges *ranges)
{
    free(ranges->holders);
    free(ranges->items);
    *ranges = (struct hf_root_ranges){0};
}
