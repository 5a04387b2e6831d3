/*
 * census.h: the blocks of a heap by their size.
 *
 * The size of a block is what the program may use of it: glibc rounds requests up to 24, 40, 56 ...
 * bytes.
 *
 * Example:
 *
 *     struct hf_heap heap = {0};
 *     struct hf_block_graph graph = {0};
 *     struct hf_heap_census census;
 *     status = hf_heap_census_make(&census, &heap, &graph, err);
 *     for (size_t i = 0; status == HF_OK && i < census.count; i++)
 *         hf_out_u64(out, census.rows[i].all.bytes);
 *     hf_heap_census_done(&census);
 */
#ifndef HF_HEAP_CENSUS_H
#define HF_HEAP_CENSUS_H

#include "heap/graph/block_graph.h"

struct hf_heap_size {
    uint64_t size;                /* of each */
    struct hf_heap_sum all, lost; /* directly and indirectly */
};

struct hf_heap_census {
    struct hf_heap_size *rows; /* most bytes first; of equal ones the larger size */
    size_t count, capacity;
};

/* The graph must be that of this heap. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_heap_census_make(struct hf_heap_census *census,
    const struct hf_heap *heap, const struct hf_block_graph *graph, struct hf_error *err);
void hf_heap_census_done(struct hf_heap_census *census);

/* Sorts by lost bytes, most first, and leaves out rows without any. */
void hf_heap_census_keep_lost(struct hf_heap_census *census);

#endif
