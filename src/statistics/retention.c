#include "statistics/retention.h"

#include <math.h>

#define Z 1.96

/* Poisson's, of a count (Wilson and Hilferty 1931). */
static struct hf_retained count_between(double count, bool is_exact)
{
    double above = count + 1;
    if (is_exact)
        return (struct hf_retained){count, count, count};
    double low = count > 0 ? 1 - 1 / (9 * count) - Z / (3 * sqrt(count)) : 0;
    double high = 1 - 1 / (9 * above) + Z / (3 * sqrt(above));
    return (struct hf_retained){
        count, low > 0 ? count * low * low * low : 0, above * high * high * high};
}

/* Wilson's, of `count` of `all`. */
static struct hf_retained share_between(double count, double all, bool is_exact)
{
    double share = fmin(count / all, 1);
    double part = Z * Z / all, middle = (share + part / 2) / (1 + part);
    double half = sqrt(share * (1 - share) * part + part * part / 4) / (1 + part);
    if (is_exact)
        return (struct hf_retained){share, share, share};
    return (struct hf_retained){share, fmax(middle - half, 0), fmin(middle + half, 1)};
}

/* The least of both: each of its members. */
static void retention_lower(struct hf_retained *least, struct hf_retained other)
{
    least->value = fmin(least->value, other.value);
    least->low = fmin(least->low, other.low);
    least->high = fmin(least->high, other.high);
}

static void add_cohort(struct hf_retention *retention, const struct hf_survival_table *table,
    size_t from, size_t to, bool is_exact)
{
    double kept = 0, born = 0, over_s = (double)(to - from) * table->epoch_s;
    for (size_t i = from; i < to; i++) {
        kept += table->in_use[table->look_count - 1][i];
        born += table->born[i];
    }
    struct hf_retained rate = count_between(kept, is_exact);
    double by = table->sample / over_s;
    retention_lower(
        &retention->rate, (struct hf_retained){rate.value * by, rate.low * by, rate.high * by});
    /* Of nothing, nothing is kept: what is allocated once is no habit. */
    retention_lower(&retention->share,
        born > 0 ? share_between(kept, born, is_exact) : (struct hf_retained){0, 0, 0});
    retention->has_shares |= born > 0;
}

struct hf_retention hf_retention_of(
    const struct hf_survival_table *table, double since_s, bool is_exact)
{
    struct hf_retention retention = {.is_known = false};
    if (table->look_count < HF_SURVIVAL_LOOKS_MIN || table->epoch_s <= 0)
        return retention;
    double from_s = fmax(since_s, table->looks_s[0]);
    double middle_s = (from_s + table->looks_s[table->look_count - 1]) / 2;
    double first = ceil(from_s / table->epoch_s), end = floor(middle_s / table->epoch_s);
    if (first + HF_RETENTION_COHORTS > end || end > HF_SURVIVAL_EPOCHS)
        return retention;
    const struct hf_retained most = {INFINITY, INFINITY, INFINITY};
    retention = (struct hf_retention){.is_known = true, .rate = most, .share = most};
    size_t epochs = (size_t)(end - first);
    for (size_t k = 0; k < HF_RETENTION_COHORTS; k++)
        add_cohort(&retention, table, (size_t)first + epochs * k / HF_RETENTION_COHORTS,
            (size_t)first + epochs * (k + 1) / HF_RETENTION_COHORTS, is_exact);
    retention.from_s = first * table->epoch_s;
    retention.to_s = end * table->epoch_s;
    return retention;
}
