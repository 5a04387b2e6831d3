/*
 * fleet_nodes.h: what each node of a fleet holds, how it grows, and when it last sent a profile.
 *
 * It reads the hours alone, which say what all stacks of an instance held together: as fast for
 * 5,000 stacks as for one.
 *
 * Example:
 *
 *     const struct hf_fleet_request request = {.store = "fleet.db"};
 *     struct hf_fleet fleet;
 *     struct hf_fleet_nodes nodes = {0};
 *     status = hf_fleet_open(&fleet, &request, err);
 *     if (status == HF_OK)
 *         status = hf_fleet_nodes_find(&nodes, &fleet, err);
 *     hf_out_u64(out, nodes.total.bytes);
 *     hf_fleet_nodes_done(&nodes);
 *     hf_fleet_close(&fleet);
 */
#ifndef HF_ANSWER_FLEET_NODES_H
#define HF_ANSWER_FLEET_NODES_H

#include "answer/fleet/fleet.h"
#include "answer/fleet/node_growth.h"

/* Stands for hf_fleet.nodes of the same index; `total` for all. */
struct hf_fleet_node_facts {
    uint64_t bytes;  /* in use at the last profiles of its current instances */
    uint64_t most;   /* of one instance in the span */
    bool is_in_span; /* it sent something in it: else nothing here is known */
    struct hf_rollup_slope slope;
};

struct hf_fleet_nodes {
    struct hf_fleet_node_facts *items;
    struct hf_fleet_node_facts total; /* its bytes: of nodes that are not silent */
};

HF_MUST_CHECK enum hf_status hf_fleet_nodes_find(
    struct hf_fleet_nodes *nodes, const struct hf_fleet *fleet, struct hf_error *err);
void hf_fleet_nodes_done(struct hf_fleet_nodes *nodes);

#endif
