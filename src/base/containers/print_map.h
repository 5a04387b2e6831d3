/*
 * print_map.h: 32-bit numbers by fingerprint (base/containers/fingerprint.h).
 *
 * One look into memory finds what is known or that it is not: the fingerprints lie in the slots.
 * Linear probing, at most 2/3 full, growing by half. One thread at a time.
 *
 * Example:
 *
 *     struct hf_print_map map = {0};
 *     struct hf_fingerprint print = {{1, 2}};
 *     status = hf_print_map_put(&map, print, 7) ? HF_OK : hf_error_memory(err);
 *     const uint32_t *known = hf_print_map_find(&map, print);
 *     hf_out_u64(out, known != NULL ? *known : 0);
 *     hf_print_map_done(&map);
 */
#ifndef HF_BASE_PRINT_MAP_H
#define HF_BASE_PRINT_MAP_H

#include "base/attr.h"
#include "base/containers/fingerprint.h"

#include <stddef.h>

struct hf_print_map {
    struct hf_print_slot {
        struct hf_fingerprint print;
        uint32_t value;
        bool is_used;
    } * slots;
    size_t count, capacity;
};

/* An all-zero map is empty. */
void hf_print_map_done(struct hf_print_map *map);

/* The value of `print`, or NULL. Valid until the next put. */
const uint32_t *hf_print_map_find(const struct hf_print_map *map, struct hf_fingerprint print);

/* Sets the value of `print`, new or known. False if memory ran out. */
HF_MUST_CHECK bool hf_print_map_put(
    struct hf_print_map *map, struct hf_fingerprint print, uint32_t value);

/* Begins to fetch what a search for `print` will look at. */
static inline void hf_print_map_prefetch(
    const struct hf_print_map *map, struct hf_fingerprint print)
{
    uint64_t hash = hf_fingerprint_hash(print);
    __builtin_prefetch(&map->slots[(hash >> 32) * map->capacity >> 32]);
}

#endif
