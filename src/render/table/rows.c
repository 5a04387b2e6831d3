#include "render/table/rows.h"

#include "base/budget.h"
#include "profile/interval.h"
#include "profile/samples.h"
#include "render/amount.h"
#include "render/tally.h"

#include <stdlib.h>

#define ROW_STEPS 6000 /* to put one in its place, and to print it */

/* What is said of a frame, in `rows`' arena where no string of the profile says it. */
static enum hf_status rows_describe(struct hf_rows *rows, const struct hf_profile *profile,
    uint32_t frame_id, bool is_function, struct hf_row *out_row, struct hf_error *err)
{
    if (frame_id == HF_TALLY_NONE) {
        out_row->name = HF_TEXT(HF_NO_STACK);
        return HF_OK;
    }
    const struct hf_frame *frame = hf_profile_frame_at(profile, frame_id);
    if (is_function && frame->name != HF_NO_STRING) {
        out_row->name = hf_profile_text(profile, frame->name);
        out_row->twins = frame->flags >> HF_FRAME_TWINS_SHIFT;
        out_row->file = hf_profile_text(profile, frame->file);
        out_row->line = frame->line;
        out_row->is_near = (frame->flags & HF_FRAME_IS_NEAR) != 0;
        return HF_OK;
    }
    struct hf_out label = {0};
    hf_frame_label(profile, frame, &label);
    char *copy = hf_arena_copy(&rows->arena, label.data, label.size);
    out_row->name = (struct hf_text){copy, label.size};
    enum hf_status status =
        label.error.status == HF_OK && copy != NULL ? HF_OK : hf_error_memory(err);
    hf_out_done(&label);
    return status;
}

/* How much a line explains its function's row. */
static uint64_t share_in(struct hf_total of_line, struct hf_total of_row)
{
    if (hf_total_is_zero(of_line))
        return 0;
    uint64_t same_way = of_row.value >= of_row.released ? of_line.value : of_line.released;
    /* A row may be all cancelled out: any activity is better than none. */
    return same_way != 0 ? same_way : 1;
}

static bool is_heavier_line(const struct hf_profile *profile, const struct hf_tally_entry *a,
    const struct hf_tally_entry *b, const struct hf_tally_entry *row)
{
    uint64_t a_flat = share_in(a->flat, row->flat), b_flat = share_in(b->flat, row->flat);
    if (a_flat != b_flat)
        return a_flat > b_flat;
    uint64_t a_cum = share_in(a->cum, row->cum), b_cum = share_in(b->cum, row->cum);
    if (a_cum != b_cum)
        return a_cum > b_cum;
    const struct hf_frame *fa = hf_profile_frame_at(profile, a->frame);
    const struct hf_frame *fb = hf_profile_frame_at(profile, b->frame);
    int order =
        hf_text_compare(hf_profile_text(profile, fa->file), hf_profile_text(profile, fb->file));
    return order != 0 ? order < 0 : fa->line < fb->line;
}

/* Makes each function's entry show its heaviest line. */
static enum hf_status find_heaviest_lines(
    struct hf_tally *functions, const struct hf_profile *profile, size_t type, struct hf_error *err)
{
    struct hf_tally lines;
    struct hf_tally_options options = {.type = type};
    const struct hf_tally_entry **best =
        hf_budget_calloc(functions->entry_count + 1, sizeof(const struct hf_tally_entry *));
    enum hf_status status = hf_tally_init(&lines, profile, &options, err);
    if (status == HF_OK && best == NULL)
        status = hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < lines.entry_count; i++) {
        const struct hf_tally_entry *line = &lines.entries[i];
        if (line->frame == HF_TALLY_NONE)
            continue;
        uint32_t function = functions->entry_of_frame[line->frame];
        const struct hf_tally_entry *row = &functions->entries[function];
        if (best[function] == NULL || is_heavier_line(profile, line, best[function], row))
            best[function] = line;
    }
    for (size_t i = 0; status == HF_OK && i < functions->entry_count; i++) {
        if (best[i] != NULL)
            functions->entries[i].frame = best[i]->frame;
    }
    hf_budget_free(best);
    hf_tally_done(&lines);
    return status;
}

static int rows_compare_totals(struct hf_total a, struct hf_total b, enum hf_row_order order)
{
    uint64_t a_size = hf_total_distance(a), b_size = hf_total_distance(b);
    if (order == HF_ROWS_BY_VALUE || a_size == b_size)
        return -hf_total_compare_net(a, b);
    return a_size > b_size ? -1 : 1;
}

static int rows_compare_rows(const void *left, const void *right, void *context)
{
    const struct hf_row *a = left, *b = right;
    const struct hf_rows_options *options = context;
    int order = options->is_cumulative ? rows_compare_totals(a->cum, b->cum, options->order)
                                       : rows_compare_totals(a->flat, b->flat, options->order);
    /* jeprof's ties go by name at once; everyone else is better served by the other column. */
    if (order == 0 && options->order != HF_ROWS_BY_VALUE)
        order = options->is_cumulative ? rows_compare_totals(a->flat, b->flat, options->order)
                                       : rows_compare_totals(a->cum, b->cum, options->order);
    if (order == 0)
        order = hf_text_compare(a->name, b->name);
    if (order == 0)
        order = hf_text_compare(a->file, b->file);
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static struct hf_total ranked(const struct hf_row *row, const struct hf_rows_options *options)
{
    return options->is_cumulative ? row->cum : row->flat;
}

/* Moves the rows that did not grow behind those that did; each group keeps its order. */
static enum hf_status put_growth_first(
    struct hf_rows *rows, const struct hf_rows_options *options, struct hf_error *err)
{
    struct hf_row *others = hf_budget_calloc(rows->shown + 1, sizeof *others);
    if (others == NULL)
        return hf_error_memory(err);
    size_t growing = 0, other_count = 0;
    for (size_t i = 0; i < rows->shown; i++) {
        struct hf_total value = ranked(&rows->items[i], options);
        if (value.value > value.released)
            rows->items[growing++] = rows->items[i];
        else
            others[other_count++] = rows->items[i];
    }
    for (size_t i = 0; i < other_count; i++)
        rows->items[growing + i] = others[i];
    hf_budget_free(others);
    return HF_OK;
}

/* The largest rows are shown, whichever their sign; only then the shown ones are put in order. */
static enum hf_status choose_shown(
    struct hf_rows *rows, const struct hf_rows_options *options, struct hf_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (!options->only_ranked || !hf_total_is_zero(ranked(&rows->items[i], options)))
            rows->items[kept++] = rows->items[i];
    }
    rows->count = kept;
    bool is_cut = options->max_rows != 0 && options->max_rows < kept;
    rows->shown = is_cut ? options->max_rows : kept;
    return options->is_growth_first ? put_growth_first(rows, options, err) : HF_OK;
}

/* True if values of `type` are estimates, in use now or at the peak, of a plain profile which says
 * what they stand on. */
static bool find_samples(
    const struct hf_profile *profile, size_t type, size_t *out_type, bool *out_is_peak)
{
    static const struct {
        const char *objects, *space, *samples;
    } kinds[] = {{"inuse_objects", "inuse_space", HF_INUSE_SAMPLES},
        {HF_PEAK_OBJECTS, HF_PEAK_SPACE, HF_PEAK_SAMPLES}};
    struct hf_text name = hf_profile_text(profile, profile->types[type].name);
    bool is_found = false;
    *out_is_peak = profile->capture.is_of_peak;
    for (size_t i = 0; i < HF_COUNT(kinds); i++) {
        bool is_kind = hf_text_is(name, kinds[i].objects) || hf_text_is(name, kinds[i].space);
        *out_is_peak |= is_kind && i == 1;
        is_found |=
            is_kind && hf_profile_find_type(profile, hf_text_of(kinds[i].samples), out_type);
    }
    return profile->capture.period_bytes > 1 && !profile->is_difference && is_found;
}

/* Gives each row, still in the order of the tally, the samples behind it. */
static enum hf_status count_samples(struct hf_rows *rows, const struct hf_profile *profile,
    const struct hf_tally_options *counted, struct hf_error *err)
{
    struct hf_tally_options options = *counted;
    bool is_peak;
    if (!find_samples(profile, counted->type, &options.type, &is_peak))
        return HF_OK;
    rows->peak = is_peak ? profile->capture.peak_bytes : 0;
    rows->peak_most = is_peak ? profile->capture.peak_most_bytes : 0;
    struct hf_tally samples;
    enum hf_status status = hf_tally_init(&samples, profile, &options, err);
    for (size_t i = 0; status == HF_OK && i < rows->count; i++) {
        const struct hf_tally_entry *entry = hf_tally_find(&samples, rows->items[i].frame);
        if (entry == NULL)
            continue;
        rows->items[i].flat_samples = entry->flat.value;
        rows->items[i].cum_samples = entry->cum.value;
    }
    hf_tally_done(&samples);
    return status;
}

enum hf_status hf_rows_init(struct hf_rows *rows, const struct hf_profile *folded,
    const struct hf_rows_options *options, struct hf_error *err)
{
    *rows = (struct hf_rows){0};
    bool is_function = options->granularity == HF_BY_FUNCTION;
    struct hf_tally tally;
    struct hf_tally_options counted = {.type = options->type, .by_name = is_function};
    enum hf_status status = hf_tally_init(&tally, folded, &counted, err);
    if (status == HF_OK && !hf_budget_step(ROW_STEPS * tally.entry_count))
        status = hf_budget_refuse(err);
    if (status == HF_OK && is_function)
        status = find_heaviest_lines(&tally, folded, options->type, err);
    if (status == HF_OK) {
        rows->total = tally.total;
        rows->items = hf_budget_calloc(tally.entry_count + 1, sizeof *rows->items);
        if (rows->items == NULL)
            status = hf_error_memory(err);
    }
    for (size_t i = 0; status == HF_OK && i < tally.entry_count; i++) {
        struct hf_row *row = &rows->items[rows->count++];
        row->flat = tally.entries[i].flat;
        row->cum = tally.entries[i].cum;
        row->frame = tally.entries[i].frame;
        status = rows_describe(rows, folded, tally.entries[i].frame, is_function, row, err);
    }
    if (status == HF_OK)
        status = count_samples(rows, folded, &counted, err);
    hf_tally_done(&tally);
    struct hf_rows_options how = *options;
    if (status == HF_OK) {
        qsort_r(rows->items, rows->count, sizeof *rows->items, rows_compare_rows, &how);
        status = choose_shown(rows, options, err);
    }
    return status;
}

void hf_rows_done(struct hf_rows *rows)
{
    hf_budget_free(rows->items);
    hf_arena_done(&rows->arena);
    *rows = (struct hf_rows){0};
}
