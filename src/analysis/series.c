#include "analysis/series.h"

#include "analysis/difference.h"
#include "base/checked.h"
#include "profile/merge.h"

#include <stdlib.h>

enum hf_status hf_series_add(struct hf_series *series, struct hf_profile *folded, const char *name,
    int64_t time_s, struct hf_error *err)
{
    struct hf_point *points =
        reallocarray(series->points, series->count + 1, sizeof *series->points);
    if (points == NULL) {
        hf_profile_free(folded);
        return hf_error_memory(err);
    }
    series->points = points;
    points[series->count++] = (struct hf_point){.folded = folded, .name = name, .time_s = time_s};
    return HF_OK;
}

/* The point has all types of the change. */
static enum hf_status place_point(
    struct hf_profile *change, struct hf_point *point, struct hf_error *err)
{
    for (size_t type = 0; type < change->type_count; type++) {
        struct hf_text name = hf_profile_text(change, change->types[type].name);
        if (!hf_profile_find_type(point->folded, name, &point->types[type]))
            return hf_error_set(err, HF_ERR_INPUT, "holds no '%s'", name.data);
    }
    return hf_profile_merge_stacks(change, point->folded, &point->nodes, err);
}

enum hf_status hf_series_change(
    struct hf_series *series, struct hf_profile **out_change, struct hf_error *err)
{
    const struct hf_point *first = &series->points[0], *last = &series->points[series->count - 1];
    struct hf_profile *change;
    enum hf_status status = hf_difference(first->folded, last->folded, &change, err);
    if (status != HF_OK) {
        hf_error_in(err, first->name);
        return status;
    }
    for (size_t i = 0; status == HF_OK && i < series->count; i++) {
        status = hf_profile_share_types(change, series->points[i].folded, err);
        if (status != HF_OK)
            hf_error_in(err, series->points[i].name);
    }
    for (size_t i = 0; status == HF_OK && i < series->count; i++) {
        status = place_point(change, &series->points[i], err);
        if (status != HF_OK)
            hf_error_in(err, series->points[i].name);
        else if (i != 0 && i + 1 != series->count) /* the difference has those of the others */
            hf_notes_merge(&change->notes, &series->points[i].folded->notes);
    }
    if (status != HF_OK) {
        hf_profile_free(change);
        return status;
    }
    *out_change = change;
    return HF_OK;
}

void hf_series_at(
    const struct hf_series *series, size_t point, size_t type, uint64_t *values_by_node)
{
    const struct hf_point *at = &series->points[point];
    bool ignored = false;
    for (size_t i = 0; i < at->folded->sample_count; i++) {
        const struct hf_sample *sample = &at->folded->samples[i];
        uint64_t *value = &values_by_node[at->nodes[sample->node]];
        if (sample->thread == HF_THREAD_ALL)
            *value = hf_add_saturating(
                *value, hf_profile_value(at->folded, i, at->types[type]), &ignored);
    }
}

void hf_series_done(struct hf_series *series)
{
    for (size_t i = 0; i < series->count; i++) {
        hf_profile_free(series->points[i].folded);
        free(series->points[i].nodes);
    }
    free(series->points);
    *series = (struct hf_series){0};
}
