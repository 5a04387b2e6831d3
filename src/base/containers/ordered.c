#include "base/containers/ordered.h"

#include "base/budget.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"

#include <stdlib.h>
#include <string.h>

#define LEAF_KEYS 170

struct hf_ordered_leaf {
    uint64_t keys[LEAF_KEYS];
    uint32_t values[LEAF_KEYS];
    uint32_t count;
};
_Static_assert(sizeof(struct hf_ordered_leaf) <= 2048, "half a page");

void hf_ordered_done(struct hf_ordered *map)
{
    for (size_t i = 0; i < map->leaf_count; i++)
        free(map->leaves[i]);
    free(map->leaves);
    free(map->firsts);
    *map = (struct hf_ordered){0};
}

/* Puts an empty leaf at `at` of the array, for keys from `first` on. */
static struct hf_ordered_leaf *ordered_add_leaf(struct hf_ordered *map, size_t at, uint64_t first)
{
    size_t needed = map->leaf_count + 1;
    if (!hf_vec_reserve(&map->firsts, &map->firsts_capacity, needed, sizeof *map->firsts) ||
        !hf_vec_reserve(&map->leaves, &map->leaves_capacity, needed, sizeof(void *)))
        return NULL;
    struct hf_ordered_leaf *leaf = hf_budget_take(sizeof *leaf) ? calloc(1, sizeof *leaf) : NULL;
    if (leaf == NULL)
        return NULL;
    size_t behind = map->leaf_count - at;
    memmove(&map->firsts[at + 1], &map->firsts[at], behind * sizeof *map->firsts);
    memmove(&map->leaves[at + 1], &map->leaves[at], behind * sizeof *map->leaves);
    map->firsts[at] = first;
    map->leaves[at] = leaf;
    map->leaf_count++;
    return leaf;
}

/* The leaf that `key` belongs into; there is one. */
static size_t leaf_of(const struct hf_ordered *map, uint64_t key)
{
    return key == UINT64_MAX ? map->leaf_count - 1
                             : hf_lower_bound_u64(map->firsts, map->leaf_count, key + 1) - 1;
}

/* The upper half of a full leaf becomes one of its own. */
static bool ordered_split(struct hf_ordered *map, size_t at)
{
    struct hf_ordered_leaf *leaf = map->leaves[at];
    uint32_t half = leaf->count / 2, rest = leaf->count - half;
    struct hf_ordered_leaf *upper = ordered_add_leaf(map, at + 1, leaf->keys[half]);
    if (upper == NULL)
        return false;
    memcpy(upper->keys, &leaf->keys[half], rest * sizeof *leaf->keys);
    memcpy(upper->values, &leaf->values[half], rest * sizeof *leaf->values);
    upper->count = rest;
    leaf->count = half;
    return true;
}

bool hf_ordered_add(struct hf_ordered *map, uint64_t key, uint32_t value)
{
    if (map->leaf_count == 0 && ordered_add_leaf(map, 0, 0) == NULL)
        return false;
    size_t number = leaf_of(map, key);
    if (map->leaves[number]->count == LEAF_KEYS) {
        if (!ordered_split(map, number))
            return false;
        number = leaf_of(map, key);
    }
    struct hf_ordered_leaf *leaf = map->leaves[number];
    size_t at = hf_lower_bound_u64(leaf->keys, leaf->count, key), behind = leaf->count - at;
    memmove(&leaf->keys[at + 1], &leaf->keys[at], behind * sizeof *leaf->keys);
    memmove(&leaf->values[at + 1], &leaf->values[at], behind * sizeof *leaf->values);
    leaf->keys[at] = key;
    leaf->values[at] = value;
    leaf->count++;
    map->count++;
    return true;
}

bool hf_ordered_floor(
    const struct hf_ordered *map, uint64_t key, uint64_t *out_key, uint32_t *out_value)
{
    if (map->count == 0)
        return false;
    for (size_t number = leaf_of(map, key) + 1; number-- != 0;) { /* a leaf may be empty */
        const struct hf_ordered_leaf *leaf = map->leaves[number];
        size_t at = hf_lower_bound_u64(leaf->keys, leaf->count, key);
        if (at == leaf->count || leaf->keys[at] != key) {
            if (at == 0)
                continue;
            at--;
        }
        *out_key = leaf->keys[at];
        *out_value = leaf->values[at];
        return true;
    }
    return false;
}

bool hf_ordered_find(const struct hf_ordered *map, uint64_t key, uint32_t *out_value)
{
    uint64_t found;
    uint32_t value;
    if (!hf_ordered_floor(map, key, &found, &value) || found != key)
        return false;
    *out_value = value;
    return true;
}

/* Two neighbours that fill half a leaf together become one; false if there are no such two. */
static bool ordered_join(struct hf_ordered *map, size_t at)
{
    if (at + 1 >= map->leaf_count ||
        map->leaves[at]->count + map->leaves[at + 1]->count > LEAF_KEYS / 2)
        return false;
    struct hf_ordered_leaf *leaf = map->leaves[at], *next = map->leaves[at + 1];
    memcpy(&leaf->keys[leaf->count], next->keys, next->count * sizeof *next->keys);
    memcpy(&leaf->values[leaf->count], next->values, next->count * sizeof *next->values);
    leaf->count += next->count;
    free(next);
    size_t behind = --map->leaf_count - at - 1;
    memmove(&map->firsts[at + 1], &map->firsts[at + 2], behind * sizeof *map->firsts);
    memmove(&map->leaves[at + 1], &map->leaves[at + 2], behind * sizeof *map->leaves);
    return true;
}

void hf_ordered_remove(struct hf_ordered *map, uint64_t key)
{
    if (map->count == 0)
        return;
    size_t number = leaf_of(map, key);
    struct hf_ordered_leaf *leaf = map->leaves[number];
    size_t at = hf_lower_bound_u64(leaf->keys, leaf->count, key);
    if (at == leaf->count || leaf->keys[at] != key)
        return;
    size_t behind = leaf->count - at - 1;
    memmove(&leaf->keys[at], &leaf->keys[at + 1], behind * sizeof *leaf->keys);
    memmove(&leaf->values[at], &leaf->values[at + 1], behind * sizeof *leaf->values);
    leaf->count--;
    map->count--;
    if (!ordered_join(map, number) && number != 0)
        ordered_join(map, number - 1);
}
