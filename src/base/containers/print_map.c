#include "base/containers/print_map.h"

#include "base/budget.h"
#include "base/containers/vec.h"

#include <stdlib.h>

#define FIRST_CAPACITY 64
#define CAPACITY_SMALL 65536 /* up to here a map grows fast: memory is cheaper than moving */

void hf_print_map_done(struct hf_print_map *map)
{
    free(map->slots);
    hf_budget_put_back(map->capacity * sizeof *map->slots);
    *map = (struct hf_print_map){0};
}

/* The slot of `print`, or the empty one where it is to be. There is one. */
static struct hf_print_slot *print_map_slot_of(
    const struct hf_print_map *map, struct hf_fingerprint print)
{
    size_t at = (hf_fingerprint_hash(print) >> 32) * map->capacity >> 32;
    while (map->slots[at].is_used && !hf_fingerprint_equal(map->slots[at].print, print)) {
        if (++at == map->capacity)
            at = 0;
    }
    return &map->slots[at];
}

const uint32_t *hf_print_map_find(const struct hf_print_map *map, struct hf_fingerprint print)
{
    if (map->count == 0)
        return NULL;
    const struct hf_print_slot *slot = print_map_slot_of(map, print);
    return slot->is_used ? &slot->value : NULL;
}

static bool print_map_grow(struct hf_print_map *map)
{
    struct hf_print_map larger = {
        .count = map->count,
        .capacity = map->capacity == 0               ? FIRST_CAPACITY
                    : map->capacity < CAPACITY_SMALL ? 4 * map->capacity
                                                     : map->capacity + map->capacity / 2,
    };
    if (!hf_budget_take(larger.capacity * sizeof *larger.slots))
        return false;
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL) {
        hf_budget_put_back(larger.capacity * sizeof *larger.slots);
        return false;
    }
    hf_budget_prefer_large_pages(larger.slots, larger.capacity * sizeof *larger.slots);
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].is_used)
            *print_map_slot_of(&larger, map->slots[i].print) = map->slots[i];
    }
    hf_print_map_done(map);
    *map = larger;
    return true;
}

bool hf_print_map_put(struct hf_print_map *map, struct hf_fingerprint print, uint32_t value)
{
    if (map->count >= map->capacity - map->capacity / 3 && !print_map_grow(map))
        return false;
    struct hf_print_slot *slot = print_map_slot_of(map, print);
    map->count += !slot->is_used;
    *slot = (struct hf_print_slot){print, value, true};
    return true;
}
