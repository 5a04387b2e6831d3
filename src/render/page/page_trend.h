/*
 * page_trend.h: the verdicts of a series, for its page.
 */
#ifndef HF_RENDER_PAGE_TREND_H
#define HF_RENDER_PAGE_TREND_H

#include "analysis/growth/growth.h"
#include "base/strings/out.h"
#include "render/page/page_data.h"

/*
 * Writes the object `Trend` of web/src/profile.ts: the members of growth_report.h from "profiles"
 * on, each place with its node on the page, and "type", the index of the values that they are of;
 * null if the page has no such values.
 */
HF_MUST_CHECK enum hf_status hf_page_trend(const struct hf_growth *growth,
    const struct hf_page_data *data, struct hf_out *out, struct hf_error *err);

#endif
