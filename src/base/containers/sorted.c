#include "base/containers/sorted.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int sorted_compare_u64(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Below it, comparing is faster than counting bytes. */
#define RADIX_COUNT_MIN 256

/* Moves the numbers to `to`, by one byte of theirs. */
static void sort_by_byte(const uint64_t *from, uint64_t *to, size_t count, unsigned shift)
{
    size_t starts[256] = {0}, sum = 0;
    for (size_t i = 0; i < count; i++)
        starts[(from[i] >> shift) & 255]++;
    for (unsigned i = 0; i < 256; i++) {
        size_t here = starts[i];
        starts[i] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[(from[i] >> shift) & 255]++] = from[i];
}

/* The bits that are not the same in all numbers; *out_is_sorted if they ascend. */
static uint64_t differing_bits(const uint64_t *numbers, size_t count, bool *out_is_sorted)
{
    uint64_t bits = 0, descents = 0;
    for (size_t i = 1; i < count; i++) {
        bits |= numbers[i] ^ numbers[i - 1];
        descents += numbers[i] < numbers[i - 1];
    }
    *out_is_sorted = descents == 0;
    return bits;
}

void hf_sort_u64(uint64_t *numbers, size_t count)
{
    bool is_sorted = true;
    uint64_t bits = count < 2 ? 0 : differing_bits(numbers, count, &is_sorted);
    if (is_sorted)
        return;
    uint64_t *other = count >= RADIX_COUNT_MIN ? malloc(count * sizeof *other) : NULL;
    if (other == NULL) {
        qsort(numbers, count, sizeof *numbers, sorted_compare_u64);
        return;
    }
    uint64_t *from = numbers, *to = other;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((bits >> shift) & 255) == 0)
            continue;
        sort_by_byte(from, to, count, shift);
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != numbers)
        memcpy(numbers, from, count * sizeof *numbers);
    free(other);
}

size_t hf_unique_u64(uint64_t *sorted, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || sorted[kept - 1] != sorted[i])
            sorted[kept++] = sorted[i];
    }
    return kept;
}
