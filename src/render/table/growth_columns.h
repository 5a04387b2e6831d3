/*
 * growth_columns.h: the columns in which tables show how something went over time:
 *
 *                       slope  share  shape     verdict
 *      +8.2 MiB/min ± 1.3 MiB   73 %  ▁▂▄▅▆███  full cache
 *
 * The slope is by the minute, with its 95 % interval, "± ?" if there are too few points for that;
 * the share is of all that grew, and may be left out; the shape are eight heights, from nothing to
 * the peak. What never held anything has blanks there.
 */
#ifndef HF_RENDER_GROWTH_COLUMNS_H
#define HF_RENDER_GROWTH_COLUMNS_H

#include "analysis/growth/growth.h"
#include "base/strings/out.h"

void hf_growth_slope(
    const struct hf_growth *growth, const struct hf_trend *trend, struct hf_out *out);

/* Columns of the longest slope, or of its title. */
HF_MUST_CHECK enum hf_status hf_growth_slope_width(const struct hf_growth *growth,
    const struct hf_growth_place *places, size_t count, size_t *out_width, struct hf_error *err);

/* Which columns: where there is little room, the slope and the verdict. */
enum hf_growth_extent { HF_GROWTH_ALL, HF_GROWTH_NO_SHARE, HF_GROWTH_BRIEF };

/* Columns of all of them, with the blanks. */
size_t hf_growth_columns_width(size_t slope_width, enum hf_growth_extent extent);

/* The titles, and the columns of a place, each with two blanks behind. */
void hf_growth_titles(size_t slope_width, enum hf_growth_extent extent, struct hf_out *out);
void hf_growth_columns(const struct hf_growth *growth, const struct hf_growth_place *place,
    size_t slope_width, enum hf_growth_extent extent, struct hf_out *out);

#endif
