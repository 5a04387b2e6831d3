/*
 * The sampler against what the mathematics say, with fixed seeds: each figure lies within four
 * standard errors, and is the same in every run.
 */
#include "check.h"

#include "../../agent/sampler.h"
#include "live/layout.h"
#include "profile/unbias.h"

#include <math.h>

#define DRAWS 200000

static const uint64_t periods[] = {2, 100, 4096, UINT64_C(1) << 19, UINT64_C(1) << 47};

static void check_z(double found, double expected, double standard_error)
{
    double z = (found - expected) / standard_error;
    if (!(fabs(z) < 4))
        fail_msg("%g instead of %g: z = %.1f", found, expected, z);
}

/* Exponential gaps: mean and standard deviation are the period, and half lie below ln(2) of it. */
static void test_gaps(void **state)
{
    (void)state;
    for (size_t p = 2; p < HF_COUNT(periods); p++) {
        double period = (double)periods[p], sum = 0, squares = 0, below = 0;
        struct hf_sampler sampler;
        hf_sampler_seed(&sampler, 11 + p);
        for (size_t i = 0; i < DRAWS; i++) {
            double gap = (double)hf_sampler_gap(&sampler, periods[p]) + 0.5;
            sum += gap;
            squares += gap * gap;
            below += gap < period * log(2);
            assert_true(gap < 45 * period);
        }
        double mean = sum / DRAWS, variance = squares / DRAWS - mean * mean;
        check_z(mean, period, period / sqrt(DRAWS));
        check_z(variance, period * period, period * period * sqrt(8.0 / DRAWS));
        check_z(below, DRAWS / 2.0, sqrt(DRAWS / 4.0));
    }
}

/* Seeds that follow each other, as those of threads may, give gaps that know nothing of each
 * other. */
static void test_seeds(void **state)
{
    (void)state;
    double sum = 0, products = 0, before = 0;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        struct hf_sampler sampler;
        hf_sampler_seed(&sampler, seed);
        double gap = (double)hf_sampler_gap(&sampler, 1 << 20) / (1 << 20) - 1;
        sum += gap;
        products += gap * before;
        before = gap;
    }
    check_z(sum / DRAWS, 0, 1 / sqrt(DRAWS));
    check_z(products / DRAWS, 0, 1 / sqrt(DRAWS));
}

/* What the hooks do: blocks of `size` are passed over until one reaches beyond the gap. */
static void sample(uint64_t period, uint64_t size, uint64_t seed)
{
    struct hf_sampler sampler;
    hf_sampler_seed(&sampler, seed);
    struct hf_sampler_weight weight = hf_sampler_weigh(period, size);
    uint64_t left = hf_sampler_gap(&sampler, period);
    double recorded = 0, objects = 0, bytes = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        bool is_recorded = left < size;
        left = is_recorded ? hf_sampler_gap(&sampler, period) : left - size;
        recorded += is_recorded;
        objects += is_recorded ? (double)weight.objects / HF_LIVE_OBJECT : 0;
        bytes += is_recorded ? (double)weight.bytes : 0;
    }
    double p = -expm1(-(double)size / (double)period), error = sqrt(DRAWS * p * (1 - p));
    if (p > 1 - 1e-9) {
        assert_true(recorded == DRAWS && objects == DRAWS);
        return;
    }
    check_z(recorded, DRAWS * p, error);
    check_z(objects, DRAWS, error / p);
    check_z(bytes, DRAWS * (double)size, (double)size * error / p);
}

static void test_probability_and_totals(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 16, 100, 1000, 4096, 10000, 100000};
    for (size_t i = 0; i < HF_COUNT(sizes); i++) {
        sample(4096, sizes[i], 100 + i);
        sample(512, sizes[i], 200 + i);
    }
}

/* Integers alone give what the C library's floating point does. */
static void test_weights(void **state)
{
    (void)state;
    for (size_t p = 0; p < HF_COUNT(periods); p++) {
        for (uint64_t size = 1; size < periods[p] * 100; size += size / 3 + 1) {
            struct hf_sampler_weight weight = hf_sampler_weigh(periods[p], size);
            double objects = hf_unbias_weight(periods[p], size) * HF_LIVE_OBJECT;
            assert_true(fabs((double)weight.objects - objects) <= 0.5 + objects / (1 << 20));
            double bytes = objects / HF_LIVE_OBJECT * (double)size;
            assert_true(fabs((double)weight.bytes - bytes) <= 0.5 + bytes / (1 << 20));
        }
    }
    static const struct {
        uint64_t period, size;
    } plain[] = {{1, 0}, {1, 7}, {1, UINT64_MAX}, {4096, 0}, {4096, UINT64_MAX}};
    for (size_t i = 0; i < HF_COUNT(plain); i++) {
        struct hf_sampler_weight weight = hf_sampler_weigh(plain[i].period, plain[i].size);
        assert_int_equal(weight.objects, HF_LIVE_OBJECT);
        assert_int_equal(weight.bytes, plain[i].size);
    }
}

/* As often 1 as 0, also where the next gap is short; and no number of the sequence is taken. */
static void test_coin(void **state)
{
    (void)state;
    struct hf_sampler sampler, other;
    unsigned ones = 0, short_ones = 0, short_gaps = 0;
    hf_sampler_seed(&sampler, 5);
    hf_sampler_seed(&other, 5);
    for (int i = 0; i < 100000; i++) {
        uint64_t gap = hf_sampler_gap(&sampler, 524288);
        unsigned coin = (unsigned)hf_sampler_coin(&sampler);
        assert_int_equal(gap, hf_sampler_gap(&other, 524288));
        assert_true(coin <= 1);
        ones += coin;
        short_gaps += gap < 100000;
        short_ones += gap < 100000 ? coin : 0;
    }
    assert_in_range(ones, 49200, 50800); /* 5 standard deviations */
    assert_in_range(2 * short_ones, short_gaps * 48 / 50, short_gaps * 52 / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_probability_and_totals),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_coin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
