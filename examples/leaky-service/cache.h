/*
 * A cache with a bound: the innocent suspect.
 *
 * While it fills, it looks like a leak: between two snapshots it grows with the traffic. Then it
 * levels off, because the oldest entries make room for new ones. A profiler worth its name tells
 * the two apart, so the service has both.
 *
 * Vocabulary: an *entry* is one block of memory, its book-keeping included; the *limit* is the sum
 * of entry sizes that is never exceeded.
 */
#ifndef LEAKY_SERVICE_CACHE_H
#define LEAKY_SERVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_ENTRY_MIN_BYTES ((size_t)64)

struct cache_entry;

/* Set up with cache_init(). Callers may read the fields and write none of them. */
struct cache {
    struct cache_entry *oldest;
    struct cache_entry *newest;
    size_t entry_count;
    uint64_t size_bytes;
    uint64_t limit_bytes;
};

void cache_init(struct cache *cache, uint64_t limit_bytes);

/* Adds one entry of exactly `entry_bytes`, all of it touched; the oldest entries are dropped first
 * until it fits. `entry_bytes` lies between CACHE_ENTRY_MIN_BYTES and the limit. Returns false when
 * the allocator has no memory left. */
bool cache_fill(struct cache *cache, size_t entry_bytes);

/* Frees the `count` oldest entries, or all when there are fewer; returns how many it freed. */
size_t cache_drop(struct cache *cache, size_t count);

/* Frees everything. The cache stays usable. */
void cache_clear(struct cache *cache);

#endif
