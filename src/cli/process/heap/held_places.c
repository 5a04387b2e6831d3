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

static enum hf_status keep_holdings(struct hf_growth_held *held, const struct hf_holdings *holdings,
    const struct hf_holdings_part *all, const struct hf_keepers *keepers, struct hf_error *err)
{
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
        status =
            keep_holdings(held, &holdings, &holdings.parts[holdings.rows.count], all->keepers, err);
    hf_holdings_done(&holdings);
    hf_growth_choice_done(&choice);
    return status;
}

/* What is asked for: the leaks of a growth, or owners by name. */
struct held_question {
    const struct hf_growth *growth; /* NULL: owners */
    const struct hf_text *names;
    size_t count;
};

static enum hf_status hold_leaks(struct hf_held_places *held, const struct held_question *question,
    const struct hf_request *request, const struct hf_holdings_of *of, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_growth *growth = question->growth;
    for (size_t i = 0; i < growth->count && status == HF_OK; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        if (place->verdict.kind == HF_VERDICT_LEAK)
            status = hold_place(&held->items[i], growth, place, request, of, err);
    }
    return status;
}

static enum hf_status hold_owners(struct hf_held_places *held, const struct held_question *question,
    const struct hf_request *request, const struct hf_holdings_of *of, struct hf_error *err)
{
    struct hf_holdings holdings = {0};
    enum hf_status status = hf_holdings_make(&holdings, request, of, 0, err);
    for (size_t row = 0; status == HF_OK && row < holdings.rows.count; row++) {
        for (size_t i = 0; status == HF_OK && i < question->count; i++) {
            if (hf_text_equal(holdings.rows.items[row].name, question->names[i]))
                status = keep_holdings(
                    &held->items[i], &holdings, &holdings.parts[row], of->keepers, err);
        }
    }
    hf_holdings_done(&holdings);
    return status;
}

static enum hf_status find_held_places(struct hf_held_places *held,
    const struct held_question *question, const struct hf_request *request,
    const struct hf_held_reading *from, struct hf_error *err)
{
    const struct hf_heap_reading *reading = from->reading;
    struct hf_variables variables = {0};
    struct hf_keepers keepers = {0};
    struct hf_heap_symbols symbols;
    struct hf_request asked = *request;
    asked.fold.owners = HF_OWNERS_IN_HEAPS;
    *held = (struct hf_held_places){
        .items = calloc(question->count + 1, sizeof *held->items), .count = question->count};
    if (held->items == NULL)
        return hf_error_memory(err);
    hf_heap_symbols_init(&symbols, &request->names);
    enum hf_status status = hf_table_blocks_join(from->blocks, reading->heap, err);
    if (status == HF_OK)
        status =
            hf_variables_read(&variables, reading->image, reading->graph, &symbols.options, err);
    if (status == HF_OK)
        status = hf_keepers_make(&keepers, reading->heap, reading->graph, &variables, err);
    const struct hf_holdings_of of = {from->table, from->blocks, &keepers, NULL};
    if (status == HF_OK)
        status = question->growth != NULL ? hold_leaks(held, question, &asked, &of, err)
                                          : hold_owners(held, question, &asked, &of, err);
    hf_keepers_done(&keepers);
    hf_variables_done(&variables);
    return status;
}

enum hf_status hf_held_places_find(struct hf_held_places *held, const struct hf_growth *growth,
    const struct hf_request *request, const struct hf_held_reading *from, struct hf_error *err)
{
    const struct held_question question = {growth, NULL, growth->count};
    return find_held_places(held, &question, request, from, err);
}

enum hf_status hf_held_places_find_owners(struct hf_held_places *held, const struct hf_text *names,
    size_t count, const struct hf_request *request, const struct hf_held_reading *from,
    struct hf_error *err)
{
    const struct held_question question = {NULL, names, count};
    return find_held_places(held, &question, request, from, err);
}

void hf_held_places_done(struct hf_held_places *held)
{
    for (size_t i = 0; held->items != NULL && i < held->count; i++)
        hf_growth_held_done(&held->items[i]);
    free(held->items);
    *held = (struct hf_held_places){0};
}
