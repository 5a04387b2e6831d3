/*
 * interval.h: how precise a sampled number is.
 *
 * What is sampled of a stack is a count of rare, independent events, so it has a Poisson
 * distribution. Its exact 95 % interval are the two means between which a count as large, or as
 * small, is not rarer than 2.5 %: F. Garwood, "Fiducial Limits for the Poisson Distribution",
 * Biometrika 28 (1936). A normal approximation would be far off where few samples are, which is
 * where it matters. From HF_INTERVAL_EXACT samples on, the chi-square quantiles are those of E. B.
 * Wilson and M. M. Hilferty (PNAS 17, 1931), within 1/5,000 of them.
 *
 * The estimate is taken as the count times one weight, so for a stack of very different sizes the
 * interval is itself an estimate.
 *
 * Example:
 *
 *     struct hf_interval sure = hf_interval_of(52428800, 100);
 *     hf_out_u64(out, sure.high - sure.low);
 */
#ifndef HF_PROFILE_INTERVAL_H
#define HF_PROFILE_INTERVAL_H

#include <stdint.h>

#define HF_INTERVAL_EXACT 200

/* The value types of a profile that say how many samples its estimates stand on: of what is in use,
 * and of what was at the peak. */
#define HF_INUSE_SAMPLES "inuse_samples"
#define HF_PEAK_SAMPLES "peak_samples"

struct hf_interval {
    uint64_t low, high;
};

/* Of the mean, in counts, 95 %. */
void hf_interval_poisson(uint64_t count, double *out_low, double *out_high);

/* Of an estimate that `samples` samples stand behind. samples 0: nothing is known, [0, 2^64 - 1].
 */
struct hf_interval hf_interval_of(uint64_t estimate, uint64_t samples);

/* The same where `peak` is the estimate of all, and the largest of many is `most`: the lower end is
 * by the former, the upper one by the latter (live/usage.h). most 0: it is `peak`. The halves
 * behind the former have something to do with each other where their moments are near each other,
 * which makes its standard deviation up to 15 % larger (simulated); so for the lower end the
 * samples count as three quarters of them. */
struct hf_interval hf_interval_of_peak(
    uint64_t estimate, uint64_t samples, uint64_t peak, uint64_t most);

#endif
