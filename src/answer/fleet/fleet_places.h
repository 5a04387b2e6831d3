/*
 * fleet_places.h: the places of a store, each once, and which of them each stack belongs to.
 *
 * Example:
 *
 *     const struct hf_fleet_request request = {.store = "fleet.db"};
 *     struct hf_fleet fleet;
 *     struct hf_fleet_places places = {0};
 *     status = hf_fleet_open(&fleet, &request, err);
 *     if (status == HF_OK)
 *         status = hf_fleet_places_read(&places, &fleet, err);
 *     if (status == HF_OK && places.names.count != 0)
 *         hf_out_text(out, hf_intern_at(&places.names, 0));
 *     hf_fleet_places_done(&places);
 *     hf_fleet_close(&fleet);
 */
#ifndef HF_ANSWER_FLEET_PLACES_H
#define HF_ANSWER_FLEET_PLACES_H

#include "answer/fleet/fleet.h"

struct hf_fleet_places {
    struct hf_intern names;
    struct hf_map stacks;   /* from numbers in the store to those in `stack_places` */
    uint32_t *stack_places; /* in `names` */
    size_t stack_count, stack_capacity;
};

HF_MUST_CHECK enum hf_status hf_fleet_places_read(
    struct hf_fleet_places *places, const struct hf_fleet *fleet, struct hf_error *err);
void hf_fleet_places_done(struct hf_fleet_places *places);

/* A number of the store, in `stack_places`. HF_ERR_INPUT: the store has no such stack. */
HF_MUST_CHECK enum hf_status hf_fleet_places_find(const struct hf_fleet_places *places,
    uint64_t stack, uint32_t *out_stack, struct hf_error *err);

#endif
