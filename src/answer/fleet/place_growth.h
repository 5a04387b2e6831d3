/*
 * place_growth.h: how fast each place of a fleet grows, on each node, or on each node for each of
 * its services or builds.
 *
 * A *place* is what the store says of a stack in a line: the function that owns it. Its slope in an
 * instance is the sum of those of its stacks, and so exact. Its interval is that of its hours
 * (store/rollup.h), whose sums add up, too. Where there are too few hours, the errors of its stacks
 * are added as if they all strayed together: never too narrow for that.
 *
 * A *unit* is what a slope is said of: a node, or one service or build on it. A place that a unit
 * has no cell of held nothing there: its slope is 0.
 *
 * It reads one instance after the other, and keeps a cell for each place and unit.
 *
 * Example:
 *
 *     const struct hf_fleet_request request = {.store = "fleet.db"};
 *     struct hf_fleet fleet;
 *     struct hf_place_growth growth = {0};
 *     status = hf_fleet_open(&fleet, &request, err);
 *     if (status == HF_OK)
 *         status = hf_place_growth_find(&growth, &fleet, HF_UNIT_NODE, false, err);
 *     hf_out_u64(out, growth.cell_count);
 *     hf_place_growth_done(&growth);
 *     hf_fleet_close(&fleet);
 */
#ifndef HF_ANSWER_PLACE_GROWTH_H
#define HF_ANSWER_PLACE_GROWTH_H

#include "answer/fleet/fleet.h"
#include "answer/fleet/fleet_places.h"

enum hf_unit_kind { HF_UNIT_NODE, HF_UNIT_SERVICE, HF_UNIT_BUILD };

struct hf_place_cell {
    uint32_t unit, place;
    struct hf_rollup_slope slope;
};

struct hf_growth_unit {
    uint32_t node;    /* in hf_fleet.nodes */
    uint32_t key;     /* the service or build, in hf_fleet.texts; 0 of a node */
    int64_t first_ms; /* of its instances */
    uint32_t build;   /* of the one that was started last, in hf_fleet.texts */
    double ran_s;     /* in which one of them ran, and was measured; 0: nothing is known */
};

struct hf_place_growth {
    struct hf_fleet_places places;
    struct hf_growth_unit *units; /* by node, then key */
    size_t unit_count;
    struct hf_place_cell *cells; /* by place, then unit */
    size_t cell_count, cell_capacity;
    size_t *first_cells; /* by place; one more, where they end */
};

/* `skips_rough`: instances of so few hours that their interval is rough are left out. Free in any
 * case. */
HF_MUST_CHECK enum hf_status hf_place_growth_find(struct hf_place_growth *growth,
    const struct hf_fleet *fleet, enum hf_unit_kind kind, bool skips_rough, struct hf_error *err);
void hf_place_growth_done(struct hf_place_growth *growth);

#endif
