#include "answer/view.h"

#include "analysis/difference.h"
#include "analysis/unnamed.h"
#include "base/strings/num.h"
#include "os/file.h"
#include "symbol/cache/cache_folder.h"
#include "symbol/lookup/symbolize.h"

#include <pthread.h>
#include <string.h>

struct filters {
    struct hf_regex *focus, *ignore, *retain, *exclude, *callers;
};

static void filters_done(struct filters *filters)
{
    hf_regex_free(filters->focus);
    hf_regex_free(filters->ignore);
    hf_regex_free(filters->retain);
    hf_regex_free(filters->exclude);
    hf_regex_free(filters->callers);
}

static enum hf_status filters_init(
    struct filters *filters, const struct hf_request *request, struct hf_error *err)
{
    const struct {
        const char *name, *pattern;
        struct hf_regex **regex;
    } all[] = {
        {"focus", request->fold.focus, &filters->focus},
        {"ignore", request->fold.ignore, &filters->ignore},
        {"retain", request->fold.retain, &filters->retain},
        {"exclude", request->fold.exclude, &filters->exclude},
        {"callers-of", request->fold.callers_of, &filters->callers},
    };
    *filters = (struct filters){0};
    for (size_t i = 0; i < HF_COUNT(all); i++) {
        if (all[i].pattern == NULL || all[i].pattern[0] == '\0')
            continue;
        enum hf_status status = hf_regex_new(all[i].pattern, all[i].regex, err);
        if (status != HF_OK) {
            hf_error_context(err, "--%s", all[i].name);
            return status;
        }
    }
    return HF_OK;
}

static enum hf_status fold_options(struct hf_fold_options *fold, const struct hf_request *request,
    const struct filters *filters, struct hf_error *err)
{
    *fold = (struct hf_fold_options){
        .granularity = (enum hf_granularity)request->fold.granularity,
        .keep_allocator = request->fold.keep_allocator,
        .keeps_threads = request->fold.keeps_threads || request->fold.places != NULL,
        .focus = filters->focus,
        .ignore = filters->ignore,
        .retain = filters->retain,
        .exclude = filters->exclude,
        .callers = filters->callers,
    };
    if (request->fold.thread == NULL || strcmp(request->fold.thread, "*") == 0)
        return HF_OK;
    fold->one_thread = true;
    if (!hf_num_u64(hf_text_of(request->fold.thread), &fold->thread_uid))
        return hf_error_set(err, HF_ERR_USAGE,
            "--thread: expected a thread's number (as after 't' in the profile) or '*', found "
            "'%s'",
            request->fold.thread);
    return HF_OK;
}

enum hf_status hf_view_name(
    const struct hf_request_names *names, struct hf_profile *profile, struct hf_error *err)
{
    char cache_folder[PATH_MAX];
    struct hf_symbol_options symbols = {
        .exe = names->exe,
        .symdirs = names->symdirs.items,
        .symdir_count = names->symdirs.count,
        .cache_folder = hf_cache_folder(names->no_cache, cache_folder),
        .full_names = names->full_names,
        .keeps_given = names->keeps_given,
        .linkage_names = names->linkage_names,
    };
    return hf_symbolize(profile, &symbols, err);
}

/* One side before it is folded: `given`, or what is read and named. */
struct side {
    const struct hf_profile *given;
    const char *const *profiles;
    size_t count;
    int64_t time_s;          /* of a point of a series, since 1970; 0: unknown */
    struct hf_profile *read; /* what is read already, but not named; NULL: nothing yet */
};

static enum hf_status read_side(
    const struct hf_request *request, struct side *side, bool is_quiet, struct hf_error *err)
{
    struct hf_loader_options load = request->input;
    load.listener = is_quiet ? NULL : load.listener;
    return hf_loader_read(side->profiles, side->count, &load, &side->read, err);
}

static enum hf_status load_side(const struct hf_request *request, struct side *side,
    struct hf_profile **out_profile, struct hf_error *err)
{
    enum hf_status status = side->read == NULL ? read_side(request, side, false, err) : HF_OK;
    if (status == HF_OK)
        status = hf_view_name(&request->names, side->read, err);
    if (status != HF_OK)
        return status;
    *out_profile = side->read;
    side->read = NULL;
    return HF_OK;
}

enum hf_status hf_view_load(const struct hf_request *request, const char *const *profiles,
    size_t count, struct hf_profile **out_profile, struct hf_error *err)
{
    struct side side = {.profiles = profiles, .count = count};
    enum hf_status status = load_side(request, &side, out_profile, err);
    hf_profile_free(side.read);
    return status;
}

/* A side that is read on a thread of its own. */
struct reading {
    const struct hf_request *request;
    struct side *side;
    enum hf_status status;
    struct hf_error err;
};

static void *read_in_thread(void *context)
{
    struct reading *reading = context;
    reading->status = read_side(reading->request, reading->side, true, &reading->err);
    return NULL;
}

static bool is_file(const char *name)
{
    return !hf_operand_is_url(name) && strcmp(name, "-") != 0;
}

/* True if both sides are of such profiles alone. */
static bool are_of(const struct side *first, const struct side *second, bool (*is)(const char *))
{
    bool are = first->given == NULL && second->given == NULL;
    for (size_t i = 0; are && i < first->count; i++)
        are = is(first->profiles[i]);
    for (size_t i = 0; are && i < second->count; i++)
        are = is(second->profiles[i]);
    return are;
}

/* Reads two sides at once, if both are files and there is a thread for it; else neither. */
static enum hf_status read_both(
    const struct hf_request *request, struct side *first, struct side *second, struct hf_error *err)
{
    pthread_t thread;
    struct reading reading = {.request = request, .side = second};
    if (!are_of(first, second, is_file) ||
        pthread_create(&thread, NULL, read_in_thread, &reading) != 0)
        return HF_OK;
    enum hf_status status = read_side(request, first, false, err);
    pthread_join(thread, NULL);
    if (status != HF_OK || reading.status == HF_OK)
        return status;
    *err = reading.err;
    return reading.status;
}

/* Folds one side; *out_whole is its total before the filters. */
static enum hf_status fold_side(const struct hf_request *request,
    const struct hf_fold_options *fold, const struct hf_profile *profile,
    struct hf_profile **out_folded, size_t *out_type, struct hf_total *out_whole,
    struct hf_error *err)
{
    enum hf_status status = hf_value_type_choose(profile, request->fold.value, out_type, err);
    if (status != HF_OK)
        return status;
    uint32_t *thread = NULL;
    if (request->fold.whole_is_thread && fold->one_thread)
        thread = hf_map_find(&profile->thread_index, fold->thread_uid);
    if (request->fold.places != NULL)
        status = hf_places_add(request->fold.places, profile, fold->granularity, err);
    if (status != HF_OK)
        return status;
    *out_whole = hf_profile_total(profile, *out_type, thread != NULL ? *thread : HF_THREAD_ALL);
    return hf_profile_fold(profile, fold, out_folded, err);
}

static enum hf_status make_side(const struct hf_request *request,
    const struct hf_fold_options *fold, struct side *side, struct hf_profile **out_folded,
    size_t *out_type, struct hf_total *out_whole, struct hf_error *err)
{
    struct hf_profile *profile;
    if (side->given != NULL)
        return fold_side(request, fold, side->given, out_folded, out_type, out_whole, err);
    enum hf_status status = load_side(request, side, &profile, err);
    if (status != HF_OK)
        return status;
    status = fold_side(request, fold, profile, out_folded, out_type, out_whole, err);
    hf_profile_free(profile);
    return status;
}

/* When the first of its files was written. */
static int64_t time_of(const struct side *side)
{
    return side->count != 0 && !hf_operand_is_url(side->profiles[0])
               ? hf_file_time(side->profiles[0])
               : 0;
}

/* Folds one side as the next point of a series. */
static enum hf_status add_point(struct hf_view *view, const struct hf_request *request,
    const struct hf_fold_options *fold, struct side *side, struct hf_error *err)
{
    struct hf_profile *folded;
    size_t type;
    struct hf_total whole;
    enum hf_status status = make_side(request, fold, side, &folded, &type, &whole, err);
    if (status != HF_OK)
        return status;
    const char *name = side->count != 0 ? side->profiles[0] : "";
    view->base_total = view->series.count == 0 ? hf_profile_total(folded, type, HF_THREAD_ALL).grew
                                               : view->base_total;
    view->current_total = hf_profile_total(folded, type, HF_THREAD_ALL).grew;
    return hf_series_add(&view->series, folded, hf_operand_shown(name), side->time_s, err);
}

/* Both sides in one, which is named and folded once. */
static enum hf_status compare_pair(struct hf_view *view, const struct hf_request *request,
    const struct hf_fold_options *fold, const struct side *base, const struct side *current,
    struct hf_error *err)
{
    struct side pair = {0};
    struct hf_total ignored;
    enum hf_status status = hf_loader_read_pair(base->profiles, base->count, current->profiles,
        current->count, &request->input, &pair.read, err);
    if (status == HF_OK)
        status = make_side(request, fold, &pair, &view->folded, &view->type, &ignored, err);
    hf_profile_free(pair.read);
    if (status != HF_OK)
        return status;
    struct hf_total total = hf_profile_total(view->folded, view->type, HF_THREAD_ALL);
    view->base_total = total.released;
    view->current_total = total.grew;
    hf_difference_of_pair(view->folded);
    return HF_OK;
}

/* Each of the profiles apart. */
static enum hf_status add_points(struct hf_view *view, const struct hf_request *request,
    const struct hf_fold_options *fold, const struct side *all, struct hf_error *err)
{
    struct hf_timeline_options how = {
        .at = request->times.at, .skip_ns = request->times.skip_ns, .keeps_order = true};
    struct hf_timeline *timeline = &view->timeline;
    enum hf_status status = hf_timeline_find(timeline, all->profiles, all->count, &how, err);
    if (status == HF_OK && timeline->count < 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "--series: give at least two profiles, the oldest first (found %zu)", timeline->count);
    for (size_t i = 0; status == HF_OK && i < timeline->count; i++) {
        const struct hf_dated_profile *item = &timeline->items[i];
        struct side point = {.profiles = &item->name, .count = 1};
        if (request->times.at == NULL && item->time_ms > 0)
            point.time_s = item->time_ms / 1000;
        if (request->comparison.read_point != NULL)
            status = request->comparison.read_point(request->comparison.reader, request, item,
                i + 1 == timeline->count, &point.read, err);
        if (status == HF_OK)
            status = add_point(view, request, fold, &point, err);
        hf_profile_free(point.read);
    }
    return status;
}

/* Both sides or, with --series, each of the profiles apart. */
static enum hf_status compare_points(struct hf_view *view, const struct hf_request *request,
    const struct hf_fold_options *fold, struct side *base, struct side *current,
    struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (base->count != 0) {
        base->time_s = time_of(base);
        current->time_s = time_of(current);
        status = read_both(request, base, current, err);
        if (status == HF_OK)
            status = add_point(view, request, fold, base, err);
        if (status == HF_OK)
            status = add_point(view, request, fold, current, err);
    }
    if (status == HF_OK && request->comparison.is_series)
        status = add_points(view, request, fold, current, err);
    if (status == HF_OK)
        status = hf_series_change(&view->series, &view->folded, err);
    if (status == HF_OK) /* the change has what all points have */
        status = hf_value_type_choose(view->folded, request->fold.value, &view->type, err);
    if (status == HF_OK && !request->comparison.is_series && !request->comparison.keeps_points)
        hf_series_done(&view->series);
    return status;
}

/* The base and `current`, or with --series each profile of it. */
static enum hf_status compare(struct hf_view *view, const struct hf_request *request,
    const struct hf_fold_options *fold, struct side *base, struct side *current,
    struct hf_error *err)
{
    bool is_pair = base->count != 0 && !request->comparison.keeps_points &&
                   are_of(base, current, hf_loader_is_folded);
    enum hf_status status = is_pair ? compare_pair(view, request, fold, base, current, err)
                                    : compare_points(view, request, fold, base, current, err);
    view->has_totals = !request->comparison.drops_released;
    return status;
}

/* The mark becomes the base. */
static enum hf_status take_mark(struct hf_view *view, const struct hf_request_comparison *with,
    const struct side *current, struct hf_error *err)
{
    if (with->base.count != 0 || with->is_series)
        return hf_error_set(err, HF_ERR_USAGE,
            "--since and %s exclude each other: a mark is a base",
            with->is_series ? "--series" : "--base");
    return hf_operand_find_mark(
        with->since, current->profiles, current->count, view->since_path, err);
}

static enum hf_status check_series(const struct hf_request *request, struct hf_error *err)
{
    if (request->comparison.is_series && request->comparison.base.count != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--series and --base exclude each other: give the base as the first of the series");
    return HF_OK;
}

static bool has_filters(const struct hf_request *request)
{
    return request->fold.focus != NULL || request->fold.ignore != NULL ||
           request->fold.thread != NULL || request->fold.callers_of != NULL;
}

enum hf_status hf_view_make(struct hf_view *view, const struct hf_request *request,
    const char *const *profiles, size_t count, struct hf_error *err)
{
    *view = (struct hf_view){0};
    struct filters filters = {0};
    struct hf_fold_options fold;
    struct hf_total whole = {0};
    const struct hf_request_comparison *with = &request->comparison;
    const char *mark = view->since_path;
    struct side side = {.given = request->given, .profiles = profiles, .count = count};
    struct side base = {.profiles = with->base.items, .count = with->base.count};
    if (with->since != NULL)
        base = (struct side){.profiles = &mark, .count = 1};
    enum hf_status status = with->since != NULL ? take_mark(view, with, &side, err) : HF_OK;
    if (status == HF_OK)
        status = check_series(request, err);
    if (status == HF_OK)
        status = filters_init(&filters, request, err);
    if (status == HF_OK)
        status = fold_options(&fold, request, &filters, err);
    if (status == HF_OK && (with->is_series || base.count != 0))
        status = compare(view, request, &fold, &base, &side, err);
    else if (status == HF_OK)
        status = make_side(request, &fold, &side, &view->folded, &view->type, &whole, err);
    if (status == HF_OK && with->drops_released)
        hf_difference_drop_released(view->folded);
    /* Of a difference the share of a filter has no meaning: growth and release are their own. */
    if (status == HF_OK && has_filters(request) && !view->folded->is_difference)
        view->whole = whole;
    hf_profile_free(base.read);
    hf_profile_free(side.read);
    filters_done(&filters);
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
    hf_series_done(&view->series);
    hf_timeline_done(&view->timeline);
    *view = (struct hf_view){0};
}
