/* When a limit is reached: by the trend of the whole, or by leaks that began later. */
#include "check.h"
#include "render/table/growth_report.h"

#include <math.h>

static struct hf_growth growth;

/* 400 bytes at the last of three points; a trend of 2 a second, 1 to 4. */
static struct hf_growth_report left_report(double *values)
{
    growth = (struct hf_growth){.point_count = 3};
    growth.whole.values = values;
    growth.whole.trend = (struct hf_trend){.slope = 2, .low = 1, .high = 4};
    return (struct hf_growth_report){.growth = &growth, .limit_bytes = 1000};
}

static void check_left(const struct hf_growth_report *report, struct hf_growth_left expected)
{
    struct hf_growth_left left = hf_growth_left(report);
    assert_true(left.bytes == expected.bytes && left.s == expected.s &&
                left.low_s == expected.low_s && left.high_s == expected.high_s);
}

/* The steeper, the sooner: what is low of the trend is the latest. */
static void by_the_trend(void **state)
{
    (void)state;
    double values[] = {100, 250, 400};
    struct hf_growth_report report = left_report(values);
    check_left(&report, (struct hf_growth_left){600, 300, 150, 600});
    report.limit_used = 399; /* the profiles know of more */
    check_left(&report, (struct hf_growth_left){600, 300, 150, 600});
    report.limit_used = 800;
    check_left(&report, (struct hf_growth_left){200, 100, 50, 200});
    report.limit_used = 1200;
    check_left(&report, (struct hf_growth_left){-200, -100, -50, -200});
}

/* However slowly, it comes nearer; unless it may as well stand or fall. */
static void only_what_surely_grows(void **state)
{
    (void)state;
    double values[] = {100, 250, 400};
    struct hf_growth_report report = left_report(values);
    growth.whole.trend.low = 0.5;
    check_left(&report, (struct hf_growth_left){600, 300, 150, 1200});
    growth.whole.trend.low = 0;
    check_left(&report, (struct hf_growth_left){600, INFINITY, INFINITY, INFINITY});
    growth.whole.trend.low = -1;
    check_left(&report, (struct hf_growth_left){600, INFINITY, INFINITY, INFINITY});
}

static void by_leaks_that_began_later(void **state)
{
    (void)state;
    double values[] = {100, 250, 400};
    struct hf_growth_report report = left_report(values);
    const struct hf_growth_place leak = {.verdict = {.kind = HF_VERDICT_LEAK},
        .survival = {.has_onset = true, .rate = 4, .rate_low = 1.5, .rate_high = 6}};
    growth.places[0] = growth.places[1] = growth.places[2] = leak;
    growth.count = 2;
    check_left(&report, (struct hf_growth_left){600, 75, 50, 200});
    growth.whole.trend.slope = 3; /* as much as is sure of the leaks: it counts more */
    check_left(&report, (struct hf_growth_left){600, 200, 150, 600});
    growth.whole.trend.slope = 2;
    growth.places[1].survival.has_onset = false; /* since ever: the trend has it */
    check_left(&report, (struct hf_growth_left){600, 300, 150, 600});
    growth.places[1].verdict.kind = HF_VERDICT_FULL_CACHE;
    growth.places[1].survival.has_onset = true;
    check_left(&report, (struct hf_growth_left){600, 300, 150, 600});
    growth.whole.trend.low = -1; /* a leak in what shrinks as yet */
    growth.whole.trend.slope = -2;
    check_left(&report, (struct hf_growth_left){600, 150, 100, 400});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_the_trend),
        cmocka_unit_test(only_what_surely_grows),
        cmocka_unit_test(by_leaks_that_began_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
