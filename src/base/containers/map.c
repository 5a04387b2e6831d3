#include "base/containers/map.h"

#include "base/budget.h"
#include "base/containers/hash.h"

#include <stdlib.h>

#define FIRST_CAPACITY 16
#define PUT_STEPS 80

void hf_map_done(struct hf_map *map)
{
    free(map->slots);
    hf_budget_put_back(map->capacity * sizeof *map->slots);
    *map = (struct hf_map){0};
}

/* The slot that holds `key`, or the empty one where it belongs. There is always an empty one. */
static struct hf_map_slot *probe(const struct hf_map *map, uint64_t key)
{
    size_t mask = map->capacity - 1;
    size_t at = (size_t)hf_hash_u64(key) & mask;
    while (map->slots[at].is_used && map->slots[at].key != key)
        at = (at + 1) & mask;
    return &map->slots[at];
}

uint32_t *hf_map_find(const struct hf_map *map, uint64_t key)
{
    if (map->count == 0)
        return NULL;
    struct hf_map_slot *slot = probe(map, key);
    return slot->is_used ? &slot->value : NULL;
}

static bool map_grow(struct hf_map *map)
{
    struct hf_map bigger = {.capacity = map->capacity != 0 ? map->capacity * 2 : FIRST_CAPACITY};
    if (bigger.capacity < map->capacity)
        return false;
    if (!hf_budget_take(bigger.capacity * sizeof *bigger.slots))
        return false;
    bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
    if (bigger.slots == NULL) {
        hf_budget_put_back(bigger.capacity * sizeof *bigger.slots);
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].is_used)
            *probe(&bigger, map->slots[i].key) = map->slots[i];
    }
    bigger.count = map->count;
    hf_map_done(map);
    *map = bigger;
    return true;
}

uint32_t *hf_map_put(struct hf_map *map, uint64_t key, uint32_t value, bool *out_is_new)
{
    (void)hf_budget_step(PUT_STEPS);
    if (map->count >= map->capacity - map->capacity / 4 && !map_grow(map))
        return NULL;
    struct hf_map_slot *slot = probe(map, key);
    if (out_is_new != NULL)
        *out_is_new = !slot->is_used;
    if (!slot->is_used) {
        *slot = (struct hf_map_slot){key, value, 1};
        map->count++;
    }
    return &slot->value;
}
