/*
 * heap.h: every block of a process's heaps, as their allocators keep them, and the regions that
 * they lie in.
 *
 * Bytes of a block are those that its owner may use. What an allocator's own lists say is free is
 * no block; its bytes are counted. A region is a range of addresses with one allocator; what could
 * not be read of it to its end is `unknown_bytes` of it, never part of anything else.
 *
 * Example:
 *
 *     struct hf_heap heap = {0};
 *     status = hf_heap_add(&heap, 0x55d000000010, 24, err);
 *     hf_heap_sort(&heap);
 *     const struct hf_heap_block *block = hf_heap_find(&heap, 0x55d000000018);
 *     if (block != NULL)
 *         hf_out_u64(out, block->bytes);
 *     hf_heap_done(&heap);
 */
#ifndef HF_HEAP_HEAP_H
#define HF_HEAP_HEAP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_HEAP_OF_PYTHON "pymalloc" /* an allocator: its blocks are objects of CPython */

struct hf_heap_block {
    uint64_t address, bytes;
};

#define HF_HEAP_TABLES "tables" /* a part: the allocator's own, without blocks */

struct hf_heap_region {
    uint64_t start, end;
    const char *allocator; /* static: "glibc", "tcmalloc" */
    const char *part;      /* static: what glibc.h, tcmalloc.h and others say */
    uint64_t in_use_bytes, in_use_count;
    uint64_t free_bytes, free_count;     /* of its lists, and what is left at its end */
    uint64_t cached_bytes, cached_count; /* of these: what lies in caches, for a thread or a size */
    uint64_t unknown_bytes;
    bool holds_unknown; /* all of it is unknown, and what it points to counts as held */
};

#define HF_HEAP_UNREAD_MAX 3

/* A library of an allocator whose tables are not known. Its memory is part of no region. */
struct hf_heap_unread {
    const char *library; /* of the image: its path */
    const char *why;     /* static: "tables are not those of ..." */
};

struct hf_heap {
    struct hf_heap_block *blocks; /* by address after hf_heap_sort */
    size_t count, capacity;
    struct hf_heap_region *regions; /* likewise; none lies over another */
    size_t region_count, region_capacity;
    struct hf_heap_unread unread[HF_HEAP_UNREAD_MAX];
    size_t unread_count;
};

HF_MUST_CHECK enum hf_status hf_heap_add(
    struct hf_heap *heap, uint64_t address, uint64_t bytes, struct hf_error *err);

/* A region that the caller fills; valid until the next one. NULL: no memory. */
HF_MUST_CHECK struct hf_heap_region *hf_heap_add_region(struct hf_heap *heap);

/*
 * The region of these addresses for a walker that goes upwards: one that it extends, if the last
 * one that it added ends there and is of the same part (the same address); `others`: how many there
 * were before it. NULL: no memory.
 */
HF_MUST_CHECK struct hf_heap_region *hf_heap_extend_region(
    struct hf_heap *heap, size_t others, const struct hf_heap_region *part);

/* Blocks and regions. */
void hf_heap_sort(struct hf_heap *heap);

/* True if one of the first `region_count` regions, which are sorted, has one of these addresses. */
bool hf_heap_overlaps(
    const struct hf_heap *heap, size_t region_count, uint64_t start, uint64_t end);

/* Of a sorted heap: the region that has this address, or NULL. */
struct hf_heap_region *hf_heap_region_at(const struct hf_heap *heap, uint64_t address);

/* The block that has this address, its first byte or another, or NULL. */
const struct hf_heap_block *hf_heap_find(const struct hf_heap *heap, uint64_t address);
void hf_heap_done(struct hf_heap *heap);

#endif
