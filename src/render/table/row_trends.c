#include "render/table/row_trends.h"

#include "analysis/growth/growth_rows.h"
#include "base/budget.h"
#include "base/containers/intern.h"
#include "render/table/growth_columns.h"

#include <stdlib.h>

/* The row of each frame of the history, and of stacks without frames. */
static enum hf_status find_rows(const struct hf_rows *rows, const struct hf_profile *folded,
    uint32_t *rows_of, struct hf_error *err)
{
    struct hf_intern names = {0};
    struct hf_out label = {0};
    bool has_memory = true;
    for (size_t i = 0; has_memory && i < rows->shown; i++) {
        uint32_t id;
        has_memory = hf_intern_put(&names, rows->items[i].name.data, rows->items[i].name.size, &id);
    }
    for (uint32_t frame = 0; has_memory && frame <= folded->frames.count; frame++) {
        label.size = 0;
        if (frame == folded->frames.count)
            hf_out_string(&label, HF_NO_STACK);
        else
            hf_frame_label(folded, hf_profile_frame_at(folded, frame), &label);
        has_memory = hf_intern_put(&names, label.data, label.size, &rows_of[frame]) &&
                     label.error.status == HF_OK;
        if (rows_of[frame] >= rows->shown)
            rows_of[frame] = HF_GROWTH_NO_ROW;
    }
    hf_out_done(&label);
    hf_intern_done(&names);
    return has_memory ? HF_OK : hf_error_memory(err);
}

enum hf_status hf_row_trends_init(struct hf_row_trends *trends, const struct hf_rows *rows,
    struct hf_growth *growth, bool with_callees, struct hf_error *err)
{
    const struct hf_profile *folded = growth->folded;
    uint32_t *rows_of = hf_budget_calloc((size_t)folded->frames.count + 1, sizeof *rows_of);
    *trends =
        (struct hf_row_trends){.items = hf_budget_calloc(rows->shown + 1, sizeof *trends->items)};
    enum hf_status status = rows_of != NULL && trends->items != NULL
                                ? find_rows(rows, folded, rows_of, err)
                                : hf_error_memory(err);
    struct hf_growth_rows wanted = {rows_of, rows->shown, with_callees};
    if (status == HF_OK)
        status = hf_growth_of_rows(growth, &wanted, trends->items, err);
    for (size_t i = 0; status == HF_OK && i < rows->shown; i++)
        trends->items[i].name = rows->items[i].name;
    if (status == HF_OK)
        status =
            hf_growth_slope_width(growth, trends->items, rows->shown, &trends->slope_width, err);
    hf_budget_free(rows_of);
    return status;
}

struct led_row {
    struct hf_row row;
    struct hf_growth_place place;
    size_t rank; /* by size */
};

static int compare_led(const void *left, const void *right)
{
    const struct led_row *a = left, *b = right;
    bool a_leaks = a->place.verdict.kind == HF_VERDICT_LEAK,
         b_leaks = b->place.verdict.kind == HF_VERDICT_LEAK;
    if (a_leaks != b_leaks)
        return a_leaks ? -1 : 1;
    double a_slope = a->place.trend.slope, b_slope = b->place.trend.slope;
    if (a_leaks && (a_slope > b_slope || a_slope < b_slope))
        return a_slope > b_slope ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

enum hf_status hf_row_trends_lead_with_leaks(struct hf_row_trends *trends, struct hf_rows *rows,
    struct hf_growth *growth, size_t max_rows, struct hf_error *err)
{
    struct led_row *led = hf_budget_calloc(rows->shown + 1, sizeof *led);
    if (led == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < rows->shown; i++)
        led[i] = (struct led_row){rows->items[i], trends->items[i], i};
    qsort(led, rows->shown, sizeof *led, compare_led);
    for (size_t i = 0; i < rows->shown; i++) {
        rows->items[i] = led[i].row;
        trends->items[i] = led[i].place;
    }
    hf_budget_free(led);
    if (max_rows != 0 && rows->shown > max_rows)
        rows->shown = max_rows;
    return hf_growth_slope_width(growth, trends->items, rows->shown, &trends->slope_width, err);
}

void hf_row_trends_done(struct hf_row_trends *trends)
{
    hf_budget_free(trends->items);
    *trends = (struct hf_row_trends){0};
}
