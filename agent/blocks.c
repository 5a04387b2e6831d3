#include "blocks.h"

#include "pages.h"

#define ENTRIES 7
#define FIRST_BUCKETS 64 /* of a shard: a page */
#define MIXER UINT64_C(0x9e3779b97f4a7c15)

struct hf_blocks_bucket {
    uint32_t tags[ENTRIES];
    uint32_t passed;
    uint32_t slots[ENTRIES];
    uint32_t unused;
};
_Static_assert(sizeof(struct hf_blocks_bucket) == 64, "a cache line");

static struct hf_blocks_shard *shard_of(struct hf_blocks *blocks, uintptr_t address)
{
    return &blocks->shards[(address >> 16) * MIXER >> 58];
}

/* 28 bits of the piece of 128 bytes, which choose the bucket, and where in the piece. */
static uint32_t tag_of(uintptr_t address)
{
    uint32_t tag =
        ((uint32_t)((address >> 7) * MIXER >> 32) & ~15u) | (uint32_t)(address >> 3 & 15);
    return tag != 0 ? tag : 1;
}

static uint32_t home_of(const struct hf_blocks_shard *shard, uint32_t tag)
{
    return (uint32_t)((uint64_t)tag * shard->bucket_count >> 32);
}

static uint32_t next_of(const struct hf_blocks_shard *shard, uint32_t bucket)
{
    return (bucket + 1) & (shard->bucket_count - 1);
}

/* Puts an entry into the first bucket from its home on that has room; there is one. */
static void put(struct hf_blocks_shard *shard, uint32_t tag, uint32_t slot)
{
    for (uint32_t at = home_of(shard, tag);; at = next_of(shard, at)) {
        struct hf_blocks_bucket *bucket = &shard->buckets[at];
        for (unsigned i = 0; i < ENTRIES; i++) {
            if (bucket->tags[i] == 0) {
                bucket->tags[i] = tag;
                bucket->slots[i] = slot;
                shard->count++;
                return;
            }
        }
        bucket->passed++;
    }
}

/* The cell of the block at `address`; false if it is not in the shard. */
static bool find(const struct hf_blocks_shard *shard, struct hf_live_table *table,
    uintptr_t address, uint32_t tag, uint32_t *out_bucket, unsigned *out_cell)
{
    uint32_t at = home_of(shard, tag);
    for (uint32_t n = 0; n < shard->bucket_count; n++, at = next_of(shard, at)) {
        const struct hf_blocks_bucket *bucket = &shard->buckets[at];
        for (unsigned i = 0; i < ENTRIES; i++) {
            if (bucket->tags[i] == tag && hf_live_address_of(table, bucket->slots[i]) == address) {
                *out_bucket = at;
                *out_cell = i;
                return true;
            }
        }
        if (bucket->passed == 0)
            break;
    }
    return false;
}

/* Twice as many buckets, if there is memory; true if there is room for one more entry. */
static bool grow(struct hf_blocks_shard *shard)
{
    struct hf_blocks_shard old = *shard;
    uint32_t more = old.bucket_count != 0 ? old.bucket_count * 2 : FIRST_BUCKETS;
    struct hf_blocks_bucket *buckets = hf_pages_map(more * sizeof *buckets);
    if (buckets == NULL)
        return shard->count < shard->bucket_count * ENTRIES;
    shard->buckets = buckets;
    shard->bucket_count = more;
    shard->count = 0;
    for (uint32_t at = 0; at < old.bucket_count; at++) {
        for (unsigned i = 0; i < ENTRIES; i++) {
            if (old.buckets[at].tags[i] != 0)
                put(shard, old.buckets[at].tags[i], old.buckets[at].slots[i]);
        }
    }
    hf_pages_unmap(old.buckets, old.bucket_count * sizeof *buckets);
    return true;
}

bool hf_blocks_add(struct hf_blocks *blocks, struct hf_live_table *table, uintptr_t address,
    uint32_t slot, uint32_t *out_old)
{
    struct hf_blocks_shard *shard = shard_of(blocks, address);
    if (!hf_spinlock_take(&shard->lock))
        return false;
    uint32_t tag = tag_of(address), at;
    unsigned cell;
    bool is_added = true;
    *out_old = HF_LIVE_NONE;
    if (find(shard, table, address, tag, &at, &cell)) {
        *out_old = shard->buckets[at].slots[cell];
        shard->buckets[at].slots[cell] = slot;
    } else if (shard->count < shard->bucket_count * ENTRIES / 4 * 3 || grow(shard)) {
        put(shard, tag, slot);
    } else {
        is_added = false;
    }
    hf_spinlock_release(&shard->lock);
    return is_added;
}

enum hf_blocks_answer hf_blocks_take(
    struct hf_blocks *blocks, struct hf_live_table *table, uintptr_t address, uint32_t *out_slot)
{
    struct hf_blocks_shard *shard = shard_of(blocks, address);
    if (!hf_spinlock_take(&shard->lock))
        return HF_BLOCKS_BUSY;
    uint32_t tag = tag_of(address), at;
    unsigned cell;
    bool is_known = find(shard, table, address, tag, &at, &cell);
    if (is_known) {
        *out_slot = shard->buckets[at].slots[cell];
        shard->buckets[at].tags[cell] = 0;
        shard->count--;
        for (uint32_t from = home_of(shard, tag); from != at; from = next_of(shard, from))
            shard->buckets[from].passed--;
    }
    hf_spinlock_release(&shard->lock);
    return is_known ? HF_BLOCKS_TAKEN : HF_BLOCKS_UNKNOWN;
}

void hf_blocks_forget(struct hf_blocks *blocks)
{
    for (unsigned i = 0; i < HF_BLOCKS_SHARDS; i++) {
        struct hf_blocks_shard *shard = &blocks->shards[i];
        hf_pages_unmap(shard->buckets, shard->bucket_count * sizeof *shard->buckets);
        *shard = (struct hf_blocks_shard){0};
    }
}
