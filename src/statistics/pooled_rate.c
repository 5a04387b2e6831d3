#include "statistics/pooled_rate.h"

#include <math.h>

#define Z_95 1.96
#define Z_ONE_SIDED 1.645
#define ALIKE 0.05 /* of the rate: what people call the same */
#define APART 0.2  /* of the larger: less is not worth a word */

void hf_pooled_rate_add(struct hf_pooled_rate *pooled, double rate, double low, double high)
{
    double error = fmax((high - low) / 2, fabs(rate) * ALIKE) / Z_95;
    double weight = error > 0 ? 1 / (error * error) : 1;
    pooled->least = pooled->count == 0 ? rate : fmin(pooled->least, rate);
    pooled->most = pooled->count == 0 ? rate : fmax(pooled->most, rate);
    pooled->count++;
    pooled->weight += weight;
    pooled->weighted += weight * rate;
    pooled->squares += weight * rate * rate;
    pooled->square_weights += weight * weight;
}

/* Below which a sum of squares with so many degrees of freedom is in 95 %: Wilson, Hilferty 1931.
 */
static double chi_square_95(double degrees)
{
    double part = 2 / (9 * degrees);
    double root = 1 - part + Z_ONE_SIDED * sqrt(part);
    return degrees * root * root * root;
}

void hf_pooled_rate_find(struct hf_pooled_rate *pooled)
{
    if (pooled->count == 0)
        return;
    double degrees = (double)(pooled->count - 1);
    double mean = pooled->weighted / pooled->weight;
    double spread = fmax(0, pooled->squares - pooled->weighted * mean);
    double room = pooled->weight - pooled->square_weights / pooled->weight;
    double between = room > 0 ? fmax(0, (spread - degrees) / room) : 0;
    pooled->is_same = pooled->count == 1 || spread <= chi_square_95(degrees);
    double error =
        sqrt(1 / pooled->weight + (pooled->is_same ? 0 : between / (double)pooled->count));
    pooled->rate = mean;
    pooled->low = mean - Z_95 * error;
    pooled->high = mean + Z_95 * error;
}

bool hf_pooled_rates_differ(const struct hf_pooled_rate *a, const struct hf_pooled_rate *b)
{
    double error = hypot(a->high - a->low, b->high - b->low) / 2;
    double apart = fabs(a->rate - b->rate);
    return apart > error && apart > APART * fmax(fabs(a->rate), fabs(b->rate));
}
