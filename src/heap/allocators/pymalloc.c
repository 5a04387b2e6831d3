#include "heap/allocators/pymalloc.h"

#include "base/containers/map.h"

#include <stdlib.h>
#include <string.h>

#define POOL_BYTES_MAX 16384u
#define POOL_HEAD 48u
#define POOLS 64u /* of an arena */
#define STEP 16u  /* sizes of blocks are multiples of it */
#define SIZES 32u
#define BLOCKS_MAX (POOL_BYTES_MAX / STEP)
#define MARK 16u        /* bytes before a block of malloc's, with PYTHONMALLOC=debug */
#define ENTRIES_MIN 16u /* a table grows from there */
#define TABLE_MAX (UINT64_C(8) << 20) /* bytes: 170 GiB in arenas */
#define DATA_MAX (UINT64_C(64) << 20) /* of a module, that may lead to a table */
#define PAGE_BYTES 4096u
#define ADDRESS_MAX (UINT64_C(1) << 56)

static const uint32_t pool_sizes[] = {
    POOL_BYTES_MAX, 4096}; /* bytes, of 3.10 and later, and before */

struct arena_entry {
    uint64_t start, unused_pool;
    uint32_t free_pools, pools;
    uint64_t free_list, next, before;
};

struct arena {
    struct arena_entry entry;
    uint32_t number;
};

struct pool_head {
    uint32_t used, padding;
    uint64_t list, next_pool, pool_before;
    uint32_t arena, size, next, last;
};

_Static_assert(sizeof(struct arena_entry) == 48, "as CPython has it");
_Static_assert(sizeof(struct pool_head) == POOL_HEAD, "as CPython has it");

struct pymalloc {
    struct hf_heap *heap;
    const struct hf_process_image *image;
    size_t others;       /* regions that were there before: sorted */
    struct hf_map tried; /* blocks that may have been a table */
    uint32_t pool_bytes; /* of the table that is looked at */
    uint8_t bytes[POOL_BYTES_MAX];
    uint8_t is_free[BLOCKS_MAX];
    struct hf_process_reader reader, data_reader;
};

/* ---- The table of arenas ---- */

static uint64_t arena_bytes(const struct pymalloc *p)
{
    return (uint64_t)POOLS * p->pool_bytes;
}

static uint64_t first_pool(const struct pymalloc *p, const struct arena_entry *arena)
{
    return (arena->start + p->pool_bytes - 1) / p->pool_bytes * p->pool_bytes;
}

static bool may_be_entry(const struct pymalloc *p, const struct arena_entry *entry)
{
    if (entry->start == 0)
        return true;
    uint64_t first = first_pool(p, entry), pools = first == entry->start ? POOLS : POOLS - 1;
    return entry->start % PAGE_BYTES == 0 && entry->start < ADDRESS_MAX && entry->pools == pools &&
           entry->free_pools <= pools && entry->unused_pool % p->pool_bytes == 0 &&
           entry->unused_pool >= first && entry->unused_pool <= first + pools * p->pool_bytes;
}

static bool is_head(const struct pymalloc *p, const struct pool_head *head, uint32_t arena)
{
    uint32_t bytes = (head->size + 1) * STEP;
    return head->arena == arena && head->size < SIZES && head->last == p->pool_bytes - bytes &&
           head->next >= POOL_HEAD && head->next <= head->last + bytes &&
           (head->next - POOL_HEAD) % bytes == 0;
}

/* True if all pools of an arena, as far as they were used, have its number. */
static bool has_its_pools(struct pymalloc *p, const struct arena_entry *entry, uint32_t number)
{
    struct pool_head head;
    for (uint64_t at = first_pool(p, entry); at < entry->unused_pool; at += p->pool_bytes) {
        if (!hf_process_copy(&p->reader, at, &head, sizeof head) || head.arena != number)
            return false;
    }
    return true;
}

/* True if a block of malloc's is a table of arenas, one of which has been used. */
static bool is_table(struct pymalloc *p, const struct hf_heap_block *block)
{
    struct arena_entry entry;
    uint64_t count = block->bytes / sizeof entry;
    bool is_used = false;
    for (uint64_t i = 0; i < count; i++) {
        if (!hf_process_copy(&p->reader, block->address + i * sizeof entry, &entry, sizeof entry))
            return false;
        if (entry.start == 0)
            continue;
        if (!may_be_entry(p, &entry) || !has_its_pools(p, &entry, (uint32_t)i))
            return false;
        is_used |= entry.unused_pool > first_pool(p, &entry);
    }
    return is_used;
}

/* ---- Arenas ---- */

/* How many blocks are free by the list of a pool whose bytes were copied. */
static uint32_t pymalloc_mark_list(
    struct pymalloc *p, uint64_t pool, uint64_t block, uint32_t bytes, uint32_t carved)
{
    uint32_t count = 0;
    while (block >= pool + POOL_HEAD && block < pool + POOL_HEAD + (uint64_t)carved * bytes) {
        uint64_t at = block - pool - POOL_HEAD;
        if (at % bytes != 0 || p->is_free[at / bytes] != 0)
            break;
        p->is_free[at / bytes] = 1;
        memcpy(&block, p->bytes + POOL_HEAD + at, sizeof block);
        count++;
    }
    return count;
}

/* HF_ERR_MEMORY. */
static enum hf_status pymalloc_read_pool(struct pymalloc *p, struct hf_heap_region *region,
    uint64_t pool, uint32_t arena, struct hf_error *err)
{
    struct pool_head head;
    bool is_there = hf_process_copy(&p->reader, pool, p->bytes, p->pool_bytes);
    memcpy(&head, p->bytes, sizeof head);
    if (!is_there || !is_head(p, &head, arena)) {
        region->unknown_bytes += p->pool_bytes;
        return HF_OK;
    }
    uint32_t bytes = (head.size + 1) * STEP, carved = (head.next - POOL_HEAD) / bytes;
    memset(p->is_free, 0, carved);
    uint32_t in_use = carved - pymalloc_mark_list(p, pool, head.list, bytes, carved);
    /* One may be on its way. */
    if (in_use > head.used + 1 || head.used > in_use + 1) {
        region->unknown_bytes += p->pool_bytes;
        return HF_OK;
    }
    for (uint32_t i = 0; i < carved; i++) {
        if (p->is_free[i] == 0 &&
            hf_heap_add(p->heap, pool + POOL_HEAD + (uint64_t)i * bytes, bytes, err) != HF_OK)
            return HF_ERR_MEMORY;
    }
    region->in_use_count += in_use;
    region->in_use_bytes += (uint64_t)in_use * bytes;
    region->free_count += carved - in_use;
    return HF_OK;
}

static enum hf_status pymalloc_read_arena(
    struct pymalloc *p, const struct arena *arena, struct hf_error *err)
{
    const struct arena_entry *entry = &arena->entry;
    struct hf_heap_region *region = hf_heap_add_region(p->heap);
    if (region == NULL)
        return hf_error_memory(err);
    *region = (struct hf_heap_region){.start = entry->start,
        .end = entry->start + arena_bytes(p),
        .allocator = HF_HEAP_OF_PYTHON,
        .part = "arena"};
    enum hf_status status = HF_OK;
    for (uint64_t at = first_pool(p, entry); at < entry->unused_pool && status == HF_OK;
         at += p->pool_bytes)
        status = pymalloc_read_pool(p, region, at, arena->number, err);
    region->free_bytes = arena_bytes(p) - region->in_use_bytes - region->unknown_bytes;
    return status;
}

static int arenas_by_start(const void *a, const void *b)
{
    const struct arena *left = a, *right = b;
    return (left->entry.start > right->entry.start) - (left->entry.start < right->entry.start);
}

/* Upwards, but what lies over another one. */
static enum hf_status read_arenas(
    struct pymalloc *p, const struct arena *arenas, size_t count, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    uint64_t end = 0;
    for (size_t i = 0; i < count && status == HF_OK; i++) {
        uint64_t start = arenas[i].entry.start;
        if (start < end || hf_heap_overlaps(p->heap, p->others, start, start + arena_bytes(p)))
            continue;
        end = start + arena_bytes(p);
        status = pymalloc_read_arena(p, &arenas[i], err);
    }
    return status;
}

static enum hf_status pymalloc_read_table(
    struct pymalloc *p, struct hf_heap_block table, struct hf_error *err)
{
    size_t entries = (size_t)(table.bytes / sizeof(struct arena_entry)), count = 0;
    struct arena *arenas = calloc(entries, sizeof *arenas);
    if (arenas == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < entries; i++) {
        struct arena *arena = &arenas[count];
        arena->number = (uint32_t)i;
        count += hf_process_copy(&p->reader, table.address + i * sizeof arena->entry, &arena->entry,
                     sizeof arena->entry) &&
                 arena->entry.start != 0;
    }
    qsort(arenas, count, sizeof *arenas, arenas_by_start);
    enum hf_status status = read_arenas(p, arenas, count, err);
    free(arenas);
    return status;
}

/* ---- What leads to a table ---- */

/* HF_ERR_MEMORY; *out_table of no bytes: none, or it was looked at before. */
static enum hf_status pymalloc_find_table(
    struct pymalloc *p, uint64_t word, struct hf_heap_block *out_table, struct hf_error *err)
{
    bool is_new;
    *out_table = (struct hf_heap_block){0};
    if (word == 0 || word % STEP != 0)
        return HF_OK;
    const struct hf_heap_block *block = hf_heap_find(p->heap, word);
    uint64_t before = block != NULL ? word - block->address : 0;
    if (block == NULL || (before != 0 && before != MARK) || block->bytes > TABLE_MAX ||
        block->bytes - before < ENTRIES_MIN * sizeof(struct arena_entry))
        return HF_OK;
    if (hf_map_put(&p->tried, word, 0, &is_new) == NULL)
        return hf_error_memory(err);
    const struct hf_heap_block table = {word, block->bytes - before};
    for (size_t i = 0;
         is_new && i < sizeof pool_sizes / sizeof *pool_sizes && out_table->bytes == 0; i++) {
        p->pool_bytes = pool_sizes[i];
        if (is_table(p, &table))
            *out_table = table;
    }
    return HF_OK;
}

static bool pymalloc_is_data(const struct hf_process_mapping *mapping)
{
    return mapping->is_writable && !mapping->is_shared;
}

/* The data of a module from its first writable mapping on, with those behind it that are zero at
 * first; returns the first mapping that is not of it. */
static size_t data_of(const struct hf_process_image *image, size_t first, uint64_t *out_end)
{
    size_t i = first + 1;
    *out_end = image->mappings[first].end;
    for (; i < image->count && image->mappings[i].start == *out_end &&
           pymalloc_is_data(&image->mappings[i]) && image->mappings[i].path[0] != '[';
         i++)
        *out_end = image->mappings[i].end;
    return i;
}

/* Reads the arenas of a table, if the word leads to one. */
static enum hf_status pymalloc_follow(struct pymalloc *p, uint64_t word, struct hf_error *err)
{
    struct hf_heap_block table;
    enum hf_status status = pymalloc_find_table(p, word, &table, err);
    if (status == HF_OK && table.bytes != 0)
        status = pymalloc_read_table(p, table, err);
    if (p->heap->region_count != p->others)
        hf_heap_sort(p->heap);
    p->others = p->heap->region_count;
    return status;
}

static enum hf_status pymalloc_search(
    struct pymalloc *p, uint64_t start, uint64_t end, struct hf_error *err)
{
    uint64_t word, at = start;
    enum hf_status status = HF_OK;
    end = end - start < DATA_MAX ? end : start + DATA_MAX;
    while (status == HF_OK && (at = hf_process_next_page(&p->data_reader, at, end)) < end) {
        for (uint64_t page_end = at + PAGE_BYTES; at < page_end && status == HF_OK;
             at += sizeof word) {
            if (hf_process_word(&p->data_reader, at, &word))
                status = pymalloc_follow(p, word, err);
        }
    }
    return status;
}

enum hf_status hf_heap_read_pymalloc(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err)
{
    struct pymalloc *p = calloc(1, sizeof *p);
    enum hf_status status = HF_OK;
    if (p == NULL)
        return hf_error_memory(err);
    p->heap = heap;
    p->image = image;
    p->others = heap->region_count;
    p->reader.image = p->data_reader.image = image;
    for (size_t i = 0; i < image->count && status == HF_OK;) {
        const struct hf_process_mapping *mapping = &image->mappings[i];
        uint64_t end;
        if (!pymalloc_is_data(mapping) || mapping->inode == 0) {
            i++;
            continue;
        }
        i = data_of(image, i, &end);
        status = pymalloc_search(p, mapping->start, end, err);
    }
    hf_map_done(&p->tried);
    free(p);
    return status;
}
