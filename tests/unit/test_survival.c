/* Survival of cohorts: by hand, by simulation whose truth is known, and what is said of shapes. */
#include "statistics/change_point.h"
#include "statistics/survival.h"

#include "check.h"

#include <math.h>
#include <stdint.h>

#define MINUTES 60
#define SERIES 200

static uint64_t state;

static double unit(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double exponential(double mean)
{
    return -mean * log(unit());
}

static unsigned poisson(double mean)
{
    unsigned count = 0;
    for (double product = unit(), least = exp(-mean); product > least; product *= unit())
        count++;
    return count;
}

/* A table of looks at the ends of minutes 1 .. MINUTES; epochs are minutes. */
static void begin_table(struct hf_survival_table *table)
{
    *table = (struct hf_survival_table){.sample = 1, .epoch_s = 60, .look_count = MINUTES};
    for (size_t i = 0; i < MINUTES; i++)
        table->looks_s[i] = 60 * (double)(i + 1);
}

/* Of a birth in minute `born` (from 0) that lives for so many minutes. */
static void add_life(struct hf_survival_table *table, unsigned born, double life)
{
    double birth = born + unit();
    for (unsigned look = born; look < MINUTES && look + 1 < birth + life; look++)
        table->in_use[look][born] += 1;
}

/* 8 of cohort 1, of which 4 die at age 1 and 2 at age 2; 4 of cohort 2, of which 1 dies at age 1.
 * At risk at 0: 12; of these 5 die by 1. At risk at 1: 7, 2 die. What is from before is left out.
 */
static void counts_by_hand(void **unused)
{
    (void)unused;
    struct hf_survival_table table = {
        .sample = 1, .epoch_s = 10, .look_count = 4, .looks_s = {10, 20, 30, 40}};
    const double cohort_0[] = {100, 50, 25, 0}, cohort_1[] = {0, 8, 4, 2},
                 cohort_2[] = {0, 0, 4, 3};
    for (size_t i = 0; i < 4; i++) {
        table.in_use[i][0] = cohort_0[i];
        table.in_use[i][1] = cohort_1[i];
        table.in_use[i][2] = cohort_2[i];
    }
    struct hf_survival_point points[8];
    assert_int_equal(hf_survival_curve(&table, 10, points, 8), 3);
    assert_true(points[0].share == 1 && points[0].at_risk == 12);
    assert_true(fabs(points[1].share - 7.0 / 12) < 1e-12);
    assert_true(points[1].at_risk == 4); /* cohort 2 is censored: it was not seen older */
    assert_true(fabs(points[2].share - 7.0 / 24) < 1e-12 && points[2].at_risk == 0);
    /* Greenwood's: S^2 d / (n (n - d)) */
    assert_true(fabs(points[1].variance - 49.0 / 144 * 5 / 12 / 7) < 1e-12);
}

/* Delayed entry: a cohort that is first seen at age 1 is at risk from there on only. */
static void enters_late(void **unused)
{
    (void)unused;
    struct hf_survival_table table = {
        .sample = 1, .epoch_s = 10, .look_count = 4, .looks_s = {10, 20, 30, 40}};
    const double seen_late[] = {0, 0, 6, 3}, seen[] = {0, 0, 4, 4};
    for (size_t i = 0; i < 4; i++) {
        table.in_use[i][1] = seen_late[i];
        table.in_use[i][2] = seen[i];
    }
    struct hf_survival_point points[8];
    assert_int_equal(hf_survival_curve(&table, 10, points, 8), 3);
    assert_true(points[0].at_risk == 4 && points[1].share == 1);
    assert_true(points[1].at_risk == 6 && points[2].share == 0.5);
}

/* exp(-t / 8 minutes), of deaths that come between looks. */
static void finds_exponential_lives(void **unused)
{
    (void)unused;
    static struct hf_survival_table table;
    struct hf_survival_point points[MINUTES];
    state = 11;
    begin_table(&table);
    for (unsigned minute = 0; minute < MINUTES; minute++) {
        for (unsigned i = 0; i < 400; i++)
            add_life(&table, minute, exponential(8));
    }
    size_t count = hf_survival_curve(&table, 60, points, MINUTES);
    assert_true(count > 30);
    for (size_t age = 1; age < 24; age++) {
        double expected = exp(-(double)age / 8), error = sqrt(points[age].variance);
        assert_true(fabs(points[age].share - expected) < 4 * error + 0.002);
    }
}

static struct hf_survival judge_lives(double (*life)(unsigned born), double (*rate)(unsigned born))
{
    static struct hf_survival_table table;
    begin_table(&table);
    for (unsigned minute = 0; minute < MINUTES; minute++) {
        for (unsigned i = poisson(rate(minute)); i != 0; i--)
            add_life(&table, minute, life(minute));
    }
    return hf_survival_of(&table);
}

static double five(unsigned born)
{
    (void)born;
    return 5;
}

static double rising(unsigned born)
{
    return 1 + 0.3 * born;
}

static double early(unsigned born)
{
    return born < 12 ? 12 : 0;
}

static double fading(unsigned born)
{
    return 20 * exp(-(double)born / 8);
}

static double for_ever(unsigned born)
{
    (void)born;
    return 1000;
}

static double some_for_ever(unsigned born)
{
    (void)born;
    return unit() < 0.2 ? 1000 : exponential(3);
}

static double late_for_ever(unsigned born)
{
    return born >= 40 ? 1000 : 1;
}

static double until_ttl(unsigned born)
{
    (void)born;
    return 12;
}

static double at_random(unsigned born)
{
    (void)born;
    return exponential(15);
}

/* A queue that is emptied at seven eighths of the rate at which it is filled. */
static double ever_later(unsigned born)
{
    return 1 + (born + unit()) / 7;
}

/* A first-in-first-out cache that is full after 40 of the 60 minutes. */
static double late_full(unsigned born)
{
    (void)born;
    return 40;
}

static double twenty(unsigned born)
{
    (void)born;
    return 20;
}

static void tells_shapes(void **unused)
{
    (void)unused;
    static const struct {
        double (*life)(unsigned born), (*rate)(unsigned born);
        enum hf_survival_kind kind;
    } cases[] = {
        {for_ever, five, HF_SURVIVAL_LEAK},
        {some_for_ever, five, HF_SURVIVAL_LEAK},
        {late_for_ever, five, HF_SURVIVAL_LEAK},
        {until_ttl, rising, HF_SURVIVAL_RENEWED},
        {at_random, five, HF_SURVIVAL_RENEWED},
        {for_ever, early, HF_SURVIVAL_ENDED},
        {for_ever, fading, HF_SURVIVAL_ENDED},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        unsigned right = 0;
        for (unsigned seed = 1; seed <= 50; seed++) {
            state = seed * UINT64_C(0x9e3779b97f4a7c15);
            right += judge_lives(cases[i].life, cases[i].rate).kind == cases[i].kind;
        }
        if (right < 48)
            fail_msg("case %zu: right in %u of 50", i, right);
    }
}

/* Where there is one, the onset lies in its interval, +- a cohort; the rate in its own. */
static void covers_onset_and_rate(void **unused)
{
    (void)unused;
    static struct hf_survival_table table;
    unsigned found = 0, covered = 0, rates = 0;
    for (unsigned seed = 1; seed <= SERIES; seed++) {
        state = seed * UINT64_C(0x9e3779b97f4a7c15);
        unsigned onset = 10 + (unsigned)(unit() * 30);
        begin_table(&table);
        for (unsigned minute = 0; minute < MINUTES; minute++) {
            for (unsigned i = poisson(6); i != 0; i--)
                add_life(&table, minute, 3 * unit());
            for (unsigned i = minute >= onset ? poisson(3) : 0; i != 0; i--)
                add_life(&table, minute, 1000);
        }
        struct hf_survival survival = hf_survival_of(&table);
        if (survival.kind != HF_SURVIVAL_LEAK)
            continue;
        found++;
        covered += survival.has_onset && survival.onset_low_s <= 60.0 * (onset + 1) &&
                   survival.onset_high_s >= 60.0 * onset;
        rates += survival.rate_low <= 3.0 / 60 && survival.rate_high >= 3.0 / 60;
    }
    assert_true(found >= 0.97 * SERIES);
    if (covered < 0.93 * found || rates < 0.92 * found)
        fail_msg("of %u found: onset covered %u, rate %u", found, covered, rates);
}

/* A leak that comes in bursts of two minutes: a pause before the first that is no longer than the
 * others is no change, so it may have begun at any time until then. A pause that is three times as
 * long is one where they come evenly. */
static void covers_onset_of_bursts(void **unused)
{
    (void)unused;
    static struct hf_survival_table table;
    unsigned found = 0, covered = 0, began = 0;
    for (unsigned seed = 1; seed <= SERIES; seed++) {
        state = seed * UINT64_C(0x9e3779b97f4a7c15);
        unsigned onset = (unsigned)(unit() * 14), gap = 7 + (unsigned)(unit() * 7);
        begin_table(&table);
        for (unsigned minute = onset; minute < MINUTES; minute++) {
            for (unsigned i = (minute - onset) % gap < 2 ? 2 + poisson(6) : 0; i != 0; i--)
                add_life(&table, minute, 1000);
        }
        struct hf_survival survival = hf_survival_of(&table);
        if (survival.kind != HF_SURVIVAL_LEAK)
            continue;
        found++;
        began += survival.has_onset;
        covered +=
            survival.onset_low_s <= 60.0 * (onset + 1) && survival.onset_high_s >= 60.0 * onset;
    }
    if (found < 0.9 * SERIES || covered < 0.97 * found || began > 0.05 * found)
        fail_msg("of %u found: onset covered %u, said to begin later %u", found, covered, began);
}

/* A change point by hand: none before the 6th, then one each. */
static void finds_change(void **unused)
{
    (void)unused;
    const double counts[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, even[] = {1, 1, 1, 1, 1, 1};
    struct hf_change_point change = hf_change_point_of(counts, 10);
    assert_int_equal(change.at, 5);
    /* Below the most, which is 0: 5 ln(5/8) = -2.35 at 2, 5 ln(5/9) = -2.94 at 1; ln(1/6) = -1.8 at
     * 6, 2 ln(2/7) = -2.51 at 7. Of no change: 5 ln(5/10). */
    assert_true(change.low == 2 && change.high == 6);
    assert_true(fabs(change.gain - 5 * log(2)) < 1e-12 && change.dispersion == 1);
    /* Runs of two: of 7 pairs of neighbours 4 are equal; so r = (4 - 3) / 8. */
    const double bursts[] = {1, 1, 0, 0, 1, 1, 0, 0};
    change = hf_change_point_of(bursts, 8);
    assert_true(change.at == 0 && fabs(change.dispersion - 9.0 / 7) < 1e-12);
    change = hf_change_point_of(even, 6);
    assert_true(change.at == 0 && change.gain == 0);
    change = hf_change_point_of(even, 0);
    assert_true(change.at == 0 && change.gain == 0);
}

static double until_hour_half(unsigned born)
{
    return born < 25 ? 6 : 3;
}

/* Entries of which any may die, ever more of them. */
static double invalidated(unsigned born)
{
    (void)born;
    return exponential(70);
}

/* A course has what each look would have said by itself; and doubts what was a leak. */
static void follows_looks(void **unused)
{
    (void)unused;
    static struct hf_survival_table table;
    static struct hf_survival_course course;
    state = 5;
    begin_table(&table);
    for (unsigned minute = 0; minute < MINUTES; minute++) {
        for (unsigned i = poisson(until_hour_half(minute)); i != 0; i--)
            add_life(&table, minute, minute < 30 ? exponential(2) : 1000);
    }
    hf_survival_course_of(&table, NULL, &course);
    assert_true(course.count == MINUTES && table.look_count == MINUTES);
    for (size_t i = 0; i < MINUTES; i++) {
        table.look_count = i + 1;
        assert_int_equal(course.looks[i].kind, hf_survival_of(&table).kind);
    }
    assert_int_equal(course.looks[29].kind, HF_SURVIVAL_RENEWED);
    assert_int_equal(course.last.kind, HF_SURVIVAL_LEAK);
    assert_true(course.last.survivors > HF_SURVIVAL_SAMPLES_SURE);
    assert_true(course.looks[MINUTES - 1].is_sure && !course.looks[29].is_sure);
    assert_true(course.leak.onset_s >= 60 * 28 && course.leak.onset_s <= 60 * 33);
    assert_false(course.looks[MINUTES - 1].is_gone);
    /* A program that frees all at its end. */
    for (size_t e = 0; e < HF_SURVIVAL_EPOCHS; e++)
        table.in_use[MINUTES - 1][e] = 0;
    hf_survival_course_of(&table, NULL, &course);
    assert_true(course.looks[MINUTES - 1].is_gone && !course.looks[MINUTES - 2].is_gone);
}

static void doubts_what_dies_or_fades(void **unused)
{
    (void)unused;
    static const struct {
        double (*life)(unsigned born), (*rate)(unsigned born);
        bool is_doubted;
    } cases[] = {
        {for_ever, five, false}, {some_for_ever, five, false}, {invalidated, rising, true}};
    static struct hf_survival_table table;
    static struct hf_survival_course course;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        unsigned right = 0;
        for (unsigned seed = 1; seed <= 10; seed++) {
            state = seed * UINT64_C(0x9e3779b97f4a7c15);
            begin_table(&table);
            for (unsigned minute = 0; minute < MINUTES; minute++) {
                for (unsigned n = poisson(cases[i].rate(minute)); n != 0; n--)
                    add_life(&table, minute, cases[i].life(minute));
            }
            hf_survival_course_of(&table, NULL, &course);
            bool is_doubted = false;
            for (size_t look = 0; look < MINUTES; look++)
                is_doubted |= course.looks[look].is_doubted;
            right += is_doubted == cases[i].is_doubted;
        }
        if (right < 9)
            fail_msg("case %zu: right in %u of 10", i, right);
    }
}

/* Blocks that are freed all the time tell nothing; what has ended has its last survivor. */
static void knows_since_when_there_is_no_more(void **unused)
{
    (void)unused;
    static struct hf_survival_table table;
    struct hf_survival found;
    begin_table(&table);
    for (unsigned minute = 0; minute < MINUTES; minute++) {
        for (unsigned n = minute < 10 ? 18 : 6; n != 0; n--)
            add_life(&table, minute, minute < 10 ? 28 + minute : 40);
    }
    found = hf_survival_of(&table);
    assert_true(found.level_s >= 60 * 25 && found.level_s <= 60 * 31);
    begin_table(&table);
    for (unsigned minute = 0; minute < MINUTES; minute++) {
        for (unsigned n = 12; n != 0; n--)
            add_life(&table, minute, exponential(5));
    }
    found = hf_survival_of(&table);
    assert_int_equal(found.kind, HF_SURVIVAL_RENEWED);
    assert_true(isnan(found.level_s) || found.level_s < 60 * 15);
    begin_table(&table);
    for (unsigned minute = 1; minute < 40; minute++) {
        for (unsigned n = minute == 4 || minute == 15 || minute == 39 ? 40 : 0; n != 0; n--)
            add_life(&table, minute, 1000);
    }
    found = hf_survival_of(&table);
    assert_int_equal(found.kind, HF_SURVIVAL_ENDED);
    assert_true(found.level_s == 60 * 40);
}

/* A leak that pauses: the longer, the surer; and less sure if it came in bursts before. */
static void pauses_are_measured_by_those_of_before(void **unused)
{
    (void)unused;
    static const struct {
        unsigned every, count, until; /* so many come each so many minutes, until this one */
        double least, most;
    } cases[] = {{1, 4, 60, 0, 3}, {1, 4, 48, 4, 100}, {10, 40, 60, 0, 3}, {10, 40, 42, 0, 4},
        {4, 16, 60, 0, 3}, {4, 16, 30, 4, 30}};
    static struct hf_survival_table table;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        begin_table(&table);
        for (unsigned minute = 1; minute < cases[i].until; minute++) {
            for (unsigned n = minute % cases[i].every == 0 ? cases[i].count : 0; n != 0; n--)
                add_life(&table, minute, 1000);
        }
        double fall = hf_survival_of(&table).fall;
        if (fall < cases[i].least || fall > cases[i].most)
            fail_msg("case %zu: %.2f", i, fall);
    }
    begin_table(&table);
    assert_true(isinf(hf_survival_of(&table).fall));
}

/* Entries live for 15 minutes, but some for ever: when it is known that old ones die, a few are
 * still there that may stay. Without these, none is. */
static void knows_who_may_stay(void **unused)
{
    (void)unused;
    static struct hf_survival_table table;
    static struct hf_survival_course course;
    for (unsigned every = 2; every <= 1000; every *= 500) {
        begin_table(&table);
        for (unsigned minute = 1; minute < MINUTES; minute++) {
            for (unsigned n = 0; n < 8; n++)
                add_life(&table, minute, n % every == 1 && every == 2 ? 1000 : 15);
        }
        hf_survival_course_of(&table, NULL, &course);
        bool may_stay = false;
        for (size_t look = 0; look < MINUTES; look++) {
            may_stay |= course.looks[look].may_stay;
            assert_true(
                !course.looks[look].may_stay || course.looks[look].kind == HF_SURVIVAL_RENEWED);
        }
        assert_int_equal(may_stay, every == 2);
        assert_int_equal(course.last.kind, every == 2 ? HF_SURVIVAL_LEAK : HF_SURVIVAL_RENEWED);
    }
}

/* Of 58 cohorts of which none dies, the first 29 have so many each and the others so many. */
struct bend_row {
    const char *what;
    double early, late;
    double bend; /* half the way, less the mean way: halves have theirs at 1/4 and 3/4 */
    enum hf_survival_kind kind;
};

static const struct bend_row bend_rows[] = {
    {"evenly", 10, 10, 0, HF_SURVIVAL_LEAK},
    {"half as many", 20, 10, 0.5 - (20 * 0.25 + 10 * 0.75) / 30, HF_SURVIVAL_UNDECIDED},
    {"half as many of few: by chance", 1, 0.5, 0.5 - (1 * 0.25 + 0.5 * 0.75) / 1.5,
        HF_SURVIVAL_LEAK},
    {"hardly fewer", 1100, 1000, 0.5 - (11 * 0.25 + 10 * 0.75) / 21, HF_SURVIVAL_LEAK},
    {"twice as many", 10, 20, 0.5 - (10 * 0.25 + 20 * 0.75) / 30, HF_SURVIVAL_LEAK},
};

static void tells_how_arrivals_bend(void **unused)
{
    (void)unused;
    static struct hf_survival_table table;
    for (size_t i = 0; i < HF_COUNT(bend_rows); i++) {
        const struct bend_row *row = &bend_rows[i];
        check_case = row->what;
        begin_table(&table);
        table.look_count = 59;
        for (size_t cohort = 1; cohort <= 58; cohort++) {
            for (size_t look = cohort; look < 59; look++)
                table.in_use[look][cohort] = cohort <= 29 ? row->early : row->late;
        }
        struct hf_survival survival = hf_survival_of(&table);
        if (survival.kind != row->kind || fabs(survival.bend - row->bend) > 1e-9)
            fail_msg("%s: kind %d, bend %g, not %g", row->what, (int)survival.kind, survival.bend,
                row->bend);
    }
    check_case = "";
}

/* Too few looks, nothing in use, everything from before: no claim. */
static void claims_nothing_of_nothing(void **unused)
{
    (void)unused;
    static struct hf_survival_table table;
    begin_table(&table);
    assert_int_equal(hf_survival_of(&table).kind, HF_SURVIVAL_RENEWED);
    for (size_t i = 0; i < MINUTES; i++)
        table.in_use[i][0] = 1000;
    assert_int_equal(hf_survival_of(&table).kind, HF_SURVIVAL_RENEWED);
    table.look_count = HF_SURVIVAL_LOOKS_MIN - 1;
    assert_int_equal(hf_survival_of(&table).kind, HF_SURVIVAL_UNKNOWN);
}

static void check_near(const char *name, const char *what, double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
        fail_msg("%s: %s is %.12g, expected %.12g", name, what, value, expected);
}

/* Looks at the ends of all epochs of 10 s, at blocks of 8 bytes that stay for `looks` looks. */
static struct hf_survival judge_work(
    const double *counts, const double *born, size_t count, size_t looks)
{
    static struct hf_survival_table table;
    table = (struct hf_survival_table){.sample = 8, .epoch_s = 10, .look_count = count};
    for (size_t look = 0; look < count; look++) {
        table.looks_s[look] = 10 * (double)(look + 1);
        table.born[look] = born != NULL ? born[look] : 0;
        for (size_t cohort = 0; cohort <= look; cohort++)
            table.in_use[look][cohort] = look - cohort < looks ? counts[cohort] : 0;
    }
    return hf_survival_of(&table);
}

/* The same, of which it is not known how much was allocated. */
static struct hf_survival judge_counts(const double *counts, size_t count, size_t looks)
{
    return judge_work(counts, NULL, count, looks);
}

/*
 * Of what stays for ever. With n cohorts of c_i after the first look, S = sum c, m = S / n and
 * D = max(1, sum (c - m)^2 / (n - 1) / m): the rate is S / 10n s, +- 1.96 sqrt(D S) / 10n s, times
 * 8 bytes; the bend 1/2 - sum c_i (i + 1/2) / S / n, its error sqrt(D / 12 S); the fall the most
 * that two rates gain on one, by D of those before. Reckoned apart from this program.
 */
static void reckons_arrivals(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double counts[20]; /* what is there before the first look does not count */
        enum hf_survival_kind kind;
        double survivors, rate, low, high, bend, bend_error, fall;
    } cases[] = {
        {"even", {7, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, HF_SURVIVAL_LEAK, 95,
            4, 3.195632971965239, 4.804367028034761, 0, 0.029617443887954616, 0},
        {"falling", {20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1},
            HF_SURVIVAL_ENDED, 190, 8, 5.975720704382256, 10.024279295617744, 0.15789473684210525,
            0.037267799624996496, 23.070447375826916},
        {"bursts", {0, 0, 12, 0, 0, 12, 0, 0, 12, 0, 0, 12, 0, 0, 12, 0, 0, 12, 0, 0},
            HF_SURVIVAL_LEAK, 72, 3.031578947368421, 0.970072239686592, 5.093085655050251,
            0.026315789473684237, 0.10015420209622193, 0.9706964518710495},
        {"late", {0, 0, 0, 0, 0, 0, 0, 0, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6}, HF_SURVIVAL_LEAK, 72,
            4.8, 3.6912565670994937, 5.908743432900506, 0, 0.034020690871988585, 0},
        {"early", {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, HF_SURVIVAL_ENDED,
            81, 3.4105263157894736, 1.7497162474485772, 5.07133638413037, 0.26315789473684215,
            0.07172191381865588, 60.52436654824791},
        {"fewer", {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
            HF_SURVIVAL_UNDECIDED, 121, 5.094736842105263, 4.172064581915876, 6.01740910229465,
            0.09786863853849498, 0.02667343902346706, 9.41342567096305},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_survival found = judge_counts(cases[i].counts, 20, 20);
        const char *name = cases[i].name;
        check_near(name, "kind", found.kind, cases[i].kind);
        check_near(name, "survivors", found.survivors, cases[i].survivors);
        check_near(name, "rate", found.rate, cases[i].rate);
        check_near(name, "rate_low", found.rate_low, cases[i].low);
        check_near(name, "rate_high", found.rate_high, cases[i].high);
        check_near(name, "bend", found.bend, cases[i].bend);
        check_near(name, "bend_error", found.bend_error, cases[i].bend_error);
        check_near(name, "fall", found.fall, cases[i].fall);
    }
}

/* Few come unevenly by chance; of ten times as many, the same is no chance. */
static void allows_for_chance(void **unused)
{
    (void)unused;
    double few[20] = {0}, many[20] = {0};
    static const double late[] = {5, 4, 5, 6, 5, 4, 2, 2};
    for (size_t i = 0; i < HF_COUNT(late); i++) {
        few[12 + i] = late[i];
        many[12 + i] = 10 * late[i];
    }
    assert_int_equal(judge_counts(few, 20, 20).kind, HF_SURVIVAL_LEAK);
    assert_int_equal(judge_counts(many, 20, 20).kind, HF_SURVIVAL_UNDECIDED);
}

/* One block an epoch stays, n + 1 epochs: fewer than 8 say nothing, from 10 on they are a leak. */
static void needs_so_many_survivors(void **unused)
{
    (void)unused;
    static const struct {
        size_t survivors;
        enum hf_survival_kind kind;
    } cases[] = {{7, HF_SURVIVAL_RENEWED}, {8, HF_SURVIVAL_UNDECIDED}, {9, HF_SURVIVAL_UNDECIDED},
        {10, HF_SURVIVAL_LEAK}};
    double ones[30];
    for (size_t i = 0; i < HF_COUNT(ones); i++)
        ones[i] = 1;
    for (size_t i = 0; i < HF_COUNT(cases); i++)
        assert_int_equal(
            judge_counts(ones, cases[i].survivors + 1, HF_COUNT(ones)).kind, cases[i].kind);
}

/* Of what a place allocates a share stays: of the same share, whenever it is called; not if it is
 * most of it, not of what is done no more, and not of few of its calls. */
static void counts_by_work(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double counts[20], born[20];
        enum hf_survival_kind by_time, by_work;
    } cases[] = {
        {"fewer calls", {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
            {36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16},
            HF_SURVIVAL_UNDECIDED, HF_SURVIVAL_LEAK},
        {"most stays", {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
            {18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8},
            HF_SURVIVAL_UNDECIDED, HF_SURVIVAL_UNDECIDED},
        {"as many calls", {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4},
            {36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36, 36},
            HF_SURVIVAL_UNDECIDED, HF_SURVIVAL_UNDECIDED},
        {"three jobs", {0, 0, 0, 30, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0, 0, 0, 30, 0, 0},
            {0, 0, 0, 240, 0, 0, 0, 0, 0, 0, 240, 0, 0, 0, 0, 0, 0, 240, 0, 0},
            HF_SURVIVAL_UNDECIDED, HF_SURVIVAL_LEAK},
        {"a job at first", {0, 30, 30, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
            {0, 240, 240, 240, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, HF_SURVIVAL_ENDED,
            HF_SURVIVAL_ENDED},
        {"three of many", {0, 0, 0, 30, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0, 0, 0, 30, 0, 0},
            {60, 60, 60, 90, 60, 60, 60, 60, 60, 60, 90, 60, 60, 60, 60, 60, 60, 90, 60, 60},
            HF_SURVIVAL_UNDECIDED, HF_SURVIVAL_UNDECIDED},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_near(cases[i].name, "kind by time", judge_counts(cases[i].counts, 20, 20).kind,
            cases[i].by_time);
        check_near(cases[i].name, "kind by work",
            judge_work(cases[i].counts, cases[i].born, 20, 20).kind, cases[i].by_work);
    }
}

/* Entries live for 15 minutes; half of them for ever, until some minute: those of the first ten may
 * stay, but none has come since. */
static void lets_go_what_has_ended(void **unused)
{
    (void)unused;
    static struct hf_survival_table table;
    for (unsigned until = 10; until <= 60; until += 50) {
        begin_table(&table);
        for (unsigned minute = 1; minute < MINUTES; minute++) {
            for (unsigned n = 0; n < 8; n++)
                add_life(&table, minute, n % 2 == 1 && minute < until ? 1000 : 15);
        }
        assert_int_equal(hf_survival_may_stay(&table), until == 60);
    }
}

/*
 * Nothing dies of what comes ever more, c_i = i: the upper bound of the hazard, 1.645 + 1.645^2 / 2
 * over the exposure, times twice their mean age, (sum c_i 2 (19 - i + 1/2)) / sum c_i epochs.
 */
static void compares_with_their_ages(void **unused)
{
    (void)unused;
    double rising[20], exposure = 0, ages = 0, sum = 0;
    for (size_t i = 0; i < HF_COUNT(rising); i++)
        rising[i] = (double)i;
    for (size_t i = 1; i < HF_COUNT(rising); i++) {
        exposure += rising[i] * 10 * (double)(19 - i);
        ages += rising[i] * 10 * ((double)(19 - i) + 0.5);
        sum += rising[i];
    }
    double most = (1.645 + 1.645 * 1.645 / 2) / exposure;
    check_near(
        "rising", "lost", judge_counts(rising, 20, 20).lost, 1 - exp(-most * 2 * ages / sum));
}

/* Blocks that are in use at 3 looks are gone when they are 30 s old. */
static void tells_when_all_are_gone(void **unused)
{
    (void)unused;
    double tens[20];
    for (size_t i = 0; i < HF_COUNT(tens); i++)
        tens[i] = 10;
    for (size_t looks = 1; looks <= 5; looks++) {
        struct hf_survival found = judge_counts(tens, HF_COUNT(tens), looks);
        assert_int_equal(found.kind, HF_SURVIVAL_RENEWED);
        check_near("tens", "gone_s", found.gone_s, 10 * (double)looks);
    }
}

/* All of these blocks die; but those of a queue that is outrun do so ever later. */
static void sees_lives_lengthen(void **unused)
{
    (void)unused;
    static const struct {
        double (*life)(unsigned born), (*rate)(unsigned born);
        bool lengthens;
    } cases[] = {{ever_later, twenty, true}, {until_ttl, twenty, false}, {until_ttl, rising, false},
        {at_random, twenty, false}, {late_full, twenty, false}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        unsigned right = 0;
        for (unsigned seed = 1; seed <= 50; seed++) {
            state = seed * UINT64_C(0x9e3779b97f4a7c15);
            struct hf_survival found = judge_lives(cases[i].life, cases[i].rate);
            right += found.lengthens == cases[i].lengthens;
            if (cases[i].lengthens)
                assert_int_equal(found.kind, HF_SURVIVAL_RENEWED);
        }
        if (right < 45)
            fail_msg("case %zu: right in %u of 50", i, right);
    }
}

static double last_quarter_for_ever(unsigned born)
{
    return born >= 46 ? 1000 : 0.5;
}

/* Too few long cohorts have passed since a late onset; of short ones there are enough. */
static void asks_finer_of_what_is_recent(void **unused)
{
    (void)unused;
    static struct hf_survival_table fine, coarse;
    static struct hf_survival_course course;
    state = 3;
    begin_table(&fine);
    for (unsigned minute = 0; minute < MINUTES; minute++) {
        for (unsigned n = poisson(10); n != 0; n--)
            add_life(&fine, minute, last_quarter_for_ever(minute));
    }
    coarse = fine;
    coarse.epoch_s = 240;
    for (size_t look = 0; look < MINUTES; look++) {
        for (size_t e = 0; e < HF_SURVIVAL_EPOCHS; e++)
            coarse.in_use[look][e] = 0;
        for (size_t e = 0; e < HF_SURVIVAL_EPOCHS; e++)
            coarse.in_use[look][e / 4] += fine.in_use[look][e];
    }
    hf_survival_course_of(&coarse, NULL, &course);
    assert_int_equal(course.last.kind, HF_SURVIVAL_UNDECIDED);
    assert_true(course.last.is_recent);
    hf_survival_course_of(&coarse, &fine, &course);
    assert_int_equal(course.last.kind, HF_SURVIVAL_LEAK);
    assert_true(course.last.has_onset && course.last.onset_s >= 60 * 44);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_by_hand),
        cmocka_unit_test(enters_late),
        cmocka_unit_test(finds_exponential_lives),
        cmocka_unit_test(tells_shapes),
        cmocka_unit_test(covers_onset_and_rate),
        cmocka_unit_test(covers_onset_of_bursts),
        cmocka_unit_test(finds_change),
        cmocka_unit_test(follows_looks),
        cmocka_unit_test(doubts_what_dies_or_fades),
        cmocka_unit_test(knows_since_when_there_is_no_more),
        cmocka_unit_test(pauses_are_measured_by_those_of_before),
        cmocka_unit_test(knows_who_may_stay),
        cmocka_unit_test(tells_how_arrivals_bend),
        cmocka_unit_test(claims_nothing_of_nothing),
        cmocka_unit_test(reckons_arrivals),
        cmocka_unit_test(allows_for_chance),
        cmocka_unit_test(needs_so_many_survivors),
        cmocka_unit_test(counts_by_work),
        cmocka_unit_test(lets_go_what_has_ended),
        cmocka_unit_test(compares_with_their_ages),
        cmocka_unit_test(tells_when_all_are_gone),
        cmocka_unit_test(sees_lives_lengthen),
        cmocka_unit_test(asks_finer_of_what_is_recent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
