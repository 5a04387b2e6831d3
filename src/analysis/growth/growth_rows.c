#include "analysis/growth/growth_rows.h"

#include "analysis/growth/growth_ages.h"
#include "analysis/growth/growth_cohorts.h"

#include <stdlib.h>

struct adder {
    struct hf_growth *growth;
    const struct hf_growth_rows *rows;
    struct hf_growth_place *places;
    double (*births)[HF_LIFETIMES_BINS + 1]; /* by row */
    struct hf_growth_cohorts **cohorts;      /* by row */
    size_t *seen;                            /* by row: the last sample that it has, plus one */
    struct hf_error *err;
};

static enum hf_status growth_rows_add_to(struct adder *a, uint32_t row, size_t sample)
{
    const struct hf_profile *folded = a->growth->folded;
    struct hf_growth_place *place = &a->places[row];
    uint32_t thread = folded->samples[sample].thread;
    if (a->seen[row] == sample + 1)
        return HF_OK;
    a->seen[row] = sample + 1;
    if (hf_growth_is_of_cohort(a->growth, sample) && row < HF_GROWTH_ROWS_COHORTS)
        return hf_growth_cohorts_add(a->growth, &a->cohorts[row], sample, a->err);
    if (thread < a->growth->point_count) {
        double profiles = a->growth->history->points[thread].profiles;
        place->values[thread] +=
            (double)hf_profile_value(folded, sample, HF_HISTORY_VALUE) / profiles;
        place->objects[thread] +=
            (double)hf_profile_value(folded, sample, HF_HISTORY_OBJECTS) / profiles;
        place->allocated[thread] +=
            (double)hf_profile_value(folded, sample, HF_HISTORY_ALLOCATED) / profiles;
    } else if (thread >= HF_HISTORY_BIRTHS && thread < HF_HISTORY_OLD) {
        a->births[row][thread - HF_HISTORY_BIRTHS] +=
            (double)hf_profile_value(folded, sample, HF_HISTORY_SPACE);
    }
    return HF_OK;
}

/* Adds a sample to the rows of its leaf or, with callees, of each of its frames. */
static enum hf_status growth_rows_add(struct adder *a, size_t sample)
{
    enum hf_status status = HF_OK;
    const struct hf_profile *folded = a->growth->folded;
    const uint32_t *row_of_frame = a->rows->row_of_frame;
    uint32_t node = folded->samples[sample].node;
    if (node == HF_STACK_ROOT && row_of_frame[folded->frames.count] != HF_GROWTH_NO_ROW)
        status = growth_rows_add_to(a, row_of_frame[folded->frames.count], sample);
    while (status == HF_OK && node != HF_STACK_ROOT) {
        const struct hf_stack_node *at = &folded->stacks.nodes[node];
        if (row_of_frame[at->frame] != HF_GROWTH_NO_ROW)
            status = growth_rows_add_to(a, row_of_frame[at->frame], sample);
        node = a->rows->with_callees ? at->parent : HF_STACK_ROOT;
    }
    return status;
}

static enum hf_status add_all(struct adder *a, struct hf_error *err)
{
    struct hf_growth *growth = a->growth;
    enum hf_status status = HF_OK;
    for (size_t row = 0; row < a->rows->count; row++) {
        struct hf_growth_place *place = &a->places[row];
        *place = (struct hf_growth_place){.ages = HF_GROWTH_AGES_UNKNOWN};
        place->values = hf_arena_alloc(&growth->arena, growth->point_count * sizeof(double));
        place->objects = hf_arena_alloc(&growth->arena, growth->point_count * sizeof(double));
        place->allocated = hf_arena_alloc(&growth->arena, growth->point_count * sizeof(double));
        if (place->values == NULL || place->objects == NULL || place->allocated == NULL)
            return hf_error_memory(err);
    }
    for (size_t i = 0; status == HF_OK && i < growth->folded->sample_count; i++)
        status = growth_rows_add(a, i);
    for (size_t row = 0; status == HF_OK && row < a->rows->count; row++) {
        struct hf_growth_place *place = &a->places[row];
        place->ages.old_freed = hf_growth_old_freed(growth, place, a->births[row]);
        status = hf_growth_cohorts_judge(growth, place, a->cohorts[row], err);
        if (status == HF_OK)
            hf_growth_judge(growth, place);
    }
    return status;
}

enum hf_status hf_growth_of_rows(struct hf_growth *growth, const struct hf_growth_rows *rows,
    struct hf_growth_place *out_places, struct hf_error *err)
{
    struct adder a = {
        .growth = growth,
        .rows = rows,
        .places = out_places,
        .births = calloc(rows->count + 1, sizeof *a.births),
        .cohorts = calloc(rows->count + 1, sizeof *a.cohorts),
        .seen = calloc(rows->count + 1, sizeof *a.seen),
        .err = err,
    };
    bool has_memory = a.births != NULL && a.cohorts != NULL && a.seen != NULL;
    enum hf_status status = has_memory ? add_all(&a, err) : hf_error_memory(err);
    for (size_t row = 0; a.cohorts != NULL && row < rows->count; row++)
        free(a.cohorts[row]);
    free(a.cohorts);
    free(a.births);
    free(a.seen);
    return status;
}
