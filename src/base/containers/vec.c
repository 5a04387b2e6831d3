#include "base/containers/vec.h"

#include "base/budget.h"
#include "base/checked.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_CAPACITY 16
#define LARGE_BYTES ((size_t)4 << 20) /* a page that is hardly used is little of it */
#define PAGE_BYTES ((size_t)4096)

void hf_vec_prefer_large_pages(void *items, size_t size_bytes)
{
    if (items == NULL || size_bytes < LARGE_BYTES)
        return;
    int errno_before = errno;
    size_t before_page = (PAGE_BYTES - (uintptr_t)items % PAGE_BYTES) % PAGE_BYTES;
    (void)madvise((char *)items + before_page, size_bytes - PAGE_BYTES, MADV_HUGEPAGE);
    errno = errno_before;
}

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
    hf_vec_prefer_large_pages(bigger, size_bytes);
    memcpy(items, &bigger, sizeof bigger);
    *capacity = grown;
    return true;
}
