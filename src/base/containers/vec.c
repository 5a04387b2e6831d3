#include "base/containers/vec.h"

#include "base/budget.h"
#include "base/checked.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 16

bool hf_vec_grow(void *items, size_t *capacity, size_t needed, size_t item_size)
{
    size_t grown;
    if (!hf_add_size(*capacity, *capacity / 2, &grown))
        return false;
    if (grown < FIRST_CAPACITY)
        grown = FIRST_CAPACITY;
    if (grown < needed)
        grown = needed;
    size_t size_bytes;
    if (!hf_mul_size(grown, item_size, &size_bytes))
        return false;
    size_t more_bytes = size_bytes - *capacity * item_size;
    if (!hf_budget_take(more_bytes))
        return false;
    /* `items` points at some T *: copied bytewise, because void ** may not alias it. */
    void *old;
    memcpy(&old, items, sizeof old);
    void *bigger = realloc(old, size_bytes);
    if (bigger == NULL) {
        hf_budget_put_back(more_bytes);
        return false;
    }
    hf_budget_prefer_large_pages(bigger, size_bytes);
    memcpy(items, &bigger, sizeof bigger);
    *capacity = grown;
    return true;
}
