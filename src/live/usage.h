/*
 * usage.h: what is in use by stack, and what was at the peak, kept by the writer of a live table.
 *
 * Of each stack the table has what was ever allocated, and what of it was freed; of the process
 * what is in use, and the peak: to the byte, whoever looks at it when. What the stacks held at the
 * peak would be a copy of all of them at each new peak. Instead there is a new *crest*, a number,
 * when the peak has grown by 1/HF_LIVE_CREST_STEP, and each stack makes its copy before its next
 * event: a stack without one since holds what it held then. A table of samples has their number,
 * too, in use and at the crest: how sure the estimates are hangs on it. So an event costs the same
 * however many stacks there are, and the copies belong to one instant, at which at least 99.2 % of
 * the peak was in use.
 *
 * *The peak of samples.* The largest of many estimates is too large: where 80 samples come and go,
 * it is chosen among thousands, and says a third more than ever was in use. So each sample belongs
 * to one of two halves, by a coin; each half alone estimates what is in use, and their errors have
 * nothing to do with each other. The moment at which one half has the most is told by the other,
 * whose estimate of that moment was not chosen; the mean of both is the estimate of the peak
 * (cross-fitting: M. Stone, "Cross-Validatory Choice and Assessment of Statistical Predictions",
 * Journal of the Royal Statistical Society B 36, 1974). The moment lasts until the half that chose
 * it has less; of this time the most of the other half counts, so a peak that all samples agree on
 * is what they say. Whatever moment was chosen, no more was in use than at the peak, and at that
 * the estimate of all samples was at most the largest: so the lower end of an interval of the
 * former and the upper end of one of the latter are those of the peak. A sample that stands for
 * less than two has next to no error, and counts in both halves.
 *
 * The curve has what was in use at equal spans of time. An allocation compares the time with that
 * of the next point, and the first that is behind it notes what is in use before itself.
 *
 * Any thread, no lock. What other threads are in the middle of when a crest comes may be in the
 * copy or not, an event of each. Who is killed, or jumps out, leaves each stack with a copy that is
 * whole, or that counts as not made.
 *
 * Example:
 *
 *     struct hf_live_table *table = NULL; // as hf_live_begin made it
 *     uint64_t now_ns = 0;
 *     if (table != NULL) {
 *         hf_live_use(table, 0, HF_LIVE_OBJECT, 48, now_ns);
 *         hf_live_end_use(table, 0, HF_LIVE_OBJECT, 48, now_ns);
 *     }
 */
#ifndef HF_LIVE_USAGE_H
#define HF_LIVE_USAGE_H

#include "live/writer.h"

/* For the functions below: it has not made its copy of this crest; there may be a new crest. */
void hf_usage_copy(struct hf_live_stack *of, uint32_t crest);
void hf_usage_crest(struct hf_live_usage *usage, uint64_t bytes, uint64_t now_ns);

/* Of a table of samples: one more or less, in its half, which is the lowest bit of its birth. */
void hf_usage_halves(
    struct hf_live_table *table, uint64_t objects, uint64_t bytes, uint64_t birth_ns, bool is_more);

/* For a reader of a table of samples that has halves: the estimate of the peak, which is never more
 * than peak_bytes, nor less than what is in use. */
uint64_t hf_usage_peak(const struct hf_live_usage *usage);

/* Likewise: there is a point of the curve to note. */
void hf_usage_note(struct hf_live_table *table, uint64_t now_ns);

/* One thread alone need not make it one operation, which takes ten times as long. */
static HF_ALWAYS_INLINE uint64_t hf_usage_add(_Atomic uint64_t *total, uint64_t more, bool is_alone)
{
    if (!is_alone)
        return atomic_fetch_add_explicit(total, more, memory_order_relaxed) + more;
    uint64_t sum = atomic_load_explicit(total, memory_order_relaxed) + more;
    atomic_store_explicit(total, sum, memory_order_relaxed);
    return sum;
}

/* Samples in use, of a stack of a table of samples: one more or less. */
static HF_ALWAYS_INLINE void hf_usage_sample(struct hf_live_stack *of, uint32_t more, bool is_alone)
{
    if (is_alone)
        atomic_store_explicit(&of->samples,
            atomic_load_explicit(&of->samples, memory_order_relaxed) + more, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&of->samples, more, memory_order_relaxed);
}

static HF_ALWAYS_INLINE uint64_t hf_usage_of(const _Atomic uint64_t *total)
{
    return atomic_load_explicit(total, memory_order_relaxed);
}

/* Before an event of the stack. */
static HF_ALWAYS_INLINE void hf_usage_settle(
    const struct hf_live_usage *usage, struct hf_live_stack *of)
{
    uint32_t crest = atomic_load_explicit(&usage->crest, memory_order_acquire);
    uint32_t own = atomic_load_explicit(&of->crest, memory_order_relaxed);
    if (HF_UNLIKELY((own & ~HF_LIVE_CRESTING) != crest))
        hf_usage_copy(of, crest);
}

/* More is in use than ever. */
static HF_ALWAYS_INLINE void hf_usage_rise(
    struct hf_live_usage *usage, uint64_t bytes, uint64_t now_ns, bool is_alone)
{
    uint64_t peak = hf_usage_of(&usage->peak_bytes);
    if (is_alone)
        atomic_store_explicit(&usage->peak_bytes, bytes, memory_order_relaxed);
    else
        while (bytes > peak && !atomic_compare_exchange_weak_explicit(&usage->peak_bytes, &peak,
                                   bytes, memory_order_relaxed, memory_order_relaxed))
            ;
    atomic_store_explicit(&usage->peak_ns, now_ns, memory_order_relaxed);
    if (HF_UNLIKELY(bytes >= hf_usage_of(&usage->next_crest_bytes)))
        hf_usage_crest(usage, bytes, now_ns);
}

/* What counts for an allocation, for its stack and for all; returns what is in use then. */
static HF_ALWAYS_INLINE uint64_t hf_usage_count(struct hf_live_usage *usage,
    struct hf_live_stack *of, uint64_t objects, uint64_t bytes, bool is_alone)
{
    (void)hf_usage_add(&of->objects, objects, is_alone);
    (void)hf_usage_add(&of->bytes, bytes, is_alone);
    (void)hf_usage_add(&usage->allocated_bytes, bytes, is_alone);
    return hf_usage_add(&usage->bytes, bytes, is_alone);
}

/*
 * An allocation of `stack`, with what it counts for: objects in HF_LIVE_OBJECT-ths. `now_ns` is
 * monotonic. Instead of hf_live_count.
 */
static HF_ALWAYS_INLINE void hf_live_use(
    struct hf_live_table *table, uint32_t stack, uint64_t objects, uint64_t bytes, uint64_t now_ns)
{
    struct hf_live_usage *usage = &table->state->usage;
    struct hf_live_stack *of = hf_live_stack(table, stack);
    bool is_alone = hf_is_alone();
    if (HF_UNLIKELY(now_ns >= hf_usage_of(&usage->curve_due_ns)))
        hf_usage_note(table, now_ns);
    hf_usage_settle(usage, of);
    uint64_t in_use = HF_LIKELY(is_alone) ? hf_usage_count(usage, of, objects, bytes, true)
                                          : hf_usage_count(usage, of, objects, bytes, false);
    if (HF_UNLIKELY(table->is_sampled)) {
        hf_usage_sample(of, 1, is_alone);
        hf_usage_halves(table, objects, bytes, now_ns, true);
    }
    if (in_use > hf_usage_of(&usage->peak_bytes))
        hf_usage_rise(usage, in_use, now_ns, is_alone);
}

static HF_ALWAYS_INLINE void hf_usage_count_freed(struct hf_live_usage *usage,
    struct hf_live_stack *of, uint64_t objects, uint64_t bytes, bool is_alone)
{
    (void)hf_usage_add(&usage->bytes, -bytes, is_alone);
    (void)hf_usage_add(&of->freed_objects, objects, is_alone);
    (void)hf_usage_add(&of->freed_bytes, bytes, is_alone);
}

/* It is freed, or cannot be kept: what it counted for, and when. */
static HF_ALWAYS_INLINE void hf_live_end_use(struct hf_live_table *table, uint32_t stack,
    uint64_t objects, uint64_t bytes, uint64_t birth_ns)
{
    struct hf_live_usage *usage = &table->state->usage;
    struct hf_live_stack *of = hf_live_stack(table, stack);
    hf_usage_settle(usage, of);
    if (HF_UNLIKELY(table->is_sampled)) {
        hf_usage_sample(of, (uint32_t)-1, hf_is_alone());
        hf_usage_halves(table, objects, bytes, birth_ns, false);
    }
    if (HF_LIKELY(hf_is_alone()))
        hf_usage_count_freed(usage, of, objects, bytes, true);
    else
        hf_usage_count_freed(usage, of, objects, bytes, false);
}

#endif
