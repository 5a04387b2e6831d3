#include "statistics/trend.h"

#include <math.h>

#define Z 1.96          /* of 95 % */
#define Z_LONG_RUN 2.72 /* the same where Bartlett's weights reach a quarter of the points */
#define STOP_SIGMAS 3
#define SAMPLES_MIN 25   /* behind what grew */
#define BURST_PARTS 10   /* a burst takes one of so many parts of the time */
#define BURST_SHARE 0.75 /* and has so much of the whole range */
#define BURST_LEVEL 0.3  /* which is at least so much of the peak */
#define NOISE_SIGMAS 2   /* between the extremes of a level: noise, and no part of the range */
#define SWING_SHARE 0.4  /* of the range: a swing of a sawtooth */
#define SIGMAS 5         /* what noise alone does not do in 64 points */
#define RISE_LEVEL 0.1   /* of what it is: less is not worth the name of growth that has ended */
#define BEND_SIGMAS 2.5
#define BEND_MIN 0.05   /* less is taken for straight, whatever its error */
#define LEVEL_PART 0.2  /* of the earlier slope: none, if noise can do it */
#define LEVEL_NONE 0.02 /* none in any case */
#define LEVEL_SIGMAS 2.3

/* The points, and what is used again and again. */
struct fit {
    const double *t, *x;
    size_t n;
    double noise, mean_t, mean_x, span, top, bottom;
    double slope;
    double residual; /* variance of a point beside the line */
    double broken;   /* beside the broken line */
    double long_run; /* the same, with the correlation of neighbours */
};

static double square(double x)
{
    return x * x;
}

static double at_least(double x, double least)
{
    return x > least ? x : least;
}

static double trend_mean_of(const double *x, size_t first, size_t end)
{
    double sum = 0;
    for (size_t i = first; i < end; i++)
        sum += x[i];
    return sum / (double)(end - first);
}

/* Puts the number that would be at `rank`, if all were sorted, there, smaller ones before it, and
 * larger ones behind it (Hoare 1961): the rest of their order is not asked for. */
static double put_rank(double *x, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        double pivot = x[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (x[i] < pivot)
                i++;
            while (x[j] > pivot)
                j--;
            if (i >= j)
                break;
            double moved = x[i];
            x[i++] = x[j];
            x[j--] = moved;
        }
        if (rank <= j)
            high = j;
        else
            low = j + 1;
    }
    return x[rank];
}

/* The median of the slopes of all pairs (Theil 1950, Sen 1968) with time between them. */
static double theil_sen(const struct fit *f)
{
    double slopes[HF_TREND_POINTS_MAX * (HF_TREND_POINTS_MAX - 1) / 2];
    size_t count = 0;
    for (size_t i = 0; i < f->n; i++) {
        for (size_t j = i + 1; j < f->n; j++) {
            if (f->t[j] > f->t[i])
                slopes[count++] = (f->x[j] - f->x[i]) / (f->t[j] - f->t[i]);
        }
    }
    if (count == 0)
        return 0;
    double upper = put_rank(slopes, count, count / 2);
    if (count % 2 != 0)
        return upper;
    double lower = put_rank(slopes, count / 2, count / 2 - 1);
    return (lower + upper) / 2;
}

/* Least squares; for the residuals, whose sum is zero then. */
static double least_squares(const struct fit *f)
{
    double tx = 0, tt = 0;
    for (size_t i = 0; i < f->n; i++) {
        tx += (f->t[i] - f->mean_t) * (f->x[i] - f->mean_x);
        tt += square(f->t[i] - f->mean_t);
    }
    return tx / tt;
}

/*
 * Variance of the residuals, and with Bartlett's weights for lags up to a quarter (Newey and West
 * 1987). So many lags make the estimate itself unsure, and its quantile is Z_LONG_RUN (Kiefer and
 * Vogelsang 2005).
 */
static void measure_residuals(struct fit *f)
{
    double r[HF_TREND_POINTS_MAX], slope = least_squares(f);
    double n = (double)f->n, freedom = n > 2 ? n - 2 : 1;
    for (size_t i = 0; i < f->n; i++)
        r[i] = f->x[i] - f->mean_x - slope * (f->t[i] - f->mean_t);
    size_t lags = f->n / 4;
    for (size_t lag = 0; lag <= lags; lag++) {
        double sum = 0;
        for (size_t i = lag; i < f->n; i++)
            sum += r[i] * r[i - lag];
        sum /= freedom;
        if (lag == 0)
            f->residual = f->long_run = sum;
        else
            f->long_run += 2 * sum * (1 - (double)lag / (double)(lags + 1));
    }
    f->long_run = at_least(f->long_run, f->residual);
}

static struct fit fit_line(const struct hf_trend_points *points)
{
    struct fit f = {.t = points->times_s,
        .x = points->values,
        .n = points->count,
        .noise = points->noise,
        .mean_t = trend_mean_of(points->times_s, 0, points->count),
        .mean_x = trend_mean_of(points->values, 0, points->count),
        .span = points->times_s[points->count - 1] - points->times_s[0]};
    f.top = f.bottom = f.x[0];
    for (size_t i = 1; i < f.n; i++) {
        f.top = f.x[i] > f.top ? f.x[i] : f.top;
        f.bottom = f.x[i] < f.bottom ? f.x[i] : f.bottom;
    }
    f.slope = theil_sen(&f);
    measure_residuals(&f);
    return f;
}

/* Standard error of the slope: 6/5 of the walk's variance, as of least squares, and 12/n of the
 * rest. */
static double slope_error(const struct fit *f)
{
    double growth = at_least(fabs(f->slope) * f->span, f->noise);
    double walk = 1.2 * f->noise * (growth + f->noise);
    double rest = 12 * f->long_run / (double)f->n * square(Z_LONG_RUN / Z);
    return sqrt(walk + rest) / f->span;
}

/* Straight lines that meet at t[at]: least squares for the two slopes; returns the sum of squares.
 */
static double broken_line(const struct fit *f, size_t at, double *out_early, double *out_late)
{
    double aa = 0, ab = 0, bb = 0, ax = 0, bx = 0, xx = 0, mean_a = 0, mean_b = 0;
    for (size_t i = 0; i < f->n; i++) {
        mean_a += fmin(f->t[i], f->t[at]) / (double)f->n;
        mean_b += fmax(f->t[i] - f->t[at], 0) / (double)f->n;
    }
    for (size_t i = 0; i < f->n; i++) {
        double a = fmin(f->t[i], f->t[at]) - mean_a, b = fmax(f->t[i] - f->t[at], 0) - mean_b;
        double x = f->x[i] - f->mean_x;
        aa += a * a;
        ab += a * b;
        bb += b * b;
        ax += a * x;
        bx += b * x;
        xx += x * x;
    }
    double determinant = aa * bb - ab * ab;
    *out_early = (ax * bb - bx * ab) / determinant;
    *out_late = (bx * aa - ax * ab) / determinant;
    return xx - *out_early * ax - *out_late * bx;
}

static void find_break(struct fit *f, struct hf_trend *trend)
{
    double best = INFINITY;
    for (size_t at = 2; at + 2 < f->n; at++) {
        if (f->t[at] <= f->t[0] || f->t[at] >= f->t[f->n - 1]) /* no time for one of the lines */
            continue;
        double early, late, rest = broken_line(f, at, &early, &late);
        if (rest < best) {
            best = rest;
            trend->early = early;
            trend->late = late;
            trend->break_s = f->t[at];
        }
    }
    f->broken = at_least(best, 0) / at_least((double)f->n - 4, 1);
}

/* The bend, between the means of the first and of the last three points. */
static void measure_bend(const struct fit *f, struct hf_trend *trend)
{
    size_t edge = f->n >= 12 ? 3 : 1;
    double t0 = trend_mean_of(f->t, 0, edge), t1 = trend_mean_of(f->t, f->n - edge, f->n);
    double x0 = trend_mean_of(f->x, 0, edge), x1 = trend_mean_of(f->x, f->n - edge, f->n);
    double on_chord = x0 + (x1 - x0) * (f->mean_t - t0) / (t1 - t0);
    double growth = x1 - x0;
    double walk = f->noise * fabs(growth) / 12, edges = f->broken / 4;
    trend->bend = (f->mean_x - on_chord) / growth;
    trend->bend_error = sqrt(walk + edges) / fabs(growth);
}

/* Growth that shrinks by the same part in equal times ends at a level (Aitken 1926). */
static void compare_halves(const struct fit *f, struct hf_trend *trend)
{
    size_t edge = f->n >= 12 ? 3 : 1, middle = f->n / 2;
    double x0 = trend_mean_of(f->x, 0, edge), x2 = trend_mean_of(f->x, f->n - edge, f->n);
    double x1 = trend_mean_of(f->x, middle - edge / 2, middle + (edge + 1) / 2);
    double first = x1 - x0, second = x2 - x1, rest = f->residual / 4;
    trend->halves = second / first;
    trend->halves_error = sqrt(f->noise * fabs(second) + rest +
                               square(trend->halves) * (f->noise * fabs(first) + rest)) /
                          fabs(first);
    trend->level = trend->halves < 1 ? x2 + second * trend->halves / (1 - trend->halves) : INFINITY;
}

/* How often it falls by `swing` after it rose by that. */
static size_t count_falls(const struct fit *f, double swing)
{
    size_t falls = 0;
    double top = f->x[0], bottom = f->x[0];
    bool is_up = true;
    for (size_t i = 1; i < f->n; i++) {
        top = is_up ? fmax(top, f->x[i]) : top;
        bottom = is_up ? bottom : fmin(bottom, f->x[i]);
        if (is_up && top - f->x[i] >= swing) {
            falls++;
            is_up = false;
            bottom = f->x[i];
        } else if (!is_up && f->x[i] - bottom >= swing) {
            is_up = true;
            top = f->x[i];
        }
    }
    return falls;
}

/* The most that it grew by within one of BURST_PARTS of the time. */
static double steepest_rise(const struct fit *f)
{
    double most = 0;
    for (size_t i = 0, j = 0; j < f->n; j++) {
        while (f->t[j] - f->t[i] > f->span / BURST_PARTS * 1.01)
            i++;
        for (size_t k = i; k < j; k++)
            most = fmax(most, f->x[j] - f->x[k]);
    }
    return most;
}

/* Whether the end lacks what the whole would have grown by then. */
static bool has_stopped(const struct fit *f)
{
    for (size_t part = 2; part <= 8; part *= 2) {
        size_t first = f->n - 1 - (f->n - 1) / part;
        double expected = f->slope * (f->t[f->n - 1] - f->t[first]);
        double lacks = expected - (f->x[f->n - 1] - f->x[first]);
        double error = sqrt(f->noise * expected + f->residual);
        if (first + 2 < f->n && lacks > expected / 2 && lacks > STOP_SIGMAS * error)
            return true;
    }
    return false;
}

/* Whether the broken line of the trend is level behind its break. */
static bool is_level_behind(const struct fit *f, const struct hf_trend *trend)
{
    double late_s = f->t[f->n - 1] - trend->break_s;
    double would = trend->early * late_s; /* have grown after the break */
    double error =
        sqrt(f->noise * 2 * f->top + 4 * f->broken); /* of a level whose blocks are replaced */
    bool is_none =
        trend->late < LEVEL_NONE * trend->early ||
        (trend->late < LEVEL_PART * trend->early && trend->late * late_s < LEVEL_SIGMAS * error);
    bool is_level = is_none && late_s > f->span / 10 && would > 3 * sqrt(f->noise * would);
    return is_level && trend->early * trend->break_s > trend->growth / 3;
}

static enum hf_trend_shape shape_of_growth(const struct fit *f, const struct hf_trend *trend)
{
    bool is_bent = trend->bend > BEND_SIGMAS * trend->bend_error && trend->bend > BEND_MIN;
    if (is_bent && is_level_behind(f, trend))
        return HF_TREND_LEVELLED;
    return is_bent ? HF_TREND_SATURATING : HF_TREND_GROWING;
}

/* More from the first quarter to the last than noise can do: also of what is long level. */
static bool has_risen(const struct fit *f, const struct hf_trend *trend)
{
    size_t part = f->n / 4 != 0 ? f->n / 4 : 1;
    double last = trend_mean_of(f->x, f->n - part, f->n),
           levels = trend_mean_of(f->x, 0, part) + last;
    return trend->rise > RISE_LEVEL * last &&
           trend->rise > 3 * sqrt(f->noise * levels / 2 + 2 * f->broken / (double)part);
}

static enum hf_trend_shape trend_shape_of(const struct fit *f, const struct hf_trend *trend)
{
    double range = f->top - f->bottom;
    double sigma = sqrt(f->noise * at_least(f->top, 0)); /* of one point */
    if (range <= 0)
        return HF_TREND_STEADY;
    if (count_falls(f, fmax(SWING_SHARE * range, SIGMAS * sigma)) >= 2)
        return HF_TREND_SAWTOOTH;
    if (f->n >= 2 * HF_TREND_POINTS_MIN && range > SIGMAS * sigma * M_SQRT2 &&
        range > BURST_LEVEL * f->top &&
        steepest_rise(f) > BURST_SHARE * (range - NOISE_SIGMAS * sigma))
        return HF_TREND_BURST;
    if (trend->high < 0)
        return HF_TREND_FALLING;
    if (trend->low <= 0 && !has_risen(f, trend))
        return HF_TREND_STEADY;
    if (trend->samples < SAMPLES_MIN)
        return HF_TREND_TOO_LITTLE;
    enum hf_trend_shape shape = shape_of_growth(f, trend);
    return shape == HF_TREND_GROWING && trend->low <= 0 ? HF_TREND_STEADY : shape;
}

struct hf_trend hf_trend_of(const struct hf_trend_points *points)
{
    struct hf_trend trend = {.shape = HF_TREND_TOO_LITTLE, .low = -INFINITY, .high = INFINITY};
    if (points->count < 2 || !(points->times_s[points->count - 1] > points->times_s[0]))
        return trend;
    struct fit f = fit_line(points);
    size_t part = f.n / 4 != 0 ? f.n / 4 : 1;
    double between_s = trend_mean_of(f.t, f.n - part, f.n) - trend_mean_of(f.t, 0, part);
    trend.slope = f.slope;
    trend.rise = trend_mean_of(f.x, f.n - part, f.n) - trend_mean_of(f.x, 0, part);
    trend.growth = trend.rise / between_s * f.span;
    trend.samples = f.noise > 0 ? fabs(trend.growth) / f.noise : INFINITY;
    if (f.n < HF_TREND_POINTS_MIN)
        return trend;
    double error = slope_error(&f);
    trend.low = f.slope - Z * error;
    trend.high = f.slope + Z * error;
    find_break(&f, &trend);
    measure_bend(&f, &trend);
    compare_halves(&f, &trend);
    trend.has_stopped = has_stopped(&f);
    trend.shape = trend_shape_of(&f, &trend);
    return trend;
}

/* The break is known, so each part is judged by itself: the growth until then, and a line behind.
 */
bool hf_trend_levels_since(const struct hf_trend_points *points, double since_s)
{
    size_t at = 0, n = points->count;
    while (at < n && points->times_s[at] < since_s)
        at++;
    if (at < 2 || at + HF_TREND_POINTS_MIN > n || points->times_s[n - 1] <= points->times_s[at])
        return false;
    const struct hf_trend_points behind = {
        points->times_s + at, points->values + at, n - at, points->noise};
    struct hf_trend trend = hf_trend_of(points);
    struct fit f = fit_line(points), late = fit_line(&behind);
    trend.break_s = f.t[at];
    trend.early = (f.x[at] - f.x[0]) / (f.t[at] - f.t[0]);
    trend.late = least_squares(&late);
    f.broken = late.residual;
    return is_level_behind(&f, &trend);
}

const char *hf_trend_shape_name(enum hf_trend_shape shape)
{
    static const char *const names[] = {
        [HF_TREND_TOO_LITTLE] = "too little data",
        [HF_TREND_STEADY] = "steady",
        [HF_TREND_GROWING] = "growing",
        [HF_TREND_SATURATING] = "saturating",
        [HF_TREND_LEVELLED] = "levelled off",
        [HF_TREND_SAWTOOTH] = "sawtooth",
        [HF_TREND_BURST] = "burst",
        [HF_TREND_FALLING] = "falling",
    };
    return names[shape];
}

double hf_trend_noise(uint64_t period_bytes, double size_bytes)
{
    if (period_bytes <= 1)
        return 0;
    double period = (double)period_bytes, missed = exp(-size_bytes / period);
    return size_bytes > period / 1e6 ? size_bytes * missed / (1 - missed) : period;
}
