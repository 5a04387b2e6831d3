#include "profile/interval.h"

#include "profile/unbias.h"

#include <math.h>

#define TAIL 0.025
#define Z 1.959963984540054 /* the normal quantile of 1 - TAIL */

/* The probability of at most `count` events where `mean` are expected. */
static double at_most(uint64_t count, double mean)
{
    double term = exp(-mean), sum = term;
    for (uint64_t i = 1; i <= count; i++) {
        term *= mean / (double)i;
        sum += term;
    }
    return sum;
}

/* The mean for which at most `count` events have this probability: it falls as the mean grows. */
static double interval_mean_of(uint64_t count, double probability)
{
    double low = 0, high = (double)count + 10 * sqrt((double)count + 1) + 10;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (at_most(count, middle) > probability)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Half the chi-square quantile of 2 * shape degrees, by Wilson and Hilferty. */
static double half_quantile(double shape, double z)
{
    double root = 1 - 1 / (9 * shape) + z / (3 * sqrt(shape));
    return shape * root * root * root;
}

void hf_interval_poisson(uint64_t count, double *out_low, double *out_high)
{
    if (count < HF_INTERVAL_EXACT) {
        *out_low = count == 0 ? 0 : interval_mean_of(count - 1, 1 - TAIL);
        *out_high = interval_mean_of(count, TAIL);
    } else {
        *out_low = half_quantile((double)count, -Z);
        *out_high = half_quantile((double)count + 1, Z);
    }
}

struct hf_interval hf_interval_of(uint64_t estimate, uint64_t samples)
{
    if (samples == 0)
        return (struct hf_interval){0, UINT64_MAX};
    double low, high, weight = (double)estimate / (double)samples;
    hf_interval_poisson(samples, &low, &high);
    return (struct hf_interval){hf_unbias_round(low * weight), hf_unbias_round(high * weight)};
}

struct hf_interval hf_interval_of_peak(
    uint64_t estimate, uint64_t samples, uint64_t peak, uint64_t most)
{
    struct hf_interval interval = hf_interval_of(estimate, samples);
    if (most <= peak || peak == 0 || samples == 0)
        return interval;
    double share = (double)peak / (double)most;
    interval.high = hf_unbias_round((double)interval.high / share);
    samples -= samples / 4;
    interval.low = hf_interval_of(estimate, samples).low;
    return interval;
}
