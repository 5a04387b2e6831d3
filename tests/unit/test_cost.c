/* What probes cost, by counts and prices that are made up: rounding is part of what is promised. */
#include "attach/perf/cost.h"

#include "check.h"

static const struct hf_cost_prices prices = {1000, 10000, 500};

/* Of 320 births and 107 ends; at 1.5 times the prices these take 982,500 and 256,500 ns. */
static struct hf_cost counted(void)
{
    return (struct hf_cost){
        .births = {300, 20, 310},
        .ends = {100, 7, 3},
        .wall_ns = 50000000,
        .computed_ns = 10000000,
        .machine_ratio = 1500,
    };
}

static void test_calls(void **state)
{
    (void)state;
    struct hf_cost cost = counted();
    assert_int_equal(hf_cost_calls(&cost), 8540);
    cost.wall_ns = 2000000000;
    assert_int_equal(hf_cost_calls(&cost), 213);
    cost.wall_ns = 0;
    assert_int_equal(hf_cost_calls(&cost), 0);
}

static void test_added(void **state)
{
    (void)state;
    struct hf_cost cost = counted();
    assert_int_equal(hf_cost_added(&cost, &prices, 1000), 1238500 / 10001);
    assert_int_equal(hf_cost_added(&cost, &prices, 500), 747500 / 10001);
    assert_int_equal(hf_cost_added(&cost, &prices, 0), 256500 / 10001);
    assert_int_equal(hf_cost_load(&cost, &prices, 1000), 1238500 / 50001);
    assert_int_equal(hf_cost_load(&cost, &prices, 0), 256500 / 50001);
    cost.computed_ns = 0; /* it did nothing but stop */
    assert_int_equal(hf_cost_added(&cost, &prices, 1000), 1238500);
    cost.wall_ns = 999;
    assert_int_equal(hf_cost_load(&cost, &prices, 1000), 1238500);
    cost.births = cost.ends = (struct hf_cost_stops){0};
    assert_int_equal(hf_cost_added(&cost, &prices, 1000), 0);
    assert_int_equal(hf_cost_load(&cost, &prices, 1000), 0);
}

static void test_means(void **state)
{
    (void)state;
    struct hf_cost cost = counted();
    struct hf_cost_means means = hf_cost_means(&cost, &prices);
    assert_int_equal(means.birth_ns, 982500 / 320);
    assert_int_equal(means.end_ns, 256500 / 107);
    assert_int_equal(means.call_ns, 1239000 / 427);
    cost.births = cost.ends = (struct hf_cost_stops){0};
    means = hf_cost_means(&cost, &prices); /* of the plainest call */
    assert_int_equal(means.birth_ns, 2250);
    assert_int_equal(means.end_ns, 1500);
    assert_int_equal(means.call_ns, 1875);
}

static void test_speed(void **state)
{
    static const struct {
        uint64_t added;
        const char *speed;
    } cases[] = {
        {0, "its full speed"},
        {10, "its full speed"},
        {11, "about 98 % of its speed"},
        {250, "about 80 % of its speed"},
        {666, "about 60 % of its speed"},
        {667, "about 1/2 of its speed"},
        {1499, "about 1/2 of its speed"},
        {1500, "about 1/3 of its speed"},
        {3000, "about 1/4 of its speed"},
        {19499, "about 1/20 of its speed"},
        {19500, "less than 1/20 of its speed"},
        {1000000, "less than 1/20 of its speed"},
    };
    char speed[HF_COST_SPEED_MAX];
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++)
        assert_string_equal(hf_cost_speed(cases[i].added, speed), cases[i].speed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_added),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
