/*
 * heap.h: every block of a process's heaps, as the allocators' own data describe them, and the
 * regions that the blocks lie in.
 *
 * The bytes of a block are those that its owner may use. Memory that the allocator's lists call
 * free is not a block; its bytes are counted. A region is a range of addresses that belongs to one
 * allocator. If it cannot be read to its end, the rest is its `unknown_bytes`, and is never counted
 * as anything else.
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

#define HF_HEAP_OF_PYTHON "pymalloc" /* an allocator whose blocks are objects of CPython */

struct hf_heap_block {
    uint64_t address, bytes;
};

#define HF_HEAP_TABLES "tables" /* a part without blocks: the allocator's own tables */

struct hf_heap_region {
    uint64_t start, end;
    const char *allocator; /* static: "glibc", "tcmalloc" */
    const char *part;      /* static: see glibc.h, tcmalloc.h and others */
    uint64_t in_use_bytes, in_use_count;
    uint64_t free_bytes, free_count; /* in its lists, and at its end */
    /* Part of the free ones: those in caches of a thread or a size. */
    uint64_t cached_bytes, cached_count;
    uint64_t unknown_bytes;
    bool holds_unknown; /* all of it is unknown, and the blocks that it points to count as held */
};

#define HF_HEAP_UNREAD_MAX 4

/* An allocator's library whose tables are not known. Its memory is not in any region. */
struct hf_heap_unread {
    const char *library; /* its path, borrowed from the image */
    const char *why;     /* static: "tables are not those of ...", behind "its" */
};

struct hf_heap {
    struct hf_heap_block *blocks; /* by address after hf_heap_sort */
    size_t count, capacity;
    struct hf_heap_region *regions; /* likewise; without overlaps */
    size_t region_count, region_capacity;
    struct hf_heap_unread unread[HF_HEAP_UNREAD_MAX];
    size_t unread_count;
};

HF_MUST_CHECK enum hf_status hf_heap_add(
    struct hf_heap *heap, uint64_t address, uint64_t bytes, struct hf_error *err);

/* Adds a region, which the caller fills; the pointer is valid until the next one is added. NULL: no
 * memory. */
HF_MUST_CHECK struct hf_heap_region *hf_heap_add_region(struct hf_heap *heap);

/*
 * The region for the addresses of `part`, for a reader that goes upwards: the last one that the
 * reader added, extended, if it ends there and is of the same part (the same pointer); otherwise a
 * new one. `others`: how many regions there were before the reader began. NULL: no memory.
 */
HF_MUST_CHECK struct hf_heap_region *hf_heap_extend_region(
    struct hf_heap *heap, size_t others, const struct hf_heap_region *part);

/* Sorts blocks and regions. */
void hf_heap_sort(struct hf_heap *heap);

/* True if one of the first `region_count` regions, which must be sorted, contains one of these
 * addresses. */
bool hf_heap_overlaps(
    const struct hf_heap *heap, size_t region_count, uint64_t start, uint64_t end);

/* The region that contains this address, or NULL. The heap must be sorted. */
struct hf_heap_region *hf_heap_region_at(const struct hf_heap *heap, uint64_t address);

/* The block that contains this address, or NULL. */
const struct hf_heap_block *hf_heap_find(const struct hf_heap *heap, uint64_t address);
void hf_heap_done(struct hf_heap *heap);

#endif
