/* Values that differ are found, and of values that do not, no more than the stated rate. */
#include "statistics/outlier.h"

#include "check.h"
#include "statistics/student.h"

#include <math.h>

#define VALUES_MAX 100u

/* Twelve uniform ones: normal enough in the middle, with shorter tails. */
static double normal(uint64_t *seed)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(check_random(seed) % 1000003) / 1000003;
    return sum;
}

/* From tables: Student 1908, and of the normal distribution. */
static void student_is_that_of_tables(void **state)
{
    static const struct {
        double t, freedom, beyond;
    } known[] = {{12.7062047364, 1, 0.05}, {2.77644510520, 4, 0.05}, {8.61030158138, 4, 0.001},
        {2.22813885196, 10, 0.05}, {1.98397151845, 100, 0.05}, {0, 3, 1}, {INFINITY, 3, 0},
        {636.619248769, 1, 0.001}, {0.5, 1, 0.704832764699}};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(known); i++) {
        double got = hf_student_beyond(known[i].t, known[i].freedom);
        assert_true(fabs(got - known[i].beyond) <= 1e-7 * known[i].beyond + 1e-300);
        assert_true(hf_student_beyond(-known[i].t, known[i].freedom) == got);
    }
    /* far out it falls as t^-freedom */
    double ratio = hf_student_beyond(1e6, 4) / hf_student_beyond(1e5, 4);
    assert_true(fabs(ratio - 1e-4) < 1e-10);
}

static void too_few_are_not_compared(void **state)
{
    struct hf_outlier_value values[] = {{1, 0}, {2, 0}, {3, 0}, {9, 0}};
    struct hf_outlier_core core;
    (void)state;
    assert_false(hf_outlier_core_of(values, HF_COUNT(values), &core));
}

/* Three of eight leak, on one side or on both: these are found, and none of the others. */
static void three_of_eight_are_found(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side++) {
        double values[] = {-0.1, 0.2, 2.1e3, 0, 0.1, side == 0 ? -2.2e3 : 2.2e3, 2.3e3, 0.05};
        struct hf_outlier_value sorted[HF_COUNT(values)];
        struct hf_outlier_core core;
        for (size_t i = 0; i < HF_COUNT(values); i++)
            sorted[i] = (struct hf_outlier_value){(side < 0 ? -1 : 1) * values[i], 1e-6};
        struct hf_outlier_value given[HF_COUNT(values)];
        memcpy(given, sorted, sizeof given);
        assert_true(hf_outlier_core_of(sorted, HF_COUNT(values), &core));
        assert_int_equal(core.count, 5);
        for (size_t i = 0; i < HF_COUNT(values); i++) {
            bool is_far = fabs(values[i]) > 1000;
            double probability = hf_outlier_probability(&core, &given[i]);
            assert_true(is_far ? probability < 1e-9 : probability > 0.5);
        }
    }
}

/* A value whose own error is large is no outlier, wherever it lies. */
static void own_errors_count(void **state)
{
    struct hf_outlier_value values[] = {{1, 1}, {2, 1}, {3, 1}, {2, 1}, {40, 400}, {1.5, 1}};
    struct hf_outlier_value far = values[4], sure = {40, 0.01};
    struct hf_outlier_core core;
    (void)state;
    assert_true(hf_outlier_core_of(values, HF_COUNT(values), &core));
    assert_true(hf_outlier_probability(&core, &far) > 0.1);
    assert_true(hf_outlier_probability(&core, &sure) < 1e-3);
    assert_true(core.spread >= 1); /* no less than their own error */
}

/*
 * Answers of 60 places without outliers: in how many is one reported at 1 in 20? With errors that
 * are those of the values, and with values that differ by more than their errors say.
 */
static void false_alarms_are_as_rare_as_stated(void **state)
{
    static const size_t counts[] = {5, 6, 8, 16, 40};
    enum { ANSWERS = 400, PLACES = 60 };
    const double rate = 0.05;
    (void)state;
    for (size_t at = 0; at < 2 * HF_COUNT(counts); at++) {
        size_t count = counts[at / 2], alarms = 0;
        uint64_t seed = at + 1;
        double own = at % 2 == 0 ? 1 : 0.01;
        for (size_t answer = 0; answer < ANSWERS; answer++) {
            bool is_alarm = false;
            for (size_t place = 0; place < PLACES; place++) {
                struct hf_outlier_value values[VALUES_MAX], sorted[VALUES_MAX];
                struct hf_outlier_core core;
                double scale = 1 + (double)(place % 7);
                for (size_t i = 0; i < count; i++)
                    values[i] =
                        (struct hf_outlier_value){scale * normal(&seed), scale * scale * own * own};
                memcpy(sorted, values, sizeof sorted);
                assert_true(hf_outlier_core_of(sorted, count, &core));
                for (size_t i = 0; i < count; i++)
                    is_alarm |= hf_outlier_probability(&core, &values[i]) <=
                                rate / (double)(PLACES * count);
            }
            alarms += is_alarm;
        }
        /* 20 of 400 are allowed; of a true rate of 20, more than 34 come once in 1,000 times */
        assert_true(alarms <= 34);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_is_that_of_tables),
        cmocka_unit_test(too_few_are_not_compared),
        cmocka_unit_test(three_of_eight_are_found),
        cmocka_unit_test(own_errors_count),
        cmocka_unit_test(false_alarms_are_as_rare_as_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
