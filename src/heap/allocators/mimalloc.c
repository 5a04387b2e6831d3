#include "heap/allocators/mimalloc.h"

#include "base/containers/map.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"

#include <stdlib.h>
#include <string.h>

#define SEGMENT_BYTES (UINT64_C(32) << 20)
#define SLICE_BYTES UINT64_C(65536)
#define PAGE 4096u
#define SLICES 512u
#define SLICES_MAX (UINT64_C(1) << 24) /* 1 TiB in one block */
#define HEAD_AT 208u
#define RECORDS_AT 264u
#define HEAD_SLICES_MAX 8u
#define COPIED_MAX (512u << 10)        /* a page of more than one block */
#define SHIFTED_MAX 1024u              /* blocks that do not begin where their page does */
#define SHIFT 384u                     /* but here */
#define HUGE_BYTES (UINT32_C(1) << 31) /* such a block, or a larger one, fills its page */
#define CAPACITY_MAX 65536u
#define HEAP_SIZES_AT 1056u /* of the queues of a heap: 8, 8, 16, ... */
#define HEAP_SIZE_STEP 24u
#define HEAP_LIST_AT 2840u
#define DELAYED_MAX (1u << 20) /* blocks */

static const char allocator_name[] = "mimalloc";

struct segment_head {
    uint64_t used, cookie, slices, head_slices, is_huge, records;
};

struct page_record {
    uint32_t slices, offset;
    uint8_t bits[2];
    uint16_t capacity, reserved;
    uint8_t flags[2];
    uint64_t list;
    uint32_t used, block_bytes;
    uint64_t local_list, thread_list, heap, next, before, unused;
};

struct mimalloc_segment {
    uint64_t start, end;
};

struct mimalloc {
    struct hf_heap *heap;
    const struct hf_process_image *image;
    size_t others; /* regions that were there before: sorted */
    struct mimalloc_segment *segments;
    size_t count, capacity;
    size_t proven;            /* segments that are right in themselves */
    struct hf_map heaps;      /* addresses that pages have */
    struct hf_map delayed;    /* blocks in lists of heaps */
    struct segment_head head; /* of the segment that is looked at */
    struct page_record records[SLICES];
    uint8_t bytes[COPIED_MAX]; /* of a page */
    uint8_t is_free[CAPACITY_MAX];
    struct hf_process_reader reader;
    bool is_out_of_memory;
};

/* ---- Segments ---- */

/* The head and the records of a segment, if one may begin there. */
static bool read_head(struct mimalloc *m, uint64_t start, uint64_t end)
{
    struct segment_head *head = &m->head;
    if (!hf_process_copy(&m->reader, start + HEAD_AT, head, sizeof *head))
        return false;
    bool is_one = head->is_huge <= 1 && head->head_slices != 0 &&
                  head->head_slices <= HEAD_SLICES_MAX && head->slices > head->head_slices &&
                  head->slices <= SLICES_MAX && head->slices * SLICE_BYTES <= end - start &&
                  (head->is_huge != 0 || head->slices == SLICES) &&
                  head->records == (head->slices < SLICES ? head->slices : SLICES);
    return is_one && hf_process_copy(&m->reader, start + RECORDS_AT, m->records,
                         (size_t)head->records * sizeof *m->records);
}

/* The span behind one; false: it is none, and all from there on is unknown. */
static bool is_span(const struct mimalloc *m, uint64_t i)
{
    const struct page_record *record = &m->records[i];
    return record->slices != 0 && record->offset == 0 && record->slices <= m->head.slices - i;
}

static bool is_segment_right(const struct mimalloc *m)
{
    uint64_t used = 0, i = 0;
    for (; i < m->head.records && is_span(m, i); i += m->records[i].slices)
        used += i != 0 && m->records[i].block_bytes != 0;
    return i == m->head.slices && used == m->head.used &&
           m->records[0].slices == m->head.head_slices;
}

static void note_heaps(struct mimalloc *m)
{
    for (uint64_t i = m->head.head_slices; i < m->head.records && is_span(m, i);
         i += m->records[i].slices) {
        uint64_t heap = m->records[i].block_bytes != 0 ? m->records[i].heap : 0;
        if (heap != 0 && hf_map_put(&m->heaps, heap, 0, NULL) == NULL)
            m->is_out_of_memory = true;
    }
}

/* Returns where the next segment may begin. */
static uint64_t mimalloc_find_segment(struct mimalloc *m, uint64_t start, uint64_t end)
{
    if (!read_head(m, start, end) || m->records[0].slices != m->head.head_slices)
        return start + SEGMENT_BYTES;
    uint64_t bytes = m->head.slices * SLICE_BYTES;
    uint64_t next = start + (bytes + SEGMENT_BYTES - 1) / SEGMENT_BYTES * SEGMENT_BYTES;
    if (hf_heap_overlaps(m->heap, m->others, start, start + bytes))
        return next;
    if (!hf_vec_reserve(&m->segments, &m->capacity, m->count + 1, sizeof *m->segments)) {
        m->is_out_of_memory = true;
        return next;
    }
    m->segments[m->count++] = (struct mimalloc_segment){start, start + bytes};
    m->proven += is_segment_right(m);
    note_heaps(m);
    return next;
}

/* What of a segment was not needed yet cannot be written. */
static bool may_have_segments(const struct hf_process_mapping *mapping)
{
    return !mapping->is_shared && mapping->inode == 0;
}

static void mimalloc_find_segments(struct mimalloc *m)
{
    const struct hf_process_image *image = m->image;
    for (size_t i = 0; i < image->count && !m->is_out_of_memory;) {
        const struct hf_process_mapping *first = &image->mappings[i++];
        uint64_t end = first->end;
        if (!may_have_segments(first))
            continue;
        while (i < image->count && image->mappings[i].start == end &&
               may_have_segments(&image->mappings[i]))
            end = image->mappings[i++].end;
        uint64_t at = (first->start + SEGMENT_BYTES - 1) / SEGMENT_BYTES * SEGMENT_BYTES;
        while (at >= first->start && at < end && !m->is_out_of_memory) {
            /* Its head was written to; of 20 TB that a program reserves, nearly nothing was. */
            at = hf_process_skip(image, at, end) / SEGMENT_BYTES * SEGMENT_BYTES;
            const struct hf_process_mapping *of = hf_process_image_find(image, at);
            if (of != NULL && !of->is_writable) {
                at = (of->end + SEGMENT_BYTES - 1) / SEGMENT_BYTES * SEGMENT_BYTES;
                continue;
            }
            bool has_head = at < end && hf_process_next_page(&m->reader, at, at + PAGE) == at;
            at = has_head ? mimalloc_find_segment(m, at, end) : at + SEGMENT_BYTES;
        }
    }
}

static bool in_segment(const struct mimalloc *m, uint64_t address)
{
    size_t i = HF_FIRST_ABOVE(m->segments, m->count, end, address);
    return i < m->count && m->segments[i].start <= address;
}

/* ---- What other threads freed ---- */

static void read_delayed(struct mimalloc *m, uint64_t heap)
{
    uint64_t first, second, block;
    if (!hf_process_word(&m->reader, heap + HEAP_SIZES_AT + HEAP_SIZE_STEP, &first) ||
        !hf_process_word(&m->reader, heap + HEAP_SIZES_AT + 2 * HEAP_SIZE_STEP, &second) ||
        first != 8 || second != 16 || !hf_process_word(&m->reader, heap + HEAP_LIST_AT, &block))
        return;
    bool is_new = true;
    while (is_new && in_segment(m, block) && m->delayed.count < DELAYED_MAX) {
        if (hf_map_put(&m->delayed, block, 0, &is_new) == NULL)
            m->is_out_of_memory = true;
        if (m->is_out_of_memory || !hf_process_word(&m->reader, block, &block))
            return;
    }
}

/* ---- Pages ---- */

struct page {
    uint64_t first, bytes; /* of its blocks; of each */
    uint64_t capacity;
    bool is_copied;
};

/* How many more are free, by a list. */
static uint64_t mark_list(struct mimalloc *m, const struct page *page, uint64_t block)
{
    uint64_t count = 0;
    while (block >= page->first) {
        uint64_t i = (block - page->first) / page->bytes;
        if (i >= page->capacity || block != page->first + i * page->bytes || m->is_free[i] != 0)
            return count;
        m->is_free[i] = 1;
        count++;
        if (page->is_copied)
            memcpy(&block, m->bytes + (block - page->first), sizeof block);
        else if (!hf_process_word(&m->reader, block, &block))
            return count;
    }
    return count;
}

static bool add_blocks(
    struct mimalloc *m, struct hf_heap_region *region, const struct page *page, uint64_t size)
{
    uint64_t in_use = 0;
    for (uint64_t i = 0; i < page->capacity; i++) {
        uint64_t block = page->first + i * page->bytes;
        if (m->is_free[i] != 0 || hf_map_find(&m->delayed, block) != NULL) {
            region->free_count++;
            continue;
        }
        if (hf_heap_add(m->heap, block, page->bytes, NULL) != HF_OK)
            return false;
        in_use++;
    }
    region->in_use_count += in_use;
    region->in_use_bytes += in_use * page->bytes;
    region->free_bytes += size - in_use * page->bytes;
    return true;
}

/* The first word of each block that was ever handed out was written to before, when it came into a
 * list: so of small ones, each page is there. Who claims others would have as many as addresses. */
static bool was_touched(struct mimalloc *m, const struct page *page)
{
    uint64_t last = page->first + (page->capacity - 1) * page->bytes;
    uint64_t end = page->capacity != 0 && page->bytes <= PAGE ? last + 1 : 0;
    for (uint64_t at = page->first & ~(uint64_t)(PAGE - 1); at < end; at += PAGE) {
        if (hf_process_next_page(&m->reader, at, end) != at)
            return false;
    }
    return true;
}

/* A span of a segment; false: no memory. */
static bool read_page(struct mimalloc *m, struct hf_heap_region *region, uint64_t start,
    const struct page_record *record)
{
    uint64_t size = record->slices * SLICE_BYTES, bytes = record->block_bytes;
    uint64_t shift = bytes >= 8 && bytes <= SHIFTED_MAX ? SHIFT : 0;
    if (bytes == 0) {
        region->free_bytes += size;
        return true;
    }
    if (bytes >= HUGE_BYTES)
        bytes = size;
    struct page page = {start + shift, bytes, record->capacity, false};
    if (bytes % 8 != 0 || (size - shift) / bytes != record->reserved ||
        record->capacity > record->reserved || record->used > record->capacity ||
        !was_touched(m, &page)) {
        region->unknown_bytes += size;
        return true;
    }
    size_t copied = (size_t)(page.capacity * bytes);
    memset(m->is_free, 0, record->capacity);
    page.is_copied = page.capacity > 1 && copied <= sizeof m->bytes &&
                     hf_process_copy(&m->reader, page.first, m->bytes, copied);
    uint64_t listed = mark_list(m, &page, record->list) + mark_list(m, &page, record->local_list);
    /* All that are not used are in these lists, but for one that is on its way; else a block was
     * written to after it was freed, and what lay behind it in the list would seem to be in use. */
    if (listed + 1 < record->capacity - record->used) {
        region->unknown_bytes += size;
        return true;
    }
    (void)mark_list(m, &page, record->thread_list & ~UINT64_C(3));
    return add_blocks(m, region, &page, size);
}

static bool mimalloc_read_segment(struct mimalloc *m, const struct mimalloc_segment *segment)
{
    struct hf_heap_region *region = hf_heap_add_region(m->heap);
    if (region == NULL)
        return false;
    *region = (struct hf_heap_region){.start = segment->start,
        .end = segment->end,
        .allocator = allocator_name,
        .part = "blocks"};
    if (!read_head(m, segment->start, segment->end)) {
        region->unknown_bytes = segment->end - segment->start;
        return true;
    }
    region->part = m->head.is_huge != 0 ? "huge blocks" : "blocks";
    uint64_t i = m->head.head_slices;
    for (; i < m->head.records && is_span(m, i); i += m->records[i].slices) {
        if (!read_page(m, region, segment->start + i * SLICE_BYTES, &m->records[i]))
            return false;
    }
    if (i < m->head.records)
        region->unknown_bytes += (m->head.slices - i) * SLICE_BYTES;
    return true;
}

static void mimalloc_read_segments(struct mimalloc *m)
{
    for (size_t i = 0; i < m->heaps.capacity; i++) {
        if (m->heaps.slots[i].is_used)
            read_delayed(m, m->heaps.slots[i].key);
    }
    for (size_t i = 0; i < m->count && !m->is_out_of_memory; i++)
        m->is_out_of_memory = !mimalloc_read_segment(m, &m->segments[i]);
}

enum hf_status hf_heap_read_mimalloc(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err)
{
    struct mimalloc *m = calloc(1, sizeof *m);
    if (m == NULL)
        return hf_error_memory(err);
    m->heap = heap;
    m->image = image;
    m->others = heap->region_count;
    m->reader.image = image;
    mimalloc_find_segments(m);
    if (m->proven != 0 && !m->is_out_of_memory)
        mimalloc_read_segments(m);
    hf_heap_sort(heap);
    enum hf_status status = m->is_out_of_memory ? hf_error_memory(err) : HF_OK;
    hf_map_done(&m->heaps);
    hf_map_done(&m->delayed);
    free(m->segments);
    free(m);
    return status;
}
