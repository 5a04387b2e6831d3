/*
 * fleet_top.h: which places hold the memory of a fleet now: at the last profile of each current
 * instance of the nodes that are not silent.
 *
 * Example:
 *
 *     const struct hf_fleet_request request = {.store = "fleet.db"};
 *     struct hf_fleet fleet;
 *     struct hf_fleet_top top = {0};
 *     status = hf_fleet_open(&fleet, &request, err);
 *     if (status == HF_OK)
 *         status = hf_fleet_top_find(&top, &fleet, err);
 *     hf_out_u64(out, top.bytes);
 *     hf_fleet_top_done(&top);
 *     hf_fleet_close(&fleet);
 */
#ifndef HF_ANSWER_FLEET_TOP_H
#define HF_ANSWER_FLEET_TOP_H

#include "answer/fleet/fleet_places.h"

struct hf_fleet_top_row {
    uint32_t place;
    uint64_t bytes, objects;
    uint32_t node_count; /* that hold it */
    uint32_t last_node;  /* its own */
};

struct hf_fleet_top {
    struct hf_fleet_places places;
    struct hf_fleet_top_row *rows; /* most bytes first; only what holds some */
    size_t row_count;
    uint64_t bytes; /* of all */
};

/* Adds a loss to the fleet's notes where the profiles of an instance are gone. */
HF_MUST_CHECK enum hf_status hf_fleet_top_find(
    struct hf_fleet_top *top, struct hf_fleet *fleet, struct hf_error *err);
void hf_fleet_top_done(struct hf_fleet_top *top);

#endif
