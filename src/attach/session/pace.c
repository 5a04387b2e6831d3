#include "attach/session/pace.h"

#define JUDGE_NS UINT64_C(1000000000)  /* before it is given up */
#define WINDOW_NS UINT64_C(2000000000) /* what was before two of them does not count */
#define TICKS_NS UINT64_C(100000000)   /* less says nothing, of clock ticks or of means */
#define ENOUGH_NS UINT64_C(1000000000) /* so much of ticks is right, and better than two means */
#define TELLING_STOPS 1000             /* fewer say nothing of the mean */

/* Prices differ by no more, in 1/1000, from one machine to the next of its speed. */
#define LEAST_PRICE 300
#define MOST_PRICE 3000

/* Of a stop, what the process itself feels besides: caches, the way into the kernel. */
#define OUTSIDE_PART 10

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
    return value < least ? least : value > most ? most : value;
}

void hf_pace_resumed(struct hf_pace *pace, uint64_t now_ns)
{
    pace->thin_ns += now_ns - pace->changed.now_ns;
    pace->changed.now_ns = now_ns;
}

static uint64_t thought_ns(
    const struct hf_pace *pace, const struct hf_pace_seen *from, const struct hf_pace_seen *to)
{
    return (to->births - from->births) * pace->options.birth_ns +
           (to->ends - from->ends) * pace->options.end_ns;
}

static uint64_t ticks_ns(const struct hf_pace_seen *from, const struct hf_pace_seen *to)
{
    return to->user_ns - from->user_ns + to->system_ns - from->system_ns;
}

static uint64_t measured_ns(
    const struct hf_pace *pace, const struct hf_pace_seen *from, const struct hf_pace_seen *to)
{
    uint64_t user = to->user_ns - from->user_ns, system = to->system_ns - from->system_ns;
    uint64_t habit = user / 1000 * pace->options.kernel_per_mille;
    uint64_t inside = system > habit ? system - habit : 0;
    return inside + inside / OUTSIDE_PART;
}

/* So much of the clock ticks is worth more than the prices. */
static bool is_ticked(const struct hf_pace_seen *from, const struct hf_pace_seen *to)
{
    return ticks_ns(from, to) >= ENOUGH_NS;
}

/* What prices must be multiplied by, in 1/1000; 0 where two means are too few or too alike. */
static uint64_t price_by_means(const struct hf_pace *pace, const struct hf_pace_seen *seen)
{
    const struct hf_pace_seen *begin = &pace->begin;
    const struct hf_pace_options *options = &pace->options;
    uint64_t stops = seen->births - begin->births + seen->ends - begin->ends;
    uint64_t computed = seen->computed_ns - begin->computed_ns;
    if (options->is_in_windows || options->counted_ns == 0 || stops < TELLING_STOPS ||
        computed < TICKS_NS || pace->is_thin || pace->thin_ns != 0)
        return 0;
    uint64_t mean = computed / stops;
    uint64_t thought = thought_ns(pace, begin, seen) / stops;
    if (thought < options->counting_ns + options->counting_ns / 4)
        return 0;
    uint64_t more = mean > options->counted_ns ? mean - options->counted_ns : 0;
    return within(more * 1000 / (thought - options->counting_ns + 1), LEAST_PRICE, MOST_PRICE);
}

/* Prices were measured on another process, for a moment: what this one shows is nearer. */
static void learn_price(struct hf_pace *pace, const struct hf_pace_seen *seen)
{
    uint64_t thought = thought_ns(pace, &pace->begin, seen);
    uint64_t price = price_by_means(pace, seen);
    if (is_ticked(&pace->begin, seen) && thought >= 1000)
        price = measured_ns(pace, &pace->begin, seen) / (thought / 1000);
    if (price == 0)
        return;
    if (pace->options.is_in_windows)
        price = within(price, LEAST_PRICE, MOST_PRICE);
    pace->price_per_mille = price;
    pace->is_learned = true;
}

/* ns that the probes took of what the process computed. */
static uint64_t taken_ns(
    const struct hf_pace *pace, const struct hf_pace_seen *from, const struct hf_pace_seen *to)
{
    uint64_t computed = to->computed_ns - from->computed_ns;
    uint64_t taken = measured_ns(pace, from, to);
    uint64_t thought = thought_ns(pace, from, to) / 1000 * pace->price_per_mille;
    bool is_alone = pace->is_learned || ticks_ns(from, to) < TICKS_NS;
    if (pace->options.knows_stops && !is_ticked(from, to))
        taken = is_alone ? thought : within(taken, thought, thought / 2 * 3);
    return within(taken, 0, computed - computed / 50);
}

static uint64_t added_between(
    const struct hf_pace *pace, const struct hf_pace_seen *from, const struct hf_pace_seen *to)
{
    uint64_t taken = taken_ns(pace, from, to);
    return taken / ((to->computed_ns - from->computed_ns - taken) / 1000 + 1);
}

static bool is_noticed(
    const struct hf_pace *pace, const struct hf_pace_seen *from, const struct hf_pace_seen *to)
{
    uint64_t load = taken_ns(pace, from, to) / ((to->now_ns - from->now_ns) / 1000 + 1);
    return load >= HF_PACE_FREE_LOAD;
}

static bool is_too_much(
    const struct hf_pace *pace, const struct hf_pace_seen *from, const struct hf_pace_seen *to)
{
    return is_noticed(pace, from, to) &&
           added_between(pace, from, to) > pace->options.most_per_mille;
}

void hf_pace_begin(
    struct hf_pace *pace, const struct hf_pace_options *options, const struct hf_pace_seen *seen)
{
    *pace = (struct hf_pace){.options = *options,
        .begin = *seen,
        .base = *seen,
        .next = *seen,
        .changed = *seen,
        .price_per_mille = 1000};
}

static void pace_change(struct hf_pace *pace, const struct hf_pace_seen *seen)
{
    pace->thin_ns += pace->is_thin ? seen->now_ns - pace->changed.now_ns : 0;
    pace->is_thin = !pace->is_thin;
    pace->changed = *seen;
}

enum hf_pace_step hf_pace_look(struct hf_pace *pace, const struct hf_pace_seen *seen)
{
    learn_price(pace, seen);
    bool is_old = seen->now_ns - pace->next.now_ns >= WINDOW_NS;
    bool gives_up = pace->is_thin || !pace->options.can_thin;
    if (gives_up && seen->now_ns - pace->changed.now_ns >= JUDGE_NS) {
        if (is_too_much(pace, &pace->changed, seen))
            return HF_PACE_TOO_MUCH;
        if (!pace->options.can_thin)
            pace->changed = *seen;
    }
    if (pace->options.can_thin && is_too_much(pace, &pace->base, seen) != pace->is_thin)
        pace_change(pace, seen);
    if (is_old) {
        pace->base = pace->next;
        pace->next = *seen;
    }
    return pace->is_thin ? HF_PACE_THIN : HF_PACE_FOLLOW;
}

uint64_t hf_pace_added(const struct hf_pace *pace, const struct hf_pace_seen *seen)
{
    return is_noticed(pace, &pace->begin, seen) ? added_between(pace, &pace->begin, seen) : 0;
}

uint64_t hf_pace_thin_ns(const struct hf_pace *pace, uint64_t now_ns)
{
    return pace->thin_ns + (pace->is_thin ? now_ns - pace->changed.now_ns : 0);
}
