#include "statistics/student.h"

#include <math.h>

#define STEPS 500
#define ENOUGH 1e-15
#define TINY 1e-300

static double kept_from_zero(double value)
{
    return fabs(value) < TINY ? TINY : value;
}

/* The continued fraction of I_x(a, b), which converges fast for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    double c = 1, d = 1 / kept_from_zero(1 - (a + b) * x / (a + 1)), all = d;
    for (int m = 1; m < STEPS; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / kept_from_zero(1 + even * d);
        c = kept_from_zero(1 + even / c);
        all *= d * c;
        d = 1 / kept_from_zero(1 + odd * d);
        c = kept_from_zero(1 + odd / c);
        all *= d * c;
        if (fabs(d * c - 1) < ENOUGH)
            break;
    }
    return all;
}

static double beta_part(double x, double rest, double a, double b)
{
    double log_front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest);
    return exp(log_front) * beta_fraction(x, a, b) / a;
}

double hf_student_beyond(double t, double freedom)
{
    double square = t * t, a = freedom / 2, b = 0.5;
    double x = freedom / (freedom + square), rest = square / (freedom + square);
    if (!(square > 0))
        return 1;
    if (isinf(square) || x <= 0)
        return 0;
    return x < (a + 1) / (a + b + 2) ? beta_part(x, rest, a, b) : 1 - beta_part(rest, x, b, a);
}
