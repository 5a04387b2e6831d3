/*
 * trend.h: how a number changed over time: its slope, how sure that is, and its shape.
 *
 * Pure functions of some points (time, value), at least of HF_TREND_POINTS_MIN for any shape but
 * "too little". docs/verdict.md has the mathematics, with a worked example.
 *
 * *Noise* is what sampling adds: the variance of an estimate of 1. A block of S bytes that is
 * recorded with probability p stands for S / p, so the variance of all of one size together is
 * their sum times S (1 - p) / p (unbias.h). A block is recorded or not for as long as it lives:
 * errors of neighbouring points are alike, and what grows at a constant rate strays from its line
 * like a random walk. The interval of the slope has both parts: that walk, and what remains of the
 * points beside their line, itself correlated.
 *
 * `double` throughout: nothing here is added up afterwards.
 */
#ifndef HF_STATISTICS_TREND_H
#define HF_STATISTICS_TREND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_TREND_POINTS_MIN 6
#define HF_TREND_POINTS_MAX 64

struct hf_trend_points {
    const double *times_s; /* never falling: a clock that runs by the load may stand still */
    const double *values;
    size_t count; /* up to HF_TREND_POINTS_MAX */
    double noise; /* 0: exact */
};

enum hf_trend_shape {
    HF_TREND_TOO_LITTLE, /* too few points, or too few samples behind what grew */
    HF_TREND_STEADY,     /* no slope that can be told from none */
    HF_TREND_GROWING,    /* with no sign of an end */
    HF_TREND_SATURATING, /* ever more slowly */
    HF_TREND_LEVELLED,   /* grew and then did not */
    HF_TREND_SAWTOOTH,   /* up and down, several times */
    HF_TREND_BURST,      /* within a tenth of the time */
    HF_TREND_FALLING,
};

struct hf_trend {
    enum hf_trend_shape shape;
    double slope, low, high; /* a second; 95 % */
    double rise;             /* from the mean of the first quarter of the points to the last's */
    double growth;           /* at that rate over the whole time */
    double samples;          /* that stand behind the growth; infinite if exact */
    /*
     * The mean's distance above the middle of first and last, as a part of the growth: 0 for a
     * straight line, 1/6 for what grows as the square root of time, 1/2 for a step at the start.
     */
    double bend, bend_error; /* its standard error */
    double early, late;      /* slopes before and after the point where a broken line breaks */
    double break_s;          /* when that is */
    double halves;           /* growth of the second half, as a part of that of the first */
    double halves_error;     /* its standard error */
    double level;     /* which it approaches if each half grows as `halves` says; or infinite */
    bool has_stopped; /* the last eighth, quarter or half lacks half of its growth */
};

struct hf_trend hf_trend_of(const struct hf_trend_points *points);

/* Whether a line that breaks at `since_s`, which is known from elsewhere, is level from there on.
 */
bool hf_trend_levels_since(const struct hf_trend_points *points, double since_s);

/* "growing", "too little data" ... */
const char *hf_trend_shape_name(enum hf_trend_shape shape);

/* The variance that sampling gives a sum of blocks of `size_bytes`, for each byte of it. */
double hf_trend_noise(uint64_t period_bytes, double size_bytes);

#endif
