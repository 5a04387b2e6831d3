#include "live/residency.h"

#include "base/containers/map.h"
#include "base/containers/vec.h"
#include "os/process/page_map.h"
#include "os/process/resident.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARENA_BYTES (UINT64_C(64) << 20) /* HEAP_MAX_SIZE of glibc's malloc/arena.c */
/* glibc never gives a smaller block its own mapping. */
#define LARGE_BLOCK_BYTES (UINT64_C(64) << 10)
#define NOBODY 0xffffffffu /* in the place of a stack */

struct residency_span {
    uint64_t start, end;
    uint32_t stack; /* or HF_LIVE_BY_ALLOCATOR, HF_LIVE_BY_AGENT */
};

/* A mapping that no stack is known to have made, and how much of it is resident. */
struct orphan {
    uint64_t start, end, bytes;
    bool is_behind_file, has_blocks;
};

struct residency_taker {
    struct hf_live_resident_memory *memory;
    struct hf_mapped_file table;
    int page_map;
    struct residency_span *spans; /* sorted, disjoint */
    size_t span_count, span_capacity;
    size_t at;              /* the first span that ends behind the current mapping */
    struct orphan *orphans; /* sorted */
    size_t orphan_count, orphan_capacity;
    struct hf_map by_stack; /* -> residents */
    size_t resident_capacity;
    uint64_t allocator_bytes;
};

static enum hf_status see_mapping(
    void *context, const struct hf_live_seen_block *block, struct hf_error *err)
{
    struct residency_taker *t = context;
    uint64_t end;
    if (__builtin_add_overflow(block->address, block->size, &end))
        return HF_OK;
    if (!hf_vec_reserve(&t->spans, &t->span_capacity, t->span_count + 1, sizeof *t->spans))
        return hf_error_memory(err);
    t->spans[t->span_count++] = (struct residency_span){block->address, end, block->stack};
    return HF_OK;
}

static int by_start(const void *a, const void *b)
{
    const struct residency_span *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

/* They changed while they were read: if two overlap, the second one gets only what is behind the
 * first. */
static void sort_spans(struct residency_taker *t)
{
    uint64_t end = 0;
    if (t->span_count != 0)
        qsort(t->spans, t->span_count, sizeof *t->spans, by_start);
    for (size_t i = 0; i < t->span_count; i++) {
        struct residency_span *span = &t->spans[i];
        span->start = span->start < end ? end : span->start;
        span->end = span->end < span->start ? span->start : span->end;
        end = span->end;
    }
}

static enum hf_status charge(
    struct residency_taker *t, uint32_t stack, uint64_t bytes, struct hf_error *err)
{
    struct hf_live_resident_memory *memory = t->memory;
    bool is_new;
    if (stack == HF_LIVE_BY_ALLOCATOR)
        t->allocator_bytes += bytes;
    else if (stack == HF_LIVE_BY_AGENT)
        memory->parts[HF_LIVE_PART_AGENT] += bytes;
    if (bytes == 0 || stack == HF_LIVE_BY_ALLOCATOR || stack == HF_LIVE_BY_AGENT)
        return HF_OK;
    uint32_t *number = hf_map_put(&t->by_stack, stack, (uint32_t)memory->count, &is_new);
    if (number == NULL || (is_new && !hf_vec_reserve(&memory->residents, &t->resident_capacity,
                                         memory->count + 1, sizeof *memory->residents)))
        return hf_error_memory(err);
    if (is_new)
        memory->residents[memory->count++] = (struct hf_live_resident){.stack = stack};
    memory->residents[*number].bytes += bytes;
    memory->parts[HF_LIVE_PART_MAPPED] += bytes;
    return HF_OK;
}

/* The part of a place, from `from` on, that has one owner or none. `i` is the first span that ends
 * behind `from`. */
static struct residency_span piece_at(
    const struct residency_taker *t, const struct hf_resident_place *place, uint64_t from, size_t i)
{
    struct residency_span piece = {from, place->end, NOBODY};
    if (i == t->span_count || t->spans[i].start >= place->end)
        return piece;
    if (t->spans[i].start > from) {
        piece.end = t->spans[i].start;
        return piece;
    }
    piece.stack = t->spans[i].stack;
    if (t->spans[i].end < piece.end)
        piece.end = t->spans[i].end;
    return piece;
}

/*
 * Divides the resident memory of a place among the stacks that mapped it; *out_orphaned is what no
 * stack did. The largest piece, which may be a reservation of terabytes, gets what the others do
 * not have.
 */
static enum hf_status divide(struct residency_taker *t, const struct hf_resident_place *place,
    uint64_t *out_orphaned, struct hf_error *err)
{
    struct residency_span largest = {0};
    uint64_t left = place->resident_bytes;
    enum hf_status status = HF_OK;
    *out_orphaned = 0;
    while (t->at < t->span_count && t->spans[t->at].end <= place->start)
        t->at++;
    for (unsigned pass = 0; pass < 2; pass++) {
        size_t i = t->at;
        for (uint64_t from = place->start; status == HF_OK && from < place->end;) {
            while (i < t->span_count && t->spans[i].end <= from)
                i++;
            struct residency_span piece = piece_at(t, place, from, i);
            from = piece.end;
            if (pass == 0 && piece.end - piece.start > largest.end - largest.start)
                largest = piece;
            if (pass == 0 || piece.start == largest.start)
                continue;
            uint64_t bytes = hf_page_map_resident(t->page_map, piece.start, piece.end);
            bytes = bytes < left ? bytes : left;
            left -= bytes;
            if (piece.stack == NOBODY)
                *out_orphaned += bytes;
            else
                status = charge(t, piece.stack, bytes, err);
        }
    }
    if (largest.stack == NOBODY)
        *out_orphaned += left;
    else if (status == HF_OK)
        status = charge(t, largest.stack, left, err);
    return status;
}

static enum hf_status add_orphan(struct residency_taker *t, const struct hf_resident_place *place,
    uint64_t bytes, struct hf_error *err)
{
    uint64_t *parts = t->memory->parts;
    if (place->kind == HF_RESIDENT_SHARED)
        parts[HF_LIVE_PART_SHARED] += bytes;
    else if (place->kind == HF_RESIDENT_HEAP || place->start % ARENA_BYTES == 0)
        t->allocator_bytes += bytes;
    else if (place->is_behind_guard)
        parts[HF_LIVE_PART_STACKS] += bytes;
    else if (bytes != 0) {
        if (!hf_vec_reserve(
                &t->orphans, &t->orphan_capacity, t->orphan_count + 1, sizeof *t->orphans))
            return hf_error_memory(err);
        t->orphans[t->orphan_count++] =
            (struct orphan){place->start, place->end, bytes, place->is_behind_file, false};
    }
    return HF_OK;
}

static bool residency_is_table(
    const struct residency_taker *t, const struct hf_resident_place *place)
{
    return place->file.inode == t->table.inode && place->file.device == t->table.device;
}

static enum hf_status see_place(
    void *context, const struct hf_resident_place *place, struct hf_error *err)
{
    struct residency_taker *t = context;
    uint64_t *parts = t->memory->parts, orphaned;
    if (residency_is_table(t, place)) {
        parts[HF_LIVE_PART_TABLE] += place->resident_bytes;
    } else if (place->kind == HF_RESIDENT_STACK) {
        parts[HF_LIVE_PART_STACKS] += place->resident_bytes;
    } else if (place->kind == HF_RESIDENT_FILE) {
        parts[HF_LIVE_PART_DATA] += place->anonymous_bytes;
        parts[HF_LIVE_PART_FILES] += place->resident_bytes - place->anonymous_bytes;
    } else {
        enum hf_status status = divide(t, place, &orphaned, err);
        return status == HF_OK ? add_orphan(t, place, orphaned, err) : status;
    }
    return HF_OK;
}

/* Where a large block of the recorded allocator lies, the allocator has mapped the memory. */
static enum hf_status residency_see_block(
    void *context, const struct hf_live_seen_block *block, struct hf_error *err)
{
    (void)err;
    struct residency_taker *t = context;
    size_t low = 0, high = t->orphan_count;
    if (block->size < LARGE_BLOCK_BYTES)
        return HF_OK;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->orphans[middle].end > block->address)
            high = middle;
        else
            low = middle + 1;
    }
    if (low < t->orphan_count && t->orphans[low].start <= block->address)
        t->orphans[low].has_blocks = true;
    return HF_OK;
}

/* The memory in use is an estimate from samples, and may not all be resident. So it counts for at
 * most what the allocator has resident. */
static void settle_allocator(struct residency_taker *t, uint64_t in_use_bytes)
{
    uint64_t *parts = t->memory->parts;
    for (size_t i = 0; i < t->orphan_count; i++) {
        if (t->orphans[i].has_blocks)
            t->allocator_bytes += t->orphans[i].bytes;
        else if (t->orphans[i].is_behind_file)
            parts[HF_LIVE_PART_DATA] += t->orphans[i].bytes;
        else
            parts[HF_LIVE_PART_UNKNOWN] += t->orphans[i].bytes;
    }
    parts[HF_LIVE_PART_IN_USE] =
        in_use_bytes < t->allocator_bytes ? in_use_bytes : t->allocator_bytes;
    parts[HF_LIVE_PART_FREE] = t->allocator_bytes - parts[HF_LIVE_PART_IN_USE];
}

static enum hf_status residency_look(
    struct residency_taker *t, struct hf_live_source source, uint32_t pid, struct hf_error *err)
{
    struct hf_live_state state;
    enum hf_status status =
        hf_live_read_slots(source, HF_LIVE_MAPPINGS, (struct hf_live_visitor){see_mapping, t}, err);
    if (status != HF_OK)
        return status;
    sort_spans(t);
    status = hf_resident_read_process(pid, see_place, t, err);
    if (status == HF_OK)
        status = hf_live_read_slots(
            source, HF_LIVE_BLOCKS, (struct hf_live_visitor){residency_see_block, t}, err);
    if (status == HF_OK && !hf_live_read_state(source, &state))
        status = hf_error_set(err, HF_ERR_INPUT, "%s is cut short", source.name);
    if (status != HF_OK)
        return status;
    if (t->page_map >= 0 && !hf_page_map_is_live(t->page_map))
        return hf_error_set(err, HF_ERR_SYSTEM,
            "process %u ended, or became another program, during the look", pid);
    settle_allocator(t, atomic_load_explicit(&state.usage.bytes, memory_order_relaxed));
    if (t->memory->parts[HF_LIVE_PART_TABLE] == 0)
        return hf_error_set(err, HF_ERR_SYSTEM, "process %u no longer writes %s", pid, source.name);
    t->memory->is_known = true;
    return HF_OK;
}

enum hf_status hf_residency_take(int fd, const char *name, uint32_t pid,
    struct hf_live_resident_memory *out_memory, struct hf_error *err)
{
    struct stat info;
    *out_memory = (struct hf_live_resident_memory){0};
    if (fstat(fd, &info) != 0)
        return hf_error_set(err, HF_ERR_SYSTEM, "cannot look at %s", name);
    struct residency_taker t = {.memory = out_memory,
        .table = {info.st_dev, info.st_ino},
        .page_map = hf_page_map_open(pid)};
    enum hf_status status = residency_look(&t, hf_live_source_of(&fd, name), pid, err);
    if (t.page_map >= 0)
        close(t.page_map);
    hf_map_done(&t.by_stack);
    free(t.spans);
    free(t.orphans);
    return status;
}

uint64_t hf_residency_total(const struct hf_live_resident_memory *memory)
{
    uint64_t total = 0;
    for (size_t i = 0; i < HF_LIVE_PARTS; i++)
        total += memory->parts[i];
    return total;
}
