/*
 * map.h: open-addressing map from uint64_t to uint32_t, for ids.
 *
 * Linear probing, at most 3/4 full, never shrinks, entries are never removed. One thread at a time.
 *
 * Example:
 *
 *     struct hf_map ids = {0};
 *     uint32_t *id = hf_map_put(&ids, 0x7f0000001000, 7, NULL);
 *     status = id != NULL ? HF_OK : hf_error_memory(err);
 *     hf_map_done(&ids);
 */
#ifndef HF_BASE_MAP_H
#define HF_BASE_MAP_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_map_slot {
    uint64_t key;
    uint32_t value;
    uint32_t is_used;
};

struct hf_map {
    struct hf_map_slot *slots;
    size_t capacity; /* 0 or a power of two */
    size_t count;
};

/* An all-zero map is empty and ready. */
void hf_map_done(struct hf_map *map);

/* The value of `key`, or NULL. Valid until the next put. */
uint32_t *hf_map_find(const struct hf_map *map, uint64_t key);

/*
 * The value of `key`; a new one is `value` and sets *out_is_new (which may be NULL).
 * NULL if memory ran out. Valid until the next put.
 */
HF_MUST_CHECK uint32_t *hf_map_put(
    struct hf_map *map, uint64_t key, uint32_t value, bool *out_is_new);

#endif
