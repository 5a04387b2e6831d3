/*
 * growth_rows.h: trends of the rows of a table: functions, lines or files.
 *
 * A row has the stacks whose leaf is a frame of it or, with callees, all in which such a frame
 * occurs: then rows share stacks, which places (growth.h) never do. It is judged as a place is, by
 * who survives and by old blocks that were given back.
 */
#ifndef HF_ANALYSIS_GROWTH_ROWS_H
#define HF_ANALYSIS_GROWTH_ROWS_H

#include "analysis/growth/growth.h"

#define HF_GROWTH_NO_ROW UINT32_MAX
#define HF_GROWTH_ROWS_COHORTS 256 /* the first rows; others are judged by their shape alone */

struct hf_growth_rows {
    const uint32_t *row_of_frame; /* by frame of the folded history; last, of no frames at all */
    size_t count;
    bool with_callees;
};

/*
 * Fills in `out_places`, one for each row; they live as long as `growth`. Of a place's members
 * those about its stack are not set, and of its ages `old_freed` alone.
 */
HF_MUST_CHECK enum hf_status hf_growth_of_rows(struct hf_growth *growth,
    const struct hf_growth_rows *rows, struct hf_growth_place *out_places, struct hf_error *err);

#endif
