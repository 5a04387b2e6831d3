/* Slopes from sums of hours are those of the points: dense, sparse, over borders, of instances. */
#include "store/rollup.h"

#include "check.h"

#include <math.h>

#define POINTS_MAX 2000u
#define STACKS 4u

/* What an instance was seen to hold. */
struct seen_points {
    int64_t times_ms[POINTS_MAX];
    uint64_t values[STACKS][POINTS_MAX];
    size_t count;
};

/* Steady and large, leaking, sparse, and hardly ever there. */
static struct seen_points seen_of(uint64_t seed, int64_t start_ms, int64_t step_ms, size_t count)
{
    struct seen_points seen = {.count = count};
    for (size_t i = 0; i < count; i++) {
        seen.times_ms[i] = start_ms + (int64_t)i * step_ms + check_random(&seed) % (step_ms / 10);
        uint64_t dice = check_random(&seed) % 1000;
        seen.values[0][i] = UINT64_C(40) << 30 | dice << 20;
        seen.values[1][i] = 1000000 + 300 * i + dice * 40;
        seen.values[2][i] = dice < 200 ? 5000000 + 1000 * i : 0;
        seen.values[3][i] = dice == 7 ? 4096 : 0;
    }
    return seen;
}

static struct hf_rollup rolled(const struct seen_points *seen, size_t from, size_t to)
{
    struct hf_error err;
    struct hf_rollup rollup = {0};
    for (size_t i = from; i < to; i++) {
        struct hf_levels levels = {0};
        for (size_t stack = 0; stack < STACKS; stack++) {
            struct hf_level level = {stack, seen->values[stack][i], 1};
            check_ok(hf_levels_add(&levels, level, &err), &err);
        }
        check_ok(hf_rollup_add(&rollup, seen->times_ms[i], &levels, &err), &err);
        hf_levels_done(&levels);
    }
    return rollup;
}

static struct hf_rollup_slope slope_from(const struct hf_rollup *rollup, uint64_t stack)
{
    struct hf_rollup_part parts[64] = {0};
    assert_true(rollup->hour_count <= HF_COUNT(parts));
    for (size_t i = 0; i < rollup->hour_count; i++) {
        parts[i].hour_ms = rollup->hours[i].hour_ms;
        parts[i].times = rollup->hours[i].times;
        for (size_t j = 0; j < rollup->stack_count; j++) {
            const struct hf_rollup_stack *row = &rollup->stacks[j];
            if (row->stack == stack && row->hour_ms == parts[i].hour_ms)
                parts[i].values = row->values;
        }
    }
    return hf_rollup_slope_of(parts, rollup->hour_count);
}

/* Least squares, from the points, about their means. */
static double slope_of_points(const struct seen_points *seen, size_t stack, double *out_variance)
{
    long double mean_t = 0, mean_y = 0, tt = 0, ty = 0, rest = 0, n = (long double)seen->count;
    for (size_t i = 0; i < seen->count; i++) {
        mean_t += (long double)(seen->times_ms[i] - seen->times_ms[0]) / 1000 / n;
        mean_y += (long double)seen->values[stack][i] / n;
    }
    for (size_t i = 0; i < seen->count; i++) {
        long double t = (long double)(seen->times_ms[i] - seen->times_ms[0]) / 1000 - mean_t;
        tt += t * t;
        ty += t * ((long double)seen->values[stack][i] - mean_y);
    }
    for (size_t i = 0; i < seen->count; i++) {
        long double t = (long double)(seen->times_ms[i] - seen->times_ms[0]) / 1000 - mean_t;
        long double off = (long double)seen->values[stack][i] - mean_y - ty / tt * t;
        rest += off * off;
    }
    *out_variance = (double)(rest / (n - 2) / tt);
    return (double)(ty / tt);
}

static void check_near(double a, double b, const char *what)
{
    if (fabs(a - b) <= 1e-9 * fabs(b))
        return;
    print_error("%s: %.17g, expected %.17g\n", what, a, b);
    fail();
}

static const struct {
    int64_t start_ms, step_ms;
    size_t count;
} spans[] = {
    {INT64_C(1790000000000), 60000, 50}, {INT64_C(1790000000123), 60000, 1440},
    {INT64_C(1789999999999), 600000, 250}, {-5000000, 10000, 1900}, /* over 1970 */
};

static void slopes_are_those_of_the_points(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(spans); i++) {
        struct seen_points seen = seen_of(i, spans[i].start_ms, spans[i].step_ms, spans[i].count);
        struct hf_rollup rollup = rolled(&seen, 0, seen.count);
        assert_true(rollup.hour_count > 1);
        for (size_t stack = 0; stack < STACKS; stack++) {
            double variance, expected = slope_of_points(&seen, stack, &variance);
            struct hf_rollup_slope slope = slope_from(&rollup, stack);
            assert_true(slope.is_known);
            assert_int_equal(slope.is_rough, rollup.hour_count < HF_ROLLUP_HOURS_MIN);
            check_near(slope.slope, expected, "slope");
            if (slope.is_rough && stack != 0) /* sums of squares keep fewer digits of a large one */
                check_near(slope.variance, variance, "variance");
            assert_true(slope.variance >= variance * (1 - 1e-6));
        }
        hf_rollup_done(&rollup);
    }
}

static void instances_add_up(void **state)
{
    struct hf_rollup_slope sum = {0};
    double expected = 0, variances = 0;
    (void)state;
    for (size_t i = 0; i < HF_COUNT(spans); i++) {
        double unused;
        struct seen_points seen = seen_of(i, spans[i].start_ms, spans[i].step_ms, spans[i].count);
        struct hf_rollup rollup = rolled(&seen, 0, seen.count);
        struct hf_rollup_slope slope = slope_from(&rollup, 2);
        hf_rollup_slope_add(&sum, &slope);
        expected += slope_of_points(&seen, 2, &unused);
        variances += slope.variance;
        hf_rollup_done(&rollup);
    }
    struct hf_rollup_slope none = hf_rollup_slope_of(NULL, 0);
    assert_false(none.is_known);
    hf_rollup_slope_add(&sum, &none);
    check_near(sum.slope, expected, "sum of slopes");
    check_near(sum.high - sum.low, 2 * 1.96 * sqrt(variances), "interval");
    assert_true(sum.is_known && sum.is_rough);
}

/* What a store adds up, when batches end within an hour. */
static void parts_of_an_hour_add_up(void **state)
{
    struct seen_points seen = seen_of(3, 0, 60000, 60);
    struct hf_rollup all = rolled(&seen, 0, 60), first = rolled(&seen, 0, 25);
    struct hf_rollup second = rolled(&seen, 25, 60);
    (void)state;
    assert_int_equal(all.hour_count, 1);
    hf_time_sums_merge(&first.hours[0].times, &second.hours[0].times, 0);
    hf_value_sums_merge(&first.stacks[1].values, &second.stacks[1].values, 0);
    check_near(first.hours[0].times.tt, all.hours[0].times.tt, "times");
    check_near(first.stacks[1].values.ty, all.stacks[1].values.ty, "values");
    assert_int_equal(all.stacks[1].first, seen.values[1][0]);
    assert_int_equal(all.stacks[1].last, seen.values[1][59]);
    assert_int_equal(all.stacks[1].last, second.stacks[1].last);
    hf_rollup_done(&all);
    hf_rollup_done(&first);
    hf_rollup_done(&second);
}

/* What all stacks hold together stands with the hour, also when it is nothing. */
static void an_hour_has_the_whole(void **state)
{
    struct hf_error err;
    struct hf_levels nothing = {0};
    struct seen_points seen = seen_of(5, 0, 60000, 50);
    struct hf_rollup rollup = rolled(&seen, 0, seen.count);
    const struct hf_rollup_hour *hour = &rollup.hours[0];
    double y = 0, ty = 0;
    uint64_t most = 0;
    (void)state;
    for (size_t i = 0; i < seen.count; i++) {
        uint64_t all =
            seen.values[0][i] + seen.values[1][i] + seen.values[2][i] + seen.values[3][i];
        y += (double)all;
        ty += (double)all * ((double)seen.times_ms[i] / 1000);
        most = all > most ? all : most;
        if (i == seen.count - 1)
            assert_int_equal(hour->last, all);
    }
    check_near(hour->values.y, y, "sum of all");
    check_near(hour->values.ty, ty, "sum of all by time");
    assert_int_equal(hour->most, most);
    check_ok(hf_rollup_add(&rollup, 3599000, &nothing, &err), &err);
    assert_int_equal(rollup.hours[0].last, 0);
    assert_int_equal(rollup.hours[0].most, most);
    hf_rollup_done(&rollup);
}

static void too_little_is_not_known(void **state)
{
    struct hf_error err;
    struct hf_levels levels = {0};
    struct hf_rollup rollup = {0};
    (void)state;
    check_ok(hf_levels_add(&levels, (struct hf_level){1, 100, 1}, &err), &err);
    for (int64_t ms = 0; ms < 2; ms++) {
        check_ok(hf_rollup_add(&rollup, ms * 60000, &levels, &err), &err);
        assert_false(slope_from(&rollup, 1).is_known);
    }
    check_ok(hf_rollup_add(&rollup, 120000, &levels, &err), &err);
    struct hf_rollup_slope level = slope_from(&rollup, 1), absent = slope_from(&rollup, 2);
    assert_true(level.is_known && level.slope == 0 && absent.is_known && absent.slope == 0);
    assert_int_equal(hf_rollup_add(&rollup, -1, &levels, &err), HF_ERR_INPUT);
    check_error(&err,
        "a profile is of an hour before that of the last one; the clock may have been set back");
    hf_rollup_done(&rollup);
    for (size_t i = 0; i < 5; i++) /* all at one time */
        check_ok(hf_rollup_add(&rollup, 3599000, &levels, &err), &err);
    assert_false(slope_from(&rollup, 1).is_known);
    hf_rollup_done(&rollup);
    hf_levels_done(&levels);
}

/* A day of minutes whose errors are alike for ten: the interval holds the slope as often as it
 * says, or nearly. As of independent points, it would in a third. */
static void interval_holds_the_slope(void **state)
{
    enum { RUNS = 400 };
    static struct seen_points seen;
    size_t held = 0, held_as_independent = 0;
    uint64_t random = 11;
    (void)state;
    for (size_t run = 0; run < RUNS; run++) {
        double off = 0, variance;
        seen.count = 1440;
        for (size_t i = 0; i < seen.count; i++) {
            double noise = 0;
            for (size_t j = 0; j < 12; j++)
                noise += check_random(&random) % 1000 / 1000.0 - 0.4995;
            off = 0.9 * off + noise;
            seen.times_ms[i] = (int64_t)i * 60000;
            seen.values[0][i] = (uint64_t)(1e7 + 20.0 * 60 * (double)i + 1e5 * off);
        }
        struct hf_rollup rollup = rolled(&seen, 0, seen.count);
        struct hf_rollup_slope slope = slope_from(&rollup, 0);
        double expected = slope_of_points(&seen, 0, &variance);
        held += slope.low <= 20 && slope.high >= 20;
        held_as_independent += fabs(expected - 20) <= 1.96 * sqrt(variance);
        hf_rollup_done(&rollup);
    }
    assert_true(held >= RUNS * 90 / 100 && held <= RUNS * 98 / 100);
    assert_true(held_as_independent < RUNS * 60 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_those_of_the_points),
        cmocka_unit_test(instances_add_up),
        cmocka_unit_test(parts_of_an_hour_add_up),
        cmocka_unit_test(an_hour_has_the_whole),
        cmocka_unit_test(too_little_is_not_known),
        cmocka_unit_test(interval_holds_the_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
