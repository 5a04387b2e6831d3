/*
 * node_growth.h: the slope of a node out of those of its instances: what they gained while they
 * ran, over the time in which at least one of them did. Of two that ran side by side it is the sum
 * of their slopes, of two that followed each other the mean: a process that was started again does
 * not count twice.
 *
 * Instances whose slope is not known, with fewer than three profiles, add neither bytes nor time.
 *
 * Example:
 *
 *     struct hf_node_growth growth = {0};
 *     const struct hf_rollup_slope slope = {.slope = 10, .variance = 1, .is_known = true};
 *     hf_node_growth_add(&growth, &slope, 3600);
 *     hf_out_printf(out, "%g", hf_node_growth_slope(&growth, 3600).slope); // 10
 */
#ifndef HF_ANSWER_NODE_GROWTH_H
#define HF_ANSWER_NODE_GROWTH_H

#include "store/rollup.h"

/* All-zero: of no instance. */
struct hf_node_growth {
    double bytes, variance; /* gained */
    bool is_known, is_rough;
};

/* Adds that of an instance, or of one stack of it, which ran for so long within the span. */
void hf_node_growth_add(
    struct hf_node_growth *growth, const struct hf_rollup_slope *slope, double ran_s);

/* `ran_s`: in which at least one of the instances ran. */
struct hf_rollup_slope hf_node_growth_slope(const struct hf_node_growth *growth, double ran_s);

/* A piece of time; several may overlap. */
struct hf_node_run {
    int64_t first_ms, last_ms;
};

/* How long at least one of them lasted. Sorts them. */
double hf_node_runs_union_s(struct hf_node_run *runs, size_t count);

#endif
