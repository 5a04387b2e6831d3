#include "base/budget.h"

#include "base/limits.h"
#include "base/plural.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SLICE_STEPS ((int64_t)1 << 20)
#define UNCOUNTED_STEPS ((int64_t)1 << 60)
#define CHUNK_HEAD_BYTES 8            /* of malloc */
#define MALLOC_STEPS 200              /* to take and free it, and to do something with it */
#define LARGE_BYTES ((size_t)2 << 20) /* of one large page */
#define PAGE_BYTES ((size_t)4096)
#define HEAP_BYTES ((size_t)64 << 20) /* of addresses that malloc has from the start */

_Thread_local struct hf_budget_scope hf_budget_scope;
static _Atomic double budget_factor = 1;

void hf_budget_set_factor(double factor)
{
    budget_factor = factor;
}

/* What a thread did not use of its slice goes back. */
static void end_slice(void)
{
    struct hf_budget_scope *scope = &hf_budget_scope;
    if (scope->budget != NULL && scope->steps_left > 0)
        atomic_fetch_sub_explicit(
            &scope->budget->steps, (uint64_t)scope->steps_left, memory_order_relaxed);
    scope->steps_left = 0;
}

struct hf_budget_scope hf_budget_enter(struct hf_budget *budget)
{
    struct hf_budget_scope before = hf_budget_scope;
    hf_budget_scope = (struct hf_budget_scope){.budget = budget};
    return before;
}

void hf_budget_leave(struct hf_budget_scope before)
{
    end_slice();
    hf_budget_scope = before;
}

void hf_budget_give(uint64_t bytes)
{
    struct hf_budget *budget = hf_budget_scope.budget;
    if (budget != NULL)
        atomic_fetch_add_explicit(&budget->given_bytes, bytes, memory_order_relaxed);
}

static uint64_t allowed(const struct hf_budget *budget, double least, double ratio)
{
    double given = (double)atomic_load_explicit(&budget->given_bytes, memory_order_relaxed);
    double sum = budget_factor * (least + ratio * given);
    return sum < (double)INT64_MAX ? (uint64_t)sum : INT64_MAX;
}

uint64_t hf_budget_memory_allowed(const struct hf_budget *budget)
{
    return allowed(budget, HF_LIMIT_BUDGET_MEMORY, HF_LIMIT_BUDGET_MEMORY_RATIO);
}

uint64_t hf_budget_steps_allowed(const struct hf_budget *budget)
{
    return allowed(budget, HF_LIMIT_BUDGET_STEPS, HF_LIMIT_BUDGET_STEPS_RATIO);
}

static void use_up(struct hf_budget *budget, enum hf_budget_part part)
{
    int left = HF_BUDGET_LEFT; /* the first reason is the one that is said */
    atomic_compare_exchange_strong(&budget->used_up, &left, part);
}

bool hf_budget_take(size_t bytes)
{
    struct hf_budget *budget = hf_budget_scope.budget;
    if (budget == NULL)
        return true;
    uint64_t sum = bytes + atomic_fetch_add_explicit(
                               &budget->memory_bytes, (uint64_t)bytes, memory_order_relaxed);
    uint64_t peak = atomic_load_explicit(&budget->memory_peak, memory_order_relaxed);
    if (sum > hf_budget_memory_allowed(budget)) {
        hf_budget_put_back(bytes);
        use_up(budget, HF_BUDGET_NO_MEMORY);
        return false;
    }
    while (sum > peak && !atomic_compare_exchange_weak(&budget->memory_peak, &peak, sum))
        ;
    return true;
}

void hf_budget_put_back(size_t bytes)
{
    struct hf_budget *budget = hf_budget_scope.budget;
    if (budget == NULL)
        return;
    /* What was taken before this budget was entered may come back now. */
    uint64_t used = atomic_load_explicit(&budget->memory_bytes, memory_order_relaxed);
    while (!atomic_compare_exchange_weak(
        &budget->memory_bytes, &used, used > bytes ? used - bytes : 0))
        ;
}

bool hf_budget_next_slice(void)
{
    struct hf_budget_scope *scope = &hf_budget_scope;
    struct hf_budget *budget = scope->budget;
    if (budget == NULL) {
        scope->steps_left = UNCOUNTED_STEPS;
        return true;
    }
    uint64_t wanted = (uint64_t)(SLICE_STEPS - scope->steps_left);
    uint64_t steps =
        wanted + atomic_fetch_add_explicit(&budget->steps, wanted, memory_order_relaxed);
    scope->steps_left = SLICE_STEPS;
    if (steps - (uint64_t)SLICE_STEPS <= hf_budget_steps_allowed(budget))
        return true;
    use_up(budget, HF_BUDGET_NO_STEPS);
    end_slice(); /* the next step asks again */
    return false;
}

bool hf_budget_has_reserve(void)
{
    const struct hf_budget *budget = hf_budget_scope.budget;
    return budget == NULL || atomic_load_explicit(&budget->steps, memory_order_relaxed) / 3 <
                                 hf_budget_steps_allowed(budget) / 4;
}

bool hf_budget_is_below(unsigned percent)
{
    const struct hf_budget *budget = hf_budget_scope.budget;
    return budget == NULL ||
           (atomic_load_explicit(&budget->steps, memory_order_relaxed) / percent <
                   hf_budget_steps_allowed(budget) / 100 &&
               atomic_load_explicit(&budget->memory_bytes, memory_order_relaxed) / percent <
                   hf_budget_memory_allowed(budget) / 100);
}

bool hf_budget_is_used_up(void)
{
    const struct hf_budget *budget = hf_budget_scope.budget;
    return budget != NULL &&
           atomic_load_explicit(&budget->used_up, memory_order_relaxed) != HF_BUDGET_LEFT;
}

enum hf_status hf_budget_refuse(struct hf_error *err)
{
    const struct hf_budget *budget = hf_budget_scope.budget;
    uint64_t given = atomic_load_explicit(&budget->given_bytes, memory_order_relaxed);
    bool is_memory =
        atomic_load_explicit(&budget->used_up, memory_order_relaxed) == HF_BUDGET_NO_MEMORY;
    return hf_error_set(err, HF_ERR_LIMIT,
        "needs more than %" PRIu64 " %s, too much for an input of %" PRIu64
        " %s; if you trust it, allow N times as much with --input-budget N (%s)",
        is_memory ? hf_budget_memory_allowed(budget) >> 20
                  : hf_budget_steps_allowed(budget) / 1000000,
        is_memory ? "MiB of memory" : "million steps", given, hf_plural(given, "byte", "bytes"),
        is_memory ? "HF_LIMIT_BUDGET_MEMORY" : "HF_LIMIT_BUDGET_STEPS");
}

/* `memory`, if there is any and it may be had. */
static void *count_memory(void *memory)
{
    (void)hf_budget_step(MALLOC_STEPS);
    if (memory != NULL && hf_budget_take(malloc_usable_size(memory) + CHUNK_HEAD_BYTES))
        return memory;
    free(memory);
    errno = ENOMEM;
    hf_budget_scope.failed_count++;
    return NULL;
}

void *hf_budget_malloc(size_t size)
{
    return count_memory(malloc(size));
}

void *hf_budget_calloc(size_t count, size_t size)
{
    void *memory = count_memory(calloc(count, size));
    if (memory != NULL)
        hf_budget_prefer_large_pages(memory, count * size);
    return memory;
}

void hf_budget_prefer_large_pages(void *items, size_t size_bytes)
{
    if (items == NULL || size_bytes < LARGE_BYTES)
        return;
    /* Its first and its last page, too: what is one mapping must stay one, or realloc, which moves
     * the pages of a mapping, copies their bytes instead. What lies beside it there only gains. */
    int errno_before = errno;
    size_t in_page = (uintptr_t)items % PAGE_BYTES;
    (void)madvise((char *)items - in_page, in_page + size_bytes, MADV_HUGEPAGE);
    errno = errno_before;
}

void hf_budget_prefer_large_heap(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, (int)LARGE_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, 2 * (int)HEAP_BYTES);
    (void)mallopt(M_TOP_PAD, (int)HEAP_BYTES);
    char *first = malloc(LARGE_BYTES - PAGE_BYTES), *end = sbrk(0); /* the heap grows for it */
    (void)mallopt(M_TOP_PAD, (int)LARGE_BYTES);
    if (first != NULL && first < end)
        hf_budget_prefer_large_pages(first, (size_t)(end - first));
    free(first);
}

void hf_budget_free(void *memory)
{
    if (memory != NULL)
        hf_budget_put_back(malloc_usable_size(memory) + CHUNK_HEAD_BYTES);
    free(memory);
}
