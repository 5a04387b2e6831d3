#include "statistics/survival.h"

#include "statistics/arrivals.h"
#include "statistics/change_point.h"

#include <math.h>
#include <string.h>

#define Z_5 1.645     /* one side, 5 % */
#define GONE 0.1      /* of a cohort is left: it is gone */
#define MAY_STAY 12   /* survivors: fewer do not hold up what was found, */
#define MAY_PART 0.75 /* nor do those that are older than so much of the time */
#define AGE_SAMPLES 8 /* of an age at risk */
#define OLDEST_SAMPLES 20
#define OLDEST_LOST 0.4
#define AGE_PART 0.5        /* of the time: tau is below */
#define BEND_DOUBT_SIGMAS 4 /* what was found to be straight bends surely */
#define HAZARD_DOUBT 0.25   /* what was found to stay dies surely */
#define QUARTERS 4          /* of the time: how old is what is in use? */
#define AGES_LAST 1.25      /* times older in the last quarter than in the one before, */
#define AGES_ALL 1.5        /* and than in the second one: they become ever older */
#define DYING_PART 0.4      /* of the time: they die since then, or a cache has only become full */
#define GONE_SHARE 0.5      /* in use of the survivors that there were */

/* What stays as it is when there are more looks: it is added up once for all of them. */
struct survival_sums {
    /* Of each cohort, until each look since the first: what was freed, and what could have been. */
    double deaths[HF_SURVIVAL_EPOCHS][HF_SURVIVAL_LOOKS];
    double exposure[HF_SURVIVAL_EPOCHS][HF_SURVIVAL_LOOKS];
    double gone[HF_SURVIVAL_LOOKS]; /* freed between a look and the next one, of all cohorts */
    double ages[HF_SURVIVAL_LOOKS]; /* mean of what is in use, of the cohorts from `first` on */
    size_t ends[HF_SURVIVAL_LOOKS]; /* behind the last cohort that was in use until then */
    size_t first;                   /* the first cohort that was born after the first look */
};

/* A table, and what is used again and again. */
struct judge {
    const struct hf_survival_table *table;
    const struct survival_sums *sums; /* of all looks of the table, also of those to come */
    size_t first, end;                /* cohorts: as of the sums */
    double now_s, age_s;
};

/* Survivors older than an age. The counts of `came` begin with cohort `first` of the judge. */
struct survivors {
    struct hf_arrivals came;
    double most_hazard, least_hazard;
    double sigmas;  /* from the hazard of a leak at most to what was seen */
    double since_s; /* what a hazard is multiplied with: the time since the onset, at most */
};

static double end_s(const struct judge *j, size_t cohort)
{
    return (double)(cohort + 1) * j->table->epoch_s;
}

/* The first look at which all of a cohort is `age_s` old; look_count: none. */
static size_t look_at_age(const struct judge *j, size_t cohort, double age_s)
{
    double then_s = end_s(j, cohort) + age_s;
    size_t look = 0, end = j->table->look_count;
    while (look < end) {
        size_t middle = (look + end) / 2;
        if (j->table->looks_s[middle] < then_s)
            look = middle + 1;
        else
            end = middle;
    }
    return look;
}

/* fmax() is a call. */
static double positive(double value)
{
    return value > 0 ? value : 0;
}

static double last_of(const struct judge *j, size_t cohort)
{
    return j->table->in_use[j->table->look_count - 1][cohort];
}

/* The mean age of what is in use at a look, of the cohorts since the first one; 0: nothing is. */
static double mean_age(const struct hf_survival_table *table, size_t first, size_t look)
{
    double sum = 0, ages = 0;
    for (size_t e = first; e < HF_SURVIVAL_EPOCHS; e++) {
        double age_s = table->looks_s[look] - ((double)e + 0.5) * table->epoch_s;
        sum += table->in_use[look][e];
        ages += table->in_use[look][e] * positive(age_s);
    }
    return sum > 0 ? ages / sum : 0;
}

static void add_up_cohorts(const struct hf_survival_table *table, struct survival_sums *out)
{
    for (size_t e = 0; e < HF_SURVIVAL_EPOCHS; e++) {
        double deaths = 0, exposure = 0;
        for (size_t look = 0; look < table->look_count; look++) {
            out->deaths[e][look] = deaths;
            out->exposure[e][look] = exposure;
            if (look + 1 == table->look_count)
                break;
            double at_risk = table->in_use[look][e];
            double gone = positive(at_risk - table->in_use[look + 1][e]);
            exposure += at_risk * (table->looks_s[look + 1] - table->looks_s[look]);
            deaths += gone;
            out->gone[look] += gone;
        }
    }
}

static void add_up(const struct hf_survival_table *table, struct survival_sums *out)
{
    size_t first = 0, end = 0;
    memset(out->gone, 0, sizeof out->gone);
    add_up_cohorts(table, out);
    while (first < HF_SURVIVAL_EPOCHS && (double)first * table->epoch_s < table->looks_s[0])
        first++;
    for (size_t look = 0; look < table->look_count; look++) {
        size_t last = HF_SURVIVAL_EPOCHS;
        while (last > first && last > end && table->in_use[look][last - 1] <= 0)
            last--;
        end = last > first && last > end ? last : end;
        out->ends[look] = end;
        out->ages[look] = mean_age(table, first, look);
    }
    out->first = first;
}

static struct judge begin_judging(
    const struct hf_survival_table *table, const struct survival_sums *sums)
{
    size_t last = table->look_count - 1;
    return (struct judge){.table = table,
        .sums = sums,
        .first = sums->first,
        .end = sums->ends[last],
        .now_s = table->looks_s[last]};
}

/* The time that a hazard is compared with: that since the onset; or twice their mean age, which is
 * the same if they came evenly, and less if most came lately. */
static double scale_of(const struct judge *j, const struct survivors *s)
{
    double ages = 0, since_s = j->now_s - (double)(j->first + s->came.from) * j->table->epoch_s;
    for (size_t i = s->came.from; i < s->came.count; i++)
        ages += s->came.counts[i] * (j->now_s - ((double)(j->first + i) + 0.5) * j->table->epoch_s);
    return fmin(since_s, 2 * ages / s->came.since);
}

/* Poisson's bounds of deaths, by exposure. */
static void measure_hazard(const struct judge *j, struct survivors *s)
{
    double deaths = 0, exposure = 0;
    size_t last = j->table->look_count - 1;
    for (size_t i = 0; i < s->came.count; i++) {
        size_t cohort = j->first + i, from = look_at_age(j, cohort, j->age_s);
        if (from >= last)
            continue;
        exposure += j->sums->exposure[cohort][last] - j->sums->exposure[cohort][from];
        deaths += j->sums->deaths[cohort][last] - j->sums->deaths[cohort][from];
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
            gone += positive(j->table->in_use[look][cohort] - last_of(j, cohort));
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
        gone += positive(j->table->in_use[look][cohort] - last_of(j, cohort));
    }
    return at_risk >= OLDEST_SAMPLES && surely_lost(gone, at_risk, OLDEST_LOST);
}

/* Of those that are older than the judge's age. False: they are too few. */
static bool find_survivors(const struct judge *j, struct survivors *s)
{
    *s = (struct survivors){0};
    double all = 0;
    for (size_t cohort = j->first; cohort < HF_SURVIVAL_EPOCHS; cohort++) {
        if (end_s(j, cohort) > j->now_s - j->age_s)
            break;
        s->came.born[s->came.count] = j->table->born[cohort];
        s->came.counts[s->came.count] = last_of(j, cohort);
        all += s->came.counts[s->came.count++];
    }
    if (all < HF_ARRIVALS_FEW)
        return false;
    hf_arrivals_find_onset(&s->came);
    measure_hazard(j, s);
    return true;
}

/* Ages, or the oldest, lost too much. */
static bool are_lost(const struct judge *j, double step_s)
{
    return an_age_is_lost(j, step_s) || oldest_are_lost(j);
}

static void describe_survivors(
    const struct judge *j, const struct survivors *s, struct hf_survival *out)
{
    double epoch_s = j->table->epoch_s;
    out->age_s = j->age_s;
    out->survivors = s->came.since;
    out->has_onset = s->came.has_onset;
    out->onset_s = (double)(j->first + s->came.from) * epoch_s;
    out->onset_low_s = s->came.low != 0 ? (double)(j->first + s->came.low) * epoch_s : 0;
    out->onset_high_s = (double)(j->first + s->came.high + 1) * epoch_s;
    out->lost = 1 - exp(-s->most_hazard * s->since_s);
    out->sigmas = fmin(s->sigmas, sqrt(s->came.since));
    hf_arrivals_measure(j->table, &s->came, out);
}

/* Deaths between two looks count at the age that the youngest of a cohort have at the first. */
size_t hf_survival_curve(const struct hf_survival_table *table, double step_s,
    struct hf_survival_point *out_points, size_t count)
{
    struct survival_sums sums;
    add_up(table, &sums);
    struct judge j = begin_judging(table, &sums);
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
            deaths += positive(table->in_use[look][cohort] - table->in_use[next][cohort]);
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

/* A cache that fills frees nothing; since when do blocks go? By the deaths between looks. */
static double dying_since(const struct judge *j)
{
    struct hf_change_point change = hf_change_point_of(j->sums->gone, j->table->look_count - 1);
    return change.gain >= HF_CHANGE_POINT_GAIN * change.dispersion ? j->table->looks_s[change.at]
                                                                   : NAN;
}

/*
 * A queue that is emptied more slowly than it is filled frees each block, but ever later; so does a
 * buffer that moves whenever it has doubled. What is in use is older from quarter to quarter then,
 * although blocks die: a cache that fills becomes older, too, but frees none until it is full.
 */
static bool lives_lengthen(const struct judge *j)
{
    double ages[QUARTERS] = {0}, first_s = j->table->looks_s[0], span_s = j->now_s - first_s;
    size_t counts[QUARTERS] = {0};
    for (size_t look = 0; look < j->table->look_count; look++) {
        double part = (j->table->looks_s[look] - first_s) / span_s * QUARTERS;
        size_t quarter = part < QUARTERS - 1 ? (size_t)part : QUARTERS - 1;
        ages[quarter] += j->sums->ages[look];
        counts[quarter]++;
    }
    for (size_t i = 0; i < QUARTERS; i++)
        ages[i] /= counts[i] != 0 ? (double)counts[i] : 1;
    return ages[3] > AGES_LAST * ages[2] && ages[3] > AGES_ALL * ages[1] &&
           !(dying_since(j) > first_s + span_s * DYING_PART);
}

static double step_of(const struct judge *j)
{
    double span_s = j->now_s - j->table->looks_s[0];
    return fmax(j->table->epoch_s, span_s / (double)(j->table->look_count - 1));
}

/* Without gone_s and level_s of what is renewed, which take time. */
static struct hf_survival judge_survivors(
    const struct hf_survival_table *table, const struct survival_sums *sums)
{
    struct hf_survival out = {
        .kind = HF_SURVIVAL_UNKNOWN, .gone_s = NAN, .level_s = NAN, .fall = INFINITY};
    if (table->look_count < HF_SURVIVAL_LOOKS_MIN)
        return out;
    struct judge j = begin_judging(table, sums);
    double span_s = j.now_s - table->looks_s[0], step_s = step_of(&j);
    out.kind = HF_SURVIVAL_RENEWED;
    for (size_t i = 0; (double)i * step_s <= span_s * AGE_PART; i++) {
        struct survivors s;
        j.age_s = (double)i * step_s;
        if (!find_survivors(&j, &s))
            break;
        bool stay = s.most_hazard * s.since_s <= HF_SURVIVAL_HAZARD &&
                    s.least_hazard * s.since_s <= HF_SURVIVAL_HAZARD_LEAST && !are_lost(&j, step_s);
        if (i == 0 || stay)
            describe_survivors(&j, &s, &out);
        if (stay) {
            out.kind = hf_arrivals_judge(table, &s.came, &out);
            break;
        }
        if (i == 0)
            out.kind = s.least_hazard * s.since_s > HF_SURVIVAL_HAZARD || are_lost(&j, step_s)
                           ? HF_SURVIVAL_RENEWED
                           : HF_SURVIVAL_UNDECIDED;
    }
    out.lengthens = out.kind == HF_SURVIVAL_RENEWED && lives_lengthen(&j);
    return out;
}

/* What is asked only of the last look: the first age to which no more than GONE survive, of what is
 * renewed, and since when it may be full. */
static void describe_renewal(const struct hf_survival_table *table,
    const struct survival_sums *sums, struct hf_survival *out)
{
    struct hf_survival_point points[HF_SURVIVAL_EPOCHS];
    struct judge j = begin_judging(table, sums);
    double step_s = step_of(&j);
    if (out->kind != HF_SURVIVAL_RENEWED)
        return;
    out->level_s = dying_since(&j);
    size_t count = hf_survival_curve(table, step_s, points, HF_SURVIVAL_EPOCHS);
    for (size_t i = 0; i < count && isnan(out->gone_s); i++)
        out->gone_s = points[i].share <= GONE ? (double)i * step_s : NAN;
}

struct hf_survival hf_survival_of(const struct hf_survival_table *table)
{
    struct survival_sums sums;
    if (table->look_count < HF_SURVIVAL_LOOKS_MIN)
        return judge_survivors(table, NULL);
    add_up(table, &sums);
    struct hf_survival out = judge_survivors(table, &sums);
    describe_renewal(table, &sums, &out);
    return out;
}

/* Of those that are older than what was a leak's tau: many surely died since they were. */
static bool survivors_die(
    const struct hf_survival_table *table, const struct survival_sums *sums, double age_s)
{
    struct judge j = begin_judging(table, sums);
    struct survivors s;
    j.age_s = age_s;
    return find_survivors(&j, &s) && s.least_hazard * s.since_s > HAZARD_DOUBT;
}

/* Whether an undecided survival speaks against `leak`, which was found earlier in the series. */
static bool doubts(const struct hf_survival_table *table, const struct survival_sums *sums,
    const struct hf_survival *survival, const struct hf_survival *leak)
{
    return leak->kind == HF_SURVIVAL_LEAK && survival->kind == HF_SURVIVAL_UNDECIDED &&
           (hf_arrivals_bend(survival, BEND_DOUBT_SIGMAS) ||
               survivors_die(table, sums, leak->age_s));
}

static bool may_stay(const struct hf_survival_table *table, const struct survival_sums *sums)
{
    struct judge j = begin_judging(table, sums);
    double step_s = step_of(&j), most_s = (j.now_s - table->looks_s[0]) * MAY_PART;
    struct survivors s;
    for (; j.age_s <= most_s && find_survivors(&j, &s); j.age_s += step_s) {
        bool die = s.least_hazard * s.since_s > HF_SURVIVAL_HAZARD_LEAST;
        if (!die && s.came.since >= MAY_STAY && hf_arrivals_fall(&s.came) < HF_SURVIVAL_FALL &&
            !are_lost(&j, step_s))
            return true;
    }
    return false;
}

bool hf_survival_may_stay(const struct hf_survival_table *table)
{
    struct survival_sums sums;
    add_up(table, &sums);
    return may_stay(table, &sums);
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

/* A table of a course, and its sums of all looks. */
struct summed {
    struct hf_survival_table *table; /* NULL: there is none */
    struct survival_sums sums;
};

static struct hf_survival survival_at(const struct summed *of, size_t looks)
{
    of->table->look_count = looks;
    return judge_survivors(of->table, &of->sums);
}

/* Of the first looks; what began lately is judged by shorter epochs, if there are any. */
static struct hf_survival latest_survival_at(
    const struct summed *coarse, const struct summed *fine, size_t looks)
{
    struct hf_survival survival = survival_at(coarse, looks);
    if (fine->table == NULL || !survival.is_recent)
        return survival;
    struct hf_survival lately = survival_at(fine, looks);
    return lately.kind == HF_SURVIVAL_LEAK ? lately : survival;
}

void hf_survival_course_of(struct hf_survival_table *table, struct hf_survival_table *fine,
    struct hf_survival_course *out_course)
{
    struct summed coarse = {.table = table}, finer = {.table = fine};
    size_t count = table->look_count;
    add_up(table, &coarse.sums);
    if (fine != NULL)
        add_up(fine, &finer.sums);
    *out_course = (struct hf_survival_course){.count = count};
    for (size_t i = 0; i < count; i++) {
        struct hf_survival_look *look = &out_course->looks[i];
        out_course->last = latest_survival_at(&coarse, &finer, i + 1);
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
                         out_course->leak.kind == HF_SURVIVAL_LEAK && may_stay(table, &coarse.sums);
        look->is_gone = survivors_are_gone(table, i, &out_course->leak);
        look->is_doubted = doubts(table, &coarse.sums, &out_course->last, &out_course->leak);
    }
    if (count != 0)
        describe_renewal(table, &coarse.sums, &out_course->last);
}
