/*
 * growth_choice.h: some of the places at which memory grows, as holdings know them: by the names of
 * their functions. Two places of one function, on different ways, are one here, and chosen if one
 * of them is.
 *
 * Example:
 *
 *     static struct hf_growth growth; // as hf_growth_find made it
 *     struct hf_growth_choice choice;
 *     status = hf_growth_choice_make(&choice, &growth, hf_growth_place_grows, NULL, err);
 *     if (status == HF_OK)
 *         hf_out_u64(out, choice.chosen_count);
 *     hf_growth_choice_done(&choice);
 */
#ifndef HF_ANSWER_GROWTH_CHOICE_H
#define HF_ANSWER_GROWTH_CHOICE_H

#include "analysis/growth/growth.h"
#include "answer/heap/holdings.h"

typedef bool hf_growth_choose_fn(const struct hf_growth_place *place, const void *context);

struct hf_growth_choice {
    struct hf_holdings_places places; /* of its own arrays */
    struct hf_text *names;
    bool *are_chosen;
    size_t chosen_count; /* places of the growth */
};

/* Borrows names of the growth. Call done in any case. HF_ERR_MEMORY. */
HF_MUST_CHECK enum hf_status hf_growth_choice_make(struct hf_growth_choice *choice,
    const struct hf_growth *growth, hf_growth_choose_fn *choose, const void *context,
    struct hf_error *err);
void hf_growth_choice_done(struct hf_growth_choice *choice);

/* That grew for sure: the whole interval of its slope is above 0. */
bool hf_growth_place_grows(const struct hf_growth_place *place, const void *unused);

/* That has the verdict at `verdict`, an enum hf_verdict_kind. */
bool hf_growth_place_is_called(const struct hf_growth_place *place, const void *verdict);

/* That is the one at `place`. */
bool hf_growth_place_is(const struct hf_growth_place *place, const void *one);

#endif
