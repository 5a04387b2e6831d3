#include "statistics/line_sums.h"

void hf_time_sums_add(struct hf_time_sums *sums, double t_s)
{
    sums->n += 1;
    sums->t += t_s;
    sums->tt += t_s * t_s;
}

void hf_value_sums_add(struct hf_value_sums *sums, double t_s, double value)
{
    sums->y += value;
    sums->ty += t_s * value;
    sums->yy += value * value;
}

void hf_time_sums_merge(struct hf_time_sums *sums, const struct hf_time_sums *part, double later_s)
{
    sums->n += part->n;
    sums->t += part->t + part->n * later_s;
    sums->tt += part->tt + 2 * later_s * part->t + part->n * later_s * later_s;
}

void hf_value_sums_merge(
    struct hf_value_sums *sums, const struct hf_value_sums *part, double later_s)
{
    sums->y += part->y;
    sums->ty += part->ty + later_s * part->y;
    sums->yy += part->yy;
}

/* Of squares of differences from the mean; 0 if rounding says less. */
static double squares_about_mean(double sum, double squares, double n)
{
    double rest = squares - sum * sum / n;
    return rest > 0 ? rest : 0;
}

struct hf_line_slope hf_line_slope_of(
    const struct hf_time_sums *times, const struct hf_value_sums *values)
{
    struct hf_line_slope line = {0};
    if (times->n < 3)
        return line;
    double tt = squares_about_mean(times->t, times->tt, times->n);
    double ty = values->ty - times->t * values->y / times->n;
    double yy = squares_about_mean(values->y, values->yy, times->n);
    if (tt <= times->tt * 1e-14) /* all at one time, as far as rounding tells */
        return line;
    line.is_known = true;
    line.slope = ty / tt;
    double residual = yy - line.slope * ty;
    line.variance = residual > 0 ? residual / (times->n - 2) / tt : 0;
    return line;
}

double hf_line_pull(const struct hf_time_sums *times, const struct hf_value_sums *values,
    const struct hf_time_sums *part_times, const struct hf_value_sums *part_values)
{
    struct hf_line_slope line = hf_line_slope_of(times, values);
    double mean_t = times->t / times->n, mean_y = values->y / times->n;
    double n = part_times->n, t = part_times->t, y = part_values->y;
    double ty = part_values->ty - mean_t * y - mean_y * t + n * mean_t * mean_y;
    double tt = part_times->tt - 2 * mean_t * t + n * mean_t * mean_t;
    double all = squares_about_mean(times->t, times->tt, times->n);
    return (ty - line.slope * tt) / (1 - tt / all - n / times->n);
}
