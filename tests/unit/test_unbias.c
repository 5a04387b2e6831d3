/* The un-biasing formula against the golden numbers of docs/formats (jemalloc, gperftools); its
 * interval. */
#include "profile/unbias.h"

#include "profile/interval.h"

#include "check.h"

static void matches_the_golden_numbers(void **state)
{
    (void)state;
    /* Estimates before rounding: 60201.42 and 65604132.6, 58892.48 and 30948497.1, ... */
    static const struct {
        uint64_t period, objects, bytes, estimated_objects, estimated_bytes;
    } cases[] = {
        {524288, 125, 136218, 60201, 65604133},
        {524288, 59, 31005, 58892, 30948497},
        {524288, 13, 6688, 13255, 6819089},
        {524288, 1, 192, 2731, 524384},
        /* An allocation far above the period is always seen. */
        {524288, 3, 3 * UINT64_C(1073741824), 3, 3 * UINT64_C(1073741824)},
        /* Every allocation was recorded: nothing to estimate. */
        {1, 125, 136218, 125, 136218},
        {0, 125, 136218, 125, 136218},
        /* Nothing was seen, or what was seen makes no sense. */
        {524288, 0, 0, 0, 0},
        {524288, 0, 100, 0, 100},
        {524288, 100, 0, 100, 0},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        uint64_t objects = cases[i].objects, bytes = cases[i].bytes;
        hf_unbias_poisson(cases[i].period, &objects, &bytes);
        assert_int_equal(objects, cases[i].estimated_objects);
        assert_int_equal(bytes, cases[i].estimated_bytes);
    }
}

static void stays_inside_the_integers(void **state)
{
    (void)state;
    uint64_t objects = UINT64_MAX, bytes = UINT64_MAX;
    hf_unbias_poisson(UINT64_C(1) << 63, &objects, &bytes);
    assert_true(objects == UINT64_MAX && bytes == UINT64_MAX);
    objects = 1;
    bytes = UINT64_MAX;
    hf_unbias_poisson(524288, &objects, &bytes);
    assert_true(objects == 1 && bytes == UINT64_MAX);
    /* The smallest object under the longest period: 2^63, give or take the half of one object. */
    objects = 1;
    bytes = 1;
    hf_unbias_poisson(UINT64_C(1) << 63, &objects, &bytes);
    assert_true(objects == UINT64_C(1) << 63 && bytes == objects);
}

/* An estimate is never less than what was seen, and grows with it. */
static void only_ever_adds(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t period = UINT64_C(1) << check_random(&random) % 40;
        uint64_t n = check_random(&random) % 100000 + 1;
        uint64_t s = n * (check_random(&random) % 1000000 + 1);
        uint64_t objects = n, bytes = s;
        hf_unbias_poisson(period, &objects, &bytes);
        assert_true(objects >= n && bytes >= s);
        /* The mean size stays: both are scaled by the same factor, up to rounding. */
        double drift = (double)bytes / (double)objects * (double)n / (double)s;
        assert_true(drift > 0.5 && drift < 1.5);
    }
}

/* Against the definition, evaluated with 60 digits. */
static void knows_how_sure_a_count_is(void **state)
{
    (void)state;
    static const struct {
        uint64_t count;
        double low, high, tolerance;
    } cases[] = {
        {0, 0, 3.6888794541139363, 1e-12},
        {1, 0.025317807984289876, 5.571643390938899, 1e-12},
        {2, 0.2422092785439649, 7.224687667723961, 1e-12},
        {10, 4.7953886961324335, 18.39035604201778, 1e-12},
        {199, 172.31029341278176, 228.6527409830325, 1e-12},
        {200, 173.24088268145732, 229.7219816654499, 2e-4},
        {1000, 938.9730184076952, 1063.952136016302, 2e-4},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        double low, high;
        hf_interval_poisson(cases[i].count, &low, &high);
        assert_true(low >= cases[i].low * (1 - cases[i].tolerance));
        assert_true(low <= cases[i].low * (1 + cases[i].tolerance));
        assert_true(high >= cases[i].high * (1 - cases[i].tolerance));
        assert_true(high <= cases[i].high * (1 + cases[i].tolerance));
    }
    /* Ten samples of 4,096 bytes each. */
    struct hf_interval interval = hf_interval_of(40960, 10);
    assert_int_equal(interval.low, 19642);
    assert_int_equal(interval.high, 75327);
    interval = hf_interval_of(UINT64_MAX, 1);
    assert_int_equal(interval.high, UINT64_MAX);
    assert_int_equal(hf_interval_of(5, 0).low, 0);
    struct hf_interval plain = hf_interval_of(5000, 50), of_peak;
    of_peak = hf_interval_of_peak(5000, 50, 9, 0);
    assert_memory_equal(&of_peak, &plain, sizeof plain);
    of_peak = hf_interval_of_peak(5000, 50, 8000, 10000);
    assert_int_equal(of_peak.low, hf_interval_of(5000, 38).low);
    assert_int_equal(of_peak.high, (plain.high * 5 + 2) / 4);
    assert_int_equal(hf_interval_of_peak(5000, 1, 1000, 9000).low, hf_interval_of(5000, 1).low);
    assert_int_equal(hf_interval_of_peak(5000, 0, 1000, 9000).high, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_the_golden_numbers),
        cmocka_unit_test(stays_inside_the_integers),
        cmocka_unit_test(only_ever_adds),
        cmocka_unit_test(knows_how_sure_a_count_is),
    };
    return cmocka_run_group_tests_name("unbias", tests, NULL, NULL);
}
