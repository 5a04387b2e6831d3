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
 */
#ifndef HF_BASE_SORTED_H
#define HF_BASE_SORTED_H

#include <stddef.h>
#include <stdint.h>

/* Index of the first of `count` sorted numbers that is not below `value`; `count` if none. */
static inline size_t hf_lower_bound_u64(const uint64_t *sorted, size_t count, uint64_t value)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Sorts in place, smallest first. */
void hf_sort_u64(uint64_t *numbers, size_t count);

/* Drops repeated numbers of a sorted array, in place; returns how many are left. */
size_t hf_unique_u64(uint64_t *sorted, size_t count);

#endif
