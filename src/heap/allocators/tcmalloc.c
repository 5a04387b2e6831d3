#include "heap/allocators/tcmalloc.h"

#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "heap/allocators/tcmalloc_caches.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 65536u                /* of a span: a record counts them in 16 bits */
#define TABLES_GAP (UINT64_C(128) << 10) /* records come from pieces as large as this */
#define TABLE_BYTES 4096u
#define PAGE 4096u

static const char tcmalloc_name[] = "tcmalloc";
static const char tcmalloc_small[] = "small blocks";
static const char tcmalloc_large[] = "large blocks";
static const char tcmalloc_pages[] = "pages for reuse";
static const char tcmalloc_returned[] = "reserved addresses";
static const char tcmalloc_changing[] = "spans being changed";
static const char tcmalloc_tables[] = HF_HEAP_TABLES;

struct tcmalloc {
    struct hf_heap *heap;
    const struct hf_process_image *image;
    struct hf_anonymous_ranges ranges;
    const struct hf_tcmalloc_tables *tables;
    struct hf_tcmalloc_spans spans;
    struct hf_tcmalloc_caches caches;
    struct hf_process_range *own; /* its tables */
    size_t own_count, own_capacity;
    size_t others; /* regions that were there before: sorted */
    struct hf_process_reader reader;
    uint8_t is_free[BLOCKS_MAX]; /* of the span that is looked at */
};

/* NULL: no memory. */
static struct hf_heap_region *tcmalloc_region(
    struct tcmalloc *m, uint64_t start, uint64_t end, const char *part)
{
    return hf_heap_extend_region(m->heap, m->others,
        &(struct hf_heap_region){
            .start = start, .end = end, .allocator = tcmalloc_name, .part = part});
}

/* How many blocks a span's own list has. Ends at what is no block of it, and at one it had. */
static uint64_t mark_free(
    struct tcmalloc *m, const struct hf_tcmalloc_span *span, uint64_t bytes, uint64_t count)
{
    uint64_t listed = 0, block = span->free_list;
    memset(m->is_free, 0, (size_t)count);
    while (block >= span->start && block < span->end) {
        uint64_t i = (block - span->start) / bytes;
        if (i >= count || block != span->start + i * bytes || m->is_free[i] != 0)
            break;
        m->is_free[i] = 1;
        listed++;
        if (!hf_process_word(&m->reader, block, &block))
            break;
    }
    return listed;
}

static bool add_small(struct tcmalloc *m, struct hf_heap_region *region,
    const struct hf_tcmalloc_span *span, uint64_t bytes, uint64_t count)
{
    uint64_t in_use = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t block = span->start + i * bytes;
        if (m->is_free[i] != 0) {
            region->free_count++;
        } else if (hf_tcmalloc_caches_have(&m->caches, block)) {
            region->free_count++;
            region->cached_count++;
            region->cached_bytes += bytes;
        } else {
            if (hf_heap_add(m->heap, block, bytes, NULL) != HF_OK)
                return false;
            in_use++;
        }
    }
    region->in_use_count += in_use;
    region->in_use_bytes += in_use * bytes;
    region->free_bytes += span->end - span->start - in_use * bytes;
    return true;
}

static bool add_unknown(struct tcmalloc *m, const struct hf_tcmalloc_span *span)
{
    struct hf_heap_region *region = tcmalloc_region(m, span->start, span->end, tcmalloc_changing);
    if (region == NULL)
        return false;
    region->unknown_bytes += span->end - span->start;
    region->holds_unknown = true;
    return true;
}

/* The first word of each block was written to when its span was made: of small ones, each page is
 * there. */
static bool is_touched(
    struct tcmalloc *m, const struct hf_tcmalloc_span *span, uint64_t bytes, uint64_t count)
{
    uint64_t end = bytes <= PAGE ? span->start + (count - 1) * bytes + 1 : span->start;
    for (uint64_t at = span->start; at < end; at += PAGE) {
        if (hf_process_next_page(&m->reader, at, end) != at)
            return false;
    }
    return true;
}

/* All blocks of a span that are not taken are in its list; else a thread was changing it, or a
 * block was written to after it was freed, and what lay behind it in the list seems to be taken. */
static bool read_small(struct tcmalloc *m, const struct hf_tcmalloc_span *span)
{
    uint64_t bytes = m->tables->class_bytes[span->size_class];
    uint64_t count = (span->end - span->start) / bytes;
    if (count > BLOCKS_MAX || !is_touched(m, span, bytes, count) ||
        span->taken + mark_free(m, span, bytes, count) != count)
        return add_unknown(m, span);
    struct hf_heap_region *region = tcmalloc_region(m, span->start, span->end, tcmalloc_small);
    return region != NULL && add_small(m, region, span, bytes, count);
}

static bool read_large(struct tcmalloc *m, const struct hf_tcmalloc_span *span)
{
    struct hf_heap_region *region = tcmalloc_region(m, span->start, span->end, tcmalloc_large);
    if (region == NULL)
        return false;
    region->in_use_bytes += span->end - span->start;
    region->in_use_count++;
    return hf_heap_add(m->heap, span->start, span->end - span->start, NULL) == HF_OK;
}

static bool tcmalloc_read_free(
    struct tcmalloc *m, const struct hf_tcmalloc_span *span, const char *part)
{
    struct hf_heap_region *region = tcmalloc_region(m, span->start, span->end, part);
    if (region == NULL)
        return false;
    region->free_bytes += span->end - span->start;
    region->free_count++;
    return true;
}

/* False: no memory. */
static bool tcmalloc_read_span(struct tcmalloc *m, const struct hf_tcmalloc_span *span)
{
    if (hf_heap_overlaps(m->heap, m->others, span->start, span->end))
        return true;
    switch (span->place) {
    case HF_TCMALLOC_FREE: return tcmalloc_read_free(m, span, tcmalloc_pages);
    case HF_TCMALLOC_RETURNED: return tcmalloc_read_free(m, span, tcmalloc_returned);
    case HF_TCMALLOC_IN_USE:
        return span->size_class != 0 ? read_small(m, span) : read_large(m, span);
    default: return add_unknown(m, span);
    }
}

/* ---- Its own ---- */

static bool overlaps_span(const struct tcmalloc *m, uint64_t start, uint64_t end)
{
    size_t i = HF_FIRST_ABOVE(m->spans.items, m->spans.count, end, start);
    return i < m->spans.count && m->spans.items[i].start < end;
}

static bool add_tables(struct tcmalloc *m, uint64_t start, uint64_t end)
{
    if (start >= end || hf_heap_overlaps(m->heap, m->others, start, end) ||
        overlaps_span(m, start, end))
        return true;
    struct hf_heap_region *region = tcmalloc_region(m, start, end, tcmalloc_tables);
    if (region == NULL)
        return false;
    region->in_use_bytes += end - start;
    return true;
}

static bool note_table(struct tcmalloc *m, uint64_t start, uint64_t bytes)
{
    if (bytes > UINT64_MAX - start)
        return true;
    if (!hf_vec_reserve(&m->own, &m->own_capacity, m->own_count + 1, sizeof *m->own))
        return false;
    m->own[m->own_count++] = (struct hf_process_range){start, start + bytes};
    return true;
}

/* Records of spans, leaves, caches of threads; and what of the module's data is no root: what
 * chains had, and the page map. */
static bool note_tables(struct tcmalloc *m)
{
    const struct hf_tcmalloc_tables *t = m->tables;
    bool has_memory = note_table(m, t->central, (uint64_t)t->classes * HF_TCMALLOC_CENTRAL_BYTES) &&
                      note_table(m, t->root, sizeof(uint64_t) << t->root_bits);
    for (size_t i = 0; i < m->caches.thread_count && has_memory; i++)
        has_memory = note_table(m, m->caches.threads[i], HF_TCMALLOC_CACHE_BYTES);
    for (size_t i = 0; i < m->spans.table_count && has_memory; i++) {
        uint64_t at = m->spans.tables[i];
        has_memory =
            note_table(m, at, at % TABLE_BYTES == 0 ? TABLE_BYTES : HF_TCMALLOC_SPAN_BYTES);
    }
    return has_memory;
}

static int by_own_start(const void *a, const void *b)
{
    const struct hf_process_range *left = a, *right = b;
    return (left->start > right->start) - (left->start < right->start);
}

/* With what lies between them. */
static bool read_tables(struct tcmalloc *m)
{
    if (!note_tables(m))
        return false;
    qsort(m->own, m->own_count, sizeof *m->own, by_own_start);
    struct hf_process_range joined = m->own[0];
    for (size_t i = 1; i < m->own_count; i++) {
        struct hf_process_range next = m->own[i];
        bool is_near =
            next.start <= joined.end ||
            (next.start - joined.end <= TABLES_GAP && !overlaps_span(m, joined.end, next.start) &&
                hf_anonymous_ranges_have(&m->ranges, joined.end, next.start));
        if (!is_near && !add_tables(m, joined.start, joined.end))
            return false;
        joined.start = is_near ? joined.start : next.start;
        joined.end = is_near && joined.end > next.end ? joined.end : next.end;
    }
    return add_tables(m, joined.start, joined.end);
}

static bool tcmalloc_read_parts(struct tcmalloc *m)
{
    bool has_memory = true;
    for (size_t i = 0; i < m->spans.count && has_memory; i++)
        has_memory = tcmalloc_read_span(m, &m->spans.items[i]);
    return has_memory && read_tables(m);
}

static enum hf_status read_one(
    struct tcmalloc *m, const struct hf_tcmalloc_tables *tables, struct hf_error *err)
{
    m->tables = tables;
    m->others = m->heap->region_count;
    enum hf_status status = hf_tcmalloc_spans_read(&m->spans, m->image, &m->ranges, tables, err);
    if (status == HF_OK)
        status = hf_tcmalloc_caches_read(&m->caches, m->image, &m->spans, tables, err);
    if (status == HF_OK && !tcmalloc_read_parts(m))
        status = hf_error_memory(err);
    hf_heap_sort(m->heap);
    hf_tcmalloc_caches_done(&m->caches);
    hf_tcmalloc_spans_done(&m->spans);
    m->own_count = 0;
    return status;
}

enum hf_status hf_heap_read_tcmalloc(
    struct hf_heap *heap, const struct hf_process_image *image, struct hf_error *err)
{
    struct hf_tcmalloc_tables *found = calloc(HF_TCMALLOCS_MAX, sizeof *found);
    struct tcmalloc *m = calloc(1, sizeof *m);
    size_t count = 0;
    enum hf_status status = found != NULL && m != NULL ? HF_OK : hf_error_memory(err);
    if (status == HF_OK) {
        m->heap = heap;
        m->image = image;
        m->reader.image = image;
        status = hf_anonymous_ranges_find(&m->ranges, image, err);
    }
    if (status == HF_OK)
        status = hf_tcmalloc_tables_find(image, &m->ranges, found, &count, err);
    for (size_t i = 0; i < count && status == HF_OK; i++)
        status = read_one(m, &found[i], err);
    if (m != NULL) {
        hf_anonymous_ranges_done(&m->ranges);
        free(m->own);
    }
    free(m);
    free(found);
    return status;
}
