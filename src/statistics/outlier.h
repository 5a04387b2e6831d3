/*
 * outlier.h: which of several values, each with its own error, differs from most of the others.
 *
 * The *core* are the five eighths of the values that lie closest to the median. A value in it is no
 * outlier; one outside is held against its mean by its distance over
 *
 *     sqrt(spread^2 (1 + 1 / h) + its own variance)
 *
 * where h values are in the core, and the spread is HF_OUTLIER_WIDER times their standard
 * deviation, or the mean error of their own, if that is larger. Distances are looked up in
 * Student's distribution with h - 1 degrees of freedom. So up to three of eight values may lie
 * anywhere, on one side or on both, and neither hide each other nor make the rest look wrong.
 *
 * A core has less spread than its values, because it was chosen for lying close together: five
 * eighths of a normal distribution have 0.486 of its standard deviation, the 2.06th part. With few
 * values the tails of the ratio need more: up to 2.3 for 5 to 24 values and probabilities down to
 * 1e-6, by simulation of 60 million values each. 2.5 is on the safe side. Values that are not
 * normal, but have longer tails, are reported more often.
 *
 * Example:
 *
 *     struct hf_outlier_value values[] = {{1, 0}, {2, 0}, {3, 0}, {2, 0}, {900, 0}};
 *     struct hf_outlier_core core;
 *     if (hf_outlier_core_of(values, 5, &core))
 *         hf_out_printf(out, "%g", hf_outlier_probability(&core, &values[4])); // it is sorted now
 */
#ifndef HF_STATISTICS_OUTLIER_H
#define HF_STATISTICS_OUTLIER_H

#include <stdbool.h>
#include <stddef.h>

#define HF_OUTLIER_VALUES_MIN 5
#define HF_OUTLIER_WIDER 2.5

struct hf_outlier_value {
    double value;
    double variance; /* of its own error */
};

struct hf_outlier_core {
    double mean, spread;
    double low, high; /* the least and the largest value in it */
    size_t count;
};

/* Sorts the values. False: there are fewer than HF_OUTLIER_VALUES_MIN. */
bool hf_outlier_core_of(
    struct hf_outlier_value *values, size_t count, struct hf_outlier_core *out_core);

/* How likely a value of the same kind is as far away by chance; 1 of one in the core. */
double hf_outlier_probability(
    const struct hf_outlier_core *core, const struct hf_outlier_value *value);

#endif
