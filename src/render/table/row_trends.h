/*
 * row_trends.h: how each row of a table developed over time.
 */
#ifndef HF_RENDER_ROW_TRENDS_H
#define HF_RENDER_ROW_TRENDS_H

#include "analysis/growth/growth.h"
#include "profile/fold.h"
#include "render/table/rows.h"

struct hf_row_trends {
    struct hf_growth_place *items; /* by shown row; their names and points are borrowed */
    size_t slope_width;            /* see growth_columns.h */
};

/*
 * Finds the rows that are shown in the history of `growth`, by their names; its fold shows frames
 * as the rows do. Their own values or, if they are ranked so, those with callees. Free with
 * hf_row_trends_done, also after an error.
 */
HF_MUST_CHECK enum hf_status hf_row_trends_init(struct hf_row_trends *trends,
    const struct hf_rows *rows, struct hf_growth *growth, bool with_callees, struct hf_error *err);
/*
 * Puts rows that leak before all others, the fastest first, and shows at most so many (0: all); the
 * others keep their order. Before anything else is made of the rows.
 */
HF_MUST_CHECK enum hf_status hf_row_trends_lead_with_leaks(struct hf_row_trends *trends,
    struct hf_rows *rows, struct hf_growth *growth, size_t max_rows, struct hf_error *err);
void hf_row_trends_done(struct hf_row_trends *trends);

#endif
