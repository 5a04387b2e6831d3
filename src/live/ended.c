#include "live/ended.h"

/* Merges epochs in pairs. What other threads count by the old epochs at the same time is not lost,
 * but may go into an earlier epoch. */
static void ended_merge(struct hf_live_frees *frees, uint32_t shift)
{
    atomic_store_explicit(&frees->epoch_shift, (shift + 1) | HF_LIVE_MERGING, memory_order_relaxed);
    for (unsigned i = 0; i < HF_LIVE_EPOCHS; i++) {
        uint64_t bytes = atomic_exchange_explicit(&frees->born_bytes[i], 0, memory_order_relaxed);
        atomic_fetch_add_explicit(&frees->born_bytes[i / 2], bytes, memory_order_relaxed);
    }
    atomic_store_explicit(&frees->epoch_shift, shift + 1, memory_order_release);
}

/* The epoch of a birth. Merges epochs first if the birth is beyond the last. */
static HF_APART unsigned ended_make_epoch(
    struct hf_live_table *table, struct hf_live_frees *frees, uint64_t ns)
{
    bool is_mine = hf_live_lock(table);
    uint32_t shift = atomic_load_explicit(&frees->epoch_shift, memory_order_relaxed);
    if (is_mine && shift == 0) {
        shift = HF_LIVE_EPOCH_SHIFT;
        while (ns >> shift >= HF_LIVE_EPOCHS)
            shift++;
        atomic_store_explicit(&frees->epoch_shift, shift, memory_order_relaxed);
    }
    shift &= ~HF_LIVE_MERGING; /* set by a thread that is gone: the sums are unchanged */
    for (; is_mine && ns >> shift >= HF_LIVE_EPOCHS; shift++)
        ended_merge(frees, shift);
    if (is_mine)
        hf_live_unlock(table);
    uint64_t epoch = ns >> (shift != 0 ? shift : HF_LIVE_EPOCH_SHIFT);
    return epoch < HF_LIVE_EPOCHS ? (unsigned)epoch : HF_LIVE_EPOCHS - 1;
}

static unsigned ended_epoch(
    struct hf_live_table *table, struct hf_live_frees *frees, uint64_t birth)
{
    uint64_t start = table->head->monotonic_ns, ns = birth > start ? birth - start : 0;
    uint32_t shift = atomic_load_explicit(&frees->epoch_shift, memory_order_relaxed);
    bool is_known = shift != 0 && shift < 64 && ns >> shift < HF_LIVE_EPOCHS;
    return is_known ? (unsigned)(ns >> shift) : ended_make_epoch(table, frees, ns);
}

/* 0 for a value below 2^shift, and 1 more for each doubling, up to `last`. */
static unsigned ended_step(uint64_t value, unsigned shift, unsigned last)
{
    uint64_t over = value >> shift;
    unsigned step = over != 0 ? 64 - (unsigned)__builtin_clzll(over) : 0;
    return step < last ? step : last;
}

/* NULL: there is no room for the record. */
static struct hf_live_frees *ended_frees(struct hf_live_table *table, uint32_t stack)
{
    struct hf_live_stack *of = hf_live_stack(table, stack);
    uint32_t number = atomic_load_explicit(&of->frees, memory_order_acquire);
    if (HF_UNLIKELY(number == 0))
        return hf_live_frees_begin(table, of);
    return (struct hf_live_frees *)(void *)table->regions[HF_LIVE_FREES] + (number - 1);
}

void hf_live_count_ended(
    struct hf_live_table *table, uint32_t stack, const struct hf_live_ended *block)
{
    struct hf_live_frees *frees = ended_frees(table, stack);
    if (HF_UNLIKELY(frees == NULL))
        return;
    bool is_alone = hf_is_alone();
    uint64_t age = block->now_ns > block->birth_ns ? block->now_ns - block->birth_ns : 0;
    unsigned epoch = ended_epoch(table, frees, block->birth_ns);
    unsigned step = ended_step(age, HF_LIVE_AGE_SHIFT, HF_LIVE_AGES - 1);
    unsigned size = ended_step(
        block->size_bytes - (block->size_bytes != 0), HF_LIVE_SIZE_SHIFT, HF_LIVE_SIZES - 1);
    (void)hf_usage_add(&frees->born_bytes[epoch], block->bytes, is_alone);
    (void)hf_usage_add(&frees->ages[step].objects, block->objects, is_alone);
    (void)hf_usage_add(&frees->ages[step].bytes, block->bytes, is_alone);
    (void)hf_usage_add(&frees->sizes[size], block->objects, is_alone);
}

void hf_live_count_temporary(struct hf_live_table *table, uint32_t stack, uint64_t objects)
{
    struct hf_live_frees *frees = ended_frees(table, stack);
    if (HF_LIKELY(frees != NULL))
        (void)hf_usage_add(&frees->temporary_objects, objects, hf_is_alone());
}
