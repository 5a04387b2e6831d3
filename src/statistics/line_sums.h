/*
 * line_sums.h: least squares from six sums, so that a line through points can be had without them:
 * of a span made of several parts, of which each kept its sums.
 *
 * The sums of the parts are added up, once all count time from the same origin:
 *
 *     sum (t + d)   = sum t + n d             sum (t + d) y = sum t y + d sum y
 *     sum (t + d)^2 = sum t^2 + 2 d sum t + n d^2
 *
 * Where a value was 0 a point adds to n, sum t and sum t^2 only, which are therefore kept apart: in
 * `times` for all values that were looked at together, in `values` for one of them.
 *
 * An origin far from the points costs digits: what is subtracted is nearly equal then. Times within
 * a few spans of it are as good as the points themselves (1e-9, tests/unit/test_rollup.c).
 *
 * Example:
 *
 *     struct hf_time_sums times = {0};
 *     struct hf_value_sums values = {0};
 *     for (double t_s = 0; t_s < 600; t_s += 60) {
 *         hf_time_sums_add(&times, t_s);
 *         hf_value_sums_add(&values, t_s, 4096 + 8 * t_s);
 *     }
 *     struct hf_line_slope slope = hf_line_slope_of(&times, &values);
 *     hf_out_printf(out, "%g bytes a second", slope.slope); // 8
 */
#ifndef HF_STATISTICS_LINE_SUMS_H
#define HF_STATISTICS_LINE_SUMS_H

#include <stdbool.h>

/* All-zero: no points. Times are in seconds from an origin, which is the caller's. */
struct hf_time_sums {
    double n, t, tt;
};

struct hf_value_sums {
    double y, ty, yy;
};

void hf_time_sums_add(struct hf_time_sums *sums, double t_s);
void hf_value_sums_add(struct hf_value_sums *sums, double t_s, double value);

/* Adds those of another part, whose origin is `later_s` after the one of `sums`. */
void hf_time_sums_merge(struct hf_time_sums *sums, const struct hf_time_sums *part, double later_s);
void hf_value_sums_merge(
    struct hf_value_sums *sums, const struct hf_value_sums *part, double later_s);

struct hf_line_slope {
    double slope;    /* of the value, a second */
    double variance; /* of the slope, as if the points strayed from the line independently */
    bool is_known;   /* there are three points or more, at two times or more */
};

struct hf_line_slope hf_line_slope_of(
    const struct hf_time_sums *times, const struct hf_value_sums *values);

/*
 * By how much the slope times sum (t - mean)^2 would change, nearly, if some of its points were not
 * there: the sum of (t - mean) (y - line) over them, over what of the line's shape is not theirs.
 * All sums have the same origin, and not all points are among `part_times`.
 */
double hf_line_pull(const struct hf_time_sums *times, const struct hf_value_sums *values,
    const struct hf_time_sums *part_times, const struct hf_value_sums *part_values);

#endif
