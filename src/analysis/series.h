/*
 * series.h: one process at several times: what each stack holds at each of them.
 *
 * A *point* is a folded profile, no difference; points are in the order of time. The *change* of a
 * series is the difference from its first point to its last (difference.h). Its tree holds the
 * stacks of all points, so that a node means the same stack at every point.
 *
 * Example:
 *
 *     struct hf_profile *before = NULL, *after = NULL, *change; // folded
 *     struct hf_series series = {0};
 *     if (before == NULL || after == NULL)
 *         return HF_OK;
 *     status = hf_series_add(&series, before, "before.heap", 0, err);
 *     if (status == HF_OK)
 *         status = hf_series_add(&series, after, "after.heap", 60, err);
 *     if (status == HF_OK)
 *         status = hf_series_change(&series, &change, err);
 *     if (status == HF_OK)
 *         hf_profile_free(change);
 *     hf_series_done(&series);
 */
#ifndef HF_ANALYSIS_SERIES_H
#define HF_ANALYSIS_SERIES_H

#include "profile/profile.h"

struct hf_point {
    struct hf_profile *folded;
    uint32_t *nodes;                  /* by its stacks: where they are in the change */
    size_t types[HF_VALUE_TYPES_MAX]; /* by the change's types: its own */
    const char *name;                 /* of its file, for people; borrowed */
    int64_t time_s;                   /* when it was written, since 1970; 0: unknown */
};

/* All zero: no points. Free with hf_series_done. */
struct hf_series {
    struct hf_point *points;
    size_t count;
};

/* Adds the next point, and takes `folded`, also on errors. */
HF_MUST_CHECK enum hf_status hf_series_add(struct hf_series *series, struct hf_profile *folded,
    const char *name, int64_t time_s, struct hf_error *err);

/*
 * Makes the change of at least two points, with the notes of all; hf_series_at tells of its nodes
 * from then on. The caller frees it. HF_ERR_INPUT: the points hold different kinds of values.
 */
HF_MUST_CHECK enum hf_status hf_series_change(
    struct hf_series *series, struct hf_profile **out_change, struct hf_error *err);

/* What each stack holds itself at a point: *adds* to values[node of the change]. */
void hf_series_at(
    const struct hf_series *series, size_t point, size_t type, uint64_t *values_by_node);

void hf_series_done(struct hf_series *series);

#endif
