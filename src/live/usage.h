/*
 * usage.h: what each stack has in use, and had at the peak, as the writer of a live table keeps it.
 *
 * For each stack, the table has what it ever allocated, and how much of that was freed; for the
 * process, what is in use, and the peak. These are exact at any time. To know what each stack held
 * at the peak, all stacks would have to be copied at each new peak. Instead, when the peak has
 * grown by 1/HF_LIVE_CREST_STEP, there is a new *crest*, which is only a number, and each stack
 * makes its copy before its next event: a stack without an event since still holds what it held at
 * the crest. So an event costs the same however many stacks there are, and the copies belong to one
 * instant, at which at least 99.2 % of the peak was in use. A table of samples also has their
 * number, in use and at the crest: the uncertainty of the estimates depends on it.
 *
 * *The peak of samples.* The largest of many estimates is too large: if 80 samples come and go, it
 * is chosen among thousands, and is a third more than ever was in use. So each sample belongs to
 * one of two halves, at random; each half by itself estimates what is in use, and their errors are
 * independent. When one half has its maximum, the other half estimates what is in use at that
 * moment, which it did not choose. The mean of the two estimates that come from this is the
 * estimate of the peak (cross-fitting: M. Stone, "Cross-Validatory Choice and Assessment of
 * Statistical Predictions", Journal of the Royal Statistical Society B 36, 1974). The moment lasts
 * until the half that chose it has less; the maximum of the other half during this time counts, so
 * a peak on which all samples agree is estimated as they say. At whatever moment was chosen, no
 * more was in use than at the peak; and at the peak, the estimate of all samples was at most their
 * largest estimate. So the interval of the peak has the lower end of the interval for the chosen
 * moments, and the upper end of the interval for the largest estimate. A sample that stands for
 * fewer than two objects has almost no error, and counts in both halves.
 *
 * The curve has what was in use at equal intervals. Each allocation compares the time with that of
 * the next point; the first one after it notes what was in use before itself.
 *
 * Any thread may call, without a lock. When a crest comes, the event that another thread is in the
 * middle of may be in the copy or not: one event for each thread. If a thread is killed, or leaves
 * by a jump, each stack has a copy that is whole, or that counts as not made.
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

/* For the functions below: the first makes the stack's copy for this crest, the second makes a new
 * crest if it is due. */
void hf_usage_copy(struct hf_live_stack *of, uint32_t crest);
void hf_usage_crest(struct hf_live_usage *usage, uint64_t bytes, uint64_t now_ns);

/* For a table of samples: counts one more or less, in its half, which is the lowest bit of its
 * birth. */
void hf_usage_halves(
    struct hf_live_table *table, uint64_t objects, uint64_t bytes, uint64_t birth_ns, bool is_more);

/* For a reader of a table of samples that has halves: the estimate of the peak, which is at most
 * peak_bytes, and at least what is in use. */
uint64_t hf_usage_peak(const struct hf_live_usage *usage);

/* For the functions below: notes the points of the curve that are due. */
void hf_usage_note(struct hf_live_table *table, uint64_t now_ns);

/* In a process with one thread it need not be atomic, which takes ten times as long. */
static HF_ALWAYS_INLINE uint64_t hf_usage_add(_Atomic uint64_t *total, uint64_t more, bool is_alone)
{
    if (!is_alone)
        return atomic_fetch_add_explicit(total, more, memory_order_relaxed) + more;
    uint64_t sum = atomic_load_explicit(total, memory_order_relaxed) + more;
    atomic_store_explicit(total, sum, memory_order_relaxed);
    return sum;
}

/* Counts one sample of a stack more or less, for a table of samples. */
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

/* Called before each event of the stack. */
static HF_ALWAYS_INLINE void hf_usage_settle(
    const struct hf_live_usage *usage, struct hf_live_stack *of)
{
    uint32_t crest = atomic_load_explicit(&usage->crest, memory_order_acquire);
    uint32_t own = atomic_load_explicit(&of->crest, memory_order_relaxed);
    if (HF_UNLIKELY((own & ~HF_LIVE_CRESTING) != crest))
        hf_usage_copy(of, crest);
}

/* Called when more is in use than ever. */
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

/* Counts an allocation for its stack and for the process; returns what is in use then. */
static HF_ALWAYS_INLINE uint64_t hf_usage_count(struct hf_live_usage *usage,
    struct hf_live_stack *of, uint64_t objects, uint64_t bytes, bool is_alone)
{
    (void)hf_usage_add(&of->objects, objects, is_alone);
    (void)hf_usage_add(&of->bytes, bytes, is_alone);
    (void)hf_usage_add(&usage->allocated_bytes, bytes, is_alone);
    return hf_usage_add(&usage->bytes, bytes, is_alone);
}

/*
 * Counts an allocation of `stack` as `objects` (in HF_LIVE_OBJECT-ths) and `bytes`. `now_ns` is
 * monotonic. Replaces hf_live_count.
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

/* Counts that it is freed, or cannot be kept. Arguments are those of its hf_live_use. */
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
