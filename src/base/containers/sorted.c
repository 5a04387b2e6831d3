#include "base/containers/sorted.h"

#include <stdlib.h>
#include <string.h>

static int sorted_compare_u64(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

void hf_sort_u64(uint64_t *numbers, size_t count)
{
    if (count > 1)
        qsort(numbers, count, sizeof *numbers, sorted_compare_u64);
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
