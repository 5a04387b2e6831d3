#include "live/usage.h"

/* Keeps what the stack holds, as what it held at the last crest. What was read before the stack is
 * taken for it is of no event after the crest; who comes second has nothing to do. */
void hf_usage_copy(struct hf_live_stack *of, uint32_t crest)
{
    uint32_t last = atomic_load_explicit(&of->crest, memory_order_acquire);
    uint64_t freed_objects = hf_usage_of(&of->freed_objects),
             freed_bytes = hf_usage_of(&of->freed_bytes);
    uint64_t objects = hf_usage_of(&of->objects) - freed_objects;
    uint64_t bytes = hf_usage_of(&of->bytes) - freed_bytes;
    if (!atomic_compare_exchange_strong_explicit(&of->crest, &last, crest | HF_LIVE_CRESTING,
            memory_order_acq_rel, memory_order_relaxed))
        return;
    atomic_store_explicit(&of->crest_objects, objects, memory_order_relaxed);
    atomic_store_explicit(&of->crest_bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&of->crest, crest, memory_order_release);
}

/* There is a new crest, of which one thread makes the number. */
void hf_usage_crest(struct hf_live_usage *usage, uint64_t bytes, uint64_t now_ns)
{
    uint64_t next = hf_usage_of(&usage->next_crest_bytes);
    if (bytes < next ||
        !atomic_compare_exchange_strong_explicit(&usage->next_crest_bytes, &next,
            bytes + bytes / HF_LIVE_CREST_STEP + 1, memory_order_relaxed, memory_order_relaxed))
        return;
    atomic_store_explicit(&usage->crest_bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&usage->crest_ns, now_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&usage->crest, 1, memory_order_release);
}
