#include "cli/growing.h"

#include "cli/load.h"
#include "cli/looking.h"

#include <string.h>

#define AT(field) offsetof(struct hf_view_options, field)

const struct hf_option hf_growing_time_options[] = {
    {"at", 0, HF_OPTION_TEXT, 0, AT(at), "TIMES",
        "when each profile was taken, as 0,60s,2m, or how long after the one before"},
    {"skip", 0, HF_OPTION_TIME, 0, AT(skip_ns), "TIME",
        "leave out what was taken so soon after the first: start-up, as 60s"},
    {"older", 0, HF_OPTION_TIME, 0, AT(older_ns), "TIME",
        "of a live table: say what is in use for longer than that, as 5m"},
    {0},
};

#define OF_GROWING(field) offsetof(struct hf_growing_options, field)

const struct hf_option hf_growing_process_options[] = {
    {"every", 0, HF_OPTION_WAIT, 0, OF_GROWING(every_ns), "TIME",
        "of one process: look at it so often (5s)"},
    {"duration", 'd', HF_OPTION_WAIT, 0, OF_GROWING(duration_ns), "TIME",
        "of one process: for so long (until it ends, or Ctrl-C)"},
    {0},
};

const struct hf_option hf_growing_suppression_options[] = {
    {"suppressions", 0, HF_OPTION_LIST, 0, OF_GROWING(suppressions), "FILE",
        "leave out what a line leak:PATTERN fits, as LeakSanitizer does"},
    {0},
};

static enum hf_status refuse_thread(const struct hf_view_options *options, struct hf_error *err)
{
    if (options->thread == NULL)
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE, "--thread: growth is told of the whole process alone");
}

static enum hf_status add_to_history(struct hf_growing *growing,
    const struct hf_view_options *options, const struct hf_profile *profile,
    const struct hf_lifetimes *lifetimes, int64_t time_ms, struct hf_error *err)
{
    size_t type;
    enum hf_status status = HF_OK;
    struct hf_history *history = &growing->history;
    growing->is_unordered |= history->profile_count != 0 && time_ms <= history->last_ms;
    if (growing->is_unordered)
        return HF_OK;
    if (history->stacks == NULL) {
        status = hf_load_choose_type(profile, options->value, &type, err);
        if (status == HF_OK)
            status = hf_history_init(history, profile, type, err);
    }
    return status == HF_OK ? hf_history_add(history, profile, lifetimes, time_ms, err) : status;
}

enum hf_status hf_growing_add(void *context, const struct hf_view_options *options,
    const struct hf_dated_profile *dated, bool is_judged, struct hf_profile **out_profile,
    struct hf_error *err)
{
    struct hf_growing *growing = context;
    struct hf_profile *profile;
    enum hf_status status = refuse_thread(options, err);
    if (status != HF_OK)
        return status;
    /* Births are told by the clock, which times of --at are not. */
    bool wants_lifetimes = is_judged && options->at == NULL;
    struct hf_lifetimes lifetimes = {.from_ms = growing->history.first_ms,
        .to_ms = dated->time_ms,
        .old_ms = dated->time_ms - (int64_t)(options->older_ns / 1000000)};
    struct hf_load_options load = {.is_tcmalloc_v1 = options->is_tcmalloc_v1,
        .input_budget = options->input_budget,
        .is_quiet = true,
        .lifetimes = wants_lifetimes ? &lifetimes : NULL};
    status = hf_load_profiles(&dated->name, 1, &load, &profile, err);
    if (status == HF_OK) {
        status = add_to_history(growing, options, profile, load.lifetimes, dated->time_ms, err);
        if (status != HF_OK && status != HF_ERR_MEMORY)
            hf_error_in(err, hf_load_shown_name(dated->name));
        if (status == HF_OK)
            *out_profile = profile;
        else
            hf_profile_free(profile);
    }
    hf_lifetimes_done(&lifetimes);
    return status;
}

/* When the mark of --since was made. */
static enum hf_status find_mark(const struct hf_view_options *options,
    const struct hf_operands *operands, int64_t *out_ms, struct hf_error *err)
{
    char path[PATH_MAX];
    if (options->at != NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "--since and --at exclude each other: a mark has its time by the clock");
    enum hf_status status =
        hf_load_find_mark(options->since, operands->items, operands->count, path, err);
    if (status == HF_OK)
        *out_ms = hf_dated_time_of(path);
    return status;
}

/* Takes the profile. */
static void keep(struct hf_growing *growing, struct hf_profile *profile, bool is_kept)
{
    hf_profile_free(growing->last);
    growing->last = is_kept ? profile : NULL;
    if (!is_kept)
        hf_profile_free(profile);
}

static enum hf_status read_all(struct hf_growing *growing, const struct hf_growing_options *options,
    const struct hf_operands *operands, struct hf_error *err)
{
    struct hf_dated dated;
    struct hf_dated_how how = {.at = options->view.at, .skip_ns = options->view.skip_ns};
    int64_t start_ms = INT64_MIN;
    enum hf_status status = hf_dated_find(&dated, operands->items, operands->count, &how, err);
    if (status == HF_OK && options->view.since != NULL)
        status = find_mark(&options->view, operands, &start_ms, err);
    for (size_t i = 0; status == HF_OK && i < dated.count; i++) {
        bool is_last = i + 1 == dated.count;
        struct hf_profile *profile;
        if (dated.items[i].time_ms < start_ms)
            continue;
        status = hf_growing_add(growing, &options->view, &dated.items[i], is_last, &profile, err);
        if (status == HF_OK)
            keep(growing, profile, is_last && options->keeps_last);
    }
    hf_dated_done(&dated);
    if (status == HF_OK && growing->history.profile_count < 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "give at least two profiles of one process, or the folder they are in (found %zu)",
            growing->history.profile_count);
    return status;
}

/* A process that is looked at from now on. */
struct watch {
    struct hf_growing *growing;
    const struct hf_growing_options *options;
    const char *name;
    int64_t start_ms;
};

static enum hf_status look(void *context, struct hf_error *err)
{
    const struct watch *watch = context;
    struct hf_dated_profile now = {watch->name, hf_dated_now()};
    struct hf_profile *profile;
    if (now.time_ms < watch->start_ms)
        return HF_OK;
    enum hf_status status =
        hf_growing_add(watch->growing, &watch->options->view, &now, true, &profile, err);
    if (status == HF_OK)
        keep(watch->growing, profile, watch->options->keeps_last);
    return status;
}

static enum hf_status look_at_process(struct hf_growing *growing,
    const struct hf_growing_options *options, const struct hf_operands *operands, uint32_t pid,
    struct hf_error *err)
{
    struct watch watch = {growing, options, operands->items[0], 0};
    struct hf_looking looking = {
        .pid = pid,
        .is_quiet = options->view.common.quiet,
        .every_ns = options->every_ns,
        .duration_ns = options->duration_ns,
        .look = look,
        .context = &watch,
    };
    if (options->view.at != NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "--at: a process is looked at by the clock: say by --every how often");
    int64_t marked_ms = INT64_MIN;
    enum hf_status status = HF_OK;
    if (options->view.since != NULL)
        status = find_mark(&options->view, operands, &marked_ms, err);
    watch.start_ms = hf_dated_now() + (int64_t)(options->view.skip_ns / 1000000);
    if (watch.start_ms < marked_ms)
        watch.start_ms = marked_ms;
    if (status == HF_OK)
        status = hf_looking_run(&looking, err);
    if (status == HF_OK && growing->history.profile_count < 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "process %u was looked at too few times (%zu): at least %d are needed for a verdict",
            pid, growing->history.profile_count, HF_TREND_POINTS_MIN);
    return status;
}

static void forget_places(struct hf_growing *growing)
{
    hf_growth_done(&growing->growth);
    hf_view_done(&growing->view);
}

static enum hf_status read_suppressions(
    struct hf_suppressions *suppressions, const struct hf_name_list *files, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < files->count; i++) {
        struct hf_input input;
        status = hf_input_open(&input, files->items[i], err);
        if (status != HF_OK)
            return status;
        status = hf_suppressions_read(suppressions, &input, err);
        hf_input_close(&input);
    }
    return status;
}

/* The process without the places that are suppressed. */
static void suppress(struct hf_growth *growth, struct hf_suppressions *suppressions)
{
    size_t kept = 0;
    for (size_t i = 0; i < growth->count; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        bool is_suppressed =
            hf_suppressions_find(suppressions, growth->folded, place->frames, place->depth) != NULL;
        for (size_t p = 0; is_suppressed && p < growth->point_count; p++) {
            growth->whole.values[p] -= place->values[p];
            growth->whole.objects[p] -= place->objects[p];
        }
        if (!is_suppressed)
            growth->places[kept++] = *place;
    }
    if (kept != growth->count)
        hf_growth_judge(growth, &growth->whole);
    growth->count = kept;
}

enum hf_status hf_growing_judge(
    struct hf_growing *growing, struct hf_view_options *options, struct hf_error *err)
{
    forget_places(growing);
    enum hf_status status = refuse_thread(options, err);
    if (status == HF_OK)
        status = hf_view_name(options, growing->history.stacks, err);
    if (status != HF_OK)
        return status;
    options->given = growing->history.stacks;
    options->value = NULL; /* chosen already: it is the history's first */
    options->since = NULL; /* taken into account, too */
    options->is_series = false;
    options->keeps_threads = true;
    options->places = NULL;
    status = hf_view_make(&growing->view, options, NULL, 0, err);
    if (status == HF_OK)
        status = hf_growth_find(&growing->growth, &growing->history, growing->view.folded, err);
    if (status == HF_OK)
        suppress(&growing->growth, &growing->suppressions);
    growing->growth.old_s = (double)options->older_ns / 1e9;
    return status;
}

enum hf_status hf_growing_make(struct hf_growing *growing, struct hf_growing_options *options,
    const struct hf_operands *operands, struct hf_error *err)
{
    uint32_t pid;
    *growing = (struct hf_growing){0};
    bool is_process = operands->count == 1 && hf_load_is_process(operands->items[0], &pid);
    if (!is_process && (options->every_ns != 0 || options->duration_ns != 0))
        return hf_error_set(err, HF_ERR_USAGE,
            "%s: expected one process, by its number, and no other profile",
            options->every_ns != 0 ? "--every" : "--duration");
    enum hf_status status = read_suppressions(&growing->suppressions, &options->suppressions, err);
    if (status == HF_OK)
        status = is_process ? look_at_process(growing, options, operands, pid, err)
                            : read_all(growing, options, operands, err);
    return status == HF_OK ? hf_growing_judge(growing, &options->view, err) : status;
}

void hf_growing_done(struct hf_growing *growing)
{
    forget_places(growing);
    hf_profile_free(growing->last);
    hf_history_done(&growing->history);
    hf_suppressions_done(&growing->suppressions);
}
