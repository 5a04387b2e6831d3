#include "answer/view.h"

#include "analysis/difference.h"
#include "analysis/unnamed.h"
#include "answer/comparison.h"
#include "answer/filters.h"
#include "answer/operand.h"

/* The mark becomes the base. */
static enum hf_status take_mark(struct hf_view *view, const struct hf_request_comparison *with,
    const struct hf_side *current, struct hf_error *err)
{
    if (with->base.count != 0 || with->is_series)
        return hf_error_set(err, HF_ERR_USAGE,
            "--since and %s exclude each other: a mark is itself a base",
            with->is_series ? "--series" : "--base");
    return hf_operand_find_mark(
        "--since", with->since, current->profiles, current->count, view->since_path, err);
}

static enum hf_status check_series(const struct hf_request *request, struct hf_error *err)
{
    if (request->comparison.is_series && request->comparison.base.count != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--series and --base exclude each other: give the base as the first of the series");
    return HF_OK;
}

enum hf_status hf_view_load(const struct hf_request *request, const char *const *profiles,
    size_t count, struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_side side = {.profiles = profiles, .count = count};
    enum hf_status status = hf_side_load(request, &side, out_profile, err);
    hf_profile_free(side.read);
    return status;
}

/* Without a comparison. */
static enum hf_status make_one(struct hf_view *view, const struct hf_request *request,
    const struct hf_fold_options *fold, struct hf_side *side, struct hf_total *out_whole,
    struct hf_error *err)
{
    enum hf_status status =
        hf_side_make(request, fold, side, &view->folded, &view->type, out_whole, err);
    return status == HF_OK ? hf_side_cut(request, &view->owners, view->folded, view->type, err)
                           : status;
}

static enum hf_status make(struct hf_view *view, const struct hf_request *request,
    const char *const *profiles, size_t count, struct hf_error *err)
{
    struct hf_filters filters = {0};
    struct hf_total whole = {0};
    const struct hf_request_comparison *with = &request->comparison;
    const char *mark = view->since_path;
    struct hf_side side = {
        .given = request->given, .profiles = profiles, .count = count, .owners = &view->owners};
    if (request->fold.wants_lines)
        side.out_by_line = &view->by_line;
    if (request->fold.wants_addresses)
        side.out_by_address = &view->by_address;
    struct hf_side base = {
        .profiles = with->base.items, .count = with->base.count, .owners = &view->owners};
    if (with->since != NULL)
        base = (struct hf_side){.profiles = &mark, .count = 1, .owners = &view->owners};
    enum hf_status status = with->since != NULL ? take_mark(view, with, &side, err) : HF_OK;
    if (status == HF_OK)
        status = check_series(request, err);
    if (status == HF_OK)
        status = hf_filters_init(&filters, &request->fold, err);
    if (status == HF_OK && (with->is_series || base.count != 0))
        status = hf_comparison_make(view, request, &filters.fold, &base, &side, err);
    else if (status == HF_OK)
        status = make_one(view, request, &filters.fold, &side, &whole, err);
    if (status == HF_OK && with->drops_released)
        hf_difference_drop_released(view->folded);
    /* Of a difference the share of a filter has no meaning: growth and release are their own. */
    if (status == HF_OK && hf_filters_hide(&request->fold) && !view->folded->is_difference)
        view->whole = whole;
    hf_profile_free(base.read);
    hf_profile_free(side.read);
    hf_filters_done(&filters);
    return status;
}

enum hf_status hf_view_make(struct hf_view *view, const struct hf_request *request,
    const char *const *profiles, size_t count, struct hf_error *err)
{
    *view = (struct hf_view){0};
    struct hf_budget_scope before = hf_budget_enter(&view->budget);
    enum hf_status status = make(view, request, profiles, count, err);
    hf_budget_leave(before);
    return status;
}

const struct hf_notes *hf_view_notes(struct hf_view *view)
{
    const struct hf_series *series = &view->series;
    struct hf_profile *shown = view->folded;
    if (shown == NULL && series->count != 0) /* it could not be compared */
        shown = series->points[series->count - 1].folded;
    if (shown == NULL)
        return NULL;
    hf_note_unnamed(shown, view->type);
    return &shown->notes;
}

void hf_view_done(struct hf_view *view)
{
    hf_profile_free(view->folded);
    hf_profile_free(view->by_line);
    hf_profile_free(view->by_address);
    hf_series_done(&view->series);
    hf_owners_done(&view->owners);
    hf_timeline_done(&view->timeline);
    hf_budget_free(view->base_by_node);
    *view = (struct hf_view){0};
}
