#include "cli/view.h"

#include "analysis/difference.h"
#include "analysis/unnamed.h"
#include "base/strings/num.h"
#include "cli/load.h"
#include "os/file.h"
#include "symbol/cache_folder.h"
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
    struct filters *filters, const struct hf_view_options *options, struct hf_error *err)
{
    const struct {
        const char *name, *pattern;
        struct hf_regex **regex;
    } all[] = {
        {"focus", options->focus, &filters->focus},
        {"ignore", options->ignore, &filters->ignore},
        {"retain", options->retain, &filters->retain},
        {"exclude", options->exclude, &filters->exclude},
        {"callers-of", options->callers_of, &filters->callers},
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

static enum hf_status fold_options(struct hf_fold_options *fold,
    const struct hf_view_options *options, const struct filters *filters, struct hf_error *err)
{
    *fold = (struct hf_fold_options){
        .granularity = (enum hf_granularity)options->granularity,
        .keep_allocator = options->keep_allocator,
        .keeps_threads = options->keeps_threads || options->places != NULL,
        .focus = filters->focus,
        .ignore = filters->ignore,
        .retain = filters->retain,
        .exclude = filters->exclude,
        .callers = filters->callers,
    };
    if (options->thread == NULL || strcmp(options->thread, "*") == 0)
        return HF_OK;
    fold->one_thread = true;
    if (!hf_num_u64(hf_text_of(options->thread), &fold->thread_uid))
        return hf_error_set(err, HF_ERR_USAGE,
            "--thread: expected a thread's number (as after 't' in the profile) or '*', found "
            "'%s'",
            options->thread);
    return HF_OK;
}

enum hf_status hf_view_name(
    const struct hf_view_options *options, struct hf_profile *profile, struct hf_error *err)
{
    char cache_folder[PATH_MAX];
    struct hf_symbol_options symbols = {
        .exe = options->exe,
        .symdirs = options->symdirs.items,
        .symdir_count = options->symdirs.count,
        .cache_folder = hf_cache_folder(options->no_cache, cache_folder),
        .full_names = options->full_names,
        .keeps_given = options->keeps_given,
        .linkage_names = options->linkage_names,
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
    const struct hf_view_options *options, struct side *side, bool is_quiet, struct hf_error *err)
{
    struct hf_load_options load = {.is_tcmalloc_v1 = options->is_tcmalloc_v1,
        .input_budget = options->input_budget,
        .is_quiet = is_quiet};
    return hf_load_profiles(side->profiles, side->count, &load, &side->read, err);
}

static enum hf_status load_side(const struct hf_view_options *options, struct side *side,
    struct hf_profile **out_profile, struct hf_error *err)
{
    enum hf_status status =
        side->read == NULL ? read_side(options, side, options->common.quiet, err) : HF_OK;
    if (status == HF_OK)
        status = hf_view_name(options, side->read, err);
    if (status != HF_OK)
        return status;
    *out_profile = side->read;
    side->read = NULL;
    return HF_OK;
}

enum hf_status hf_view_load(const struct hf_view_options *options, const char *const *profiles,
    size_t count, struct hf_profile **out_profile, struct hf_error *err)
{
    struct side side = {.profiles = profiles, .count = count};
    enum hf_status status = load_side(options, &side, out_profile, err);
    hf_profile_free(side.read);
    return status;
}

/* A side that is read on a thread of its own. */
struct reading {
    const struct hf_view_options *options;
    struct side *side;
    enum hf_status status;
    struct hf_error err;
};

static void *read_in_thread(void *context)
{
    struct reading *reading = context;
    reading->status = read_side(reading->options, reading->side, true, &reading->err);
    return NULL;
}

static bool is_file(const char *name)
{
    return !hf_load_is_url(name) && strcmp(name, "-") != 0;
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
static enum hf_status read_both(const struct hf_view_options *options, struct side *first,
    struct side *second, struct hf_error *err)
{
    pthread_t thread;
    struct reading reading = {.options = options, .side = second};
    if (!are_of(first, second, is_file) ||
        pthread_create(&thread, NULL, read_in_thread, &reading) != 0)
        return HF_OK;
    enum hf_status status = read_side(options, first, options->common.quiet, err);
    pthread_join(thread, NULL);
    if (status != HF_OK || reading.status == HF_OK)
        return status;
    *err = reading.err;
    return reading.status;
}

/* Folds one side; *out_whole is its total before the filters. */
static enum hf_status fold_side(const struct hf_view_options *options,
    const struct hf_fold_options *fold, const struct hf_profile *profile,
    struct hf_profile **out_folded, size_t *out_type, struct hf_total *out_whole,
    struct hf_error *err)
{
    enum hf_status status = hf_load_choose_type(profile, options->value, out_type, err);
    if (status != HF_OK)
        return status;
    uint32_t *thread = NULL;
    if (options->whole_is_thread && fold->one_thread)
        thread = hf_map_find(&profile->thread_index, fold->thread_uid);
    if (options->places != NULL)
        status = hf_places_add(options->places, profile, fold->granularity, err);
    if (status != HF_OK)
        return status;
    *out_whole = hf_profile_total(profile, *out_type, thread != NULL ? *thread : HF_THREAD_ALL);
    return hf_profile_fold(profile, fold, out_folded, err);
}

static enum hf_status make_side(const struct hf_view_options *options,
    const struct hf_fold_options *fold, struct side *side, struct hf_profile **out_folded,
    size_t *out_type, struct hf_total *out_whole, struct hf_error *err)
{
    struct hf_profile *profile;
    if (side->given != NULL)
        return fold_side(options, fold, side->given, out_folded, out_type, out_whole, err);
    enum hf_status status = load_side(options, side, &profile, err);
    if (status != HF_OK)
        return status;
    status = fold_side(options, fold, profile, out_folded, out_type, out_whole, err);
    hf_profile_free(profile);
    return status;
}

/* When the first of its files was written. */
static int64_t time_of(const struct side *side)
{
    return side->count != 0 && !hf_load_is_url(side->profiles[0]) ? hf_file_time(side->profiles[0])
                                                                  : 0;
}

/* Folds one side as the next point of a series. */
static enum hf_status add_point(struct hf_view *view, const struct hf_view_options *options,
    const struct hf_fold_options *fold, struct side *side, struct hf_error *err)
{
    struct hf_profile *folded;
    size_t type;
    struct hf_total whole;
    enum hf_status status = make_side(options, fold, side, &folded, &type, &whole, err);
    if (status != HF_OK)
        return status;
    const char *name = side->count != 0 ? side->profiles[0] : "";
    view->base_total = view->series.count == 0 ? hf_profile_total(folded, type, HF_THREAD_ALL).grew
                                               : view->base_total;
    view->current_total = hf_profile_total(folded, type, HF_THREAD_ALL).grew;
    return hf_series_add(&view->series, folded, hf_load_shown_name(name), side->time_s, err);
}

/* Both sides in one, which is named and folded once. */
static enum hf_status compare_pair(struct hf_view *view, const struct hf_view_options *options,
    const struct hf_fold_options *fold, const struct side *base, const struct side *current,
    struct hf_error *err)
{
    struct hf_load_options load = {.is_tcmalloc_v1 = options->is_tcmalloc_v1,
        .input_budget = options->input_budget,
        .is_quiet = options->common.quiet};
    struct side pair = {0};
    struct hf_total ignored;
    enum hf_status status = hf_load_folded_pair(
        base->profiles, base->count, current->profiles, current->count, &load, &pair.read, err);
    if (status == HF_OK)
        status = make_side(options, fold, &pair, &view->folded, &view->type, &ignored, err);
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
static enum hf_status add_points(struct hf_view *view, const struct hf_view_options *options,
    const struct hf_fold_options *fold, const struct side *all, struct hf_error *err)
{
    struct hf_dated_how how = {.at = options->at, .skip_ns = options->skip_ns, .keeps_order = true};
    struct hf_dated *dated = &view->dated;
    enum hf_status status = hf_dated_find(dated, all->profiles, all->count, &how, err);
    if (status == HF_OK && dated->count < 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "--series: give at least two profiles, the oldest first (found %zu)", dated->count);
    for (size_t i = 0; status == HF_OK && i < dated->count; i++) {
        const struct hf_dated_profile *item = &dated->items[i];
        struct side point = {.profiles = &item->name, .count = 1};
        if (options->at == NULL && item->time_ms > 0)
            point.time_s = item->time_ms / 1000;
        if (options->read_point != NULL)
            status = options->read_point(
                options->reader, options, item, i + 1 == dated->count, &point.read, err);
        if (status == HF_OK)
            status = add_point(view, options, fold, &point, err);
        hf_profile_free(point.read);
    }
    return status;
}

/* Both sides or, with --series, each of the profiles apart. */
static enum hf_status compare_points(struct hf_view *view, const struct hf_view_options *options,
    const struct hf_fold_options *fold, struct side *base, struct side *current,
    struct hf_error *err)
{
    enum hf_status status = HF_OK;
    if (base->count != 0) {
        base->time_s = time_of(base);
        current->time_s = time_of(current);
        status = read_both(options, base, current, err);
        if (status == HF_OK)
            status = add_point(view, options, fold, base, err);
        if (status == HF_OK)
            status = add_point(view, options, fold, current, err);
    }
    if (status == HF_OK && options->is_series)
        status = add_points(view, options, fold, current, err);
    if (status == HF_OK)
        status = hf_series_change(&view->series, &view->folded, err);
    if (status == HF_OK) /* the change has what all points have */
        status = hf_load_choose_type(view->folded, options->value, &view->type, err);
    if (status == HF_OK && !options->is_series && !options->keeps_points)
        hf_series_done(&view->series);
    return status;
}

/* The base and `current`, or with --series each profile of it. */
static enum hf_status compare(struct hf_view *view, const struct hf_view_options *options,
    const struct hf_fold_options *fold, struct side *current, struct hf_error *err)
{
    struct side base = {.profiles = options->base.items, .count = options->base.count};
    bool is_pair =
        base.count != 0 && !options->keeps_points && are_of(&base, current, hf_load_is_folded);
    enum hf_status status = is_pair ? compare_pair(view, options, fold, &base, current, err)
                                    : compare_points(view, options, fold, &base, current, err);
    view->has_totals = !options->drop_negative;
    hf_profile_free(base.read);
    return status;
}

/* The mark becomes the base. */
static enum hf_status take_mark(struct hf_view_options *options, const char *const *profiles,
    size_t count, struct hf_error *err)
{
    if (options->base.count != 0 || options->is_series)
        return hf_error_set(err, HF_ERR_USAGE,
            "--since and %s exclude each other: a mark is a base",
            options->is_series ? "--series" : "--base");
    enum hf_status status =
        hf_load_find_mark(options->since, profiles, count, options->since_path, err);
    if (status == HF_OK)
        options->base.items[options->base.count++] = options->since_path;
    options->since = NULL;
    return status;
}

static enum hf_status check_series(const struct hf_view_options *options, struct hf_error *err)
{
    if (options->is_series && options->base.count != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--series and --base exclude each other: give the base as the first of the series");
    return HF_OK;
}

static bool has_filters(const struct hf_view_options *options)
{
    return options->focus != NULL || options->ignore != NULL || options->thread != NULL ||
           options->callers_of != NULL;
}

enum hf_status hf_view_make(struct hf_view *view, struct hf_view_options *options,
    const char *const *profiles, size_t profile_count, struct hf_error *err)
{
    struct filters filters = {0};
    struct hf_fold_options fold;
    struct hf_total whole = {0};
    struct side side = {.given = options->given, .profiles = profiles, .count = profile_count};
    *view = (struct hf_view){.common = &options->common};
    enum hf_status status =
        options->since != NULL ? take_mark(options, profiles, profile_count, err) : HF_OK;
    if (status == HF_OK)
        status = check_series(options, err);
    if (status == HF_OK)
        status = filters_init(&filters, options, err);
    if (status == HF_OK)
        status = fold_options(&fold, options, &filters, err);
    if (status == HF_OK && (options->is_series || options->base.count != 0))
        status = compare(view, options, &fold, &side, err);
    else if (status == HF_OK)
        status = make_side(options, &fold, &side, &view->folded, &view->type, &whole, err);
    if (status == HF_OK && options->drop_negative)
        hf_difference_drop_released(view->folded);
    /* Of a difference the share of a filter has no meaning: growth and release are their own. */
    if (status == HF_OK && has_filters(options) && !view->folded->is_difference)
        view->whole = whole;
    hf_profile_free(side.read);
    filters_done(&filters);
    return status;
}

void hf_view_done(struct hf_view *view)
{
    struct hf_series *series = &view->series;
    struct hf_profile *shown = view->folded;
    if (shown == NULL && series->count != 0) /* it could not be compared */
        shown = series->points[series->count - 1].folded;
    if (shown != NULL) {
        hf_note_unnamed(shown, view->type);
        hf_report_notes(view->common, &shown->notes);
    }
    hf_profile_free(view->folded);
    hf_series_done(series);
    hf_dated_done(&view->dated);
    *view = (struct hf_view){0};
}

enum hf_status hf_view_need_profile(const struct hf_operands *operands, struct hf_error *err)
{
    if (operands->count != 0)
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "give at least one profile: a file, a URL, or - for standard input (see --help)");
}
