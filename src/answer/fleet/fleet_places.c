#include "answer/fleet/fleet_places.h"

#include "base/containers/vec.h"
#include "base/limits.h"

#include <stdlib.h>

static enum hf_status add_stack_place(
    void *context, int64_t id, const struct hf_batch_stack *stack, struct hf_error *err)
{
    struct hf_fleet_places *places = context;
    uint32_t place;
    if (places->stack_count == HF_LIMIT_FLEET_STACKS)
        return hf_error_set(err, HF_ERR_LIMIT,
            "the store has more than %u stacks (HF_LIMIT_FLEET_STACKS)",
            (unsigned)HF_LIMIT_FLEET_STACKS);
    if (!hf_vec_reserve(&places->stack_places, &places->stack_capacity, places->stack_count + 1,
            sizeof *places->stack_places) ||
        !hf_intern_put(&places->names, stack->place.data, stack->place.size, &place) ||
        hf_map_put(&places->stacks, (uint64_t)id, (uint32_t)places->stack_count, NULL) == NULL)
        return hf_error_memory(err);
    places->stack_places[places->stack_count++] = place;
    return HF_OK;
}

enum hf_status hf_fleet_places_read(
    struct hf_fleet_places *places, const struct hf_fleet *fleet, struct hf_error *err)
{
    return hf_sqlite_store_read_places(fleet->store, add_stack_place, places, err);
}

enum hf_status hf_fleet_places_find(
    const struct hf_fleet_places *places, uint64_t stack, uint32_t *out_stack, struct hf_error *err)
{
    const uint32_t *found = hf_map_find(&places->stacks, stack);
    if (found == NULL)
        return hf_error_set(err, HF_ERR_INPUT,
            "the store is damaged: something in it is about a stack that it does not have");
    *out_stack = *found;
    return HF_OK;
}

void hf_fleet_places_done(struct hf_fleet_places *places)
{
    hf_intern_done(&places->names);
    hf_map_done(&places->stacks);
    free(places->stack_places);
    *places = (struct hf_fleet_places){0};
}
