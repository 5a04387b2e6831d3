#include "statistics/arrivals.h"

#include "statistics/change_point.h"

#include <math.h>

#define Z 1.96           /* of 95 % */
#define PARTS 12         /* of the time since the onset */
#define PARTS_LEAK 4     /* survivors are spread over so many at least */
#define PARTS_NONE 3     /* over fewer: they came at some time only */
#define PARTS_WORK 6     /* or over so many of the work, */
#define PARTS_ONCE 1.5   /* which came more than once, */
#define STAYS_MOST 0.35  /* and of which so much stays at most: the rest tells the load */
#define THIRD_LEAK 0.6   /* the last third of the cohorts may have so much of the mean rate, */
#define THIRD_ERRORS 1   /* by its number and so many standard errors more, */
#define MIDDLE_LEAK 0.85 /* or has so much of the middle third */
#define THIRD_NONE 0.25  /* less: no more come */
#define THIRD_FEW 0.4
#define MIDDLE_FEW 0.6
#define COHORTS_MIN 4 /* since the onset */
#define BEND_MIN 0.05
#define BEND_SIGMAS 2.5
#define ROUNDING 1e-9 /* of counts that are equal */

_Static_assert(HF_SURVIVAL_EPOCHS <= HF_CHANGE_POINT_MAX, "cohorts");

/*
 * Presence, not counts: a single large batch is no beginning. Without a change, they may have come
 * from the start on, and began with the first of them at the latest.
 */
void hf_arrivals_find_onset(struct hf_arrivals *s)
{
    double presence[HF_SURVIVAL_EPOCHS];
    for (size_t i = 0; i < s->count; i++)
        presence[i] = fmin(s->counts[i], 1);
    struct hf_change_point change = hf_change_point_of(presence, s->count);
    s->has_onset = change.gain >= HF_CHANGE_POINT_GAIN * change.dispersion;
    s->from = change.gain >= HF_CHANGE_POINT_GAIN ? change.at : 0;
    s->low = s->has_onset ? change.low : 0;
    s->high = s->from != 0 ? change.high : 0;
    while (s->from == 0 && s->counts[s->high] <= 0)
        s->high++;
    for (size_t i = s->from; i < s->count; i++)
        s->since += s->counts[i];
}

static double sum_of(const double *counts, size_t from, size_t end)
{
    double sum = 0;
    for (size_t i = from; i < end; i++)
        sum += counts[i];
    return sum;
}

/* Over how many parts of the time since the onset they are spread: 1 / sum of squares of shares. */
static double parts_of(const struct hf_arrivals *s, size_t cohorts)
{
    double parts[PARTS] = {0}, squares = 0;
    size_t count = cohorts < PARTS ? cohorts : PARTS;
    for (size_t i = 0; i < cohorts; i++)
        parts[i * count / cohorts] += s->counts[s->from + i];
    for (size_t i = 0; i < count; i++)
        squares += parts[i] * parts[i];
    return squares > 0 ? s->since * s->since / squares : 0;
}

/* Their rate; and Laplace's test of one that falls (Cox and Lewis 1966). */
void hf_arrivals_measure(
    const struct hf_survival_table *table, const struct hf_arrivals *s, struct hf_survival *out)
{
    double sum = 0, cohorts = (double)(s->count - s->from), mean = s->since / cohorts, squares = 0;
    for (size_t i = s->from; i < s->count; i++) {
        sum += s->counts[i] * ((double)(i - s->from) + 0.5);
        squares += (s->counts[i] - mean) * (s->counts[i] - mean);
    }
    double dispersion = fmax(1, squares / fmax(cohorts - 1, 1) / mean);
    double time_s = cohorts * table->epoch_s, error = Z * sqrt(dispersion * s->since);
    out->rate = s->since / time_s * table->sample;
    out->rate_low = fmax(0, s->since - error) / time_s * table->sample;
    out->rate_high = (s->since + error) / time_s * table->sample;
    out->bend = 0.5 - sum / s->since / cohorts;
    out->bend_error = sqrt(dispersion / 12 / s->since);
}

bool hf_arrivals_bend(const struct hf_survival *survival, double sigmas)
{
    return survival->bend > BEND_MIN && survival->bend > sigmas * survival->bend_error;
}

/*
 * The most likely time since when fewer come. What comes in bursts also pauses: the gain is divided
 * by the dispersion of what came before, so that it is that of so many bursts, not of all blocks.
 */
double hf_arrivals_fall(const struct hf_arrivals *s)
{
    size_t cohorts = s->count - s->from;
    double most = 0, before = 0, squares = 0, without = s->since * log(s->since / (double)cohorts);
    for (size_t i = 1; i < cohorts; i++) {
        double n = (double)i, late = (double)(cohorts - i), count = s->counts[s->from + i - 1];
        before += count;
        squares += count * count;
        double after = fmax(0, s->since - before), mean = before / n;
        if (i < COHORTS_MIN || after / late >= mean)
            continue;
        double dispersion = fmax(1, (squares - before * mean) / (n - 1) / mean);
        double with = before * log(mean) + (after > 0 ? after * log(after / late) : 0);
        most = fmax(most, (with - without) / dispersion);
    }
    return most;
}

/* Spreads a cohort's survivors over the parts of the work that it did: [from, to) of `count`. */
static void spread_work(double survivors, double from, double to, double *parts, size_t count)
{
    if (to - from < ROUNDING) {
        parts[from < (double)count - 1 ? (size_t)from : count - 1] += survivors;
        return;
    }
    for (size_t i = (size_t)from; i < count && (double)i < to; i++) {
        double common = fmin(to, (double)(i + 1)) - fmax(from, (double)i);
        parts[i] += survivors * common / (to - from);
    }
}

/*
 * By the place's own work: cohorts become equal parts of what it allocated since the onset, where
 * most of that is freed. So what stays of each request comes evenly, whatever the load does. False:
 * what was allocated is not known, or most of it stays, so that it says nothing of the load.
 */
static bool by_work(const struct hf_arrivals *s, struct hf_arrivals *out)
{
    double all = sum_of(s->born, s->from, s->count), done = 0;
    size_t cohorts = s->count - s->from;
    if (all <= 0 || s->since > STAYS_MOST * all)
        return false;
    *out = *s;
    for (size_t i = s->from; i < s->count; i++)
        out->counts[i] = 0;
    for (size_t i = s->from; i < s->count; i++) {
        double from = done / all * (double)cohorts;
        done += s->born[i];
        spread_work(
            s->counts[i], from, done / all * (double)cohorts, out->counts + s->from, cohorts);
    }
    return true;
}

/* How survivors came since the onset. */
struct arrival_shape {
    double to_middle, to_mean; /* the last third, of the middle one and of the mean */
    double most_to_mean;       /* by as much more as chance may lack */
    double parts;              /* over so many they are spread */
};

static struct arrival_shape arrival_shape_of(const struct hf_arrivals *s)
{
    size_t cohorts = s->count - s->from, third = cohorts / 3 != 0 ? cohorts / 3 : 1;
    double last = sum_of(s->counts, s->count - third, s->count);
    double middle = sum_of(s->counts, s->count - 2 * third, s->count - third);
    double to_mean = (double)cohorts / (double)third / s->since;
    return (struct arrival_shape){.to_middle = middle > 0 ? last / middle : INFINITY,
        .to_mean = last * to_mean,
        .most_to_mean = (last + THIRD_ERRORS * sqrt(last)) * to_mean,
        .parts = parts_of(s, cohorts)};
}

static bool have_ended(const struct arrival_shape *a, double cohorts)
{
    return (a->to_mean < THIRD_FEW && a->to_middle < MIDDLE_FEW) || a->to_mean < THIRD_NONE ||
           a->parts < fmin(PARTS_NONE, cohorts * 0.5);
}

static bool keep_coming(
    const struct arrival_shape *a, double cohorts, const struct hf_survival *bend)
{
    bool comes = a->most_to_mean >= THIRD_LEAK || a->to_middle >= MIDDLE_LEAK;
    return comes && !have_ended(a, cohorts) && !hf_arrivals_bend(bend, BEND_SIGMAS) &&
           a->parts >= fmin(PARTS_LEAK, cohorts * 0.7);
}

/* The same share of the place's work stays, as far as it is known; not of what it did once. */
static bool keep_coming_by_work(const struct hf_survival_table *table,
    const struct arrival_shape *by_time, const struct hf_arrivals *work, struct hf_survival *out)
{
    struct arrival_shape a = arrival_shape_of(work);
    struct hf_survival of_work = *out;
    hf_arrivals_measure(table, work, &of_work);
    if (by_time->to_mean < THIRD_NONE || by_time->parts < PARTS_ONCE || a.parts < PARTS_WORK ||
        !keep_coming(&a, (double)(work->count - work->from), &of_work))
        return false;
    out->bend = of_work.bend;
    out->bend_error = of_work.bend_error;
    return true;
}

/* In cohorts since the onset: the end of the last one of which any survive. */
static double last_of_survivors(const struct hf_arrivals *s)
{
    size_t end = s->count;
    while (end > s->from && s->counts[end - 1] <= 0)
        end--;
    return (double)(end - s->from);
}

/* They stay; do they keep coming? */
enum hf_survival_kind hf_arrivals_judge(
    const struct hf_survival_table *table, const struct hf_arrivals *s, struct hf_survival *out)
{
    struct hf_arrivals work;
    double cohorts = (double)(s->count - s->from);
    bool has_work = by_work(s, &work);
    out->fall = hf_arrivals_fall(s);
    if (has_work)
        out->fall = fmin(out->fall, hf_arrivals_fall(&work));
    if (s->since < HF_ARRIVALS_FEW)
        return HF_SURVIVAL_RENEWED;
    out->is_recent = s->since >= HF_SURVIVAL_SAMPLES && cohorts < COHORTS_MIN;
    if (s->since < HF_SURVIVAL_SAMPLES || cohorts < COHORTS_MIN)
        return HF_SURVIVAL_UNDECIDED;
    struct arrival_shape a = arrival_shape_of(s);
    if (keep_coming(&a, cohorts, out) || (has_work && keep_coming_by_work(table, &a, &work, out)))
        return HF_SURVIVAL_LEAK;
    out->level_s = out->onset_s + last_of_survivors(s) * table->epoch_s;
    return have_ended(&a, cohorts) ? HF_SURVIVAL_ENDED : HF_SURVIVAL_UNDECIDED;
}
