#include "cli/growing.h"

#include "base/units.h"
#include "cli/dated.h"
#include "cli/load.h"

#include <string.h>

#define AT(field) offsetof(struct hf_growing_options, field)

const struct hf_option hf_growing_time_options[] = {
    {"at", 0, HF_OPTION_TEXT, 0, AT(at), "TIMES",
        "when each profile was taken, as 0,60s,2m, or how long after the one before"},
    {"skip", 0, HF_OPTION_TEXT, 0, AT(skip), "TIME",
        "leave out what was taken so soon after the first: start-up, as 60s"},
    {"older", 0, HF_OPTION_TEXT, 0, AT(older), "TIME",
        "of a live table: say what is in use for longer than that, as 5m"},
    {0},
};

static enum hf_status check(
    struct hf_growing_options *options, uint64_t *out_skip_ms, struct hf_error *err)
{
    *out_skip_ms = 0;
    if (options->view.thread != NULL)
        return hf_error_set(
            err, HF_ERR_USAGE, "--thread: growth is told of the whole process alone");
    if (options->skip != NULL && !hf_units_parse_time(hf_text_of(options->skip), out_skip_ms))
        return hf_error_set(err, HF_ERR_USAGE,
            "--skip: expected a time, as '60s' or '5m', found '%s'", options->skip);
    if (options->older != NULL &&
        !hf_units_parse_time(hf_text_of(options->older), &options->old_ns))
        return hf_error_set(err, HF_ERR_USAGE,
            "--older: expected a time, as '60s' or '5m', found '%s'", options->older);
    *out_skip_ms /= 1000000;
    return HF_OK;
}

/* `lifetimes`: of the last profile, else NULL. */
static enum hf_status add(struct hf_growing *growing, const struct hf_growing_options *options,
    const struct hf_dated_profile *dated, struct hf_lifetimes *lifetimes, struct hf_error *err)
{
    struct hf_load_options load = {
        .is_tcmalloc_v1 = options->view.is_tcmalloc_v1, .is_quiet = true, .lifetimes = lifetimes};
    struct hf_profile *profile;
    size_t type;
    enum hf_status status = hf_load_profiles(&dated->name, 1, &load, &profile, err);
    if (status != HF_OK)
        return status;
    if (growing->history.stacks == NULL) {
        status = hf_load_choose_type(profile, options->view.value, &type, err);
        if (status == HF_OK)
            status = hf_history_init(&growing->history, profile, type, err);
    }
    if (status == HF_OK)
        status = hf_history_add(&growing->history, profile, lifetimes, dated->time_ms, err);
    if (status != HF_OK && status != HF_ERR_MEMORY)
        hf_error_in(err, hf_load_shown_name(dated->name));
    hf_profile_free(profile);
    return status;
}

static enum hf_status read_all(struct hf_growing *growing, const struct hf_growing_options *options,
    const struct hf_operands *operands, uint64_t skip_ms, struct hf_error *err)
{
    struct hf_dated dated;
    enum hf_status status =
        hf_dated_find(&dated, operands->items, operands->count, options->at, err);
    for (size_t i = 0; status == HF_OK && i < dated.count; i++) {
        const struct hf_dated_profile *item = &dated.items[i];
        /* Births are told by the clock, which times of --at are not. */
        bool is_told = i + 1 == dated.count && options->at == NULL;
        struct hf_lifetimes lifetimes = {.from_ms = growing->history.first_ms,
            .to_ms = item->time_ms,
            .old_ms = item->time_ms - (int64_t)(options->old_ns / 1000000)};
        if (item->time_ms - dated.items[0].time_ms >= (int64_t)skip_ms)
            status = add(growing, options, item, is_told ? &lifetimes : NULL, err);
        hf_lifetimes_done(&lifetimes);
    }
    hf_dated_done(&dated);
    if (status == HF_OK && growing->history.profile_count < 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "give at least two profiles of one process, or the folder they are in (found %zu)",
            growing->history.profile_count);
    return status;
}

enum hf_status hf_growing_make(struct hf_growing *growing, struct hf_growing_options *options,
    const struct hf_operands *operands, struct hf_error *err)
{
    uint64_t skip_ms;
    *growing = (struct hf_growing){.view.common = &options->view.common};
    enum hf_status status = check(options, &skip_ms, err);
    if (status == HF_OK)
        status = read_all(growing, options, operands, skip_ms, err);
    if (status == HF_OK)
        status = hf_view_name(&options->view, growing->history.stacks, err);
    if (status != HF_OK)
        return status;
    options->view.given = growing->history.stacks;
    options->view.value = NULL; /* chosen already: it is the history's first */
    options->view.keeps_threads = true;
    status = hf_view_make(&growing->view, &options->view, NULL, 0, err);
    if (status == HF_OK)
        status = hf_growth_find(&growing->growth, &growing->history, growing->view.folded, err);
    growing->growth.old_s = (double)options->old_ns / 1e9;
    return status;
}

void hf_growing_done(struct hf_growing *growing)
{
    hf_growth_done(&growing->growth);
    hf_view_done(&growing->view);
    hf_history_done(&growing->history);
}
