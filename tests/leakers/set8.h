/*
 * set8.h: what the programs of LABELS-8.md have in common, beside set7.h.
 */
#ifndef SET8_H
#define SET8_H

#include "set7.h"

#define RECENT_KEYS 40000
#define MANAGED_MAX 30000

/* Takes a block where there is none: what is made once and then known. */
static inline void take_once(struct block *kept, const struct step *path, size_t size)
{
    if (kept->size == 0)
        take(path, kept, size);
}

/* What was used least recently goes first. All-zero is empty; keys are from 1 on. */
struct recency {
    struct {
        struct block block;
        uint32_t newer, older; /* key 0: the ends of the list */
    } keys[RECENT_KEYS + 1];
    size_t size_bytes;
};

static inline void recency_unlink(struct recency *recent, uint32_t key)
{
    recent->keys[recent->keys[key].newer].older = recent->keys[key].older;
    recent->keys[recent->keys[key].older].newer = recent->keys[key].newer;
}

static inline void recency_link(struct recency *recent, uint32_t key)
{
    uint32_t newest = recent->keys[0].older;
    recent->keys[key].older = newest;
    recent->keys[key].newer = 0;
    recent->keys[newest].newer = key;
    recent->keys[0].older = key;
}

/* Gives back what was used least recently. */
static inline void recency_evict(struct recency *recent, const struct step *out)
{
    uint32_t key = recent->keys[0].newer;
    recency_unlink(recent, key);
    recent->size_bytes -= recent->keys[key].block.size;
    give(out, &recent->keys[key].block);
}

/* True if it was there; if not, it is taken, and there is room for it within `limit`. */
static inline bool recency_use(struct recency *recent, uint32_t key, const struct step *in,
    const struct step *out, size_t size, size_t limit)
{
    bool is_there = recent->keys[key].block.size != 0;
    if (is_there) {
        recency_unlink(recent, key);
    } else {
        while (recent->size_bytes != 0 && recent->size_bytes + size > limit)
            recency_evict(recent, out);
        take(in, &recent->keys[key].block, size);
        recent->size_bytes += size;
    }
    recency_link(recent, key);
    return is_there;
}

/* A heap whose dead objects go all at once, when it is twice as large as what was alive last. */
struct managed {
    struct {
        struct block block;
        unsigned dies;
    } objects[MANAGED_MAX];
    size_t count, size_bytes, alive_bytes, lost_bytes; /* lost: by who uses it, alive for ever */
};

static inline void managed_new(
    struct managed *heap, unsigned second, const struct step *path, size_t size, double life_s)
{
    heap->objects[heap->count].dies = second + (unsigned)life_s;
    take(path, &heap->objects[heap->count++].block, size);
    heap->size_bytes += size;
}

static inline void managed_collect(
    struct managed *heap, unsigned second, const struct step *path, size_t least)
{
    size_t limit = 2 * heap->alive_bytes > least ? 2 * heap->alive_bytes : least, kept = 0;
    if (heap->size_bytes + heap->lost_bytes < limit && heap->count + 100 < MANAGED_MAX)
        return;
    for (size_t i = 0; i < heap->count; i++) {
        if (heap->objects[i].dies > second) {
            heap->objects[kept++] = heap->objects[i];
        } else {
            heap->size_bytes -= heap->objects[i].block.size;
            give(path, &heap->objects[i].block);
        }
    }
    heap->count = kept;
    heap->alive_bytes = heap->size_bytes + heap->lost_bytes;
}

#endif
