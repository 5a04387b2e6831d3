#include "answer/comparison.h"

#include "analysis/difference.h"
#include "answer/loader.h"
#include "answer/operand.h"
#include "answer/value_type.h"
#include "base/checked.h"
#include "os/file.h"
#include "symbol/lookup/kept_files.h"

#include <pthread.h>
#include <string.h>

/* A side that is read on a thread of its own. */
struct comparison_reading {
    const struct hf_request *request;
    struct hf_side *side;
    enum hf_status status;
    struct hf_error err;
};

static void *read_in_thread(void *context)
{
    struct comparison_reading *reading = context;
    reading->status = hf_side_read(reading->request, reading->side, true, &reading->err);
    return NULL;
}

static bool comparison_is_file(const char *name)
{
    return !hf_operand_is_url(name) && strcmp(name, "-") != 0;
}

/* True if both sides are of such profiles alone. */
static bool are_of(
    const struct hf_side *first, const struct hf_side *second, bool (*is)(const char *))
{
    bool are = first->given == NULL && second->given == NULL;
    for (size_t i = 0; are && i < first->count; i++)
        are = is(first->profiles[i]);
    for (size_t i = 0; are && i < second->count; i++)
        are = is(second->profiles[i]);
    return are;
}

/* Reads two sides at once, if both are files and there is a thread for it; else neither. */
static enum hf_status read_both(const struct hf_request *request, struct hf_side *first,
    struct hf_side *second, struct hf_error *err)
{
    pthread_t thread;
    struct comparison_reading reading = {.request = request, .side = second};
    if (!are_of(first, second, comparison_is_file) ||
        pthread_create(&thread, NULL, read_in_thread, &reading) != 0)
        return HF_OK;
    enum hf_status status = hf_side_read(request, first, false, err);
    pthread_join(thread, NULL);
    if (reading.status == HF_OK)
        hf_budget_give(second->read->given_bytes);
    if (status != HF_OK || reading.status == HF_OK)
        return status;
    *err = reading.err;
    return reading.status;
}

/* When the first of its files was written. */
static int64_t comparison_time_of(const struct hf_side *side)
{
    return side->count != 0 && !hf_operand_is_url(side->profiles[0])
               ? hf_file_time(side->profiles[0])
               : 0;
}

/* Folds one side as the next point of a series. */
static enum hf_status add_point(struct hf_view *view, const struct hf_request *request,
    const struct hf_fold_options *fold, struct hf_side *side, struct hf_error *err)
{
    struct hf_profile *folded;
    size_t type;
    struct hf_total whole;
    enum hf_status status = hf_side_make(request, fold, side, &folded, &type, &whole, err);
    if (status != HF_OK)
        return status;
    const char *name = side->count != 0 ? side->profiles[0] : "";
    view->base_total = view->series.count == 0 ? hf_profile_total(folded, type, HF_THREAD_ALL).value
                                               : view->base_total;
    view->current_total = hf_profile_total(folded, type, HF_THREAD_ALL).value;
    return hf_series_add(&view->series, folded, hf_operand_shown(name), side->time_s, err);
}

static enum hf_status make_base(struct hf_view *view, struct hf_error *err)
{
    view->base_by_node = hf_budget_calloc(view->folded->stacks.count, sizeof *view->base_by_node);
    return view->base_by_node != NULL ? HF_OK : hf_error_memory(err);
}

/* What A held, before only the difference is left. */
static enum hf_status keep_base_of_pair(struct hf_view *view, struct hf_error *err)
{
    const struct hf_profile *pair = view->folded;
    enum hf_status status = make_base(view, err);
    bool ignored = false;
    for (size_t i = 0; status == HF_OK && i < pair->sample_count; i++) {
        uint64_t *held = &view->base_by_node[pair->samples[i].node];
        if (pair->samples[i].thread == HF_THREAD_ALL)
            *held = hf_add_saturating(*held, hf_profile_released(pair, i, view->type), &ignored);
    }
    return status;
}

/* Both sides in one, which is named and folded once. */
static enum hf_status compare_pair(struct hf_view *view, const struct hf_request *request,
    const struct hf_fold_options *fold, const struct hf_side *base, const struct hf_side *current,
    struct hf_error *err)
{
    struct hf_side pair = {.owners = &view->owners};
    struct hf_total ignored;
    enum hf_status status = hf_loader_read_pair(base->profiles, base->count, current->profiles,
        current->count, &request->input, &pair.read, err);
    if (status == HF_OK)
        status = hf_side_make(request, fold, &pair, &view->folded, &view->type, &ignored, err);
    hf_profile_free(pair.read);
    if (status == HF_OK)
        status = hf_side_cut(request, &view->owners, view->folded, view->type, err);
    if (status != HF_OK)
        return status;
    struct hf_total total = hf_profile_total(view->folded, view->type, HF_THREAD_ALL);
    view->base_total = total.released;
    view->current_total = total.value;
    if (request->comparison.keeps_base)
        status = keep_base_of_pair(view, err);
    hf_difference_of_pair(view->folded);
    return status;
}

/* Each of the profiles apart. */
static enum hf_status add_points(struct hf_view *view, const struct hf_request *request,
    const struct hf_fold_options *fold, const struct hf_side *all, struct hf_error *err)
{
    struct hf_timeline_options how = {
        .at = request->times.at, .skip_ns = request->times.skip_ns, .keeps_order = true};
    struct hf_timeline *timeline = &view->timeline;
    enum hf_status status = hf_timeline_find(timeline, all->profiles, all->count, &how, err);
    if (status == HF_OK && timeline->count < 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "--series: expected at least two profiles, the oldest first; found %zu",
            timeline->count);
    for (size_t i = 0; status == HF_OK && i < timeline->count; i++) {
        const struct hf_dated_profile *item = &timeline->items[i];
        struct hf_side point = {.profiles = &item->name, .count = 1, .owners = &view->owners};
        if (request->times.at == NULL && item->time_ms > 0)
            point.time_s = item->time_ms / 1000;
        if (i + 1 == timeline->count)
            point.out_by_line = all->out_by_line;
        if (i + 1 == timeline->count)
            point.out_by_address = all->out_by_address;
        if (request->comparison.read_point != NULL)
            status = request->comparison.read_point(request->comparison.reader, request, item,
                i + 1 == timeline->count, &point.read, err);
        if (status == HF_OK)
            status = add_point(view, request, fold, &point, err);
        hf_profile_free(point.read);
    }
    return status;
}

/* Once all are known, so that all have the same owners. */
static enum hf_status cut_points(
    struct hf_view *view, const struct hf_request *request, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < view->series.count; i++) {
        struct hf_profile *folded = view->series.points[i].folded;
        size_t type;
        status = hf_value_type_choose(folded, request->fold.value, &type, err);
        if (status == HF_OK)
            status = hf_side_cut(request, &view->owners, folded, type, err);
    }
    return status;
}

/* Both sides or, with --series, each of the profiles apart. */
static enum hf_status compare_points(struct hf_view *view, const struct hf_request *request,
    const struct hf_fold_options *fold, struct hf_side *base, struct hf_side *current,
    struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (base->count != 0) {
        base->time_s = comparison_time_of(base);
        current->time_s = comparison_time_of(current);
        status = read_both(request, base, current, err);
        if (status == HF_OK)
            status = add_point(view, request, fold, base, err);
        if (status == HF_OK)
            status = add_point(view, request, fold, current, err);
    }
    if (status == HF_OK && request->comparison.is_series)
        status = add_points(view, request, fold, current, err);
    if (status == HF_OK)
        status = cut_points(view, request, err);
    if (status == HF_OK)
        status = hf_series_change(&view->series, &view->folded, err);
    if (status == HF_OK) /* the change has what all points have */
        status = hf_value_type_choose(view->folded, request->fold.value, &view->type, err);
    if (status == HF_OK && request->comparison.keeps_base) {
        status = make_base(view, err);
        if (status == HF_OK)
            hf_series_at(&view->series, 0, view->type, view->base_by_node);
    }
    if (status == HF_OK && !request->comparison.is_series && !request->comparison.keeps_points)
        hf_series_done(&view->series);
    return status;
}

enum hf_status hf_comparison_make(struct hf_view *view, const struct hf_request *request,
    const struct hf_fold_options *fold, struct hf_side *base, struct hf_side *current,
    struct hf_error *err)
{
    bool is_pair = base->count != 0 && !request->comparison.keeps_points &&
                   are_of(base, current, hf_loader_is_folded);
    struct hf_kept_files kept = {0}; /* mostly, all sides are of the same programs */
    struct hf_request sharing = *request;
    if (sharing.names.kept == NULL)
        sharing.names.kept = &kept;
    enum hf_status status = is_pair ? compare_pair(view, &sharing, fold, base, current, err)
                                    : compare_points(view, &sharing, fold, base, current, err);
    hf_kept_files_done(&kept);
    view->has_totals = !request->comparison.drops_released;
    return status;
}
