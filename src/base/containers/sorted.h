/*
 * sorted.h: sorted arrays of 64-bit numbers: making them, searching them.
 *
 * Safety: any context for the search; sorting allocates as much again, if it can.
 *
 * Example:
 *
 *     uint64_t numbers[] = {7, 3, 7};
 *     hf_sort_u64(numbers, 3);
 *     size_t count = hf_unique_u64(numbers, 3);
 *     size_t at = hf_lower_bound_u64(numbers, count, 7);
 *     hf_out_u64(out, at);
 *
 *     struct {
 *         uint64_t start, end;
 *     } ranges[] = {{10, 20}, {30, 40}};
 *     size_t next = HF_FIRST_ABOVE(ranges, 2, start, 35);
 *     hf_out_u64(out, next != 0 && 35 < ranges[next - 1].end);
 */
#ifndef HF_BASE_SORTED_H
#define HF_BASE_SORTED_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* For the macros: `field` bytes into each item of `size` bytes stands the number it is sorted by,
 * of `width` bytes: 4 or 8. */
static HF_ALWAYS_INLINE size_t hf_sorted_search(const void *items, size_t size, size_t field,
    size_t width, size_t count, uint64_t value, bool is_behind_equal)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *at = (const char *)items + middle * size + field;
        uint64_t number;
        uint32_t narrow;
        if (width == sizeof narrow) {
            memcpy(&narrow, at, sizeof narrow);
            number = narrow;
        } else {
            memcpy(&number, at, sizeof number);
        }
        if (number < value || (is_behind_equal && number == value))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/*
 * Of `count` structs sorted by a field, a uint64_t or a uint32_t: index of the first one whose
 * field is not below `value`, or is above it; `count` if there is none.
 */
#define HF_FIRST_FROM(items, count, field, value)                                                  \
    hf_sorted_search(items, sizeof *(items), offsetof(__typeof__(*(items)), field),                \
        sizeof(items)->field, count, value, false)
#define HF_FIRST_ABOVE(items, count, field, value)                                                 \
    hf_sorted_search(items, sizeof *(items), offsetof(__typeof__(*(items)), field),                \
        sizeof(items)->field, count, value, true)

/* The same of numbers alone: the first that is not below `value`. */
static inline size_t hf_lower_bound_u64(const uint64_t *sorted, size_t count, uint64_t value)
{
    return hf_sorted_search(sorted, sizeof *sorted, 0, sizeof *sorted, count, value, false);
}

/* Sorts in place, smallest first. */
void hf_sort_u64(uint64_t *numbers, size_t count);

/* Drops repeated numbers of a sorted array, in place; returns how many are left. */
size_t hf_unique_u64(uint64_t *sorted, size_t count);

#endif
