#include "answer/fleet/place_growth.h"

#include "answer/fleet/instance_slopes.h"
#include "answer/fleet/node_growth.h"
#include "base/containers/vec.h"
#include "base/limits.h"

#include <stdlib.h>

#define MS_A_SECOND 1000.0

/* An instance, by its unit. */
struct unit_member {
    uint32_t node, key, instance;
};

struct growth_reading {
    const struct hf_fleet *fleet;
    struct hf_place_growth *growth;
    bool skips_rough;
    struct unit_member *members;
    struct hf_instance_slopes slopes;
    /* Of the unit that is read. */
    struct hf_node_growth *sums; /* by place */
    uint32_t *held;              /* places that it holds */
    size_t held_count;
    struct hf_node_run *runs;
    size_t run_count;
    double ran_s; /* of the instance */
};

static int order_members(const void *left, const void *right)
{
    const struct unit_member *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->instance > b->instance) - (a->instance < b->instance);
}

static void list_members(struct growth_reading *reading, enum hf_unit_kind kind)
{
    const struct hf_fleet *fleet = reading->fleet;
    for (size_t i = 0; i < fleet->node_count; i++) {
        for (size_t j = fleet->nodes[i].first; j < fleet->nodes[i].first + fleet->nodes[i].count;
             j++) {
            const struct hf_fleet_instance *instance = &fleet->instances[j];
            uint32_t key = kind == HF_UNIT_SERVICE ? instance->service
                           : kind == HF_UNIT_BUILD ? instance->build
                                                   : 0;
            reading->members[j] = (struct unit_member){(uint32_t)i, key, (uint32_t)j};
        }
    }
    qsort(reading->members, fleet->instance_count, sizeof *reading->members, order_members);
}

static enum hf_status add_slope(
    void *context, uint32_t place, const struct hf_rollup_slope *slope, struct hf_error *err)
{
    struct growth_reading *reading = context;
    struct hf_node_growth *sum = &reading->sums[place];
    (void)err;
    if (slope->is_known && !sum->is_known)
        reading->held[reading->held_count++] = place;
    hf_node_growth_add(sum, slope, reading->ran_s);
    return HF_OK;
}

/* Whether the instance has a slope at all: three profiles, at two times. */
static bool is_measured(const struct hf_rollup *rollup)
{
    double n = 0;
    for (size_t i = 0; i < rollup->hour_count; i++)
        n += rollup->hours[i].times.n;
    return n >= 3 && rollup->hours[rollup->hour_count - 1].last_ms > rollup->hours[0].first_ms;
}

static enum hf_status add_instance_growth(
    struct growth_reading *reading, const struct hf_fleet_instance *instance, struct hf_error *err)
{
    const struct hf_fleet *fleet = reading->fleet;
    struct hf_rollup rollup = {0};
    if (instance->last_ms < fleet->since_ms)
        return HF_OK;
    enum hf_status status = hf_sqlite_store_read_rollup(
        fleet->store, instance->id, fleet->since_ms, fleet->until_ms, &rollup, err);
    bool is_left_out = reading->skips_rough && rollup.hour_count < HF_ROLLUP_HOURS_MIN;
    if (status == HF_OK && is_measured(&rollup) && !is_left_out) {
        const struct hf_node_run run = {
            rollup.hours[0].first_ms, rollup.hours[rollup.hour_count - 1].last_ms};
        reading->ran_s = (double)(run.last_ms - run.first_ms) / MS_A_SECOND;
        reading->runs[reading->run_count++] = run;
        status = hf_instance_slopes_of(&reading->slopes, &rollup, add_slope, reading, err);
    }
    hf_rollup_done(&rollup);
    return status;
}

/* Makes cells of the sums. */
static enum hf_status end_unit(
    struct growth_reading *reading, struct hf_growth_unit *unit, struct hf_error *err)
{
    struct hf_place_growth *growth = reading->growth;
    unit->ran_s = hf_node_runs_union_s(reading->runs, reading->run_count);
    if (reading->held_count > HF_LIMIT_FLEET_CELLS - growth->cell_count)
        return hf_error_set(err, HF_ERR_LIMIT,
            "more than %u places on nodes (HF_LIMIT_FLEET_CELLS); choose fewer by --service or "
            "--node",
            (unsigned)HF_LIMIT_FLEET_CELLS);
    if (!hf_vec_reserve(&growth->cells, &growth->cell_capacity,
            growth->cell_count + reading->held_count, sizeof *growth->cells))
        return hf_error_memory(err);
    for (size_t i = 0; i < reading->held_count; i++) {
        uint32_t place = reading->held[i];
        growth->cells[growth->cell_count++] =
            (struct hf_place_cell){.unit = (uint32_t)(unit - growth->units),
                .place = place,
                .slope = hf_node_growth_slope(&reading->sums[place], unit->ran_s)};
        reading->sums[place] = (struct hf_node_growth){0};
    }
    reading->held_count = 0;
    reading->run_count = 0;
    return HF_OK;
}

static enum hf_status read_units(struct growth_reading *reading, struct hf_error *err)
{
    const struct hf_fleet *fleet = reading->fleet;
    struct hf_place_growth *growth = reading->growth;
    struct hf_growth_unit *unit = NULL;
    int64_t last_ms = 0; /* start of its last instance */
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < fleet->instance_count; i++) {
        const struct unit_member *member = &reading->members[i];
        const struct hf_fleet_instance *instance = &fleet->instances[member->instance];
        if (unit == NULL || unit->node != member->node || unit->key != member->key) {
            if (unit != NULL)
                status = end_unit(reading, unit, err);
            unit = &growth->units[growth->unit_count++];
            *unit = (struct hf_growth_unit){
                .node = member->node, .key = member->key, .first_ms = instance->first_ms};
            last_ms = 0;
        }
        if (instance->first_ms < unit->first_ms)
            unit->first_ms = instance->first_ms;
        if (instance->first_ms >= last_ms) {
            last_ms = instance->first_ms;
            unit->build = instance->build;
        }
        if (status == HF_OK)
            status = add_instance_growth(reading, instance, err);
    }
    return status == HF_OK && unit != NULL ? end_unit(reading, unit, err) : status;
}

/* By place; within one they stay in the order of the units. */
static enum hf_status sort_cells(struct hf_place_growth *growth, struct hf_error *err)
{
    size_t count = growth->places.names.count;
    struct hf_place_cell *sorted = calloc(growth->cell_count + 1, sizeof *sorted);
    growth->first_cells = calloc(count + 2, sizeof *growth->first_cells);
    if (sorted == NULL || growth->first_cells == NULL) {
        free(sorted);
        return hf_error_memory(err);
    }
    for (size_t i = 0; i < growth->cell_count; i++)
        growth->first_cells[growth->cells[i].place + 2]++;
    for (size_t i = 1; i < count + 2; i++)
        growth->first_cells[i] += growth->first_cells[i - 1];
    for (size_t i = 0; i < growth->cell_count; i++)
        sorted[growth->first_cells[growth->cells[i].place + 1]++] = growth->cells[i];
    free(growth->cells);
    growth->cells = sorted;
    growth->cell_capacity = growth->cell_count + 1;
    return HF_OK;
}

enum hf_status hf_place_growth_find(struct hf_place_growth *growth, const struct hf_fleet *fleet,
    enum hf_unit_kind kind, bool skips_rough, struct hf_error *err)
{
    struct growth_reading reading = {.fleet = fleet, .growth = growth, .skips_rough = skips_rough};
    *growth = (struct hf_place_growth){0};
    enum hf_status status = hf_fleet_places_read(&growth->places, fleet, err);
    if (status == HF_OK)
        status = hf_instance_slopes_init(&reading.slopes, &growth->places, err);
    size_t places = (size_t)growth->places.names.count + 1;
    growth->units = calloc(fleet->instance_count, sizeof *growth->units);
    reading.members = calloc(fleet->instance_count, sizeof *reading.members);
    reading.runs = calloc(fleet->instance_count, sizeof *reading.runs);
    reading.sums = calloc(places, sizeof *reading.sums);
    reading.held = calloc(places, sizeof *reading.held);
    if (status == HF_OK &&
        (growth->units == NULL || reading.members == NULL || reading.runs == NULL ||
            reading.sums == NULL || reading.held == NULL))
        status = hf_error_memory(err);
    if (status == HF_OK) {
        list_members(&reading, kind);
        status = read_units(&reading, err);
    }
    if (status == HF_OK)
        status = sort_cells(growth, err);
    hf_instance_slopes_done(&reading.slopes);
    free(reading.members);
    free(reading.runs);
    free(reading.sums);
    free(reading.held);
    return status;
}

void hf_place_growth_done(struct hf_place_growth *growth)
{
    hf_fleet_places_done(&growth->places);
    free(growth->units);
    free(growth->cells);
    free(growth->first_cells);
    *growth = (struct hf_place_growth){0};
}
