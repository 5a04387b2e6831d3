/*
 * blocks.h: from the address of a recorded block to its slot in the live table.
 *
 * Where every allocation is recorded, in the *shadow* (shadow.h): the cell of an address holds 1 +
 * the slot of the block that begins in its 32 bytes and, in two bits, at which multiple of 8 it
 * does. No two blocks of glibc meet in a cell; of other allocators, the second is kept as those of
 * a sample are, and so is what begins elsewhere:
 *
 * Where a sample is recorded, in *shards*, chosen by 64 KiB of address space so that a thread which
 * allocates from memory of its own stays with the same ones. Each is a table with open addressing
 * in buckets of one cache line, chosen by 128 bytes of address space.
 *
 *     bucket   7 prints (u8) | passed u8 | 7 tags (u32) | 7 slots (u32)
 *
 * A tag is 32 bits of the address's hash, a print 7 of these and a bit that is set: one word tells
 * which cells to look at, and where one is empty. `passed` counts the entries that belong into this
 * bucket or one before it, and were put behind it: 0 ends a search, and nothing is left behind by
 * what is taken out. A shard is doubled at 3/4 of its entries; tags are enough for that. So an
 * entry needs 11 to 24 bytes.
 *
 * Any thread; the shadow without a lock, each shard with one, never waited for without end. Memory
 * comes by mmap; without more of it a shard is filled up to the last entry.
 */
#ifndef HF_AGENT_BLOCKS_H
#define HF_AGENT_BLOCKS_H

#include "base/attr.h"
#include "base/spinlock.h"
#include "live/writer.h"
#include "shadow.h"

#define HF_BLOCKS_SHARDS 64

struct hf_blocks_bucket;

struct hf_blocks_shard {
    _Alignas(64) struct hf_spinlock lock;
    uint32_t count, bucket_count; /* entries; buckets, a power of two, or 0 */
    struct hf_blocks_bucket *buckets;
};

/* All-zero is empty. */
struct hf_blocks {
    struct hf_shadow shadow; /* hf_shadow_begin: it is used */
    struct hf_blocks_shard shards[HF_BLOCKS_SHARDS];
};

/* Makes the first page of every shard now: what does not grow then never needs the system. Without
 * memory they are made when they are needed. */
void hf_blocks_begin(struct hf_blocks *blocks);

enum hf_blocks_answer {
    HF_BLOCKS_TAKEN,
    HF_BLOCKS_UNKNOWN, /* not recorded */
    HF_BLOCKS_BUSY,    /* the lock was not to be had */
};

/* For the functions below: an address whose cell could say which of its bytes it is. */
static inline bool hf_blocks_has_cell(uintptr_t address)
{
    return address % 8 == 0;
}

/* What a cell is when the block at `address` is in `slot`. */
static inline uint32_t hf_blocks_cell(uintptr_t address, uint32_t slot)
{
    return (uint32_t)(address / 8 % 4) << 30 | (slot + 1);
}

/* The slot that a cell says the block at `address` is in; HF_LIVE_NONE, which is -1. */
static inline uint32_t hf_blocks_slot_in(const _Atomic uint32_t *cell, uintptr_t address)
{
    uint32_t value = cell != NULL ? atomic_load_explicit(cell, memory_order_relaxed) : 0;
    return value >> 30 == address / 8 % 4 ? (value & ((1u << 30) - 1)) - 1 : HF_LIVE_NONE;
}

/* Fills an empty cell; false if another block was there, or another thread was faster. */
static HF_ALWAYS_INLINE bool hf_blocks_fill(_Atomic uint32_t *cell, uint32_t value)
{
    uint32_t empty = 0;
    if (HF_UNLIKELY(atomic_load_explicit(cell, memory_order_relaxed) != empty))
        return false;
    if (!hf_is_alone())
        return atomic_compare_exchange_strong_explicit(
            cell, &empty, value, memory_order_relaxed, memory_order_relaxed);
    atomic_store_explicit(cell, value, memory_order_relaxed);
    return true;
}

/* The same as hf_blocks_add and hf_blocks_take, for what is not in a cell of its own. */
HF_MUST_CHECK bool hf_blocks_add_apart(struct hf_blocks *blocks, struct hf_live_table *table,
    uintptr_t address, uint32_t slot, uint32_t *out_old);
HF_MUST_CHECK enum hf_blocks_answer hf_blocks_take_apart(
    struct hf_blocks *blocks, struct hf_live_table *table, uintptr_t address, uint32_t *out_slot);

/*
 * The block at `address` is in `slot`, which hf_live_put filled. *out_old is the slot it was said
 * to be in before, which the program must have freed without our seeing it, or HF_LIVE_NONE. False,
 * and nothing is changed, without memory, or if the lock was not to be had.
 */
HF_MUST_CHECK static HF_ALWAYS_INLINE bool hf_blocks_add(struct hf_blocks *blocks,
    struct hf_live_table *table, uintptr_t address, uint32_t slot, uint32_t *out_old)
{
    _Atomic uint32_t *cell =
        hf_blocks_has_cell(address) ? hf_shadow_find(&blocks->shadow, address) : NULL;
    *out_old = HF_LIVE_NONE;
    return (HF_LIKELY(cell != NULL) &&
               HF_LIKELY(hf_blocks_fill(cell, hf_blocks_cell(address, slot)))) ||
           hf_blocks_add_apart(blocks, table, address, slot, out_old);
}

/* Takes the block at `address` out; its slot is the caller's to empty or to add again. */
HF_MUST_CHECK static HF_ALWAYS_INLINE enum hf_blocks_answer hf_blocks_take(
    struct hf_blocks *blocks, struct hf_live_table *table, uintptr_t address, uint32_t *out_slot)
{
    _Atomic uint32_t *cell =
        hf_blocks_has_cell(address) ? hf_shadow_find(&blocks->shadow, address) : NULL;
    uint32_t slot = hf_blocks_slot_in(cell, address);
    if (HF_UNLIKELY(slot == HF_LIVE_NONE))
        return hf_blocks_take_apart(blocks, table, address, out_slot);
    /* Only who frees the block empties its cell: nobody else can have changed it meanwhile. */
    atomic_store_explicit(cell, 0, memory_order_relaxed);
    *out_slot = slot;
    return HF_BLOCKS_TAKEN;
}

/* Room for so many entries, were they spread evenly over the shards. Without memory, less. */
void hf_blocks_reserve(struct hf_blocks *blocks, uint64_t entries);

/* Where no other thread can be using the shadow, its blocks move into the shards and its memory is
 * given back. Else it gets no new pieces. */
void hf_blocks_leave_shadow(struct hf_blocks *blocks, struct hf_live_table *table);

/* The calling thread will not come back to what it did here: its locks are released. */
void hf_blocks_mend(struct hf_blocks *blocks);

/* Empty again and without shadow, memory given back, whoever holds the locks: a child after fork.
 */
void hf_blocks_forget(struct hf_blocks *blocks);

#endif
