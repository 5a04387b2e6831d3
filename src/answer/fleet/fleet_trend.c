#include "answer/fleet/fleet_trend.h"

#include <stdlib.h>

static struct hf_fleet_trend_row row_of_place(const struct hf_place_growth *growth, uint32_t place)
{
    struct hf_fleet_trend_row row = {.place = place,
        .first = growth->first_cells[place],
        .count = growth->first_cells[place + 1] - growth->first_cells[place]};
    row.worst = row.first;
    for (size_t i = row.first; i < row.first + row.count; i++) {
        const struct hf_rollup_slope *slope = &growth->cells[i].slope;
        hf_rollup_slope_add(&row.slope, slope);
        row.growing += slope->is_known && slope->low > 0;
        if (slope->is_known && slope->slope > growth->cells[row.worst].slope.slope)
            row.worst = i;
    }
    return row;
}

static int order_trend_rows(const void *left, const void *right)
{
    const struct hf_fleet_trend_row *a = left, *b = right;
    if (a->slope.slope > b->slope.slope || a->slope.slope < b->slope.slope)
        return a->slope.slope > b->slope.slope ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static int order_builds(const void *left, const void *right)
{
    const struct hf_fleet_build *a = left, *b = right;
    if (a->first_ms != b->first_ms)
        return a->first_ms < b->first_ms ? -1 : 1;
    return (a->text > b->text) - (a->text < b->text);
}

static enum hf_status list_builds(struct hf_fleet_trend *trend, struct hf_error *err)
{
    const struct hf_place_growth *growth = &trend->growth;
    struct hf_map known = {0};
    enum hf_status status = HF_OK;
    trend->builds = calloc(growth->unit_count + 1, sizeof *trend->builds);
    if (trend->builds == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < growth->unit_count; i++) {
        const struct hf_growth_unit *unit = &growth->units[i];
        bool is_new = false;
        if (!(unit->ran_s > 0))
            continue;
        const uint32_t *at = hf_map_put(&known, unit->key, (uint32_t)trend->build_count, &is_new);
        if (at == NULL) {
            status = hf_error_memory(err);
            break;
        }
        struct hf_fleet_build *build = &trend->builds[*at];
        if (is_new) {
            *build = (struct hf_fleet_build){.text = unit->key, .first_ms = unit->first_ms};
            trend->build_count++;
        }
        build->first_ms = unit->first_ms < build->first_ms ? unit->first_ms : build->first_ms;
        build->node_count++;
    }
    hf_map_done(&known);
    qsort(trend->builds, trend->build_count, sizeof *trend->builds, order_builds);
    return status;
}

struct hf_rollup_slope hf_fleet_trend_of_build(const struct hf_fleet_trend *trend,
    const struct hf_fleet_trend_row *row, const struct hf_fleet_build *build)
{
    struct hf_rollup_slope sum = {.is_known = true}, mean = {0};
    double nodes = (double)build->node_count;
    for (size_t i = row->first; i < row->first + row->count; i++) {
        const struct hf_place_cell *cell = &trend->growth.cells[i];
        if (trend->growth.units[cell->unit].key == build->text)
            hf_rollup_slope_add(&sum, &cell->slope);
    }
    sum.slope /= nodes;
    sum.variance /= nodes * nodes;
    hf_rollup_slope_add(&mean, &sum); /* which makes its interval */
    return mean;
}

enum hf_status hf_fleet_trend_find(
    struct hf_fleet_trend *trend, const struct hf_fleet *fleet, bool by_build, struct hf_error *err)
{
    *trend = (struct hf_fleet_trend){0};
    enum hf_status status = hf_place_growth_find(
        &trend->growth, fleet, by_build ? HF_UNIT_BUILD : HF_UNIT_NODE, false, err);
    if (status != HF_OK)
        return status;
    size_t count = trend->growth.places.names.count;
    trend->rows = calloc(count + 1, sizeof *trend->rows);
    if (trend->rows == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count; i++) {
        struct hf_fleet_trend_row row = row_of_place(&trend->growth, (uint32_t)i);
        if (row.slope.is_known)
            trend->rows[trend->row_count++] = row;
        trend->is_rough |= row.slope.is_rough;
    }
    qsort(trend->rows, trend->row_count, sizeof *trend->rows, order_trend_rows);
    return by_build ? list_builds(trend, err) : HF_OK;
}

void hf_fleet_trend_done(struct hf_fleet_trend *trend)
{
    hf_place_growth_done(&trend->growth);
    free(trend->rows);
    free(trend->builds);
    *trend = (struct hf_fleet_trend){0};
}
