/*
 * change_point.h: when a sequence of counts rises from one rate to another (Hinkley 1970).
 *
 * Example:
 *
 *     const double counts[] = {0, 0, 1, 0, 3, 4, 2, 3};
 *     struct hf_change_point change = hf_change_point_of(counts, 8);
 *     if (change.gain >= HF_CHANGE_POINT_GAIN * change.dispersion)
 *         hf_out_u64(out, change.at); // 4
 */
#ifndef HF_STATISTICS_CHANGE_POINT_H
#define HF_STATISTICS_CHANGE_POINT_H

#include <stddef.h>

#define HF_CHANGE_POINT_MAX 64 /* counts */
#define HF_CHANGE_POINT_GAIN 3 /* less is no change */

/* By likelihood: [low, high] are all places whose log-likelihood is less than 2.5 times the
 * dispersion below. 0: from the start on. */
struct hf_change_point {
    size_t at, low, high;
    double gain;       /* of the logarithm of the likelihood, above that of no change */
    double dispersion; /* of what comes after it: 1, or more if it comes in bursts */
};

/* Of at most HF_CHANGE_POINT_MAX counts, none below 0. */
struct hf_change_point hf_change_point_of(const double *counts, size_t count);

#endif
