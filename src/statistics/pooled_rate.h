/*
 * pooled_rate.h: rates that were measured apart, as one: of processes of one program, each with its
 * own interval.
 *
 * The mean is weighted by the inverse of the variances (Cochran 1954). If the rates differ by more
 * than their intervals explain (Cochran's Q at 5 %), they are not the same, and the variance
 * between them counts, too (DerSimonian and Laird 1986). Rates within a twentieth of each other are
 * always the same, for exact ones have no interval.
 */
#ifndef HF_STATISTICS_POOLED_RATE_H
#define HF_STATISTICS_POOLED_RATE_H

#include <stdbool.h>
#include <stddef.h>

struct hf_pooled_rate {
    double rate, low, high; /* a second; 95 % */
    double least, most;     /* of the rates */
    bool is_same;           /* chance explains how far they are apart */
    size_t count;
    /* Its own. */
    double weight, weighted, squares, square_weights; /* sums of w, w x, w x^2, w^2 */
};

/* All zero has no rates. Its interval is that of 95 %. */
void hf_pooled_rate_add(struct hf_pooled_rate *pooled, double rate, double low, double high);

/* Puts the mean and its interval, when the last rate was added; of none, all is 0. */
void hf_pooled_rate_find(struct hf_pooled_rate *pooled);

/* The two differ: by more than their intervals explain, and by a fifth of the larger. */
bool hf_pooled_rates_differ(const struct hf_pooled_rate *a, const struct hf_pooled_rate *b);

#endif
