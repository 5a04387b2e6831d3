#include "answer/fleet/node_growth.h"

#include <stdlib.h>

#define MS_A_SECOND 1000.0

void hf_node_growth_add(
    struct hf_node_growth *growth, const struct hf_rollup_slope *slope, double ran_s)
{
    if (!slope->is_known)
        return;
    growth->is_known = true;
    growth->is_rough |= slope->is_rough;
    growth->bytes += slope->slope * ran_s;
    growth->variance += slope->variance * ran_s * ran_s;
}

struct hf_rollup_slope hf_node_growth_slope(const struct hf_node_growth *growth, double ran_s)
{
    struct hf_rollup_slope slope = {0};
    if (!growth->is_known || ran_s <= 0)
        return slope;
    const struct hf_rollup_slope mean = {.slope = growth->bytes / ran_s,
        .variance = growth->variance / (ran_s * ran_s),
        .is_known = true,
        .is_rough = growth->is_rough};
    hf_rollup_slope_add(&slope, &mean); /* which makes its interval */
    return slope;
}

static int order_runs(const void *left, const void *right)
{
    const struct hf_node_run *a = left, *b = right;
    return (a->first_ms > b->first_ms) - (a->first_ms < b->first_ms);
}

double hf_node_runs_union_s(struct hf_node_run *runs, size_t count)
{
    int64_t all_ms = 0, end_ms = INT64_MIN;
    if (count != 0)
        qsort(runs, count, sizeof *runs, order_runs);
    for (size_t i = 0; i < count; i++) {
        int64_t from_ms = runs[i].first_ms > end_ms ? runs[i].first_ms : end_ms;
        if (runs[i].last_ms > from_ms)
            all_ms += runs[i].last_ms - from_ms;
        end_ms = runs[i].last_ms > end_ms ? runs[i].last_ms : end_ms;
    }
    return (double)all_ms / MS_A_SECOND;
}
