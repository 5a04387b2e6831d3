#include "answer/fleet/fleet_nodes.h"

#include "base/checked.h"
#include "base/containers/vec.h"

#include <stdlib.h>

#define MS_A_SECOND 1000.0

/* Used again for each instance, and each node. */
struct node_reading {
    const struct hf_fleet *fleet;
    struct hf_rollup_part *parts;
    size_t part_capacity;
    struct hf_node_run *runs;
    size_t run_count, run_capacity;
    struct hf_node_growth growth;
};

static enum hf_status add_growth(
    struct node_reading *reading, const struct hf_rollup *hours, struct hf_error *err)
{
    const struct hf_node_run run = {
        hours->hours[0].first_ms, hours->hours[hours->hour_count - 1].last_ms};
    if (!hf_vec_reserve(
            &reading->parts, &reading->part_capacity, hours->hour_count, sizeof *reading->parts) ||
        !hf_vec_reserve(
            &reading->runs, &reading->run_capacity, reading->run_count + 1, sizeof *reading->runs))
        return hf_error_memory(err);
    for (size_t i = 0; i < hours->hour_count; i++)
        reading->parts[i] = (struct hf_rollup_part){
            hours->hours[i].hour_ms, hours->hours[i].times, hours->hours[i].values};
    struct hf_rollup_slope slope = hf_rollup_slope_of(reading->parts, hours->hour_count);
    if (slope.is_known)
        reading->runs[reading->run_count++] = run;
    hf_node_growth_add(
        &reading->growth, &slope, (double)(run.last_ms - run.first_ms) / MS_A_SECOND);
    return HF_OK;
}

static enum hf_status facts_of_node(struct node_reading *reading, const struct hf_fleet_node *node,
    struct hf_fleet_node_facts *facts, struct hf_error *err)
{
    const struct hf_fleet *fleet = reading->fleet;
    enum hf_status status = HF_OK;
    bool ignored = false;
    reading->growth = (struct hf_node_growth){0};
    reading->run_count = 0;
    for (size_t i = node->first; status == HF_OK && i < node->first + node->count; i++) {
        struct hf_rollup hours = {0};
        if (fleet->instances[i].last_ms < fleet->since_ms)
            continue;
        status = hf_sqlite_store_read_hours(
            fleet->store, fleet->instances[i].id, fleet->since_ms, fleet->until_ms, &hours, err);
        if (status == HF_OK && hours.hour_count != 0) {
            const struct hf_rollup_hour *last = &hours.hours[hours.hour_count - 1];
            facts->is_in_span = true;
            for (size_t j = 0; j < hours.hour_count; j++)
                facts->most = hours.hours[j].most > facts->most ? hours.hours[j].most : facts->most;
            if (fleet->instances[i].is_current)
                facts->bytes = hf_add_saturating(facts->bytes, last->last, &ignored);
            status = add_growth(reading, &hours, err);
        }
        hf_rollup_done(&hours);
    }
    facts->slope = hf_node_growth_slope(
        &reading->growth, hf_node_runs_union_s(reading->runs, reading->run_count));
    return status;
}

enum hf_status hf_fleet_nodes_find(
    struct hf_fleet_nodes *nodes, const struct hf_fleet *fleet, struct hf_error *err)
{
    struct node_reading reading = {.fleet = fleet};
    enum hf_status status = HF_OK;
    bool ignored = false;
    *nodes = (struct hf_fleet_nodes){.items = calloc(fleet->node_count, sizeof *nodes->items)};
    if (nodes->items == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < fleet->node_count; i++) {
        struct hf_fleet_node_facts *facts = &nodes->items[i];
        status = facts_of_node(&reading, &fleet->nodes[i], facts, err);
        if (!fleet->nodes[i].is_silent)
            nodes->total.bytes = hf_add_saturating(nodes->total.bytes, facts->bytes, &ignored);
        nodes->total.is_in_span |= facts->is_in_span;
        nodes->total.most = facts->most > nodes->total.most ? facts->most : nodes->total.most;
        hf_rollup_slope_add(&nodes->total.slope, &facts->slope);
    }
    free(reading.parts);
    free(reading.runs);
    return status;
}

void hf_fleet_nodes_done(struct hf_fleet_nodes *nodes)
{
    free(nodes->items);
    *nodes = (struct hf_fleet_nodes){0};
}
