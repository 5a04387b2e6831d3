/*
 * index.h: finding again, by content, what lies in an array: a hash table of positions.
 *
 * The array and the comparison are the owner's; a slot is 4 bytes, so the index of millions of
 * small items is not larger than they are. The owner asks for room before it looks anything up:
 *
 *     if (index->room == 0) {                                   (at first, or full, or forgotten)
 *         if (!hf_index_reset(index, count)) ...out of memory
 *         for each item i: hf_index_add(index, hash of item i, i);
 *     }
 *     struct hf_index_probe probe = hf_index_start(index, hash);
 *     while (hf_index_next(index, &probe, &i))
 *         if (item i is the wanted one) ...found
 *     hf_index_put(index, &probe, count++);                     (where the search has ended)
 *
 * hf_index_done forgets it; the next look-up makes it anew from the items.
 * Linear probing, at most 2/3 full, doubling. 4 bits of the hash stand in the slot, so
 * that few items that are not wanted are looked at. One thread at a time.
 */
#ifndef HF_BASE_INDEX_H
#define HF_BASE_INDEX_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Positions are below this. */
#define HF_INDEX_LIMIT 0x0fffffffu

struct hf_index {
    uint32_t *slots; /* (position + 1) << 4 | tag; 0: empty */
    size_t capacity;
    size_t room; /* this many may be added before the next reset */
};

struct hf_index_probe {
    size_t at;
    uint32_t tag;
};

/* An all-zero index is empty, with no room. */
void hf_index_done(struct hf_index *index);

/* Empties the index, with room for more than `count`. False if memory ran out: it is forgotten. */
HF_MUST_CHECK bool hf_index_reset(struct hf_index *index, size_t count);

static inline struct hf_index_probe hf_index_start(const struct hf_index *index, uint64_t hash)
{
    return (struct hf_index_probe){(hash >> 32) * index->capacity >> 32, hash & 15};
}

/* Begins to fetch what a search for `hash` will look at. There must be room. */
static inline void hf_index_prefetch(const struct hf_index *index, uint64_t hash)
{
    __builtin_prefetch(&index->slots[hf_index_start(index, hash).at], 1);
}

/* The next position whose item may be the wanted one; false if there is no other. */
static inline bool hf_index_next(
    const struct hf_index *index, struct hf_index_probe *probe, uint32_t *out_position)
{
    uint32_t slot;
    do {
        slot = index->slots[probe->at];
        if (slot == 0)
            return false;
        if (++probe->at == index->capacity)
            probe->at = 0;
    } while ((slot & 15) != probe->tag);
    *out_position = (slot >> 4) - 1;
    return true;
}

/* Adds a position where hf_index_next found no other. There must be room. */
static inline void hf_index_put(
    struct hf_index *index, const struct hf_index_probe *probe, uint32_t position)
{
    index->slots[probe->at] = (position + 1) << 4 | probe->tag;
    index->room--;
}

/* Adds a position whose item is known to be new. There must be room. */
static inline void hf_index_add(struct hf_index *index, uint64_t hash, uint32_t position)
{
    struct hf_index_probe probe = hf_index_start(index, hash);
    while (index->slots[probe.at] != 0) {
        if (++probe.at == index->capacity)
            probe.at = 0;
    }
    hf_index_put(index, &probe, position);
}

#endif
