#include "statistics/survival.h"

#include <math.h>

#define Z_5 1.645       /* one side, 5 % */
#define Z 1.96          /* of 95 % */
#define GONE 0.1        /* of a cohort is left: it is gone */
#define FEW 8           /* survivors: less says nothing */
#define MAY_STAY 12     /* survivors: fewer do not hold up what was found, */
#define MAY_PART 0.75   /* nor do those that are older than so much of the time */
#define CHANGE_DROP 2.5 /* of the logarithm of the likelihood, by dispersion: about 95 % */
#define CHANGE_GAIN 3   /* less is no change */
#define DISPERSION_MAX 100
#define ROUNDING 1e-9 /* of counts that are equal */
#define AGE_SAMPLES 8 /* of an age at risk */
#define OLDEST_SAMPLES 20
#define OLDEST_LOST 0.4
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
#define AGE_PART 0.5  /* of the time: tau is below */
#define BEND_MIN 0.05
#define BEND_SIGMAS 2.5
#define BEND_DOUBT_SIGMAS 4 /* what was found to be straight bends surely */
#define HAZARD_DOUBT 0.25   /* what was found to stay dies surely */
#define QUARTERS 4          /* of the time: how old is what is in use? */
#define AGES_LAST 1.25      /* times older in the last quarter than in the one before, */
#define AGES_ALL 1.5        /* and than in the second one: they become ever older */
#define DYING_PART 0.4      /* of the time: they die since then, or a cache has only become full */
#define GONE_SHARE 0.5      /* in use of the survivors that there were */

/* A table, and what is used again and again. */
struct judge {
    const struct hf_survival_table *table;
    size_t first; /* the first cohort that was born after the first look */
    size_t end;   /* behind the last one that anything is in use of */
    double now_s, age_s;
};

/* Survivors of the cohorts that are older than an age. */
struct survivors {
    double counts[HF_SURVIVAL_EPOCHS]; /* from cohort `first` of the judge on */
    double born[HF_SURVIVAL_EPOCHS];   /* all of these cohorts, as far as that is known */
    size_t count;
    size_t from;      /* the onset among them, as far as they are judged by it */
    size_t low, high; /* where it may be */
    bool has_onset;   /* there is a change, whatever pauses they make */
    double since;     /* their number since then */
    double most_hazard, least_hazard;
    double sigmas;  /* from the hazard of a leak at most to what was seen */
    double since_s; /* what a hazard is multiplied with: the time since the onset, at most */
    bool is_lost;   /* ages, or the oldest, that lost too much */
};

static double end_s(const struct judge *j, size_t cohort)
{
    return (double)(cohort + 1) * j->table->epoch_s;
}

/* The first look at which all of a cohort is `age_s` old; look_count: none. */
static size_t look_at_age(const struct judge *j, size_t cohort, double age_s)
{
    size_t look = 0;
    while (look < j->table->look_count && j->table->looks_s[look] < end_s(j, cohort) + age_s)
        look++;
    return look;
}

static double last_of(const struct judge *j, size_t cohort)
{
    return j->table->in_use[j->table->look_count - 1][cohort];
}

static struct judge begin_judging(const struct hf_survival_table *table)
{
    struct judge j = {.table = table, .now_s = table->looks_s[table->look_count - 1]};
    while (j.first < HF_SURVIVAL_EPOCHS && (double)j.first * table->epoch_s < table->looks_s[0])
        j.first++;
    for (size_t i = j.first; i < HF_SURVIVAL_EPOCHS; i++) {
        for (size_t look = 0; look < table->look_count; look++)
            j.end = table->in_use[look][i] > 0 ? i + 1 : j.end;
    }
    return j;
}

/*
 * What comes in bursts has runs and pauses, so that a long pause before the first is no change. In
 * a chain of presence and absence, the variance of sums is (1 + r) / (1 - r) times that of trials
 * without memory, r the correlation of neighbours (Gabriel 1959).
 */
static double dispersion_of(const double *counts, size_t count)
{
    double sum = 0, squares = 0, products = 0;
    for (size_t i = 0; i < count; i++)
        sum += counts[i];
    for (size_t i = 0; i < count; i++) {
        double mean = sum / (double)count, off = counts[i] - mean;
        squares += off * off;
        products += i + 1 < count ? off * (counts[i + 1] - mean) : 0;
    }
    double r = squares > ROUNDING * (double)count ? products / squares : 0;
    return fmin(fmax(1, (1 + r) / (1 - r)), DISPERSION_MAX);
}

struct hf_survival_change hf_survival_change_of(const double *counts, size_t count)
{
    double likelihoods[HF_SURVIVAL_EPOCHS], before = 0, all = 0, most = -INFINITY;
    struct hf_survival_change change = {0};
    for (size_t i = 0; i < count; i++)
        all += counts[i];
    for (size_t i = 0; i < count; i++) {
        double after = all - before;
        double early = i != 0 ? before / (double)i : 0, late = after / (double)(count - i);
        likelihoods[i] =
            (before > 0 ? before * log(early) : 0) + (after > 0 ? after * log(late) : 0);
        if (i != 0 && early >= late)
            likelihoods[i] = -INFINITY; /* it falls */
        if (likelihoods[i] > most) {
            most = likelihoods[i];
            change.at = i;
        }
        before += counts[i];
    }
    change.low = change.high = change.at;
    change.dispersion = dispersion_of(counts + change.at, count - change.at);
    for (size_t i = count; i-- > 0;) {
        if (likelihoods[i] <= most - CHANGE_DROP * change.dispersion)
            continue;
        change.low = i;
        change.high = i > change.high ? i : change.high;
    }
    change.gain = count != 0 ? most - likelihoods[0] : 0;
    return change;
}

/*
 * Presence, not counts: a single large batch is no beginning. Without a change, they may have come
 * from the start on, and began with the first of them at the latest.
 */
static void find_onset(struct survivors *s)
{
    double presence[HF_SURVIVAL_EPOCHS];
    for (size_t i = 0; i < s->count; i++)
        presence[i] = fmin(s->counts[i], 1);
    struct hf_survival_change change = hf_survival_change_of(presence, s->count);
    s->has_onset = change.gain >= CHANGE_GAIN * change.dispersion;
    s->from = change.gain >= CHANGE_GAIN ? change.at : 0;
    s->low = s->has_onset ? change.low : 0;
    s->high = s->from != 0 ? change.high : 0;
    while (s->from == 0 && s->counts[s->high] <= 0)
        s->high++;
    for (size_t i = s->from; i < s->count; i++)
        s->since += s->counts[i];
}

/* The time that a hazard is compared with: that since the onset; or twice their mean age, which is
 * the same if they came evenly, and less if most came lately. */
static double scale_of(const struct judge *j, const struct survivors *s)
{
    double ages = 0, since_s = j->now_s - (double)(j->first + s->from) * j->table->epoch_s;
    for (size_t i = s->from; i < s->count; i++)
        ages += s->counts[i] * (j->now_s - ((double)(j->first + i) + 0.5) * j->table->epoch_s);
    return fmin(since_s, 2 * ages / s->since);
}

/* Poisson's bounds of deaths, by exposure. */
static void measure_hazard(const struct judge *j, struct survivors *s)
{
    double deaths = 0, exposure = 0;
    const struct hf_survival_table *table = j->table;
    for (size_t i = 0; i < s->count; i++) {
        size_t cohort = j->first + i;
        for (size_t look = look_at_age(j, cohort, j->age_s); look + 1 < table->look_count; look++) {
            double at_risk = table->in_use[look][cohort];
            exposure += at_risk * (table->looks_s[look + 1] - table->looks_s[look]);
            deaths += fmax(0, at_risk - table->in_use[look + 1][cohort]);
        }
    }
    double chance = Z_5 * sqrt(deaths + 1) + Z_5 * Z_5 / 2;
    s->most_hazard = exposure > 0 ? (deaths + chance) / exposure : INFINITY;
    s->least_hazard = exposure > 0 ? fmax(0, deaths - Z_5 * sqrt(deaths)) / exposure : 0;
    s->since_s = scale_of(j, s);
    s->sigmas = (HF_SURVIVAL_HAZARD * exposure / s->since_s - deaths) / sqrt(deaths + 1);
}

/* Whether surely more than `part` of those at risk is gone. */
static bool surely_lost(double gone, double at_risk, double part)
{
    double share = gone / at_risk;
    double error = sqrt(share * (1 - share) / at_risk + 0.01 / at_risk);
    return share - Z_5 * error > part;
}

/* Of what was of one age, how much is in use now? */
static bool an_age_is_lost(const struct judge *j, double step_s)
{
    for (double age_s = j->age_s; age_s < j->now_s - j->table->looks_s[0]; age_s += step_s) {
        double at_risk = 0, gone = 0;
        for (size_t cohort = j->first; cohort < j->end; cohort++) {
            size_t look = look_at_age(j, cohort, age_s);
            if (look == j->table->look_count)
                break;
            at_risk += j->table->in_use[look][cohort];
            gone += fmax(0, j->table->in_use[look][cohort] - last_of(j, cohort));
        }
        if (at_risk < AGE_SAMPLES)
            return false;
        if (surely_lost(gone, at_risk, HF_SURVIVAL_OLD_LOST))
            return true;
    }
    return false;
}

static bool oldest_are_lost(const struct judge *j)
{
    double at_risk = 0, gone = 0;
    for (size_t cohort = j->first; cohort < j->end && at_risk < OLDEST_SAMPLES; cohort++) {
        size_t look = look_at_age(j, cohort, j->age_s);
        if (look == j->table->look_count)
            return false;
        at_risk += j->table->in_use[look][cohort];
        gone += fmax(0, j->table->in_use[look][cohort] - last_of(j, cohort));
    }
    return at_risk >= OLDEST_SAMPLES && surely_lost(gone, at_risk, OLDEST_LOST);
}

static double sum_of(const double *counts, size_t from, size_t end)
{
    double sum = 0;
    for (size_t i = from; i < end; i++)
        sum += counts[i];
    return sum;
}

/* Over how many parts of the time since the onset they are spread: 1 / sum of squares of shares. */
static double parts_of(const struct survivors *s, size_t cohorts)
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
static void measure_arrivals(
    const struct hf_survival_table *table, const struct survivors *s, struct hf_survival *out)
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

static bool bends_by(const struct hf_survival *survival, double sigmas)
{
    return survival->bend > BEND_MIN && survival->bend > sigmas * survival->bend_error;
}

/*
 * The most likely time since when fewer come. What comes in bursts also pauses: the gain is divided
 * by the dispersion of what came before, so that it is that of so many bursts, not of all blocks.
 */
static double fall_of(const struct survivors *s)
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
static bool by_work(const struct survivors *s, struct survivors *out)
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
struct arrivals {
    double to_middle, to_mean; /* the last third, of the middle one and of the mean */
    double most_to_mean;       /* by as much more as chance may lack */
    double parts;              /* over so many they are spread */
};

static struct arrivals arrivals_of(const struct survivors *s)
{
    size_t cohorts = s->count - s->from, third = cohorts / 3 != 0 ? cohorts / 3 : 1;
    double last = sum_of(s->counts, s->count - third, s->count);
    double middle = sum_of(s->counts, s->count - 2 * third, s->count - third);
    double to_mean = (double)cohorts / (double)third / s->since;
    return (struct arrivals){.to_middle = middle > 0 ? last / middle : INFINITY,
        .to_mean = last * to_mean,
        .most_to_mean = (last + THIRD_ERRORS * sqrt(last)) * to_mean,
        .parts = parts_of(s, cohorts)};
}

static bool have_ended(const struct arrivals *a, double cohorts)
{
    return (a->to_mean < THIRD_FEW && a->to_middle < MIDDLE_FEW) || a->to_mean < THIRD_NONE ||
           a->parts < fmin(PARTS_NONE, cohorts * 0.5);
}

static bool keep_coming(const struct arrivals *a, double cohorts, const struct hf_survival *bend)
{
    bool comes = a->most_to_mean >= THIRD_LEAK || a->to_middle >= MIDDLE_LEAK;
    return comes && !have_ended(a, cohorts) && !bends_by(bend, BEND_SIGMAS) &&
           a->parts >= fmin(PARTS_LEAK, cohorts * 0.7);
}

/* The same share of the place's work stays, as far as it is known; not of what it did once. */
static bool keep_coming_by_work(const struct hf_survival_table *table,
    const struct arrivals *by_time, const struct survivors *work, struct hf_survival *out)
{
    struct arrivals a = arrivals_of(work);
    struct hf_survival of_work = *out;
    measure_arrivals(table, work, &of_work);
    if (by_time->to_mean < THIRD_NONE || by_time->parts < PARTS_ONCE || a.parts < PARTS_WORK ||
        !keep_coming(&a, (double)(work->count - work->from), &of_work))
        return false;
    out->bend = of_work.bend;
    out->bend_error = of_work.bend_error;
    return true;
}

/* In cohorts since the onset: the end of the last one of which any survive. */
static double last_of_survivors(const struct survivors *s)
{
    size_t end = s->count;
    while (end > s->from && s->counts[end - 1] <= 0)
        end--;
    return (double)(end - s->from);
}

/* They stay; do they keep coming? */
static enum hf_survival_kind judge_arrivals(
    const struct hf_survival_table *table, const struct survivors *s, struct hf_survival *out)
{
    struct survivors work;
    double cohorts = (double)(s->count - s->from);
    bool has_work = by_work(s, &work);
    out->fall = fall_of(s);
    if (has_work)
        out->fall = fmin(out->fall, fall_of(&work));
    if (s->since < FEW)
        return HF_SURVIVAL_RENEWED;
    out->is_recent = s->since >= HF_SURVIVAL_SAMPLES && cohorts < COHORTS_MIN;
    if (s->since < HF_SURVIVAL_SAMPLES || cohorts < COHORTS_MIN)
        return HF_SURVIVAL_UNDECIDED;
    struct arrivals a = arrivals_of(s);
    if (keep_coming(&a, cohorts, out) || (has_work && keep_coming_by_work(table, &a, &work, out)))
        return HF_SURVIVAL_LEAK;
    out->level_s = out->onset_s + last_of_survivors(s) * table->epoch_s;
    return have_ended(&a, cohorts) ? HF_SURVIVAL_ENDED : HF_SURVIVAL_UNDECIDED;
}

/* Of those that are older than the judge's age. False: they are too few. */
static bool find_survivors(const struct judge *j, double step_s, struct survivors *s)
{
    *s = (struct survivors){0};
    double all = 0;
    for (size_t cohort = j->first; cohort < HF_SURVIVAL_EPOCHS; cohort++) {
        if (end_s(j, cohort) > j->now_s - j->age_s)
            break;
        s->born[s->count] = j->table->born[cohort];
        s->counts[s->count] = last_of(j, cohort);
        all += s->counts[s->count++];
    }
    if (all < FEW)
        return false;
    find_onset(s);
    measure_hazard(j, s);
    s->is_lost = an_age_is_lost(j, step_s) || oldest_are_lost(j);
    return true;
}

static void describe_survivors(
    const struct judge *j, const struct survivors *s, struct hf_survival *out)
{
    double epoch_s = j->table->epoch_s;
    out->age_s = j->age_s;
    out->survivors = s->since;
    out->has_onset = s->has_onset;
    out->onset_s = (double)(j->first + s->from) * epoch_s;
    out->onset_low_s = s->low != 0 ? (double)(j->first + s->low) * epoch_s : 0;
    out->onset_high_s = (double)(j->first + s->high + 1) * epoch_s;
    out->lost = 1 - exp(-s->most_hazard * s->since_s);
    out->sigmas = fmin(s->sigmas, sqrt(s->since));
    measure_arrivals(j->table, s, out);
}

/* Deaths between two looks count at the age that the youngest of a cohort have at the first. */
size_t hf_survival_curve(const struct hf_survival_table *table, double step_s,
    struct hf_survival_point *out_points, size_t count)
{
    struct judge j = begin_judging(table);
    struct hf_survival_point now = {.share = 1};
    double greenwood = 0;
    size_t known = 0;
    while (known < count) {
        double at_risk = 0, deaths = 0, age_s = (double)known * step_s;
        for (size_t cohort = j.first; cohort < j.end; cohort++) {
            size_t look = look_at_age(&j, cohort, age_s);
            size_t next = look_at_age(&j, cohort, age_s + step_s);
            if (next == table->look_count)
                break;
            at_risk += table->in_use[look][cohort];
            deaths += fmax(0, table->in_use[look][cohort] - table->in_use[next][cohort]);
        }
        now.at_risk = at_risk;
        now.variance = now.share * now.share * greenwood;
        if (at_risk <= 0 && (known == 0 || now.share >= out_points[known - 1].share))
            break;
        out_points[known++] = now;
        if (at_risk <= 0)
            break;
        now.share *= 1 - deaths / at_risk;
        greenwood += deaths < at_risk ? deaths / at_risk / (at_risk - deaths) : 0;
    }
    return known;
}

/* The first age to which no more than GONE survive. */
static double find_gone_age(const struct hf_survival_table *table, double step_s)
{
    struct hf_survival_point points[HF_SURVIVAL_EPOCHS];
    size_t count = hf_survival_curve(table, step_s, points, HF_SURVIVAL_EPOCHS);
    for (size_t i = 0; i < count; i++) {
        if (points[i].share <= GONE)
            return (double)i * step_s;
    }
    return NAN;
}

/* A cache that fills frees nothing; since when do blocks go? By the deaths between looks. */
static double dying_since(const struct hf_survival_table *table)
{
    double deaths[HF_SURVIVAL_LOOKS] = {0};
    for (size_t look = 0; look + 1 < table->look_count; look++) {
        for (size_t e = 0; e < HF_SURVIVAL_EPOCHS; e++)
            deaths[look] += fmax(0, table->in_use[look][e] - table->in_use[look + 1][e]);
    }
    struct hf_survival_change change = hf_survival_change_of(deaths, table->look_count - 1);
    return change.gain >= CHANGE_GAIN * change.dispersion ? table->looks_s[change.at] : NAN;
}

/* The mean age of what is in use at a look, of the cohorts since the first one; 0: nothing is. */
static double mean_age(const struct judge *j, size_t look)
{
    double sum = 0, ages = 0;
    for (size_t e = j->first; e < j->end; e++) {
        double age_s = j->table->looks_s[look] - ((double)e + 0.5) * j->table->epoch_s;
        sum += j->table->in_use[look][e];
        ages += j->table->in_use[look][e] * fmax(age_s, 0);
    }
    return sum > 0 ? ages / sum : 0;
}

/*
 * A queue that is emptied more slowly than it is filled frees each block, but ever later; so does a
 * buffer that moves whenever it has doubled. What is in use is older from quarter to quarter then,
 * although blocks die: a cache that fills becomes older, too, but frees none until it is full.
 */
static bool lives_lengthen(const struct judge *j, double dying_s)
{
    double ages[QUARTERS] = {0}, first_s = j->table->looks_s[0], span_s = j->now_s - first_s;
    size_t counts[QUARTERS] = {0};
    if (dying_s > first_s + span_s * DYING_PART)
        return false;
    for (size_t look = 0; look < j->table->look_count; look++) {
        double part = (j->table->looks_s[look] - first_s) / span_s * QUARTERS;
        size_t quarter = part < QUARTERS - 1 ? (size_t)part : QUARTERS - 1;
        ages[quarter] += mean_age(j, look);
        counts[quarter]++;
    }
    for (size_t i = 0; i < QUARTERS; i++)
        ages[i] /= counts[i] != 0 ? (double)counts[i] : 1;
    return ages[3] > AGES_LAST * ages[2] && ages[3] > AGES_ALL * ages[1];
}

static double step_of(const struct judge *j)
{
    double span_s = j->now_s - j->table->looks_s[0];
    return fmax(j->table->epoch_s, span_s / (double)(j->table->look_count - 1));
}

struct hf_survival hf_survival_of(const struct hf_survival_table *table)
{
    struct hf_survival out = {
        .kind = HF_SURVIVAL_UNKNOWN, .gone_s = NAN, .level_s = NAN, .fall = INFINITY};
    if (table->look_count < HF_SURVIVAL_LOOKS_MIN)
        return out;
    struct judge j = begin_judging(table);
    double span_s = j.now_s - table->looks_s[0], step_s = step_of(&j);
    out.kind = HF_SURVIVAL_RENEWED;
    for (size_t i = 0; (double)i * step_s <= span_s * AGE_PART; i++) {
        struct survivors s;
        j.age_s = (double)i * step_s;
        if (!find_survivors(&j, step_s, &s))
            break;
        bool stay = !s.is_lost && s.most_hazard * s.since_s <= HF_SURVIVAL_HAZARD &&
                    s.least_hazard * s.since_s <= HF_SURVIVAL_HAZARD_LEAST;
        if (i == 0 || stay)
            describe_survivors(&j, &s, &out);
        if (stay) {
            out.kind = judge_arrivals(table, &s, &out);
            break;
        }
        if (i == 0)
            out.kind = s.is_lost || s.least_hazard * s.since_s > HF_SURVIVAL_HAZARD
                           ? HF_SURVIVAL_RENEWED
                           : HF_SURVIVAL_UNDECIDED;
    }
    if (out.kind == HF_SURVIVAL_RENEWED) {
        out.gone_s = find_gone_age(table, step_s);
        out.level_s = dying_since(table);
        out.lengthens = lives_lengthen(&j, out.level_s);
    }
    return out;
}

/* Of those that are older than what was a leak's tau: many surely died since they were. */
static bool survivors_die(const struct hf_survival_table *table, double age_s)
{
    struct judge j = begin_judging(table);
    struct survivors s;
    j.age_s = age_s;
    return find_survivors(&j, step_of(&j), &s) && s.least_hazard * s.since_s > HAZARD_DOUBT;
}

bool hf_survival_doubts(const struct hf_survival_table *table, const struct hf_survival *survival,
    const struct hf_survival *leak)
{
    return leak->kind == HF_SURVIVAL_LEAK && survival->kind == HF_SURVIVAL_UNDECIDED &&
           (bends_by(survival, BEND_DOUBT_SIGMAS) || survivors_die(table, leak->age_s));
}

bool hf_survival_may_stay(const struct hf_survival_table *table)
{
    struct judge j = begin_judging(table);
    double step_s = step_of(&j), most_s = (j.now_s - table->looks_s[0]) * MAY_PART;
    struct survivors s;
    for (; j.age_s <= most_s && find_survivors(&j, step_s, &s); j.age_s += step_s) {
        bool die = s.is_lost || s.least_hazard * s.since_s > HF_SURVIVAL_HAZARD_LEAST;
        if (!die && s.since >= MAY_STAY && fall_of(&s) < HF_SURVIVAL_FALL)
            return true;
    }
    return false;
}

/* Most of what stayed is there no more, whatever came since. */
static bool survivors_are_gone(
    const struct hf_survival_table *table, size_t look, const struct hf_survival *leak)
{
    double in_use = 0;
    for (size_t e = 0; e < HF_SURVIVAL_EPOCHS; e++)
        in_use += table->in_use[look][e];
    return leak->kind == HF_SURVIVAL_LEAK && in_use < leak->survivors * GONE_SHARE;
}

/* Of the first looks; what began lately is judged by shorter epochs, if there are any. */
static struct hf_survival survival_at(
    struct hf_survival_table *table, struct hf_survival_table *fine, size_t looks)
{
    table->look_count = looks;
    struct hf_survival survival = hf_survival_of(table);
    if (fine == NULL || !survival.is_recent)
        return survival;
    fine->look_count = looks;
    struct hf_survival lately = hf_survival_of(fine);
    return lately.kind == HF_SURVIVAL_LEAK ? lately : survival;
}

void hf_survival_course_of(struct hf_survival_table *table, struct hf_survival_table *fine,
    struct hf_survival_course *out_course)
{
    size_t count = table->look_count;
    *out_course = (struct hf_survival_course){.count = count};
    for (size_t i = 0; i < count; i++) {
        struct hf_survival_look *look = &out_course->looks[i];
        out_course->last = survival_at(table, fine, i + 1);
        look->kind = out_course->last.kind;
        look->fall = out_course->last.fall;
        look->lengthens = out_course->last.lengthens;
        look->is_thin =
            look->kind == HF_SURVIVAL_LEAK && out_course->last.survivors < HF_SURVIVAL_SAMPLES_MANY;
        look->is_sure = look->kind == HF_SURVIVAL_LEAK && out_course->last.has_onset &&
                        out_course->last.survivors >= HF_SURVIVAL_SAMPLES_SURE;
        if (look->kind == HF_SURVIVAL_LEAK)
            out_course->leak = out_course->last;
        look->may_stay = look->kind == HF_SURVIVAL_RENEWED &&
                         out_course->leak.kind == HF_SURVIVAL_LEAK && hf_survival_may_stay(table);
        look->is_gone = survivors_are_gone(table, i, &out_course->leak);
        look->is_doubted = hf_survival_doubts(table, &out_course->last, &out_course->leak);
    }
}
