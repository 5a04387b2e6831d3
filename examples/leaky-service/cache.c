#include "cache.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Header and payload are one block: an entry of 1 MiB is one allocation of 1 MiB, and a profile
 * shows the same number as GET /cache. A second block per entry would blur it by a few bytes. */
struct cache_entry {
    struct cache_entry *newer;
    size_t size_bytes;
    unsigned char payload[];
};

static_assert(sizeof(struct cache_entry) < CACHE_ENTRY_MIN_BYTES, "an entry has room for payload");

void cache_init(struct cache *cache, uint64_t limit_bytes)
{
    *cache = (struct cache){.limit_bytes = limit_bytes};
}

static void drop_oldest(struct cache *cache)
{
    struct cache_entry *entry = cache->oldest;

    cache->oldest = entry->newer;
    if (cache->oldest == NULL)
        cache->newest = NULL;
    cache->entry_count--;
    cache->size_bytes -= entry->size_bytes;
    free(entry);
}

/* Never inlined: this is the name a profile should show for the memory of the cache. */
__attribute__((noinline)) bool cache_fill(struct cache *cache, size_t entry_bytes)
{
    assert(entry_bytes >= CACHE_ENTRY_MIN_BYTES && entry_bytes <= cache->limit_bytes);

    // Room is made before the new entry exists: the limit holds at every moment, not on average.
    while (cache->size_bytes > cache->limit_bytes - entry_bytes)
        drop_oldest(cache);

    struct cache_entry *entry = malloc(entry_bytes);
    if (entry == NULL)
        return false;
    memset(entry->payload, 0xc3, entry_bytes - sizeof *entry);
    entry->newer = NULL;
    entry->size_bytes = entry_bytes;

    if (cache->newest != NULL)
        cache->newest->newer = entry;
    else
        cache->oldest = entry;
    cache->newest = entry;
    cache->entry_count++;
    cache->size_bytes += entry_bytes;
    return true;
}

size_t cache_drop(struct cache *cache, size_t count)
{
    size_t dropped_count = 0;

    while (dropped_count < count && cache->oldest != NULL) {
        drop_oldest(cache);
        dropped_count++;
    }
    return dropped_count;
}

void cache_clear(struct cache *cache)
{
    cache_drop(cache, cache->entry_count);
}
