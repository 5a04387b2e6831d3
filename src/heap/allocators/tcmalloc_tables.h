/*
 * tcmalloc_tables.h: where the tcmalloc of gperftools keeps what it knows, in the data of the
 * module that has it: the library, or the program that it is linked into. It needs no symbols: what
 * is found has to fit together.
 *
 *     size map   { blocks to move (32 bits each), bytes of a block (32), pages of a span (64) }, an
 *                array of 128 each, by size class: of the bytes the first are 0, 8 and 16, and the
 *                last 256 KiB; a span of that class has as many bytes, which tells those of a page
 *     page map   root: words that point to leaves, of 2^18 words where pages have 8 KiB; a word of
 *                a leaf points to the span that has the page, whose first page is that of the word
 *     central    free lists, one for each class, of 1,216 bytes: the class at 8; at 16 and 64 heads
 *                of lists of its spans, each like one itself, by which the page map is known; at
 * 128 up to 64 { first, last } of chains of free blocks, at 1,152 how many there are span       48
 * bytes: { first page, pages, next, before, first free block | a record of a sample, blocks that
 * are not in its list (16 bits), class (8), where it is (2: 0 in use, 1 free, 2 free and returned),
 * 1: a sample (1) }
 *
 * Source: src/common.h, pagemap.h, page_heap.h, central_freelist.h and span.h of gperftools 2.10
 * and 2.16, x86-64, held against Debian's 2.8.1, 2.10 and 2.16. Google's newer tcmalloc is another
 * one, and so is a build with TCMALLOC_SMALL_BUT_SLOW: nothing is found of them.
 */
#ifndef HF_HEAP_ALLOCATORS_TCMALLOC_TABLES_H
#define HF_HEAP_ALLOCATORS_TCMALLOC_TABLES_H

#include "heap/allocators/mapped_ranges.h"

#define HF_TCMALLOC_CLASSES 128u
#define HF_TCMALLOCS_MAX 8u
#define HF_TCMALLOC_CENTRAL_BYTES 1216u
#define HF_TCMALLOC_CENTRAL_CHAINS_AT 128u
#define HF_TCMALLOC_CENTRAL_COUNT_AT 1152u
#define HF_TCMALLOC_CHAINS_MAX 64u
#define HF_TCMALLOC_SPAN_BYTES 48u

struct hf_tcmalloc_tables {
    struct hf_process_range data; /* of the module */
    unsigned classes;             /* those from 1 on have blocks */
    uint32_t class_moved[HF_TCMALLOC_CLASSES];
    uint32_t class_bytes[HF_TCMALLOC_CLASSES];
    uint64_t class_pages[HF_TCMALLOC_CLASSES];
    unsigned page_bits, leaf_bits, root_bits; /* of an address, from its lowest on */
    uint64_t root, central;
};

struct hf_tcmalloc_span_record {
    uint64_t page, pages, next, before, free_list;
    uint64_t bits;
};

static inline unsigned hf_tcmalloc_span_class(const struct hf_tcmalloc_span_record *span)
{
    return span->bits >> 16 & 0xff;
}

static inline unsigned hf_tcmalloc_span_place(const struct hf_tcmalloc_span_record *span)
{
    return span->bits >> 24 & 3;
}

/* Those of each module that has any, up to HF_TCMALLOCS_MAX. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_tcmalloc_tables_find(const struct hf_process_image *image,
    const struct hf_anonymous_ranges *ranges, struct hf_tcmalloc_tables out[HF_TCMALLOCS_MAX],
    size_t *out_count, struct hf_error *err);

#endif
