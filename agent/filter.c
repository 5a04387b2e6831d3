#include "filter.h"

_Atomic uint8_t hf_filter_counts[HF_FILTER_PAGES];

/* Adds `step` (1 or 255, which is -1) to a counter that still knows. */
static void change(uintptr_t address, uint8_t step, uint8_t bound)
{
    _Atomic uint8_t *counter = &hf_filter_counts[hf_filter_index(address)];
    uint8_t count = atomic_load_explicit(counter, memory_order_relaxed);
    while (count != HF_FILTER_STUCK && count != bound &&
           !atomic_compare_exchange_weak_explicit(counter, &count, (uint8_t)(count + step),
               memory_order_relaxed, memory_order_relaxed)) {
    }
}

void hf_filter_add(uintptr_t address)
{
    change(address, 1, HF_FILTER_STUCK);
}

void hf_filter_remove(uintptr_t address)
{
    change(address, UINT8_MAX, 0);
}

void hf_filter_hold(uintptr_t start, size_t bytes)
{
    uintptr_t page = start >> 12, last = (start + bytes - 1) >> 12;
    for (; bytes != 0 && page <= last; page++)
        atomic_store_explicit(
            &hf_filter_counts[hf_filter_index(page << 12)], HF_FILTER_STUCK, memory_order_relaxed);
}

void hf_filter_hold_all(void)
{
    for (size_t i = 0; i < HF_FILTER_PAGES; i++)
        atomic_store_explicit(&hf_filter_counts[i], HF_FILTER_STUCK, memory_order_relaxed);
}

void hf_filter_forget(void)
{
    for (size_t i = 0; i < HF_FILTER_PAGES; i++) {
        uint8_t count = atomic_load_explicit(&hf_filter_counts[i], memory_order_relaxed);
        if (count != 0 && count != HF_FILTER_STUCK)
            atomic_store_explicit(&hf_filter_counts[i], 0, memory_order_relaxed);
    }
}
