/*
 * fleet_outliers.h: on which nodes a place grows otherwise than on the other nodes of the same
 * service (statistics/outlier.h has the test).
 *
 * Each node of a service with a place is one *comparison*. An answer reports what is less likely
 * than its rate divided by the number of all comparisons in it (Bonferroni; Dunn 1961), so at most
 * that share of the answers about fleets without outliers reports one, however many places and
 * nodes there are and however they depend on each other.
 *
 * Compared are services with HF_OUTLIER_VALUES_MIN nodes or more, by instances with profiles of
 * HF_ROLLUP_HOURS_MIN hours or more: of fewer the error is not known well enough. What grows on
 * most nodes of a service is no outlier; hf_fleet_trend_find shows it.
 *
 * Example:
 *
 *     const struct hf_fleet_request request = {.store = "fleet.db"};
 *     struct hf_fleet fleet;
 *     struct hf_fleet_outliers outliers = {.rate = 0.01, .least_bytes = 1 << 20};
 *     status = hf_fleet_open(&fleet, &request, err);
 *     if (status == HF_OK)
 *         status = hf_fleet_outliers_find(&outliers, &fleet, err);
 *     hf_out_u64(out, outliers.row_count);
 *     hf_fleet_outliers_done(&outliers);
 *     hf_fleet_close(&fleet);
 */
#ifndef HF_ANSWER_FLEET_OUTLIERS_H
#define HF_ANSWER_FLEET_OUTLIERS_H

#include "answer/fleet/place_growth.h"
#include "statistics/outlier.h"

struct hf_fleet_outlier {
    uint32_t unit, place;
    struct hf_rollup_slope slope;
    size_t node_count; /* of the service, that are compared */
    struct hf_outlier_core core;
    double probability;
};

/* The caller sets the first two. */
struct hf_fleet_outliers {
    double rate;          /* of answers with a false alarm */
    uint64_t least_bytes; /* a difference of less, over the time that the node ran, is not told */
    struct hf_place_growth growth;
    struct hf_fleet_outlier *rows; /* the largest difference first */
    size_t row_count, row_capacity;
    uint64_t comparison_count;
    size_t service_count, compared_count; /* services; those with nodes enough */
};

HF_MUST_CHECK enum hf_status hf_fleet_outliers_find(
    struct hf_fleet_outliers *outliers, const struct hf_fleet *fleet, struct hf_error *err);
void hf_fleet_outliers_done(struct hf_fleet_outliers *outliers);

#endif
