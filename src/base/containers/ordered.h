/*
 * ordered.h: a map from uint64_t to uint32_t that keeps its keys in order, for addresses.
 *
 * Leaves of 2 KiB of sorted keys, and a sorted array of their first keys: two levels of a B-tree,
 * which is all that some ten million keys need. Adding and removing move at most one leaf, or now
 * and then the array of leaves. One thread at a time.
 */
#ifndef HF_BASE_ORDERED_H
#define HF_BASE_ORDERED_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_ordered_leaf;

/* All-zero is empty and ready. */
struct hf_ordered {
    uint64_t *firsts; /* the lowest key that belongs into each leaf; the first leaf's is 0 */
    struct hf_ordered_leaf **leaves;
    size_t leaf_count, firsts_capacity, leaves_capacity;
    size_t count; /* keys */
};

void hf_ordered_done(struct hf_ordered *map);

/* Adds a key that is not there. False without memory: nothing has changed. */
HF_MUST_CHECK bool hf_ordered_add(struct hf_ordered *map, uint64_t key, uint32_t value);

/* The value of `key`; false if it is not there. */
HF_MUST_CHECK bool hf_ordered_find(const struct hf_ordered *map, uint64_t key, uint32_t *out_value);

/* The highest key that is not above `key`, and its value; false if there is none. */
HF_MUST_CHECK bool hf_ordered_floor(
    const struct hf_ordered *map, uint64_t key, uint64_t *out_key, uint32_t *out_value);

/* Removes `key`; nothing happens if it is not there. */
void hf_ordered_remove(struct hf_ordered *map, uint64_t key);

#endif
