/*
 * nodes_report.h: the nodes of a fleet, for people and as JSON ("heapflame.fleet-nodes/1").
 */
#ifndef HF_CLI_FLEET_NODES_REPORT_H
#define HF_CLI_FLEET_NODES_REPORT_H

#include "answer/fleet/fleet_nodes.h"

#define HF_FLEET_NODES_SCHEMA "heapflame.fleet-nodes/1"

HF_MUST_CHECK enum hf_status hf_fleet_nodes_text(const struct hf_fleet *fleet,
    const struct hf_fleet_nodes *nodes, struct hf_out *out, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_fleet_nodes_json(const struct hf_fleet *fleet,
    const struct hf_fleet_nodes *nodes, struct hf_out *out, struct hf_error *err);

#endif
