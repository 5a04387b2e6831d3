#include "answer/fleet/instance_slopes.h"

#include "base/containers/vec.h"

#include <math.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* Of the row of the roll-up with the same index; those of a stack are chained. */
struct slope_row {
    uint32_t hour, next;
};

enum hf_status hf_instance_slopes_init(
    struct hf_instance_slopes *slopes, const struct hf_fleet_places *places, struct hf_error *err)
{
    size_t stacks = places->stack_count + 1, names = (size_t)places->names.count + 1;
    *slopes = (struct hf_instance_slopes){.places = places,
        .first_rows = calloc(stacks, sizeof *slopes->first_rows),
        .next_stacks = calloc(stacks, sizeof *slopes->next_stacks),
        .first_stacks = calloc(names, sizeof *slopes->first_stacks),
        .touched = calloc(names, sizeof *slopes->touched)};
    if (slopes->first_rows == NULL || slopes->next_stacks == NULL || slopes->first_stacks == NULL ||
        slopes->touched == NULL)
        return hf_error_memory(err);
    memset(slopes->first_rows, 0xff, stacks * sizeof *slopes->first_rows);
    memset(slopes->first_stacks, 0xff, names * sizeof *slopes->first_stacks);
    return HF_OK;
}

void hf_instance_slopes_done(struct hf_instance_slopes *slopes)
{
    free(slopes->first_rows);
    free(slopes->next_stacks);
    free(slopes->first_stacks);
    free(slopes->touched);
    free(slopes->rows);
    free(slopes->parts);
    free(slopes->stack_parts);
    *slopes = (struct hf_instance_slopes){0};
}

/* Chains the rows of each stack, and the stacks of each place. */
static enum hf_status chain_rows(
    struct hf_instance_slopes *slopes, const struct hf_rollup *rollup, struct hf_error *err)
{
    uint32_t hour = 0, stack = 0;
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < rollup->stack_count; i++) {
        const struct hf_rollup_stack *row = &rollup->stacks[i];
        while (hour + 1 < rollup->hour_count && rollup->hours[hour].hour_ms < row->hour_ms)
            hour++;
        status = hf_fleet_places_find(slopes->places, row->stack, &stack, err);
        if (status != HF_OK)
            break;
        uint32_t place = slopes->places->stack_places[stack];
        if (slopes->first_stacks[place] == NONE)
            slopes->touched[slopes->touched_count++] = place;
        if (slopes->first_rows[stack] == NONE) {
            slopes->next_stacks[stack] = slopes->first_stacks[place];
            slopes->first_stacks[place] = stack;
        }
        slopes->rows[i] = (struct slope_row){hour, slopes->first_rows[stack]};
        slopes->first_rows[stack] = (uint32_t)i;
    }
    return status;
}

static void unchain_rows(struct hf_instance_slopes *slopes)
{
    for (size_t i = 0; i < slopes->touched_count; i++) {
        uint32_t *first = &slopes->first_stacks[slopes->touched[i]];
        for (uint32_t stack = *first; stack != NONE; stack = slopes->next_stacks[stack])
            slopes->first_rows[stack] = NONE;
        *first = NONE;
    }
    slopes->touched_count = 0;
}

static void clear_parts(struct hf_rollup_part *parts, const struct hf_rollup *rollup)
{
    for (size_t i = 0; i < rollup->hour_count; i++)
        parts[i] = (struct hf_rollup_part){
            .hour_ms = rollup->hours[i].hour_ms, .times = rollup->hours[i].times};
}

static void add_stack_rows(const struct hf_instance_slopes *slopes, const struct hf_rollup *rollup,
    uint32_t stack, struct hf_rollup_part *parts)
{
    for (uint32_t at = slopes->first_rows[stack]; at != NONE; at = slopes->rows[at].next)
        hf_value_sums_merge(&parts[slopes->rows[at].hour].values, &rollup->stacks[at].values, 0);
}

/* Of a place with several stacks: squares of sums are not known, only sums of squares. */
static void set_joint_error(const struct hf_instance_slopes *slopes, const struct hf_rollup *rollup,
    uint32_t place, struct hf_rollup_slope *slope)
{
    double error = 0;
    for (uint32_t stack = slopes->first_stacks[place]; stack != NONE;
         stack = slopes->next_stacks[stack]) {
        clear_parts(slopes->stack_parts, rollup);
        add_stack_rows(slopes, rollup, stack, slopes->stack_parts);
        error += sqrt(hf_rollup_slope_of(slopes->stack_parts, rollup->hour_count).variance);
    }
    slope->variance = error * error;
}

static struct hf_rollup_slope slope_of_place(
    const struct hf_instance_slopes *slopes, const struct hf_rollup *rollup, uint32_t place)
{
    uint32_t first = slopes->first_stacks[place];
    bool has_several = slopes->next_stacks[first] != NONE;
    clear_parts(slopes->parts, rollup);
    for (uint32_t stack = first; stack != NONE; stack = slopes->next_stacks[stack])
        add_stack_rows(slopes, rollup, stack, slopes->parts);
    for (size_t i = 0; has_several && i < rollup->hour_count; i++)
        slopes->parts[i].values.yy = 0; /* so that the hours alone decide */
    struct hf_rollup_slope slope = hf_rollup_slope_of(slopes->parts, rollup->hour_count);
    if (has_several && slope.is_known && slope.is_rough)
        set_joint_error(slopes, rollup, place, &slope);
    return slope;
}

enum hf_status hf_instance_slopes_of(struct hf_instance_slopes *slopes,
    const struct hf_rollup *rollup, hf_instance_slope_fn *each, void *context, struct hf_error *err)
{
    if (!hf_vec_reserve(
            &slopes->rows, &slopes->row_capacity, rollup->stack_count, sizeof *slopes->rows) ||
        !hf_vec_reserve(
            &slopes->parts, &slopes->part_capacity, rollup->hour_count, sizeof *slopes->parts) ||
        !hf_vec_reserve(&slopes->stack_parts, &slopes->stack_part_capacity, rollup->hour_count,
            sizeof *slopes->stack_parts))
        return hf_error_memory(err);
    enum hf_status status = chain_rows(slopes, rollup, err);
    for (size_t i = 0; status == HF_OK && i < slopes->touched_count; i++) {
        struct hf_rollup_slope slope = slope_of_place(slopes, rollup, slopes->touched[i]);
        status = each(context, slopes->touched[i], &slope, err);
    }
    unchain_rows(slopes);
    return status;
}
