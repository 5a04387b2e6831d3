/* How much of what a place allocates it keeps: by hand, exactly and of samples. */
#include "statistics/retention.h"

#include "check.h"

#include <math.h>

#define MINUTES 60

/* Each minute allocates 10, of which so many are in use at the last look. */
static void fill(struct hf_survival_table *table, double (*kept_of)(size_t minute))
{
    *table = (struct hf_survival_table){.sample = 100, .epoch_s = 60, .look_count = MINUTES};
    for (size_t i = 0; i < MINUTES; i++) {
        table->looks_s[i] = 60 * (double)(i + 1);
        table->born[i] = 10;
        table->in_use[MINUTES - 1][i] = kept_of(i);
    }
}

static double kept_one(size_t minute)
{
    (void)minute;
    return 1;
}

static double kept_late(size_t minute)
{
    return minute < 30 ? 0 : 10;
}

static double kept_at_first(size_t minute)
{
    return minute < 11 ? 10 : 0;
}

static void exact_numbers_have_no_interval(void **state)
{
    (void)state;
    struct hf_survival_table table;
    fill(&table, kept_one);
    struct hf_retention kept = hf_retention_of(&table, 0, true);
    assert_true(kept.is_known && kept.has_shares);
    assert_true(fabs(kept.share.value - 0.1) < 1e-12 && kept.share.low == kept.share.value);
    assert_true(fabs(kept.rate.value - 100.0 / 60) < 1e-12 && kept.rate.high == kept.rate.value);
    assert_true(kept.from_s == 60 && kept.to_s == 1800); /* from the first look to the middle */
}

static void samples_have_one(void **state)
{
    (void)state;
    struct hf_survival_table table;
    fill(&table, kept_one);
    struct hf_retention kept = hf_retention_of(&table, 0, false);
    /* Of 9 or 10 samples: Poisson's exact interval of 9 is 4.1 to 17.1, and Wilson's of 9 in 90
     * is 5.4 to 17.9 %. */
    assert_true(fabs(kept.rate.low * 540 / 100 - 4.1) < 0.1);
    assert_true(kept.rate.high * 540 / 100 > 16.5 && kept.rate.high * 540 / 100 < 17.6);
    assert_true(fabs(kept.share.low - 0.054) < 0.002 && kept.share.high > 0.17);
}

static void what_is_replaced_or_loaded_once_is_not_kept(void **state)
{
    (void)state;
    struct hf_survival_table table;
    fill(&table, kept_late);
    assert_true(hf_retention_of(&table, 0, true).share.value == 0);
    fill(&table, kept_at_first);
    assert_true(hf_retention_of(&table, 0, true).rate.value == 0);
}

/* Of what began at 30 minutes, the next quarter of an hour counts. */
static void a_later_start_moves_the_window(void **state)
{
    (void)state;
    struct hf_survival_table table;
    fill(&table, kept_late);
    struct hf_retention kept = hf_retention_of(&table, 1800, true);
    assert_true(kept.is_known && kept.share.value == 1);
    assert_true(kept.from_s == 1800 && kept.to_s == 2700);
}

static void too_few_cohorts_say_nothing(void **state)
{
    (void)state;
    struct hf_survival_table table;
    fill(&table, kept_one);
    assert_false(hf_retention_of(&table, 3500, true).is_known);
    table.look_count = HF_SURVIVAL_LOOKS_MIN - 1;
    assert_false(hf_retention_of(&table, 0, true).is_known);
}

static void what_was_allocated_may_be_unknown(void **state)
{
    (void)state;
    struct hf_survival_table table;
    fill(&table, kept_one);
    for (size_t i = 0; i < MINUTES; i++)
        table.born[i] = 0;
    struct hf_retention kept = hf_retention_of(&table, 0, true);
    assert_true(kept.is_known && !kept.has_shares && kept.rate.value > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_numbers_have_no_interval),
        cmocka_unit_test(samples_have_one),
        cmocka_unit_test(what_is_replaced_or_loaded_once_is_not_kept),
        cmocka_unit_test(a_later_start_moves_the_window),
        cmocka_unit_test(too_few_cohorts_say_nothing),
        cmocka_unit_test(what_was_allocated_may_be_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
