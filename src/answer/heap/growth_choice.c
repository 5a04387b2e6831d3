#include "answer/heap/growth_choice.h"

#include <stdlib.h>

bool hf_growth_place_grows(const struct hf_growth_place *place, const void *unused)
{
    (void)unused;
    return place->trend.low > 0;
}

bool hf_growth_place_is_called(const struct hf_growth_place *place, const void *verdict)
{
    return place->verdict.kind == *(const enum hf_verdict_kind *)verdict;
}

bool hf_growth_place_is(const struct hf_growth_place *place, const void *one)
{
    return place == one;
}

static size_t choice_add(struct hf_growth_choice *choice, struct hf_text name)
{
    size_t i = 0;
    while (i < choice->places.count && hf_text_compare(choice->names[i], name) != 0)
        i++;
    if (i == choice->places.count)
        choice->names[choice->places.count++] = name;
    return i;
}

enum hf_status hf_growth_choice_make(struct hf_growth_choice *choice,
    const struct hf_growth *growth, hf_growth_choose_fn *choose, const void *context,
    struct hf_error *err)
{
    *choice = (struct hf_growth_choice){
        .names = calloc(growth->count + 1, sizeof *choice->names),
        .are_chosen = calloc(growth->count + 1, sizeof *choice->are_chosen),
    };
    if (choice->names == NULL || choice->are_chosen == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < growth->count; i++) {
        size_t number = choice_add(choice, growth->places[i].name);
        bool is_chosen = choose(&growth->places[i], context);
        choice->are_chosen[number] |= is_chosen;
        choice->chosen_count += is_chosen;
    }
    choice->places.names = choice->names;
    choice->places.are_chosen = choice->are_chosen;
    return HF_OK;
}

void hf_growth_choice_done(struct hf_growth_choice *choice)
{
    free(choice->names);
    free(choice->are_chosen);
    *choice = (struct hf_growth_choice){0};
}
