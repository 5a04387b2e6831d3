#include "profile/unbias.h"

#include <math.h>

uint64_t hf_unbias_round(double value)
{
    double rounded = nearbyint(value); /* ties to even: the default rounding mode */
    if (!(rounded > 0))
        return 0;
    if (rounded >= 0x1p64)
        return UINT64_MAX;
    return (uint64_t)rounded;
}

double hf_unbias_weight(uint64_t period_bytes, uint64_t bytes)
{
    if (period_bytes <= 1 || bytes == 0)
        return 1;
    /* -expm1(-x) is 1 - exp(-x) without losing the digits of a small x. */
    return 1 / -expm1(-(double)bytes / (double)period_bytes);
}

void hf_unbias_poisson(uint64_t period_bytes, uint64_t *objects, uint64_t *bytes)
{
    if (period_bytes <= 1 || *objects == 0 || *bytes == 0)
        return;
    double n = (double)*objects;
    double s = (double)*bytes;
    /* -expm1(-x) is 1 - exp(-x) without losing the digits of a small x. */
    double seen = -expm1(-(s / n) / (double)period_bytes);
    *objects = hf_unbias_round(n / seen);
    *bytes = hf_unbias_round(s / seen);
}

void hf_unbias_even(double period_bytes, uint64_t *objects, uint64_t *bytes)
{
    if (*objects == 0 || *bytes == 0)
        return;
    double n = (double)*objects;
    double s = (double)*bytes;
    double seen = s / n / period_bytes;
    if (!(seen < 1))
        return;
    *objects = hf_unbias_round(n / seen);
    *bytes = hf_unbias_round(s / seen);
}
