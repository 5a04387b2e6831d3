/* Slopes, shapes and verdicts of points whose answer is known. */
#include "analysis/verdict.h"
#include "statistics/gain.h"

#include "check.h"

#include <math.h>

#define POINTS 60

typedef double shape_fn(double part); /* of the time, 0 .. 1 */

static double straight(double part)
{
    return 100 * part;
}

static double root(double part)
{
    return 100 * sqrt(part);
}

static double kinked(double part)
{
    return part < 0.5 ? 200 * part : 100;
}

static double approaching(double part)
{
    return 100 * (1 - exp(-3 * part));
}

static double step(double part)
{
    return part < 0.5 ? 0 : 100;
}

/* A step, and noise on either side of it, which no two points near it have. */
static double noisy_step(double part)
{
    double noise = fabs(part - 0.25) < 0.01 ? -15 : fabs(part - 0.75) < 0.01 ? 15 : 0;
    return (part < 0.5 ? 20 : 100) + noise;
}

static double level(double part)
{
    (void)part;
    return 100;
}

static double teeth(double part)
{
    return fmod(part * 5, 1) * 100;
}

static double falling(double part)
{
    return 100 - 100 * part;
}

static double steeper(double part)
{
    return 50 * part + 50 * part * part;
}

static struct hf_trend trend_of(
    shape_fn *shape, size_t count, double noise, double *times, double *values)
{
    for (size_t i = 0; i < count; i++) {
        times[i] = (double)i * 60;
        values[i] = shape((double)i / (double)(count - 1));
    }
    struct hf_trend_points points = {times, values, count, noise};
    return hf_trend_of(&points);
}

static enum hf_verdict_kind verdict_of(shape_fn *shape, double noise, double old_freed, double lost)
{
    double times[POINTS], values[POINTS];
    struct hf_trend trend = trend_of(shape, POINTS, noise, times, values);
    struct hf_verdict_facts facts = {.trend = &trend,
        .times_s = times,
        .values = values,
        .count = POINTS,
        .share = 1,
        .old_freed = old_freed,
        .lost_samples = lost,
        .is_bytes = true};
    return hf_verdict_of(&facts).kind;
}

static void knows_exact_slopes(void **state)
{
    (void)state;
    double times[POINTS], values[POINTS];
    struct hf_trend trend = trend_of(straight, POINTS, 0, times, values);
    double slope = 100.0 / (59 * 60);
    assert_true(fabs(trend.slope - slope) < 1e-12 && trend.high - trend.low < 1e-9);
    assert_true(fabs(trend.bend) < 1e-9 && isinf(trend.samples));
    for (size_t i = 0; i < POINTS; i++)
        values[i] = 100;
    const struct hf_trend_points same = {times, values, POINTS, 0};
    trend = hf_trend_of(&same);
    assert_true(trend.slope == 0 && trend.growth == 0 && isinf(trend.samples));
    trend = trend_of(straight, POINTS, 1, times, values);
    assert_true(trend.low < slope && slope < trend.high && trend.high - trend.low > slope / 10);
    assert_true(fabs(trend.samples - 100) < 1);
    trend = trend_of(root, POINTS, 0, times, values);
    assert_true(trend.bend > 0.1 && trend.bend < 1.0 / 6); /* the ends are means of three points */
    trend = trend_of(kinked, POINTS, 0, times, values);
    assert_true(fabs(trend.break_s - 30 * 60) < 61 && fabs(trend.late) < trend.early / 20);
    trend = trend_of(approaching, POINTS, 0, times, values);
    assert_true(fabs(trend.level - 100) < 5);
}

static void check_near(double got, double expected, const char *what)
{
    if (got != expected && !(fabs(got - expected) <= 1e-8 * fabs(expected)))
        fail_msg("%s: %s is %.10g, not %.10g", check_case, what, got, expected);
}

/* Every number of three uneven series, worked out with normal equations, as docs/verdict.md has
 * it, by another program. */
static void computes_every_number(void **state)
{
    static const struct {
        const char *name;
        double noise, times[13], values[13];
        size_t count;
        struct hf_trend trend;
    } rows[] = {
        {"13 points", 20, {0, 50, 110, 180, 240, 290, 360, 430, 480, 560, 610, 660, 730},
            {1000, 1290, 1480, 1810, 1930, 2210, 2290, 2480, 2450, 2610, 2580, 2690, 2700}, 13,
            {.slope = 2.18333333333,
                .low = 1.100219804,
                .high = 3.266446863,
                .rise = 1400,
                .growth = 1666.304348,
                .samples = 83.31521739,
                .bend = 0.1119605033,
                .bend_error = 0.04003774778,
                .early = 4.099879636,
                .late = 1.205226157,
                .break_s = 290,
                .halves = 0.308411215,
                .halves_error = 0.1236288997,
                .level = 2803.828829}},
        {"11 points", 10, {10, 70, 120, 190, 260, 300, 370, 440, 500, 550, 620},
            {500, 460, 540, 610, 700, 690, 840, 880, 1010, 1180, 1300}, 11,
            {.slope = 1.279069767,
                .low = 0.7790452505,
                .high = 1.779094284,
                .rise = 760,
                .growth = 850.6422018,
                .samples = 85.06422018,
                .bend = -0.1300111773,
                .bend_error = 0.04028894167,
                .early = 1.008102097,
                .late = 2.456736616,
                .break_s = 440,
                .halves = 3.210526316,
                .halves_error = 1.045509211,
                .level = INFINITY}},
        {"6 points", 7.5, {0, 60, 120, 180, 240, 300}, {100, 180, 290, 420, 480, 640}, 6,
            {.slope = 1.8,
                .low = 1.254310096,
                .high = 2.345689904,
                .rise = 540,
                .growth = 540,
                .samples = 72,
                .bend = -0.03395061728,
                .bend_error = 0.04410847402,
                .early = 1.605263158,
                .late = 1.877192982,
                .break_s = 120,
                .halves = 0.6875,
                .halves_error = 0.1705976174,
                .level = 1124}},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        const struct hf_trend *expected = &rows[i].trend;
        struct hf_trend_points points = {
            rows[i].times, rows[i].values, rows[i].count, rows[i].noise};
        struct hf_trend trend = hf_trend_of(&points);
        check_case = rows[i].name;
        check_near(trend.slope, expected->slope, "slope");
        check_near(trend.low, expected->low, "low");
        check_near(trend.high, expected->high, "high");
        check_near(trend.rise, expected->rise, "rise");
        check_near(trend.growth, expected->growth, "growth");
        check_near(trend.samples, expected->samples, "samples");
        check_near(trend.bend, expected->bend, "bend");
        check_near(trend.bend_error, expected->bend_error, "bend_error");
        check_near(trend.early, expected->early, "early");
        check_near(trend.late, expected->late, "late");
        check_near(trend.break_s, expected->break_s, "break_s");
        check_near(trend.halves, expected->halves, "halves");
        check_near(trend.halves_error, expected->halves_error, "halves_error");
        check_near(trend.level, expected->level, "level");
    }
}

static void names_shapes(void **state)
{
    (void)state;
    static const struct {
        shape_fn *shape;
        const char *name;
    } cases[] = {{straight, "growing"}, {root, "saturating"}, {kinked, "levelled off"},
        {approaching, "saturating"}, {step, "burst"}, {level, "steady"}, {teeth, "sawtooth"},
        {falling, "falling"}, {steeper, "growing"}};
    double times[POINTS], values[POINTS];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hf_trend trend = trend_of(cases[i].shape, POINTS, 0, times, values);
        assert_string_equal(hf_trend_shape_name(trend.shape), cases[i].name);
    }
    for (size_t few = 0; few < HF_TREND_POINTS_MIN; few++)
        assert_int_equal(trend_of(straight, few, 0, times, values).shape, HF_TREND_TOO_LITTLE);
    /* One sample stands for 10: ten of them are behind what grew. */
    assert_int_equal(trend_of(straight, POINTS, 10, times, values).shape, HF_TREND_TOO_LITTLE);
}

/* The extremes of noise are no part of a range: three quarters of the rest come at once. */
static void finds_a_burst_in_noise(void **state)
{
    (void)state;
    double times[64], values[64];
    assert_int_not_equal(trend_of(noisy_step, 61, 0, times, values).shape, HF_TREND_BURST);
    assert_int_equal(trend_of(noisy_step, 61, 1, times, values).shape, HF_TREND_BURST);
}

static void tells_leaks_from_caches(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(straight, 0, NAN, 0), HF_VERDICT_LEAK);
    assert_int_equal(verdict_of(straight, 0.5, 0, 0), HF_VERDICT_LEAK);
    assert_int_equal(verdict_of(steeper, 0.5, 0, 0), HF_VERDICT_LEAK);
    assert_int_equal(verdict_of(kinked, 0.5, NAN, 0), HF_VERDICT_FULL_CACHE);
    assert_int_equal(verdict_of(approaching, 0.1, NAN, 0), HF_VERDICT_FILLING_CACHE);
    assert_int_equal(verdict_of(root, 0.1, NAN, 0), HF_VERDICT_UNDECIDED);
    assert_int_equal(verdict_of(step, 0.5, NAN, 0), HF_VERDICT_BURST);
    assert_int_equal(verdict_of(teeth, 0.5, NAN, 0), HF_VERDICT_STEADY);
    assert_int_equal(verdict_of(falling, 0.5, NAN, 0), HF_VERDICT_STEADY);
}

static void claims_no_leak_without_ground(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(straight, 0.5, 0.2, 0), HF_VERDICT_UNDECIDED); /* old ones go */
    assert_int_equal(verdict_of(straight, 0.5, 0, 150), HF_VERDICT_UNDECIDED); /* of 200 */
    assert_int_equal(verdict_of(straight, 0.5, 0, 50), HF_VERDICT_LEAK);
    assert_int_equal(verdict_of(straight, 0, NAN, INFINITY), HF_VERDICT_UNDECIDED);
}

static double refilled(double part)
{
    return part < 0.1 ? 100 : part < 0.2 ? 0 : part < 0.8 ? 100 * (part - 0.2) / 0.6 : 100;
}

static void says_no_endless_bend(void **state)
{
    (void)state;
    double times[POINTS], values[POINTS];
    struct hf_trend trend = trend_of(refilled, POINTS, 0, times, values);
    trend.shape = HF_TREND_SATURATING; /* whatever it is taken for */
    struct hf_verdict_facts facts = {.trend = &trend,
        .times_s = times,
        .values = values,
        .count = POINTS,
        .share = 1,
        .old_freed = NAN,
        .is_bytes = true};
    struct hf_verdict verdict = hf_verdict_of(&facts);
    struct hf_out out = {0};
    assert_true(isinf(trend.bend));
    hf_verdict_evidence(&verdict, &facts, &out);
    struct hf_text text = hf_out_view(&out);
    assert_null(memmem(text.data, text.size, "inf", 3));
    assert_non_null(memmem(text.data, text.size, "where it began", 14));
    hf_out_done(&out);
}

static struct hf_gain gain_of(shape_fn *shape, double noise)
{
    double times[POINTS], values[POINTS];
    struct hf_trend trend = trend_of(shape, POINTS, noise, times, values);
    struct hf_trend_points points = {times, values, POINTS, noise};
    return hf_gain_of(&points, &trend);
}

static void knows_gains(void **state)
{
    (void)state;
    struct hf_gain gain = gain_of(steeper, 0);
    assert_true(gain.first == 0 && gain.last == 100);
    assert_true(gain.part_low == gain.part && gain.part == gain.part_high);
    assert_true(fabs(gain.rate - 100.0 / (59 * 60)) < 1e-12 && gain.rate_low == gain.rate);
    gain = gain_of(step, 0); /* from nothing */
    assert_true(gain.start == 0 && isinf(gain.part) && isinf(gain.part_low));
    gain = gain_of(level, 0);
    assert_true(gain.part == 0 && gain.part_low == 0 && gain.rate_high == 0);
    gain = gain_of(falling, 0);
    assert_true(gain.part < -1 && gain.rate < 0);
    gain = gain_of(teeth, 0); /* each of them as large as the whole */
    assert_true(gain.part_low < 0 && gain.rate_low < 0);
    gain = gain_of(level, 5); /* twenty samples each: two estimates of the same */
    assert_true(gain.part_low < 0 && gain.part_high > 0.4);
    gain = gain_of(step, 60); /* less than two samples more than none */
    assert_true(gain.part_low == 0 && isinf(gain.part));
}

/* As above, by another program: what rises, what falls, and a sawtooth, which is its slope's. */
static void computes_gains(void **state)
{
    static const double times[] = {0, 50, 110, 180, 240, 290, 360, 430, 480, 560, 610, 660, 730};
    static const double up[] = {
        1000, 1290, 1480, 1810, 1930, 2210, 2290, 2480, 2450, 2610, 2580, 2690, 2700};
    double down[HF_COUNT(up)];
    (void)state;
    for (size_t i = 0; i < HF_COUNT(up); i++)
        down[i] = up[HF_COUNT(up) - 1 - i];
    const struct {
        const char *name;
        const double *values;
        struct hf_trend trend;
        struct hf_gain gain;
    } rows[] = {
        {"up", up, {.shape = HF_TREND_GROWING, .low = 1.100219804},
            {1000, 2700, 3770.0 / 3, 2.328767123, 1.598386789, 3.059147457, 1.352785146,
                0.6765328183, 2.029037473}},
        {"down", down, {.shape = HF_TREND_FALLING, .low = -5},
            {2700, 1000, 7970.0 / 3, -2.328767123, -3.059147457, -1.598386789, -0.6398996236,
                -0.8405938434, -0.4392054038}},
        {"the slope is surer", up, {.shape = HF_TREND_GROWING, .low = 2},
            {1000, 2700, 3770.0 / 3, 2.328767123, 1.598386789, 3.059147457, 1.352785146,
                2 * 730 / (3770.0 / 3), 2.029037473}},
        {"a sawtooth", up, {.shape = HF_TREND_SAWTOOTH, .slope = 2, .low = -1, .high = 5},
            {1000, 2700, 3770.0 / 3, 2, -1, 5, 2 * 730 / (3770.0 / 3), -730 / (3770.0 / 3),
                5 * 730 / (3770.0 / 3)}},
    };
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        const struct hf_gain *expected = &rows[i].gain;
        struct hf_trend_points points = {times, rows[i].values, HF_COUNT(times), 20};
        struct hf_gain gain = hf_gain_of(&points, &rows[i].trend);
        check_case = rows[i].name;
        check_near(gain.first, expected->first, "first");
        check_near(gain.last, expected->last, "last");
        check_near(gain.start, expected->start, "start");
        check_near(gain.rate, expected->rate, "rate");
        check_near(gain.rate_low, expected->rate_low, "rate_low");
        check_near(gain.rate_high, expected->rate_high, "rate_high");
        check_near(gain.part, expected->part, "part");
        check_near(gain.part_low, expected->part_low, "part_low");
        check_near(gain.part_high, expected->part_high, "part_high");
    }
}

static void says_noise(void **state)
{
    (void)state;
    assert_true(hf_trend_noise(1, 64) == 0 && hf_trend_noise(0, 64) == 0);
    assert_true(fabs(hf_trend_noise(524288, 0.01) - 524288) < 1);
    double half = exp(-1); /* a block of one period is missed so often */
    assert_true(fabs(hf_trend_noise(1000, 1000) - 1000 * half / (1 - half)) < 1e-6);
}

/* A clock that runs by the load stands still while nothing comes: many points have one time. */
static void judges_while_the_clock_stands(void **state)
{
    (void)state;
    static shape_fn *const shapes[] = {falling, straight, level};
    double times[POINTS], values[POINTS];
    for (size_t i = 0; i < HF_COUNT(shapes); i++) {
        (void)trend_of(shapes[i], POINTS, 0, times, values);
        for (size_t still = 0; still < POINTS / 2; still++)
            times[still] = times[POINTS / 2];
        struct hf_trend_points points = {times, values, POINTS, 0};
        struct hf_trend trend = hf_trend_of(&points);
        if (shapes[i] == falling)
            assert_true(trend.slope < 0 && trend.shape == HF_TREND_FALLING);
        else if (shapes[i] == straight)
            assert_true(trend.slope > 0 && trend.low <= trend.slope);
        else
            assert_true(trend.slope == 0 && trend.shape == HF_TREND_STEADY);
        for (size_t all = 0; all < POINTS; all++)
            times[all] = 60;
        trend = hf_trend_of(&points);
        assert_true(trend.slope == 0 && trend.shape == HF_TREND_TOO_LITTLE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_exact_slopes),
        cmocka_unit_test(computes_every_number),
        cmocka_unit_test(judges_while_the_clock_stands),
        cmocka_unit_test(names_shapes),
        cmocka_unit_test(finds_a_burst_in_noise),
        cmocka_unit_test(tells_leaks_from_caches),
        cmocka_unit_test(claims_no_leak_without_ground),
        cmocka_unit_test(says_no_endless_bend),
        cmocka_unit_test(knows_gains),
        cmocka_unit_test(computes_gains),
        cmocka_unit_test(says_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
