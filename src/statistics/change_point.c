#include "statistics/change_point.h"

#include <math.h>

#define CHANGE_DROP 2.5 /* of the logarithm of the likelihood, by dispersion: about 95 % */
#define DISPERSION_MAX 100
#define ROUNDING 1e-9 /* of counts that are equal */

/*
 * What comes in bursts has runs and pauses, so that a long pause before the first is no change. In
 * a chain of presence and absence, the variance of sums is (1 + r) / (1 - r) times that of trials
 * without memory, r the correlation of neighbours (Gabriel 1959).
 */
static double dispersion_of(const double *counts, size_t count)
{
    double sum = 0, squares = 0, products = 0;
    for (size_t i = 0; i < count; i++)
        sum += counts[i];
    for (size_t i = 0; i < count; i++) {
        double mean = sum / (double)count, off = counts[i] - mean;
        squares += off * off;
        products += i + 1 < count ? off * (counts[i + 1] - mean) : 0;
    }
    double r = squares > ROUNDING * (double)count ? products / squares : 0;
    return fmin(fmax(1, (1 + r) / (1 - r)), DISPERSION_MAX);
}

struct hf_change_point hf_change_point_of(const double *counts, size_t count)
{
    double likelihoods[HF_CHANGE_POINT_MAX], before = 0, all = 0, most = -INFINITY;
    struct hf_change_point change = {0};
    for (size_t i = 0; i < count; i++)
        all += counts[i];
    for (size_t i = 0; i < count; i++) {
        double after = all - before;
        double early = i != 0 ? before / (double)i : 0, late = after / (double)(count - i);
        likelihoods[i] =
            (before > 0 ? before * log(early) : 0) + (after > 0 ? after * log(late) : 0);
        if (i != 0 && early >= late)
            likelihoods[i] = -INFINITY; /* it falls */
        if (likelihoods[i] > most) {
            most = likelihoods[i];
            change.at = i;
        }
        before += counts[i];
    }
    change.low = change.high = change.at;
    change.dispersion = dispersion_of(counts + change.at, count - change.at);
    for (size_t i = count; i-- > 0;) {
        if (likelihoods[i] <= most - CHANGE_DROP * change.dispersion)
            continue;
        change.low = i;
        change.high = i > change.high ? i : change.high;
    }
    change.gain = count != 0 ? most - likelihoods[0] : 0;
    return change;
}
