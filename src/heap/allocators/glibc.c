#include "heap/allocators/glibc.h"

#include "base/containers/map.h"
#include "base/containers/sorted.h"

#include <stdlib.h>
#include <string.h>

#define WORD 8u
#define ALIGNMENT 16u
#define CHUNK_HEAD 16u /* before a block */
#define CHUNK_MIN 32u
#define PREV_INUSE 1u
#define IS_MMAPPED 2u
#define FLAGS 7u
#define PAGE 4096u
#define MAPPED_MIN (128u << 10) /* DEFAULT_MMAP_THRESHOLD_MIN */

#define SEARCHED_MAX (UINT64_C(1) << 30) /* a larger mapping is one block, or a reservation */

#define HEAP_ALIGNMENT (64u << 20) /* HEAP_MAX_SIZE */
#define HEAP_ARENA_AT 0            /* heap_info: ar_ptr, prev, size */
#define HEAP_SIZE_AT 16
#define HEAP_HEAD_MAX 0x40

/* struct malloc_state */
#define ARENA_BYTES 2200
#define ARENA_FAST_BINS_AT 0x10
#define ARENA_FAST_BINS 10
#define ARENA_TOP_AT 0x60
#define ARENA_UNSORTED_AT 0x70

/* struct tcache_perthread_struct, which lies in a block, to which a word of a thread's own data
 * points, as far below its pointer as this. */
#define CACHE_WORD_WITHIN 0x1000
#define CACHE_BINS 64
#define CACHE_LIST_MAX 65536

static const char allocator_name[] = "glibc";

struct glibc {
    struct hf_heap *heap;
    size_t others; /* regions that were there before, of other allocators: sorted */
    struct hf_process_reader *reader;
    struct hf_map idle; /* addresses of blocks that lists have */
    uint64_t top;       /* chunk at the end of the main arena; 0: not known */
    bool is_out_of_memory;
};

static bool glibc_word(struct glibc *g, uint64_t address, uint64_t *out_word)
{
    return hf_process_word(g->reader, address, out_word);
}

/* The size of the chunk at an address; 0: it is none. */
static uint64_t chunk_size(struct glibc *g, uint64_t chunk, uint64_t *out_flags)
{
    uint64_t size;
    if (chunk % ALIGNMENT != 0 || !glibc_word(g, chunk + WORD, &size))
        return 0;
    *out_flags = size & FLAGS;
    size &= ~(uint64_t)FLAGS;
    return size >= CHUNK_MIN && size % ALIGNMENT == 0 ? size : 0;
}

/*
 * Chunks from `chunk` on; *region ends where they do. False: no memory. At the end of a heap that
 * was followed by another stand two chunks that are too small to be any.
 */
static bool walk(struct glibc *g, struct hf_heap_region *region, uint64_t chunk, uint64_t *out_top)
{
    uint64_t flags, next_flags, end = region->end;
    *out_top = 0;
    while (chunk < end) {
        uint64_t size = chunk_size(g, chunk, &flags);
        if (size == 0 || size > end - chunk)
            break;
        if (size == end - chunk || end - chunk - size < CHUNK_MIN) {
            *out_top = chunk;
            region->free_bytes += size;
            region->free_count++;
            return true;
        }
        uint64_t next = chunk_size(g, chunk + size, &next_flags);
        if (next == 0 && end - chunk - size > 2 * CHUNK_MIN)
            break;
        if (next != 0 && (next_flags & PREV_INUSE) == 0) {
            region->free_bytes += size;
            region->free_count++;
        } else if (hf_heap_add(g->heap, chunk + CHUNK_HEAD, size - WORD, NULL) == HF_OK) {
            region->in_use_bytes += size;
            region->in_use_count++;
        } else {
            return false;
        }
        chunk += size;
    }
    if (end - chunk > 2 * CHUNK_MIN)
        region->unknown_bytes = end - chunk;
    return true;
}

/* Of another allocator's region, where that ends; else 0. */
static uint64_t end_of_other(const struct glibc *g, uint64_t address)
{
    size_t i = HF_FIRST_ABOVE(g->heap->regions, g->others, end, address);
    bool is_in = i < g->others && g->heap->regions[i].start <= address;
    return is_in ? (g->heap->regions[i].end + PAGE - 1) & ~(uint64_t)(PAGE - 1) : 0;
}

/* True if a region of another allocator lies there. */
static bool is_of_other(const struct glibc *g, uint64_t start, uint64_t end)
{
    return hf_heap_overlaps(g->heap, g->others, start, end);
}

static struct hf_heap_region *begin_region(
    struct glibc *g, uint64_t start, uint64_t end, const char *part)
{
    struct hf_heap_region *region = hf_heap_add_region(g->heap);
    if (region != NULL)
        *region = (struct hf_heap_region){
            .start = start, .end = end, .allocator = allocator_name, .part = part};
    g->is_out_of_memory = g->is_out_of_memory || region == NULL;
    return region;
}

static void read_main(struct glibc *g, const struct hf_process_mapping *mapping)
{
    uint64_t flags, top, first = (mapping->start + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    if (chunk_size(g, first, &flags) == 0 || (flags & PREV_INUSE) == 0 ||
        is_of_other(g, mapping->start, mapping->end))
        return; /* brk(2) is another allocator's */
    struct hf_heap_region *region = begin_region(g, mapping->start, mapping->end, "main arena");
    if (region == NULL)
        return;
    g->is_out_of_memory = !walk(g, region, first, &top) || g->is_out_of_memory;
    g->top = top != 0 ? top : g->top;
    if (region->unknown_bytes == region->end - first)
        g->heap->region_count--; /* not even one chunk, so it is another allocator's, too */
}

/* Where the first chunk of a heap is: behind its arena, if that is in it, else behind its head. */
static uint64_t first_chunk(struct glibc *g, uint64_t heap, uint64_t arena, uint64_t end)
{
    uint64_t flags;
    if (arena > heap && arena < heap + HEAP_HEAD_MAX + ALIGNMENT)
        return (arena + ARENA_BYTES + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    for (uint64_t chunk = heap + 2 * ALIGNMENT; chunk <= heap + HEAP_HEAD_MAX; chunk += ALIGNMENT) {
        uint64_t size = chunk_size(g, chunk, &flags);
        if (size != 0 && size <= end - chunk && (flags & PREV_INUSE) != 0)
            return chunk;
    }
    return 0;
}

/* Chunks of a fast bin or of a cache's list. `link_at`: from what it points to, to the next
 * pointer; `size`: of the chunks; safe: pointers are mixed with where they stand (2.32). */
static bool follow(
    struct glibc *g, uint64_t item, uint64_t to_chunk, uint64_t size, bool is_safe, uint64_t count)
{
    uint64_t flags, at, next;
    for (uint64_t i = 0; item != 0 && i < count; i++) {
        if (chunk_size(g, item - to_chunk, &flags) != size)
            return false;
        at = item - to_chunk + CHUNK_HEAD;
        if (!glibc_word(g, at, &next))
            return false;
        if (hf_map_put(&g->idle, at, 0, NULL) == NULL)
            g->is_out_of_memory = true;
        item = is_safe ? next ^ at >> 12 : next;
    }
    return item == 0 || count != CACHE_LIST_MAX;
}

/* Both ways of linking: of the wrong one the first link is none. */
static void follow_either(
    struct glibc *g, uint64_t item, uint64_t to_chunk, uint64_t size, uint64_t count)
{
    if (!follow(g, item, to_chunk, size, true, count))
        (void)follow(g, item, to_chunk, size, false, count);
}

static void read_fast_bins(struct glibc *g, uint64_t arena)
{
    uint64_t chunk;
    for (uint64_t i = 0; i < ARENA_FAST_BINS; i++) {
        if (glibc_word(g, arena + ARENA_FAST_BINS_AT + i * WORD, &chunk) && chunk != 0)
            follow_either(g, chunk, 0, CHUNK_MIN + i * ALIGNMENT, CACHE_LIST_MAX);
    }
}

/* A heap of an arena at this multiple of 64 MiB: where it ends, or 0: there is none. */
static uint64_t read_heap(struct glibc *g, const struct hf_process_mapping *mapping, uint64_t heap)
{
    uint64_t arena, size, top;
    if (!glibc_word(g, heap + HEAP_ARENA_AT, &arena) || !glibc_word(g, heap + HEAP_SIZE_AT, &size))
        return 0;
    if (size < PAGE || size % PAGE != 0 || size > mapping->end - heap || arena % ALIGNMENT != 0 ||
        is_of_other(g, heap, heap + size) || hf_process_image_find(g->reader->image, arena) == NULL)
        return 0;
    uint64_t chunk = first_chunk(g, heap, arena, heap + size), flags;
    if (chunk == 0 || chunk_size(g, chunk, &flags) == 0)
        return 0;
    struct hf_heap_region *region = begin_region(g, heap, heap + size, "arena of a thread");
    if (region == NULL)
        return 0;
    g->is_out_of_memory = !walk(g, region, chunk, &top) || g->is_out_of_memory;
    if (arena - heap < HEAP_HEAD_MAX + ALIGNMENT)
        read_fast_bins(g, arena);
    return heap + size;
}

/*
 * A block with a mapping of its own at this page: its end, or 0. Several lie side by side. What is
 * before its size is 0 there: an alignment above 16, which moves a chunk on in its mapping and
 * notes so, never moves it to the start of a page. A Python int of such a value has a 1 there.
 */
static uint64_t read_mapped(struct glibc *g, const struct hf_process_mapping *mapping, uint64_t at)
{
    uint64_t before, flags, size = chunk_size(g, at, &flags);
    if (size < MAPPED_MIN || flags != IS_MMAPPED || size % PAGE != 0 || size > mapping->end - at ||
        !glibc_word(g, at, &before) || before != 0 || is_of_other(g, at, at + size))
        return 0;
    struct hf_heap_region *region = begin_region(g, at, at + size, "mapped block");
    if (region == NULL || hf_heap_add(g->heap, at + CHUNK_HEAD, size - CHUNK_HEAD, NULL) != HF_OK) {
        g->is_out_of_memory = true;
        return 0;
    }
    region->in_use_bytes = size;
    region->in_use_count = 1;
    return at + size;
}

static bool is_anonymous(const struct hf_process_mapping *mapping)
{
    return mapping->is_writable && !mapping->is_shared && mapping->inode == 0 &&
           mapping->path[0] == '\0';
}

/* The mapping at *index with those right behind it that are of the same memory to the allocator:
 * the kernel has them apart for reasons of its own. *index goes on behind them. */
static struct hf_process_mapping glibc_join(const struct hf_process_image *image, size_t *index)
{
    struct hf_process_mapping joined = image->mappings[(*index)++];
    while (*index < image->count) {
        const struct hf_process_mapping *next = &image->mappings[*index];
        if (next->start != joined.end || joined.inode != 0 || next->inode != 0 ||
            joined.is_writable != next->is_writable || joined.is_shared != next->is_shared ||
            strcmp(joined.path, next->path) != 0)
            break;
        joined.end = next->end;
        (*index)++;
    }
    return joined;
}

static void read_mapping(struct glibc *g, const struct hf_process_mapping *mapping)
{
    if (strcmp(mapping->path, "[heap]") == 0)
        read_main(g, mapping);
    if (!is_anonymous(mapping))
        return;
    uint64_t end_of_search =
        mapping->end - mapping->start <= SEARCHED_MAX ? mapping->end : mapping->start + PAGE;
    for (uint64_t at = mapping->start; at < end_of_search && !g->is_out_of_memory;) {
        uint64_t end = end_of_other(g, at);
        if (end == 0 && at % HEAP_ALIGNMENT == 0)
            end = read_heap(g, mapping, at);
        if (end == 0)
            end = read_mapped(g, mapping, at);
        if (end != 0 && mapping->end - end > SEARCHED_MAX)
            end_of_search = end + SEARCHED_MAX;
        else if (end != 0)
            end_of_search = mapping->end;
        at = end != 0 ? end : at + PAGE;
    }
}

/* The cache that a thread has, if the block at `cache` is one. */
static void read_cache(struct glibc *g, uint64_t cache)
{
    uint64_t flags, list, size = chunk_size(g, cache - CHUNK_HEAD, &flags);
    uint64_t width = size == 0x290 ? 2 : 1; /* of its counts: 2 bytes since 2.30 */
    if (size != 0x290 && size != 0x250)
        return;
    for (uint64_t i = 0; i < CACHE_BINS; i++) {
        uint16_t count = 0;
        uint64_t lists = cache + width * CACHE_BINS;
        if (hf_process_copy(g->reader, cache + i * width, &count, width) && count != 0 &&
            glibc_word(g, lists + i * WORD, &list) && list != 0)
            follow_either(g, list, CHUNK_HEAD, CHUNK_MIN + i * ALIGNMENT, count);
    }
}

static void read_caches(struct glibc *g)
{
    const struct hf_process_image *image = g->reader->image;
    for (size_t i = 0; i < image->thread_count; i++) {
        uint64_t word, end = image->threads[i].registers.fs_base;
        for (uint64_t at = end - CACHE_WORD_WITHIN; at < end; at += WORD) {
            if (glibc_word(g, at, &word) && word != 0 && word % ALIGNMENT == 0)
                read_cache(g, word);
        }
    }
}

/* Nothing says where it is, but for what it points to: the last chunk of [heap]. */
static void read_main_arena(struct glibc *g)
{
    const struct hf_process_image *image = g->reader->image;
    for (size_t i = 0; i < image->count && g->top != 0; i++) {
        const struct hf_process_mapping *mapping = &image->mappings[i];
        bool is_data = mapping->is_writable && !mapping->is_shared && mapping->inode != 0;
        for (uint64_t at = mapping->start; is_data && at < mapping->end; at += WORD) {
            uint64_t word, unsorted;
            if (!glibc_word(g, at, &word) || word != g->top ||
                !glibc_word(g, at + ARENA_UNSORTED_AT - ARENA_TOP_AT, &unsorted))
                continue;
            if (unsorted == at || hf_heap_find(g->heap, unsorted) != NULL ||
                chunk_size(g, unsorted, &word) != 0) {
                read_fast_bins(g, at - ARENA_TOP_AT);
                return;
            }
        }
    }
}

/* Takes the blocks out that lists have. */
static void drop_idle(struct glibc *g)
{
    struct hf_heap *heap = g->heap;
    size_t kept = 0;
    for (size_t i = 0; i < heap->count; i++) {
        struct hf_heap_block block = heap->blocks[i];
        struct hf_heap_region *region = hf_map_find(&g->idle, block.address) != NULL
                                            ? hf_heap_region_at(heap, block.address)
                                            : NULL;
        if (region == NULL || region->allocator != allocator_name) {
            heap->blocks[kept++] = block;
            continue;
        }
        region->in_use_bytes -= block.bytes + WORD;
        region->in_use_count--;
        region->free_bytes += block.bytes + WORD;
        region->free_count++;
        region->cached_bytes += block.bytes;
        region->cached_count++;
    }
    heap->count = kept;
}

enum hf_status hf_heap_read_glibc(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err)
{
    struct glibc g = {
        .heap = heap, .others = heap->region_count, .reader = malloc(sizeof *g.reader)};
    if (g.reader == NULL)
        return hf_error_memory(err);
    g.reader->image = image;
    g.reader->start = g.reader->size = 0;
    for (size_t i = 0; i < image->count && !g.is_out_of_memory;) {
        struct hf_process_mapping joined = glibc_join(image, &i);
        read_mapping(&g, &joined);
    }
    hf_heap_sort(heap);
    read_caches(&g);
    read_main_arena(&g);
    drop_idle(&g);
    hf_map_done(&g.idle);
    free(g.reader);
    return g.is_out_of_memory ? hf_error_memory(err) : HF_OK;
}
