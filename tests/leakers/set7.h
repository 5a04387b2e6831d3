/*
 * set7.h: what the programs of LABELS-7.md have in common, beside script.h.
 */
#ifndef SET7_H
#define SET7_H

#include "script.h"

#include <math.h>

#define MINUTE 60u

/* True when it is time; then the next time is so much later, and as much again by chance. */
static inline bool is_time(unsigned *next, unsigned second, unsigned least_s, double mean_s)
{
    if (second < *next)
        return false;
    *next = second + least_s + (unsigned)chance_exponential(mean_s);
    return true;
}

static inline bool is_within(unsigned second, unsigned from_min, unsigned minutes)
{
    return second >= from_min * MINUTE && second < (from_min + minutes) * MINUTE;
}

/* One of `count`: the first ones most often, the more so the larger `skew` is; 1: all as often. */
static inline size_t popular(size_t count, double skew)
{
    return (size_t)((double)count * pow(chance_between(0, 1), skew));
}

/* `count` blocks, each of which lives so long, or for ever. */
static inline void keep_many(unsigned second, const struct step *path, unsigned count, size_t low,
    size_t high, double life_s)
{
    for (; count != 0; count--)
        keep_or_not(second, path, size_between(low, high), life_s);
}

#endif
