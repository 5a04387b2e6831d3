/*
 * fleet_trend.h: which places of a fleet grow, and on which nodes: the slope of each over the
 * fleet, which is the sum over its nodes, the fastest first.
 *
 * Example:
 *
 *     const struct hf_fleet_request request = {.store = "fleet.db"};
 *     struct hf_fleet fleet;
 *     struct hf_fleet_trend trend = {0};
 *     status = hf_fleet_open(&fleet, &request, err);
 *     if (status == HF_OK)
 *         status = hf_fleet_trend_find(&trend, &fleet, false, err);
 *     if (status == HF_OK && trend.row_count != 0)
 *         hf_out_printf(out, "%g", trend.rows[0].slope.slope);
 *     hf_fleet_trend_done(&trend);
 *     hf_fleet_close(&fleet);
 */
#ifndef HF_ANSWER_FLEET_TREND_H
#define HF_ANSWER_FLEET_TREND_H

#include "answer/fleet/place_growth.h"

struct hf_fleet_trend_row {
    uint32_t place;
    struct hf_rollup_slope slope; /* of the fleet */
    size_t first, count;          /* its cells in hf_place_growth.cells */
    size_t growing;               /* of them grow: their interval is above 0 */
    size_t worst;                 /* the cell with the largest slope */
};

/* A build, on all nodes that it ran on and was measured. */
struct hf_fleet_build {
    uint32_t text;    /* in hf_fleet.texts */
    int64_t first_ms; /* of its first instance */
    size_t node_count;
};

struct hf_fleet_trend {
    struct hf_place_growth growth;
    struct hf_fleet_trend_row *rows; /* the largest slope first */
    size_t row_count;
    bool is_rough;                 /* one of them is */
    struct hf_fleet_build *builds; /* by build: the oldest first */
    size_t build_count;
};

/* `by_build`: the units are the builds on each node. */
HF_MUST_CHECK enum hf_status hf_fleet_trend_find(struct hf_fleet_trend *trend,
    const struct hf_fleet *fleet, bool by_build, struct hf_error *err);

/* The mean over the nodes of a build: how fast a place grows on each node that runs it. */
struct hf_rollup_slope hf_fleet_trend_of_build(const struct hf_fleet_trend *trend,
    const struct hf_fleet_trend_row *row, const struct hf_fleet_build *build);

void hf_fleet_trend_done(struct hf_fleet_trend *trend);

#endif
