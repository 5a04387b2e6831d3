/*
 * instance_slopes.h: the slope of each place in one instance, from its roll-up. A part of
 * place_growth.h, which says what a place's slope is.
 */
#ifndef HF_ANSWER_INSTANCE_SLOPES_H
#define HF_ANSWER_INSTANCE_SLOPES_H

#include "answer/fleet/fleet_places.h"

struct slope_row;

/* Used again for each instance: what it takes is for the stacks and places of all of them. */
struct hf_instance_slopes {
    const struct hf_fleet_places *places;
    uint32_t *first_rows;   /* by stack: in `rows`, or none */
    uint32_t *next_stacks;  /* by stack: another one of its place, or none */
    uint32_t *first_stacks; /* by place, or none */
    uint32_t *touched;      /* the places that hold anything */
    size_t touched_count;
    struct slope_row *rows;
    size_t row_capacity;
    struct hf_rollup_part *parts, *stack_parts;
    size_t part_capacity, stack_part_capacity;
};

HF_MUST_CHECK enum hf_status hf_instance_slopes_init(
    struct hf_instance_slopes *slopes, const struct hf_fleet_places *places, struct hf_error *err);
void hf_instance_slopes_done(struct hf_instance_slopes *slopes);

typedef enum hf_status hf_instance_slope_fn(
    void *context, uint32_t place, const struct hf_rollup_slope *slope, struct hf_error *err);

/* Calls `each` for every place that held anything. */
HF_MUST_CHECK enum hf_status hf_instance_slopes_of(struct hf_instance_slopes *slopes,
    const struct hf_rollup *rollup, hf_instance_slope_fn *each, void *context,
    struct hf_error *err);

#endif
