/*
 * queries.h: the requested addresses, and what is found for each.
 *
 * Addresses are sorted and distinct, which is what makes everything else cheap: a bitmap of blocks
 * rejects a range of the debug information in a few instructions, a binary search does the rest.
 *
 * Example:
 *
 *     static const uint64_t addresses[] = {0x1130, 0x1190};
 *     struct hf_queries queries;
 *     status = hf_queries_init(&queries, addresses, HF_COUNT(addresses), err);
 *     if (status == HF_OK && hf_queries_maybe(&queries, 0x1100, 0x1140))
 *         hf_out_string(out, "this range is worth reading");
 *     hf_queries_done(&queries);
 */
#ifndef HF_DWARF_QUERIES_H
#define HF_DWARF_QUERIES_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No section in memory is larger. */
#define HF_DIE_OFFSET_BITS 48
#define HF_DIE_OFFSET_MASK ((UINT64_C(1) << HF_DIE_OFFSET_BITS) - 1)

/* A function around an address; the innermost is reached first, `outer` is what it is inlined in.
 */
struct hf_inlined_call {
    struct hf_inlined_call *outer;
    uint64_t die : HF_DIE_OFFSET_BITS; /* offset of the entry that has, or leads to, the name */
    uint64_t call_column : 16;
    uint32_t call_file; /* where this one was inlined into `outer` */
    uint32_t call_line;
};

struct hf_answer {
    struct hf_inlined_call *innermost; /* NULL: in no function that is described */
    uint32_t depth;                    /* of the chain; the function itself counts as 1 */
    uint32_t owner;                    /* index of the unit that answers; HF_NO_UNIT: none yet */
    uint32_t file, line;               /* of the address itself, in the owner's line table */
    uint16_t column;                   /* 0: unknown, or not asked for */
    bool has_line, is_near; /* is_near: the table has line 0, and this is the one before */
};

#define HF_NO_UNIT UINT32_MAX

struct hf_queries {
    const uint64_t *addresses; /* sorted, distinct; borrowed */
    size_t count;
    struct hf_answer *answers; /* by address */
    uint8_t *blocks;           /* bit b: some address lies in block b after the first */
    uint64_t first, last;
};

HF_MUST_CHECK enum hf_status hf_queries_init(
    struct hf_queries *queries, const uint64_t *addresses, size_t count, struct hf_error *err);
void hf_queries_done(struct hf_queries *queries);

#define HF_QUERY_BLOCK_SHIFT 7

/* False: certainly no address lies in [low, high). True: perhaps one does. */
static inline bool hf_queries_maybe(const struct hf_queries *q, uint64_t low, uint64_t high)
{
    if (low < q->first)
        low = q->first;
    if (high > q->last + 1)
        high = q->last + 1;
    if (low >= high)
        return false;
    uint64_t block = (low - q->first) >> HF_QUERY_BLOCK_SHIFT;
    uint64_t end = (high - 1 - q->first) >> HF_QUERY_BLOCK_SHIFT;
    if (q->blocks == NULL || end - block > 64)
        return true;
    for (; block <= end; block++) {
        if ((q->blocks[block >> 3] & (1u << (block & 7))) != 0)
            return true;
    }
    return false;
}

/* Of `count` queries in order: place of the first whose address is not below `address`. */
static inline size_t hf_queries_from(
    const struct hf_queries *q, const uint32_t *queries, size_t count, uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (q->addresses[queries[middle]] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
