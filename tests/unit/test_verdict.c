/*
 * What is made of trends whose numbers are given: kinds, how sure they are. Of sentences
 * what is held is which numbers are in them, not the words.
 */
#include "analysis/verdict.h"

#include "check.h"

#include <math.h>

#define MIB (1024.0 * 1024)
#define POINTS 8

static const double times[POINTS] = {0, 60, 120, 180, 240, 300, 360, 420};
static const double values[POINTS] = {
    1 * MIB, 2 * MIB, 3 * MIB, 9 * MIB, 5 * MIB, 6 * MIB, 0.5 * MIB, 8 * MIB};

/* Rises surely, does not bend. */
static struct hf_trend verdict_trend(enum hf_trend_shape shape)
{
    return (struct hf_trend){.shape = shape,
        .slope = MIB / 60,
        .low = 0.9 * MIB / 60,
        .high = 1.1 * MIB / 60,
        .samples = 5000,
        .bend = 0.01,
        .bend_error = 0.02,
        .halves = 0.2,
        .halves_error = 0.1,
        .break_s = 300,
        .level = 16 * MIB};
}

static struct hf_verdict_facts verdict_facts(const struct hf_trend *trend)
{
    return (struct hf_verdict_facts){.trend = trend,
        .times_s = times,
        .values = values,
        .count = POINTS,
        .share = 0.93,
        .old_freed = NAN,
        .is_bytes = true};
}

#define WAY "1.0 MiB", "8.0 MiB", "7.0 min", " 8 ", "5000 "
#define BEND "0.01 ± 0.04", "0.1 "
#define SLOPE "+1.0 MiB/min (+921.6 KiB to +1.1 MiB)"
#define LEAK_RATE "grows by 1.0 MiB/min (921.6 KiB to 1.1 MiB)"

/* All of them, and in this order. */
static void check_holds(struct hf_out *out, const char *const numbers[8])
{
    struct hf_text rest = hf_out_view(out);
    for (size_t i = 0; i < 8 && numbers[i] != NULL; i++) {
        size_t at = hf_text_find_string(rest, numbers[i]);
        if (at == rest.size)
            fail_msg("'%s' is not in '%.*s'", numbers[i], (int)out->size, out->data);
        rest = hf_text_from(rest, at + strlen(numbers[i]));
    }
    out->size = 0;
}

static const struct {
    enum hf_trend_shape shape;
    enum hf_verdict_kind kind;
    const char *sentence[8], *evidence[8];
} said[] = {
    {HF_TREND_GROWING, HF_VERDICT_LEAK, {"f ", LEAK_RATE, "93 %"}, {WAY, BEND}},
    {HF_TREND_SATURATING, HF_VERDICT_FILLING_CACHE, {"f ", "16.0 MiB"}, {WAY, BEND}},
    {HF_TREND_LEVELLED, HF_VERDICT_FULL_CACHE, {"f ", "5.0 min", "2.0 min"}, {WAY, BEND}},
    {HF_TREND_STEADY, HF_VERDICT_STEADY, {"f ", "512.0 KiB", "9.0 MiB"}, {WAY}},
    {HF_TREND_SAWTOOTH, HF_VERDICT_STEADY, {"f ", "512.0 KiB", "9.0 MiB"}, {WAY}},
    {HF_TREND_FALLING, HF_VERDICT_STEADY, {"f ", "512.0 KiB", "9.0 MiB"}, {WAY}},
    {HF_TREND_BURST, HF_VERDICT_BURST, {"f ", "8.5 MiB"}, {WAY}},
    {HF_TREND_TOO_LITTLE, HF_VERDICT_TOO_LITTLE, {"f"}, {WAY, " 6 "}},
};

static void says_what_it_is(void **state)
{
    (void)state;
    struct hf_out out = {0};
    for (size_t i = 0; i < HF_COUNT(said); i++) {
        struct hf_trend trend = verdict_trend(said[i].shape);
        struct hf_verdict_facts facts = verdict_facts(&trend);
        struct hf_verdict verdict = hf_verdict_of(&facts);
        assert_int_equal(verdict.kind, said[i].kind);
        hf_verdict_sentence(&verdict, &facts, HF_TEXT("f"), &out);
        check_holds(&out, said[i].sentence);
        hf_verdict_evidence(&verdict, &facts, &out);
        assert_int_equal(hf_text_has(hf_out_view(&out), "±"),
            said[i].evidence[5] != NULL && said[i].evidence[6] != NULL);
        check_holds(&out, said[i].evidence);
    }
    hf_out_done(&out);
}

/* Each alone makes of a leak something that is not told yet; how long to wait is said. */
static void doubts(void **state)
{
    (void)state;
    static const struct {
        double bend, old_freed, lost;
        bool has_stopped, is_leak;
        const char *evidence[8];
    } cases[] = {{0.01, NAN, 0, false, true, {WAY}}, {0.06, NAN, 0, false, true, {"0.06 ± 0.04"}},
        {0.07, NAN, 0, false, false, {"0.07 ± 0.04", "7.0 min"}},
        {0.01, 0.07, 0, false, true, {WAY}}, {0.01, 0.08, 0, false, false, {WAY, BEND, "8 %"}},
        {0.01, NAN, 2500, false, true, {WAY}},
        {0.01, NAN, 2501, false, false, {WAY, "--budget", "7.0 min"}},
        {0.01, 0.5, INFINITY, true, false, {WAY, "--budget"}},
        {0.01, 0.07, 0, true, false, {WAY, "7.0 min"}}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_out out = {0};
        struct hf_trend trend = verdict_trend(HF_TREND_GROWING);
        struct hf_verdict_facts facts = verdict_facts(&trend);
        trend.bend = cases[i].bend;
        trend.has_stopped = cases[i].has_stopped;
        facts.old_freed = cases[i].old_freed;
        facts.lost_samples = cases[i].lost;
        struct hf_verdict verdict = hf_verdict_of(&facts);
        assert_int_equal(verdict.kind, cases[i].is_leak ? HF_VERDICT_LEAK : HF_VERDICT_UNDECIDED);
        hf_verdict_evidence(&verdict, &facts, &out);
        check_holds(&out, cases[i].evidence);
        hf_verdict_sentence(&verdict, &facts, HF_TEXT("f"), &out);
        check_holds(&out, (const char *const[8]){"f ", cases[i].is_leak ? LEAK_RATE : SLOPE});
        hf_out_done(&out);
    }
}

/* As sure as the weakest test: 1.96 errors of the slope are 97.5 %, 1.645 of the bend 95 %. */
static void knows_how_sure_it_is(void **state)
{
    (void)state;
    struct hf_trend trend = verdict_trend(HF_TREND_GROWING);
    struct hf_verdict_facts facts = verdict_facts(&trend);
    trend.low = 0;
    trend.high = 2 * trend.slope;
    struct hf_verdict verdict = hf_verdict_of(&facts);
    assert_true(verdict.kind == HF_VERDICT_LEAK && fabs(verdict.confidence - 0.975) < 1e-4);
    trend = verdict_trend(HF_TREND_GROWING);
    trend.bend = 0;
    trend.bend_error = 0.1 / 1.65;
    verdict = hf_verdict_of(&facts);
    assert_true(verdict.kind == HF_VERDICT_LEAK && fabs(verdict.confidence - 0.9505) < 1e-4);
    trend.bend_error = 0.1 / 1.64;
    assert_int_equal(hf_verdict_of(&facts).kind, HF_VERDICT_UNDECIDED);
    trend = verdict_trend(HF_TREND_SATURATING);
    trend.halves_error = 0.25 / 1.65;
    verdict = hf_verdict_of(&facts);
    assert_true(verdict.kind == HF_VERDICT_FILLING_CACHE);
    assert_true(fabs(verdict.confidence - 0.9505) < 1e-4);
    trend.halves_error = 0.25 / 1.64;
    verdict = hf_verdict_of(&facts); /* half an error of the bend: 69 % */
    assert_true(verdict.kind == HF_VERDICT_UNDECIDED && fabs(verdict.confidence - 0.6915) < 1e-4);
    trend = verdict_trend(HF_TREND_LEVELLED);
    trend.bend = -1;
    assert_true(hf_verdict_of(&facts).confidence == 0.5);
    trend = verdict_trend(HF_TREND_FALLING);
    trend.slope = -trend.slope;
    assert_true(hf_verdict_of(&facts).confidence > 0.999);
    trend = verdict_trend(HF_TREND_STEADY);
    assert_true(fabs(hf_verdict_of(&facts).confidence - 0.975) < 1e-4);
}

/* A bend of 100 times what grew, or so unsure, is none; nor is that of five points. */
static void says_no_bend_of_what_came_back(void **state)
{
    (void)state;
    struct hf_out out = {0};
    static const struct {
        double bend, error, samples;
        size_t count;
        bool has_bend, has_samples;
        const char *evidence[8];
    } cases[] = {{-99.5, 1, INFINITY, POINTS, true, false, {" 8 ", "-99.50 ± 1.96"}},
        {100, 1, 1e6, POINTS, false, false, {" 8 "}},
        {0, 100, 999999, POINTS, false, true, {" 8 ", "999999 "}},
        {0, 1, 1e6, 6, true, false, {"6.0 MiB", "5.0 min", " 6 ", "0.00 ± 1.96"}},
        {0, 1, 1e6, 5, false, false, {"5.0 MiB", "4.0 min", " 5 "}}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_trend trend = verdict_trend(HF_TREND_LEVELLED);
        struct hf_verdict_facts facts = verdict_facts(&trend);
        trend.bend = cases[i].bend;
        trend.bend_error = cases[i].error;
        trend.samples = cases[i].samples;
        facts.count = cases[i].count;
        struct hf_verdict verdict = {.kind = HF_VERDICT_FULL_CACHE, .confidence = 1};
        hf_verdict_evidence(&verdict, &facts, &out);
        assert_int_equal(hf_text_has(hf_out_view(&out), "±"), cases[i].has_bend);
        assert_int_equal(hf_text_has(hf_out_view(&out), "samples"), cases[i].has_samples);
        check_holds(&out, cases[i].evidence);
    }
    hf_out_done(&out);
}

/* Who survives decides whether it is a leak; the shape what else it is. */
static void judges_survivors(void **state)
{
    (void)state;
    static const struct {
        enum hf_survival_kind survival;
        enum hf_trend_shape shape;
        enum hf_verdict_kind kind;
    } cases[] = {
        {HF_SURVIVAL_UNKNOWN, HF_TREND_GROWING, HF_VERDICT_LEAK},
        {HF_SURVIVAL_LEAK, HF_TREND_STEADY, HF_VERDICT_LEAK},
        {HF_SURVIVAL_LEAK, HF_TREND_LEVELLED, HF_VERDICT_LEAK},
        {HF_SURVIVAL_RENEWED, HF_TREND_GROWING, HF_VERDICT_STEADY},
        {HF_SURVIVAL_RENEWED, HF_TREND_LEVELLED, HF_VERDICT_FULL_CACHE},
        {HF_SURVIVAL_RENEWED, HF_TREND_TOO_LITTLE, HF_VERDICT_STEADY},
        {HF_SURVIVAL_ENDED, HF_TREND_GROWING, HF_VERDICT_STEADY},
        {HF_SURVIVAL_ENDED, HF_TREND_BURST, HF_VERDICT_BURST},
        {HF_SURVIVAL_UNDECIDED, HF_TREND_GROWING, HF_VERDICT_UNDECIDED},
        {HF_SURVIVAL_UNDECIDED, HF_TREND_STEADY, HF_VERDICT_STEADY},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_trend trend = verdict_trend(cases[i].shape);
        struct hf_verdict_facts facts = verdict_facts(&trend);
        struct hf_survival survival = {.kind = cases[i].survival, .sigmas = 3};
        facts.survival = &survival;
        if (hf_verdict_of(&facts).kind != cases[i].kind)
            fail_msg("case %zu is %s", i, hf_verdict_name(hf_verdict_of(&facts).kind));
    }
}

/* Births know since when a cache is full, where the shape sees only that it grows ever less; and
 * that what came in steps has ended. But what grows on is not full. */
static void knows_since_when_it_is_full(void **state)
{
    (void)state;
    enum { MANY = 20, STEPS = 5, FULL = 12 };
    static const struct {
        enum hf_survival_kind survival;
        enum hf_trend_shape shape;
        double level_s, later; /* later: MiB a point */
        enum hf_verdict_kind kind;
    } cases[] = {
        {HF_SURVIVAL_RENEWED, HF_TREND_SATURATING, 60 * FULL, 0, HF_VERDICT_FULL_CACHE},
        {HF_SURVIVAL_RENEWED, HF_TREND_SATURATING, 60 * FULL, 0.5, HF_VERDICT_FILLING_CACHE},
        {HF_SURVIVAL_RENEWED, HF_TREND_SATURATING, NAN, 0, HF_VERDICT_FILLING_CACHE},
        {HF_SURVIVAL_RENEWED, HF_TREND_GROWING, 60 * FULL, 0, HF_VERDICT_STEADY},
        {HF_SURVIVAL_ENDED, HF_TREND_SATURATING, 60 * FULL, 0, HF_VERDICT_FULL_CACHE},
        {HF_SURVIVAL_ENDED, HF_TREND_GROWING, 60 * FULL, 0, HF_VERDICT_FULL_CACHE},
        {HF_SURVIVAL_ENDED, HF_TREND_GROWING, 60 * FULL, 0.5, HF_VERDICT_STEADY},
        {HF_SURVIVAL_ENDED, HF_TREND_GROWING, 60 * (MANY - 1), 0, HF_VERDICT_STEADY},
        {HF_SURVIVAL_UNDECIDED, HF_TREND_SATURATING, 60 * FULL, 0, HF_VERDICT_FILLING_CACHE},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        double at[MANY], held[MANY];
        struct hf_trend trend = verdict_trend(cases[i].shape);
        struct hf_survival survival = {.kind = cases[i].survival, .level_s = cases[i].level_s};
        struct hf_verdict_facts facts = verdict_facts(&trend);
        for (size_t n = 0; n < MANY; n++) {
            at[n] = 60 * (double)n;
            held[n] = (n < FULL ? (double)(n / STEPS * STEPS) : FULL) * MIB +
                      (n > FULL ? (double)(n - FULL) : 0) * cases[i].later * MIB;
        }
        trend.samples = 1000;
        facts.survival = &survival;
        facts.times_s = at;
        facts.values = held;
        facts.count = MANY;
        struct hf_verdict verdict = hf_verdict_of(&facts);
        bool is_since = cases[i].kind != HF_VERDICT_FULL_CACHE || verdict.full_s == 60 * FULL;
        if (verdict.kind != cases[i].kind || !is_since)
            fail_msg("case %zu is %s since %g", i, hf_verdict_name(verdict.kind), verdict.full_s);
    }
}

/* What is freed ever later while the total grows is not steady, though all of it is renewed. */
static void doubts_what_is_freed_ever_later(void **state)
{
    (void)state;
    struct hf_out out = {0};
    struct hf_trend trend = verdict_trend(HF_TREND_GROWING);
    struct hf_verdict_facts facts = verdict_facts(&trend);
    struct hf_survival survival = {
        .kind = HF_SURVIVAL_RENEWED, .gone_s = 600, .level_s = NAN, .lengthens = true};
    facts.survival = &survival;
    struct hf_verdict verdict = hf_verdict_of(&facts);
    assert_int_equal(verdict.kind, HF_VERDICT_UNDECIDED);
    hf_verdict_evidence(&verdict, &facts, &out);
    assert_true(hf_text_has(hf_out_view(&out), "later and later"));
    trend.shape = HF_TREND_LEVELLED;
    assert_int_equal(hf_verdict_of(&facts).kind, HF_VERDICT_FULL_CACHE);
    hf_out_done(&out);
}

/* A loss that could be the growth is no leak; blocks that move when they grow are freed old. */
static void doubts_survivors(void **state)
{
    (void)state;
    struct hf_trend trend = verdict_trend(HF_TREND_GROWING);
    struct hf_verdict_facts facts = verdict_facts(&trend);
    struct hf_survival survival = {.kind = HF_SURVIVAL_LEAK, .sigmas = 3};
    facts.survival = &survival;
    facts.lost_samples = INFINITY;
    assert_int_equal(hf_verdict_of(&facts).kind, HF_VERDICT_UNDECIDED);
    facts.lost_samples = 0;
    facts.old_freed = 0.5;
    survival.kind = HF_SURVIVAL_UNKNOWN;
    assert_int_equal(hf_verdict_of(&facts).kind, HF_VERDICT_UNDECIDED);
    survival.moves = true;
    assert_int_equal(hf_verdict_of(&facts).kind, HF_VERDICT_LEAK);
}

/* The series is 7 minutes long, and began 1 minute after the recording; onset at 4 of these. */
static void says_when_it_began(void **state)
{
    (void)state;
    struct hf_trend trend = verdict_trend(HF_TREND_STEADY);
    struct hf_verdict_facts facts = verdict_facts(&trend);
    struct hf_survival survival = {.kind = HF_SURVIVAL_LEAK,
        .sigmas = 3,
        .has_onset = true,
        .onset_s = 240,
        .onset_low_s = 180,
        .onset_high_s = 300,
        .age_s = 120,
        .lost = 0.15,
        .rate = 2 * MIB / 60,
        .rate_low = MIB / 60,
        .rate_high = 3 * MIB / 60};
    facts.survival = &survival;
    facts.began_s = -60;
    struct hf_verdict verdict = hf_verdict_of(&facts);
    struct hf_out out = {0};
    hf_verdict_sentence(&verdict, &facts, HF_TEXT("f"), &out);
    check_holds(&out, (const char *const[8]){"4.0 min before the last profile", "f ",
                          "keeps 2.0 MiB/min (1.0 MiB to 3.0 MiB)", "93 %"});
    hf_verdict_evidence(&verdict, &facts, &out);
    check_holds(&out,
        (const char *const[8]){"older than 2.0 min stay", "15 %", "between 5.0 min", "3.0 min"});
    hf_out_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_it_is),
        cmocka_unit_test(doubts),
        cmocka_unit_test(knows_how_sure_it_is),
        cmocka_unit_test(says_no_bend_of_what_came_back),
        cmocka_unit_test(judges_survivors),
        cmocka_unit_test(knows_since_when_it_is_full),
        cmocka_unit_test(doubts_what_is_freed_ever_later),
        cmocka_unit_test(doubts_survivors),
        cmocka_unit_test(says_when_it_began),
    };
    return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
