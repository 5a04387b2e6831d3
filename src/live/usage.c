#include "live/usage.h"

/* Keeps what the stack holds as what it held at the last crest. The values are read before the
 * stack is claimed, so they contain no event after the crest. A thread that comes second has
 * nothing to do. */
void hf_usage_copy(struct hf_live_stack *of, uint32_t crest)
{
    uint32_t last = atomic_load_explicit(&of->crest, memory_order_acquire);
    uint64_t freed_objects = hf_usage_of(&of->freed_objects),
             freed_bytes = hf_usage_of(&of->freed_bytes);
    uint64_t objects = hf_usage_of(&of->objects) - freed_objects;
    uint64_t bytes = hf_usage_of(&of->bytes) - freed_bytes;
    uint32_t samples = atomic_load_explicit(&of->samples, memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&of->crest, &last, crest | HF_LIVE_CRESTING,
            memory_order_acq_rel, memory_order_relaxed))
        return;
    atomic_store_explicit(&of->crest_objects, objects, memory_order_relaxed);
    atomic_store_explicit(&of->crest_bytes, bytes, memory_order_relaxed);
    atomic_store_explicit(&of->crest_samples, samples, memory_order_relaxed);
    atomic_store_explicit(&of->crest, crest, memory_order_release);
}

/* Makes a new crest; one thread makes its number. */
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

#define SURE (2 * HF_LIVE_OBJECT) /* a sample that stands for fewer has almost no error */
/* The peak is at least 1/8 of the largest estimate, even if the halves say less. */
#define LEAST_SHARE 8

/* This is the moment if one half has more than ever, or if it has had as much since then and the
 * other half has more. */
static void usage_choose(struct hf_live_usage *usage, unsigned half)
{
    uint64_t own = hf_usage_of(&usage->half_bytes[half]),
             other = hf_usage_of(&usage->half_bytes[1 - half]),
             best = hf_usage_of(&usage->best_bytes[half]);
    bool is_still = atomic_load_explicit(&usage->has_fallen[half], memory_order_relaxed) == 0;
    if (own <= best && !(is_still && other > hf_usage_of(&usage->beside_bytes[half])))
        return;
    atomic_store_explicit(&usage->has_fallen[half], 0, memory_order_relaxed);
    atomic_store_explicit(&usage->beside_bytes[half], other, memory_order_relaxed);
    atomic_store_explicit(&usage->best_bytes[half], own, memory_order_relaxed);
}

/* With one thread, or with the lock, both halves belong to one instant. A thread that does not get
 * the lock chooses nothing. */
void hf_usage_halves(
    struct hf_live_table *table, uint64_t objects, uint64_t bytes, uint64_t birth_ns, bool is_more)
{
    struct hf_live_usage *usage = &table->state->usage;
    bool is_alone = hf_is_alone(), has_lock = !is_alone && hf_live_lock(table);
    for (unsigned half = 0; half < 2; half++) {
        uint64_t counts = objects < SURE ? bytes : half == (birth_ns & 1) ? 2 * bytes : 0;
        (void)hf_usage_add(&usage->half_bytes[half], is_more ? counts : -counts, is_alone);
        if (!is_more && counts != 0)
            atomic_store_explicit(&usage->has_fallen[half], 1, memory_order_relaxed);
    }
    for (unsigned half = 0; (is_alone || has_lock) && is_more && half < 2; half++)
        usage_choose(usage, half);
    if (has_lock)
        hf_live_unlock(table);
}

uint64_t hf_usage_peak(const struct hf_live_usage *usage)
{
    uint64_t most = hf_usage_of(&usage->peak_bytes), now = hf_usage_of(&usage->bytes);
    uint64_t crossed =
        hf_usage_of(&usage->beside_bytes[0]) / 2 + hf_usage_of(&usage->beside_bytes[1]) / 2;
    crossed = crossed > most / LEAST_SHARE ? crossed : most / LEAST_SHARE;
    crossed = crossed > now ? crossed : now;
    return crossed < most ? crossed : most;
}

/* Merges spans in pairs: the end of the second is the end of both. */
static void usage_halve(struct hf_live_curve *curve, uint32_t shift)
{
    uint32_t count = atomic_load_explicit(&curve->count, memory_order_relaxed) / 2;
    atomic_store_explicit(&curve->shift, shift | HF_LIVE_MERGING, memory_order_relaxed);
    for (uint32_t i = 0; i < count && i < HF_LIVE_CURVE_POINTS / 2; i++) {
        atomic_store_explicit(&curve->points[i].in_use_bytes,
            hf_usage_of(&curve->points[2 * i + 1].in_use_bytes), memory_order_relaxed);
        atomic_store_explicit(&curve->points[i].allocated_bytes,
            hf_usage_of(&curve->points[2 * i + 1].allocated_bytes), memory_order_relaxed);
    }
    atomic_store_explicit(&curve->count, count, memory_order_relaxed);
    atomic_store_explicit(&curve->shift, shift + 1, memory_order_release);
}

/* Notes the points up to `count`, with what is in use now. */
static void usage_fill(
    struct hf_live_curve *curve, const struct hf_live_usage *usage, uint64_t count)
{
    uint32_t i = atomic_load_explicit(&curve->count, memory_order_relaxed);
    for (; i < count && i < HF_LIVE_CURVE_POINTS; i++) {
        atomic_store_explicit(
            &curve->points[i].in_use_bytes, hf_usage_of(&usage->bytes), memory_order_relaxed);
        atomic_store_explicit(&curve->points[i].allocated_bytes,
            hf_usage_of(&usage->allocated_bytes), memory_order_relaxed);
    }
    atomic_store_explicit(&curve->count, i, memory_order_release);
}

/* One thread at a time: while it works, no point is due. */
void hf_usage_note(struct hf_live_table *table, uint64_t now_ns)
{
    struct hf_live_usage *usage = &table->state->usage;
    struct hf_live_curve *curve = &table->state->curve;
    uint64_t start = table->head->monotonic_ns, after = now_ns > start ? now_ns - start : 0;
    uint64_t due = hf_usage_of(&usage->curve_due_ns);
    if (now_ns < due || !atomic_compare_exchange_strong_explicit(&usage->curve_due_ns, &due,
                            UINT64_MAX, memory_order_acquire, memory_order_relaxed))
        return;
    uint32_t shift = atomic_load_explicit(&curve->shift, memory_order_relaxed) & ~HF_LIVE_MERGING;
    shift = shift != 0 ? shift : HF_LIVE_CURVE_SHIFT;
    usage_fill(curve, usage, after >> shift);
    for (; after >> shift >= HF_LIVE_CURVE_POINTS; shift++) {
        usage_halve(curve, shift);
        usage_fill(curve, usage, after >> (shift + 1));
    }
    atomic_store_explicit(&curve->shift, shift, memory_order_release);
    atomic_store_explicit(
        &usage->curve_due_ns, start + (((after >> shift) + 1) << shift), memory_order_release);
}
