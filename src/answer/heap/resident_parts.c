#include "answer/heap/resident_parts.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "heap/graph/root_ranges.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096u
#define ALLOCATORS_MAX 8
#define SEARCHED_MAX (UINT64_C(1) << 30) /* a larger mapping may be a reservation of terabytes */

/* What a mapping has of each part. */
struct resident_tally {
    uint64_t bytes[HF_PART_KINDS][ALLOCATORS_MAX + 1];
};

struct parts_maker {
    const struct hf_heap *heap;
    const struct hf_process_image *image;
    struct hf_process_reader *reader;
    struct hf_process_range *globals; /* outside of files; sorted */
    size_t global_count;
    struct hf_process_range *stacks; /* mappings that have a thread's stack pointer; sorted */
    size_t stack_count;
    const char *allocators[ALLOCATORS_MAX];
    uint64_t unread_left; /* of the region that was looked at last */
    size_t region, block; /* that were looked at last */
    struct resident_tally tally, sums, mappings;
};

/* ---- What is resident ---- */

static enum hf_status keep_place(
    void *context, const struct hf_resident_place *place, struct hf_error *err)
{
    struct hf_resident_places *places = context;
    if (!hf_vec_reserve(
            &places->items, &places->capacity, places->count + 1, sizeof *places->items))
        return hf_error_memory(err);
    places->items[places->count++] = *place;
    return HF_OK;
}

enum hf_status hf_resident_places_read(
    struct hf_resident_places *places, struct hf_input *smaps, struct hf_error *err)
{
    return hf_resident_read(smaps, keep_place, places, err);
}

void hf_resident_places_done(struct hf_resident_places *places)
{
    free(places->items);
    *places = (struct hf_resident_places){0};
}

/* ---- Where what lies ---- */

static int parts_by_start(const void *a, const void *b)
{
    const struct hf_process_range *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

static void sort_ranges(struct hf_process_range *ranges, size_t count)
{
    if (count != 0)
        qsort(ranges, count, sizeof *ranges, parts_by_start);
}

static enum hf_status find_globals(struct parts_maker *m, struct hf_error *err)
{
    struct hf_root_ranges roots;
    enum hf_status status = hf_root_ranges_find(&roots, m->heap, m->image, err);
    m->globals = status == HF_OK ? malloc((roots.count + 1) * sizeof *m->globals) : NULL;
    if (status == HF_OK && m->globals == NULL)
        status = hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < roots.count; i++) {
        const struct hf_root_range *range = &roots.items[i];
        if (roots.holders[range->holder].kind == HF_ROOT_DATA)
            m->globals[m->global_count++] = (struct hf_process_range){range->start, range->end};
    }
    hf_root_ranges_done(&roots);
    sort_ranges(m->globals, m->global_count);
    return status;
}

static enum hf_status find_stacks(struct parts_maker *m, struct hf_error *err)
{
    const struct hf_process_image *image = m->image;
    m->stacks = malloc((image->thread_count + 1) * sizeof *m->stacks);
    if (m->stacks == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < image->thread_count; i++) {
        const struct hf_process_mapping *mapping =
            hf_process_image_find(image, image->threads[i].registers.rsp);
        if (mapping != NULL)
            m->stacks[m->stack_count++] = (struct hf_process_range){mapping->start, mapping->end};
    }
    sort_ranges(m->stacks, m->stack_count);
    return HF_OK;
}

static bool ranges_have(const struct hf_process_range *ranges, size_t count, uint64_t address)
{
    size_t i = HF_FIRST_ABOVE(ranges, count, end, address);
    return i < count && ranges[i].start <= address;
}

/* ---- A page ---- */

/* The index of an allocator's name, which is static; the last one has what is left over. */
static size_t allocator_index(struct parts_maker *m, const char *name)
{
    size_t i = 0;
    while (
        i < ALLOCATORS_MAX - 1 && m->allocators[i] != NULL && strcmp(m->allocators[i], name) != 0)
        i++;
    if (m->allocators[i] == NULL)
        m->allocators[i] = name;
    return i;
}

/* How many bytes of blocks lie in a page. */
static uint64_t blocks_in(struct parts_maker *m, uint64_t start, uint64_t end)
{
    const struct hf_heap *heap = m->heap;
    uint64_t bytes = 0;
    while (m->block < heap->count &&
           heap->blocks[m->block].address + heap->blocks[m->block].bytes <= start)
        m->block++;
    for (size_t i = m->block; i < heap->count && heap->blocks[i].address < end && bytes < PAGE;
         i++) {
        uint64_t from = heap->blocks[i].address > start ? heap->blocks[i].address : start;
        uint64_t until = heap->blocks[i].address + heap->blocks[i].bytes;
        bytes += (until < end ? until : end) - from;
    }
    return bytes < PAGE ? bytes : PAGE;
}

/* What is not read of a region is known by its size only: the first of what is no block is it. */
static void add_heap_page(struct parts_maker *m, size_t number, uint64_t page)
{
    const struct hf_heap_region *region = &m->heap->regions[number];
    size_t allocator = allocator_index(m, region->allocator);
    if (number != m->region)
        m->unread_left = region->unknown_bytes;
    m->region = number;
    uint64_t blocks = blocks_in(m, page, page + PAGE), other = PAGE - blocks;
    uint64_t unread = m->unread_left < other ? m->unread_left : other;
    m->unread_left -= unread;
    m->tally.bytes[HF_PART_BLOCKS][allocator] += blocks;
    m->tally.bytes[HF_PART_UNREAD][allocator] += unread;
    m->tally.bytes[HF_PART_FREE][allocator] += other - unread;
}

static bool page_is_recorder(const struct parts_maker *m, uint64_t page)
{
    return ranges_have(m->image->recorder, m->image->recorder_count, page);
}

/* What a page of a mapping is if nothing tells more. */
static enum hf_resident_part_kind kind_of_page(
    const struct parts_maker *m, const struct hf_resident_place *place, uint64_t page)
{
    if (page_is_recorder(m, page))
        return HF_PART_RECORDER;
    if (ranges_have(m->globals, m->global_count, page))
        return HF_PART_GLOBALS;
    if (place->kind == HF_RESIDENT_STACK || place->is_behind_guard ||
        ranges_have(m->stacks, m->stack_count, page))
        return HF_PART_STACKS;
    return HF_PART_UNKNOWN;
}

static void add_page(struct parts_maker *m, const struct hf_resident_place *place, uint64_t page)
{
    size_t number = HF_FIRST_ABOVE(m->heap->regions, m->heap->region_count, end, page);
    if (number < m->heap->region_count && m->heap->regions[number].start < page + PAGE)
        add_heap_page(m, number, page);
    else
        m->tally.bytes[kind_of_page(m, place, page)][ALLOCATORS_MAX] += PAGE;
}

/* ---- A mapping ---- */

static uint64_t *largest_of(struct resident_tally *tally)
{
    uint64_t *cells = &tally->bytes[0][0], *most = cells;
    for (size_t i = 0; i < sizeof tally->bytes / sizeof *cells; i++)
        most = cells[i] > *most ? &cells[i] : most;
    return most;
}

/* To as many bytes as the kernel says. */
static void tally_fit(
    struct resident_tally *tally, uint64_t sum, uint64_t bytes, enum hf_resident_part_kind rest)
{
    if (sum < bytes)
        tally->bytes[rest][ALLOCATORS_MAX] += bytes - sum;
    while (sum > bytes) {
        uint64_t *most = largest_of(tally), part = sum - bytes < *most ? sum - bytes : *most;
        *most -= part;
        sum -= part;
    }
}

/* False of a large one of which nobody knows what is there, and of a sanitizer's shadow, which is
 * not in the image where that takes long to find out (hf_process_image_maps_file). */
static bool may_walk(const struct parts_maker *m, const struct hf_resident_place *place)
{
    if (place->end - place->start <= SEARCHED_MAX)
        return true;
    return m->image->pages != NULL && hf_process_image_find(m->image, place->start) != NULL;
}

static void see_anonymous(struct parts_maker *m, const struct hf_resident_place *place)
{
    uint64_t sum = 0, end = may_walk(m, place) ? place->end : place->start;
    bool is_small = place->end - place->start <= SEARCHED_MAX;
    for (uint64_t page = place->start; page < end && (is_small || sum < place->resident_bytes);
         page += PAGE) {
        page = hf_process_next_page(m->reader, page, end);
        if (page < end && hf_process_page_is_resident(m->reader, page)) {
            add_page(m, place, page);
            sum += PAGE;
        }
    }
    tally_fit(&m->tally, sum, place->resident_bytes, kind_of_page(m, place, place->start));
}

/* What of a file was changed is the process's own. */
static void see_file(struct parts_maker *m, const struct hf_resident_place *place)
{
    uint64_t(*bytes)[ALLOCATORS_MAX + 1] = m->tally.bytes;
    if (page_is_recorder(m, place->start)) {
        bytes[HF_PART_RECORDER][ALLOCATORS_MAX] = place->resident_bytes;
        return;
    }
    bytes[HF_PART_GLOBALS][ALLOCATORS_MAX] = place->anonymous_bytes;
    bytes[HF_PART_FILES][ALLOCATORS_MAX] = place->resident_bytes - place->anonymous_bytes;
}

static void parts_see_place(struct parts_maker *m, const struct hf_resident_place *place)
{
    m->tally = (struct resident_tally){0};
    if (place->kind == HF_RESIDENT_SHARED)
        m->tally.bytes[page_is_recorder(m, place->start) ? HF_PART_RECORDER : HF_PART_SHARED]
                      [ALLOCATORS_MAX] = place->resident_bytes;
    else if (place->file.inode != 0)
        see_file(m, place);
    else
        see_anonymous(m, place);
    for (size_t kind = 0; kind < HF_PART_KINDS; kind++) {
        for (size_t i = 0; i <= ALLOCATORS_MAX; i++) {
            m->sums.bytes[kind][i] += m->tally.bytes[kind][i];
            m->mappings.bytes[kind][i] += m->tally.bytes[kind][i] != 0;
        }
    }
}

/* ---- All of them ---- */

static int by_part_bytes(const void *a, const void *b)
{
    const struct hf_resident_part *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes < right->bytes ? 1 : -1;
    return left->kind != right->kind ? (left->kind < right->kind ? -1 : 1) : 0;
}

static enum hf_status add_sums(
    const struct parts_maker *m, struct hf_resident_parts *parts, struct hf_error *err)
{
    for (size_t i = 0; i < (size_t)HF_PART_KINDS * (ALLOCATORS_MAX + 1); i++) {
        size_t kind = i / (ALLOCATORS_MAX + 1), allocator = i % (ALLOCATORS_MAX + 1);
        uint64_t bytes = m->sums.bytes[kind][allocator];
        if (bytes == 0)
            continue;
        if (!hf_vec_reserve(
                &parts->items, &parts->capacity, parts->count + 1, sizeof *parts->items))
            return hf_error_memory(err);
        parts->items[parts->count++] = (struct hf_resident_part){
            .kind = (enum hf_resident_part_kind)kind,
            .allocator = allocator < ALLOCATORS_MAX ? m->allocators[allocator] : NULL,
            .bytes = bytes,
            .mappings = m->mappings.bytes[kind][allocator],
        };
        parts->bytes += bytes;
    }
    if (parts->count != 0)
        qsort(parts->items, parts->count, sizeof *parts->items, by_part_bytes);
    return HF_OK;
}

enum hf_status hf_resident_parts_make(struct hf_resident_parts *parts,
    const struct hf_resident_places *places, const struct hf_heap *heap,
    const struct hf_process_image *image, struct hf_error *err)
{
    struct parts_maker *m = calloc(1, sizeof *m);
    *parts = (struct hf_resident_parts){0};
    if (m == NULL)
        return hf_error_memory(err);
    m->heap = heap;
    m->image = image;
    m->region = SIZE_MAX;
    m->reader = hf_process_reader_new(image);
    enum hf_status status = m->reader != NULL ? HF_OK : hf_error_memory(err);
    if (status == HF_OK)
        status = find_globals(m, err);
    if (status == HF_OK)
        status = find_stacks(m, err);
    for (size_t i = 0; status == HF_OK && i < places->count; i++)
        parts_see_place(m, &places->items[i]);
    if (status == HF_OK)
        status = add_sums(m, parts, err);
    free(m->globals);
    free(m->stacks);
    free(m->reader);
    free(m);
    return status;
}

uint64_t hf_resident_parts_bytes(
    const struct hf_resident_parts *parts, enum hf_resident_part_kind kind)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < parts->count; i++)
        bytes += parts->items[i].kind == kind ? parts->items[i].bytes : 0;
    return bytes;
}

void hf_resident_parts_done(struct hf_resident_parts *parts)
{
    free(parts->items);
    *parts = (struct hf_resident_parts){0};
}
