/*
 * block_index.h: finds the block that an address is in, fast enough for each word of a heap.
 *
 * Each range of blocks has a table: for every HF_BLOCK_INDEX_STEP bytes, the first block that ends
 * behind their start. So to find a block takes a search among the ranges and a few comparisons.
 * Most words are not addresses: a bit for each 4 GiB says first whether any range lies there.
 * Memory: 1/64 of the ranges, and 8 KiB.
 *
 * Example:
 *
 *     struct hf_heap heap = {0}; // of blocks that are sorted
 *     struct hf_block_index index = {0};
 *     status = hf_block_index_init(&index, &heap, err);
 *     if (status == HF_OK && hf_block_index_find(&index, 0x55d000000018) != HF_BLOCK_NONE)
 *         hf_out_string(out, "a pointer");
 *     hf_block_index_done(&index);
 */
#ifndef HF_HEAP_BLOCK_INDEX_H
#define HF_HEAP_BLOCK_INDEX_H

#include "heap/heap.h"

#define HF_BLOCK_NONE UINT32_MAX
#define HF_BLOCK_INDEX_STEP 256u
#define HF_BLOCK_INDEX_WINDOWS 65536u

/* Blocks without a hole of HF_BLOCK_INDEX_HOLE bytes or more between them. */
#define HF_BLOCK_INDEX_HOLE 65536u
struct hf_block_range {
    uint64_t start, end;
    size_t at; /* where its part of the table begins */
};

struct hf_block_index {
    const struct hf_heap *heap; /* borrowed */
    struct hf_block_range *ranges;
    size_t count, capacity;
    uint32_t *table;
    uint64_t windows[HF_BLOCK_INDEX_WINDOWS / 64]; /* bits, by address / 4 GiB */
};

/* The blocks must be sorted and without overlaps, and fewer than HF_BLOCK_NONE. Call done in any
 * case. */
HF_MUST_CHECK enum hf_status hf_block_index_init(
    struct hf_block_index *index, const struct hf_heap *heap, struct hf_error *err);
void hf_block_index_done(struct hf_block_index *index);

/* Addresses with more than 48 bits share a window with others. */
static inline size_t hf_block_index_window(uint64_t address)
{
    return (size_t)(address >> 32) % HF_BLOCK_INDEX_WINDOWS;
}

/* False: no block has the address. This is a fast answer for most words. */
static inline bool hf_block_index_may_have(const struct hf_block_index *index, uint64_t address)
{
    size_t window = hf_block_index_window(address);
    return (index->windows[window / 64] >> window % 64 & 1) != 0;
}

/* The number of the block that contains the address, or HF_BLOCK_NONE. */
uint32_t hf_block_index_find(const struct hf_block_index *index, uint64_t address);

/* Begin to fetch from memory what a later hf_block_index_find of the address needs: first the entry
 * of the table; then, when that has arrived, the block. */
void hf_block_index_fetch_step(const struct hf_block_index *index, uint64_t address);
void hf_block_index_fetch_block(const struct hf_block_index *index, uint64_t address);

#endif
