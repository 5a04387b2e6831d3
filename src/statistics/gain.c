#include "statistics/gain.h"

#include <math.h>

#define Z 1.96 /* of 95 % */

static double gain_mean_of(const double *x, size_t first, size_t end)
{
    double sum = 0;
    for (size_t i = first; i < end; i++)
        sum += x[i];
    return sum / (double)(end - first);
}

/* A ratio of two estimates: both errors count, and nothing is known of what they share. */
static void put_parts(struct hf_gain *gain, double noise, double slope_low, double span_s)
{
    double grew = gain->last - gain->first, start = gain->start;
    double error = Z * sqrt(noise * (gain->first + gain->last));
    if (start <= 0) {
        gain->part = grew > 0 ? INFINITY : 0;
        gain->part_low = grew > error ? INFINITY : 0;
        gain->part_high = grew + error > 0 ? INFINITY : 0;
        return;
    }
    double part = grew / start, up = fmax(part, 0);
    double part_error =
        Z * sqrt(noise * (gain->first + gain->last + (up * up + 2 * up) * start)) / start;
    gain->part = part;
    gain->part_low = fmax(part - part_error, fmin(part, slope_low * span_s / start));
    gain->part_high = part + part_error;
}

/* Where the ends are in a tooth is chance: the slope's interval knows the swings. */
static void gain_put_slope(struct hf_gain *gain, const struct hf_trend *trend, double span_s)
{
    double per_part = gain->start > 0 ? span_s / gain->start : 0;
    gain->rate = trend->slope;
    gain->rate_low = trend->low;
    gain->rate_high = trend->high;
    gain->part = trend->slope * per_part;
    gain->part_low = trend->low * per_part;
    gain->part_high = trend->high * per_part;
}

struct hf_gain hf_gain_of(const struct hf_trend_points *points, const struct hf_trend *trend)
{
    const double *x = points->values;
    size_t n = points->count;
    struct hf_gain gain = {
        .first = x[0], .last = x[n - 1], .start = gain_mean_of(x, 0, n / 4 != 0 ? n / 4 : 1)};
    double span_s = points->times_s[n - 1] - points->times_s[0];
    double error = Z * sqrt(points->noise * (gain.first + gain.last));
    gain.rate = (gain.last - gain.first) / span_s;
    gain.rate_low = gain.rate - error / span_s;
    gain.rate_high = gain.rate + error / span_s;
    if (trend->shape == HF_TREND_SAWTOOTH)
        gain_put_slope(&gain, trend, span_s);
    else
        put_parts(&gain, points->noise, trend->low, span_s);
    return gain;
}
