#include "blocks.h"

#include "pages.h"

#define ENTRIES 7
#define FIRST_BUCKETS 64 /* of a shard: a page */
#define MIXER UINT64_C(0x9e3779b97f4a7c15)

/* Of the word of prints: each one's bit that is set, its lowest bit; and
 * `passed`. */
#define USED UINT64_C(0x0080808080808080)
#define ONES UINT64_C(0x0001010101010101)
#define PASSED (UINT64_C(1) << 56)
#define PASSED_MAX 255 /* stays: it no longer knows */

struct hf_blocks_bucket {
    uint64_t prints;
    uint32_t tags[ENTRIES];
    uint32_t slots[ENTRIES];
};
_Static_assert(sizeof(struct hf_blocks_bucket) == 64, "a cache line");

static struct hf_blocks_shard *shard_of(struct hf_blocks *blocks, uintptr_t address)
{
    return &blocks->shards[(address >> 16) * MIXER >> 58];
}

/* 28 bits of the piece of 128 bytes, which choose the bucket, and where in the
 * piece. */
static uint32_t tag_of(uintptr_t address)
{
    return ((uint32_t)((address >> 7) * MIXER >> 32) & ~15u) | (uint32_t)(address >> 3 & 15);
}

static uint64_t print_of(uint32_t tag)
{
    return (tag & 0x7f) | 0x80;
}

static uint32_t home_of(const struct hf_blocks_shard *shard, uint32_t tag)
{
    return (uint32_t)((uint64_t)tag * shard->bucket_count >> 32);
}

static uint32_t blocks_next_of(const struct hf_blocks_shard *shard, uint32_t bucket)
{
    return (bucket + 1) & (shard->bucket_count - 1);
}

static uint64_t passed_of(const struct hf_blocks_bucket *bucket)
{
    return bucket->prints / PASSED;
}

/* Cells as the highest bits of their bytes; the first of them. */
static unsigned blocks_first_of(uint64_t cells)
{
    return (unsigned)__builtin_ctzll(cells) / 8;
}

void hf_blocks_begin(struct hf_blocks *blocks)
{
    struct hf_blocks_bucket *first = hf_pages_map(sizeof *first * FIRST_BUCKETS * HF_BLOCKS_SHARDS);
    for (unsigned i = 0; first != NULL && i < HF_BLOCKS_SHARDS; i++) {
        blocks->shards[i].buckets = first + (size_t)i * FIRST_BUCKETS;
        blocks->shards[i].bucket_count = FIRST_BUCKETS;
    }
}

/* Puts an entry into the first bucket from its home on that has room; there is
 * one. Left halfway, it has counted too much, which does no harm. */
static void blocks_put(struct hf_blocks_shard *shard, uint32_t tag, uint32_t slot)
{
    shard->count++;
    struct hf_blocks_bucket *bucket = &shard->buckets[home_of(shard, tag)];
    for (uint32_t at = home_of(shard, tag); (~bucket->prints & USED) == 0;
         bucket = &shard->buckets[at]) {
        bucket->prints += passed_of(bucket) < PASSED_MAX ? PASSED : 0;
        at = blocks_next_of(shard, at);
    }
    unsigned cell = blocks_first_of(~bucket->prints & USED);
    bucket->tags[cell] = tag;
    bucket->slots[cell] = slot;
    atomic_signal_fence(memory_order_release);
    bucket->prints |= print_of(tag) << (8 * cell);
}

/* The cell of the block at `address`; NULL if it is not in the shard. */
static HF_ALWAYS_INLINE struct hf_blocks_bucket *blocks_find(const struct hf_blocks_shard *shard,
    struct hf_live_table *table, uintptr_t address, uint32_t tag, unsigned *out_cell)
{
    uint32_t at = home_of(shard, tag);
    for (uint32_t n = 0; n < shard->bucket_count; n++, at = blocks_next_of(shard, at)) {
        struct hf_blocks_bucket *bucket = &shard->buckets[at];
        /* A byte that equals the print has become 0, and only below such a one
         * borrows happen. */
        uint64_t other = (bucket->prints & (PASSED - 1)) ^ print_of(tag) * ONES;
        for (uint64_t cells = (other - ONES) & ~other & USED; cells != 0; cells &= cells - 1) {
            unsigned cell = blocks_first_of(cells);
            if (bucket->tags[cell] == tag &&
                hf_live_address_of(table, bucket->slots[cell]) == address) {
                *out_cell = cell;
                return bucket;
            }
        }
        if (passed_of(bucket) == 0)
            break;
    }
    return NULL;
}

/* So many buckets, a power of two, if there is memory; true if there is room for one more
 * entry. */
static bool blocks_grow(struct hf_blocks_shard *shard, uint32_t more)
{
    uint32_t old_count = shard->bucket_count;
    struct hf_blocks_bucket *outgrown = shard->buckets;
    struct hf_blocks_shard new = {
        .bucket_count = more,
        .buckets = hf_pages_map(more * sizeof *new.buckets),
    };
    if (new.buckets == NULL)
        return shard->count < shard->bucket_count * ENTRIES;
    for (uint32_t at = 0; at < shard->bucket_count; at++) {
        const struct hf_blocks_bucket *bucket = &outgrown[at];
        for (uint64_t cells = bucket->prints & USED; cells != 0; cells &= cells - 1)
            blocks_put(
                &new, bucket->tags[blocks_first_of(cells)], bucket->slots[blocks_first_of(cells)]);
    }
    atomic_signal_fence(memory_order_release);
    shard->buckets = new.buckets;
    shard->bucket_count = new.bucket_count;
    shard->count = new.count;
    hf_pages_unmap(outgrown, old_count * sizeof *outgrown);
    return true;
}

static bool add_to_shard(struct hf_blocks *blocks, struct hf_live_table *table, uintptr_t address,
    uint32_t slot, uint32_t *out_old)
{
    struct hf_blocks_shard *shard = shard_of(blocks, address);
    if (!hf_spinlock_take(&shard->lock))
        return false;
    uint32_t tag = tag_of(address);
    unsigned cell;
    bool is_added = true;
    *out_old = HF_LIVE_NONE;
    struct hf_blocks_bucket *bucket = blocks_find(shard, table, address, tag, &cell);
    if (HF_UNLIKELY(bucket != NULL)) {
        *out_old = bucket->slots[cell];
        bucket->slots[cell] = slot;
    } else if (HF_LIKELY(shard->count < shard->bucket_count * ENTRIES / 4 * 3) ||
               blocks_grow(
                   shard, shard->bucket_count != 0 ? shard->bucket_count * 2 : FIRST_BUCKETS)) {
        blocks_put(shard, tag, slot);
    } else {
        is_added = false;
    }
    hf_spinlock_release(&shard->lock);
    return is_added;
}

/* Takes an entry out of its bucket, and what counts it out of those before it.
 */
static void take_out(struct hf_blocks_shard *shard, struct hf_blocks_bucket *from, unsigned cell)
{
    uint32_t tag = from->tags[cell];
    from->prints &= ~(UINT64_C(0xff) << (8 * cell));
    shard->count--;
    for (uint32_t at = home_of(shard, tag); &shard->buckets[at] != from;
         at = blocks_next_of(shard, at)) {
        struct hf_blocks_bucket *passed = &shard->buckets[at];
        passed->prints -= passed_of(passed) < PASSED_MAX ? PASSED : 0;
    }
}

enum hf_blocks_answer hf_blocks_take_apart(
    struct hf_blocks *blocks, struct hf_live_table *table, uintptr_t address, uint32_t *out_slot)
{
    struct hf_blocks_shard *shard = shard_of(blocks, address);
    if (!hf_spinlock_take(&shard->lock))
        return HF_BLOCKS_BUSY;
    unsigned cell;
    struct hf_blocks_bucket *bucket = blocks_find(shard, table, address, tag_of(address), &cell);
    if (bucket != NULL) {
        *out_slot = bucket->slots[cell];
        take_out(shard, bucket, cell);
    }
    hf_spinlock_release(&shard->lock);
    return bucket != NULL ? HF_BLOCKS_TAKEN : HF_BLOCKS_UNKNOWN;
}

bool hf_blocks_add_apart(struct hf_blocks *blocks, struct hf_live_table *table, uintptr_t address,
    uint32_t slot, uint32_t *out_old)
{
    _Atomic uint32_t *cell =
        hf_blocks_has_cell(address) ? hf_shadow_make(&blocks->shadow, address) : NULL;
    *out_old = HF_LIVE_NONE;
    if (HF_LIKELY(cell != NULL)) {
        if (hf_blocks_fill(cell, hf_blocks_cell(address, slot)))
            return true;
        *out_old = hf_blocks_slot_in(cell, address);
        if (*out_old != HF_LIVE_NONE) {
            atomic_store_explicit(cell, hf_blocks_cell(address, slot), memory_order_relaxed);
            return true;
        }
    }
    return add_to_shard(blocks, table, address, slot, out_old);
}

void hf_blocks_reserve(struct hf_blocks *blocks, uint64_t entries)
{
    uint32_t buckets = FIRST_BUCKETS;
    while ((uint64_t)buckets * ENTRIES / 4 * 3 * HF_BLOCKS_SHARDS < entries)
        buckets *= 2;
    for (unsigned i = 0; i < HF_BLOCKS_SHARDS; i++) {
        struct hf_blocks_shard *shard = &blocks->shards[i];
        if (!hf_spinlock_take(&shard->lock))
            continue;
        if (shard->bucket_count < buckets)
            (void)!blocks_grow(shard, buckets);
        hf_spinlock_release(&shard->lock);
    }
}

void hf_blocks_leave_shadow(struct hf_blocks *blocks, struct hf_live_table *table)
{
    struct hf_shadow *shadow = &blocks->shadow;
    uint64_t count =
        atomic_load_explicit(&table->state->counts[HF_LIVE_BLOCKS], memory_order_relaxed);
    shadow->is_closed = true;
    if (!hf_is_alone() || shadow->pieces == NULL)
        return;
    for (uint32_t slot = 0; slot < count; slot++) {
        uint32_t old;
        uintptr_t address = hf_live_address_of(table, slot);
        if (address == 0 || hf_blocks_slot_in(hf_shadow_find(shadow, address), address) != slot)
            continue;
        if (!add_to_shard(blocks, table, address, slot, &old))
            return; /* what is left stays where it is */
        atomic_store_explicit(hf_shadow_find(shadow, address), 0, memory_order_relaxed);
    }
    hf_shadow_forget(shadow);
}

void hf_blocks_mend(struct hf_blocks *blocks)
{
    for (unsigned i = 0; i < HF_BLOCKS_SHARDS; i++) {
        if (hf_spinlock_is_mine(&blocks->shards[i].lock))
            hf_spinlock_release(&blocks->shards[i].lock);
    }
}

void hf_blocks_forget(struct hf_blocks *blocks)
{
    hf_shadow_forget(&blocks->shadow);
    for (unsigned i = 0; i < HF_BLOCKS_SHARDS; i++) {
        struct hf_blocks_shard *shard = &blocks->shards[i];
        hf_pages_unmap(shard->buckets, shard->bucket_count * sizeof *shard->buckets);
        *shard = (struct hf_blocks_shard){0};
    }
}
