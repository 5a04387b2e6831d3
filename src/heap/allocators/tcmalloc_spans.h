/*
 * tcmalloc_spans.h: all spans of a tcmalloc, by its page map (tcmalloc_tables.h): runs of pages
 * with one large block, with equal small blocks, or free.
 *
 * The page map has words of spans that are gone at pages within others, so a word counts only where
 * the span that it leads to begins, and behind what is known. Nothing says that a page is of no
 * span any more; all of them lie in anonymous memory, or they are none.
 */
#ifndef HF_HEAP_ALLOCATORS_TCMALLOC_SPANS_H
#define HF_HEAP_ALLOCATORS_TCMALLOC_SPANS_H

#include "heap/allocators/tcmalloc_tables.h"

enum hf_tcmalloc_place {
    HF_TCMALLOC_IN_USE,
    HF_TCMALLOC_FREE,
    HF_TCMALLOC_RETURNED,
    HF_TCMALLOC_UNKNOWN
};

struct hf_tcmalloc_span {
    uint64_t start, end;
    uint64_t free_list; /* of small blocks */
    uint16_t taken;     /* small blocks that are not in that list */
    uint8_t size_class; /* 0: one large block */
    uint8_t place;
};

/* All-zero is empty. */
struct hf_tcmalloc_spans {
    struct hf_tcmalloc_span *items; /* sorted, none lies over another */
    size_t count, capacity;
    uint64_t *tables; /* where records of spans begin and, each 4 KiB, leaves: sorted */
    size_t table_count, table_capacity;
};

/* Of an empty one. Call done in any case. HF_ERR_LIMIT: HF_LIMIT_TCMALLOC_LEAF_PAGES. */
HF_MUST_CHECK enum hf_status hf_tcmalloc_spans_read(struct hf_tcmalloc_spans *spans,
    const struct hf_process_image *image, const struct hf_anonymous_ranges *ranges,
    const struct hf_tcmalloc_tables *tables, struct hf_error *err);
void hf_tcmalloc_spans_done(struct hf_tcmalloc_spans *spans);

/* The span that has an address, or NULL. */
const struct hf_tcmalloc_span *hf_tcmalloc_span_at(
    const struct hf_tcmalloc_spans *spans, uint64_t address);

#endif
