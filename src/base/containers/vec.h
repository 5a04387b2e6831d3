/*
 * vec.h: makes room in a growing array, for every array of the tool.
 *
 * The array lives in three fields of its owner: `items`, `count`, `capacity`.
 *
 * Example:
 *
 *     struct {
 *         uint64_t *items;
 *         size_t count, capacity;
 *     } v = {0};
 *     if (!hf_vec_reserve(&v.items, &v.capacity, v.count + 1, sizeof *v.items))
 *         return hf_error_memory(err);
 *     v.items[v.count++] = 7;
 */
#ifndef HF_BASE_VEC_H
#define HF_BASE_VEC_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>

/* Its rare part: the array has no room left. */
HF_MUST_CHECK bool hf_vec_grow(void *items, size_t *capacity, size_t needed, size_t item_size);

/*
 * Makes the array at *(void **)items hold at least `needed` items of `item_size` bytes, growing by
 * half at least. False if memory ran out; then nothing has changed. The caller frees *items.
 */
HF_MUST_CHECK static inline bool hf_vec_reserve(
    void *items, size_t *capacity, size_t needed, size_t item_size)
{
    return needed <= *capacity || hf_vec_grow(items, capacity, needed, item_size);
}

#endif
