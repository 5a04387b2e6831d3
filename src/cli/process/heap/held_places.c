#include "cli/process/heap/held_places.h"

#include "answer/heap/growth_choice.h"
#include "answer/heap/keeper_name.h"

#include <stdlib.h>
#include <string.h>

static enum hf_status name_keeper(struct hf_growth_keeper *keeper, const struct hf_keepers *keepers,
    const struct hf_holding *holding, struct hf_error *err)
{
    struct hf_out name = {0};
    if (holding->keeper == HF_HOLDING_UNSEEN)
        hf_out_string(&name, "not known");
    else
        hf_keeper_name(keepers, holding->keeper, holding->function, &name);
    enum hf_status status = hf_out_finish(&name, err);
    keeper->name = status == HF_OK ? strndup(name.data, name.size) : NULL;
    if (status == HF_OK && keeper->name == NULL)
        status = hf_error_memory(err);
    keeper->bytes = holding->bytes;
    keeper->is_lost = holding->keeper != HF_HOLDING_UNSEEN &&
                      keepers->items[holding->keeper].form < HF_KEEPER_MANY;
    hf_out_done(&name);
    return status;
}

/* All holdings of a place, which are those of all its rows. */
static enum hf_status keep_holdings(struct hf_growth_held *held, const struct hf_holdings *holdings,
    const struct hf_keepers *keepers, struct hf_error *err)
{
    const struct hf_holdings_part *all = &holdings->parts[holdings->rows.count];
    enum hf_status status = HF_OK;
    held->items = calloc(all->count + 1, sizeof *held->items);
    if (held->items == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < all->count && status == HF_OK; i++) {
        const struct hf_holding *holding = &holdings->items[all->first + i];
        status = name_keeper(&held->items[held->count++], keepers, holding, err);
        held->bytes += holding->bytes;
    }
    return status;
}

static enum hf_status hold_place(struct hf_growth_held *held, const struct hf_growth *growth,
    const struct hf_growth_place *place, const struct hf_request *request,
    const struct hf_holdings_of *all, struct hf_error *err)
{
    struct hf_growth_choice choice;
    struct hf_holdings holdings = {0};
    struct hf_holdings_of of = *all;
    enum hf_status status = hf_growth_choice_make(&choice, growth, hf_growth_place_is, place, err);
    of.places = &choice.places;
    if (status == HF_OK)
        status = hf_holdings_make(&holdings, request, &of, 0, err);
    if (status == HF_OK)
        status = keep_holdings(held, &holdings, all->keepers, err);
    hf_holdings_done(&holdings);
    hf_growth_choice_done(&choice);
    return status;
}

static enum hf_status hold_leaks(struct hf_held_places *held, const struct hf_growth *growth,
    const struct hf_request *request, const struct hf_holdings_of *of, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    held->items = calloc(growth->count + 1, sizeof *held->items);
    held->count = growth->count;
    if (held->items == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < growth->count && status == HF_OK; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        if (place->verdict.kind == HF_VERDICT_LEAK)
            status = hold_place(&held->items[i], growth, place, request, of, err);
    }
    return status;
}

enum hf_status hf_held_places_find(struct hf_held_places *held, const struct hf_growth *growth,
    const struct hf_request *request, const struct hf_heap_reading *reading,
    struct hf_table_blocks *blocks, const struct hf_live_snapshot *table, struct hf_error *err)
{
    struct hf_variables variables = {0};
    struct hf_keepers keepers = {0};
    struct hf_heap_symbols symbols;
    struct hf_request asked = *request;
    asked.fold.owners = HF_OWNERS_IN_HEAPS;
    *held = (struct hf_held_places){0};
    hf_heap_symbols_init(&symbols, &request->names);
    enum hf_status status = hf_table_blocks_join(blocks, reading->heap, err);
    if (status == HF_OK)
        status =
            hf_variables_read(&variables, reading->image, reading->graph, &symbols.options, err);
    if (status == HF_OK)
        status = hf_keepers_make(&keepers, reading->heap, reading->graph, &variables, err);
    const struct hf_holdings_of of = {table, blocks, &keepers, NULL};
    if (status == HF_OK)
        status = hold_leaks(held, growth, &asked, &of, err);
    hf_keepers_done(&keepers);
    hf_variables_done(&variables);
    return status;
}

void hf_held_places_done(struct hf_held_places *held)
{
    for (size_t i = 0; held->items != NULL && i < held->count; i++) {
        for (size_t k = 0; k < held->items[i].count; k++)
            free(held->items[i].items[k].name);
        free(held->items[i].items);
    }
    free(held->items);
    *held = (struct hf_held_places){0};
}
