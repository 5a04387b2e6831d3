/*
 * gain.h: what a number gained from the first point to the last, by value, and how sure that is.
 *
 * A slope (trend.h) says how fast something grows as a rule; a median of slopes says nothing of
 * what came in the last quarter of the time. A gain is what it came to. Exact points have an exact
 * gain. What goes up and down again and again (a sawtooth) is taken for its means of the first and
 * the last quarter, for where its ends are in a tooth is chance.
 *
 * The interval is that of sampling (trend.h, noise), as if no block of the first point were among
 * those of the last: never too narrow. Where the slope's lower end is higher, that counts.
 */
#ifndef HF_STATISTICS_GAIN_H
#define HF_STATISTICS_GAIN_H

#include "statistics/trend.h"

struct hf_gain {
    double first, last;
    double start; /* mean of the first quarter of the points: what `part` is of */
    double rate, rate_low, rate_high; /* a second; 95 % */
    double part, part_low, part_high; /* infinite: it grew from nothing */
};

/* `trend` is that of the points, of which there are HF_TREND_POINTS_MIN or more. */
struct hf_gain hf_gain_of(const struct hf_trend_points *points, const struct hf_trend *trend);

#endif
