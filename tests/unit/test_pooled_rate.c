/* Rates of several processes as one, by hand. */
#include "statistics/pooled_rate.h"

#include "check.h"

#include <math.h>

static struct hf_pooled_rate pooled_of(const double (*rates)[3], size_t count)
{
    struct hf_pooled_rate pooled = {.count = 0};
    for (size_t i = 0; i < count; i++)
        hf_pooled_rate_add(&pooled, rates[i][0], rates[i][1], rates[i][2]);
    hf_pooled_rate_find(&pooled);
    return pooled;
}

static void check_near(double found, double expected)
{
    if (fabs(found - expected) > 1e-6)
        fail_msg("%.9f, not %.9f", found, expected);
}

/* Weights 1 : 4, so (10 + 4 x 12) / 5; the half width is 1.96 sqrt(1 / (w1 + w2)). */
static void weighs_by_variance(void **unused)
{
    static const double rates[][3] = {{10, 6, 14}, {12, 10, 14}};
    struct hf_pooled_rate pooled = pooled_of(rates, 2);
    (void)unused;
    check_near(pooled.rate, 11.6);
    check_near(pooled.high - pooled.rate, 4 / sqrt(5));
    check_near(pooled.rate - pooled.low, 4 / sqrt(5));
    assert_true(pooled.is_same);
    assert_true(pooled.least == 10 && pooled.most == 12);
}

/* Exact rates have no interval: within a twentieth they are the same. */
static void knows_the_same_rate(void **unused)
{
    static const double same[][3] = {{100, 100, 100}, {102, 102, 102}, {99, 99, 99}},
                        other[][3] = {{100, 100, 100}, {150, 150, 150}, {99, 99, 99}};
    (void)unused;
    assert_true(pooled_of(same, 3).is_same);
    struct hf_pooled_rate apart = pooled_of(other, 3);
    assert_false(apart.is_same);
    assert_true(apart.high - apart.low > 2 * (pooled_of(same, 3).high - pooled_of(same, 3).low));
}

static void tells_a_change_from_chance(void **unused)
{
    static const double slow[][3] = {{10, 8, 12}}, fast[][3] = {{20, 17, 23}},
                        unsure[][3] = {{20, 5, 35}}, nearly[][3] = {{11, 10.9, 11.1}};
    struct hf_pooled_rate before = pooled_of(slow, 1), now = pooled_of(fast, 1);
    struct hf_pooled_rate wide = pooled_of(unsure, 1), close = pooled_of(nearly, 1);
    (void)unused;
    assert_true(hf_pooled_rates_differ(&before, &now));
    assert_true(hf_pooled_rates_differ(&now, &before));
    assert_false(hf_pooled_rates_differ(&before, &wide));
    assert_false(hf_pooled_rates_differ(&before, &close));
}

static void is_nothing_of_none(void **unused)
{
    struct hf_pooled_rate none = pooled_of(NULL, 0);
    static const double still[][3] = {{0, 0, 0}, {0, 0, 0}};
    (void)unused;
    assert_true(none.rate == 0 && none.high == 0 && none.count == 0);
    assert_true(pooled_of(still, 2).is_same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weighs_by_variance),
        cmocka_unit_test(knows_the_same_rate),
        cmocka_unit_test(tells_a_change_from_chance),
        cmocka_unit_test(is_nothing_of_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
