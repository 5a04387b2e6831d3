/*
 * block_index.h: which block an address is in, for the many words that a heap holds.
 *
 * A table for each range of blocks has, for every HF_BLOCK_INDEX_STEP bytes, the first block that
 * ends behind them; so a look costs a search among the ranges and a few comparisons. Most words are
 * no addresses, so a bit for each 4 GiB says first whether there is a range at all. Memory: 1/64 of
 * the ranges, and 8 KiB.
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
    size_t at; /* of its part of the table */
};

struct hf_block_index {
    const struct hf_heap *heap; /* borrowed */
    struct hf_block_range *ranges;
    size_t count, capacity;
    uint32_t *table;
    uint64_t windows[HF_BLOCK_INDEX_WINDOWS / 64]; /* bits, by address / 4 GiB */
};

/* Of sorted blocks that do not overlap, less than HF_BLOCK_NONE. Call done in any case. */
HF_MUST_CHECK enum hf_status hf_block_index_init(
    struct hf_block_index *index, const struct hf_heap *heap, struct hf_error *err);
void hf_block_index_done(struct hf_block_index *index);

/* Addresses with more than 48 bits share a window with others. */
static inline size_t hf_block_index_window(uint64_t address)
{
    return (size_t)(address >> 32) % HF_BLOCK_INDEX_WINDOWS;
}

/* False: no block has the address. So it is of most words, and asked for each. */
static inline bool hf_block_index_may_have(const struct hf_block_index *index, uint64_t address)
{
    size_t window = hf_block_index_window(address);
    return (index->windows[window / 64] >> window % 64 & 1) != 0;
}

/* The number of the block that has the address, its first byte or another; or HF_BLOCK_NONE. */
uint32_t hf_block_index_find(const struct hf_block_index *index, uint64_t address);

/* Begin to fetch what a later hf_block_index_find of the address needs: the step of the table; and,
 * when that is there, the block. */
void hf_block_index_fetch_step(const struct hf_block_index *index, uint64_t address);
void hf_block_index_fetch_block(const struct hf_block_index *index, uint64_t address);

#endif
