#include "render/table/growth_columns.h"

#include "analysis/growth/growth_place.h"
#include "base/strings/units.h"
#include "base/strings/utf8.h"
#include "profile/unbias.h"

#include <math.h>

#define SHARE 5   /* columns: "share" */
#define HEIGHTS 8 /* of the shape, and how high they can be */
#define VERDICT 15

void hf_growth_slope(
    const struct hf_growth *growth, const struct hf_trend *trend, struct hf_out *out)
{
    char error[HF_UNITS_MAX];
    double thousand_s = hf_growth_thousand_s(growth), by_s = thousand_s > 0 ? thousand_s : 60;
    double half = (trend->high - trend->low) / 2 * by_s;
    if (thousand_s > 0) {
        hf_out_string(out, trend->slope < 0 ? "-" : "+");
        hf_verdict_amount(fabs(trend->slope) * by_s, growth->is_bytes, out);
    } else {
        hf_verdict_rate(trend->slope, growth->is_bytes, out);
    }
    if (isinf(half))
        hf_out_string(out, " ± ?");
    else if (growth->is_bytes)
        hf_out_printf(out, " ± %s", hf_units_bytes(hf_unbias_round(half), error));
    else
        hf_out_printf(out, " ± %.1f", half);
}

static double peak_of(const struct hf_growth *growth, const struct hf_growth_place *place)
{
    double peak = 0;
    for (size_t i = 0; i < growth->point_count; i++)
        peak = fmax(peak, place->values[i]);
    return peak;
}

static enum hf_status width_of(const struct hf_growth *growth, const struct hf_growth_place *place,
    size_t *out_width, struct hf_error *err)
{
    struct hf_out slope = {0};
    if (peak_of(growth, place) > 0)
        hf_growth_slope(growth, &place->trend, &slope);
    *out_width = hf_utf8_columns(hf_out_view(&slope));
    enum hf_status status = hf_out_finish(&slope, err);
    hf_out_done(&slope);
    return status;
}

enum hf_status hf_growth_slope_width(const struct hf_growth *growth,
    const struct hf_growth_place *places, size_t count, size_t *out_width, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    *out_width = strlen("slope");
    for (size_t i = 0; status == HF_OK && i < count; i++) {
        size_t width = 0;
        status = width_of(growth, &places[i], &width, err);
        *out_width = width > *out_width ? width : *out_width;
    }
    return status;
}

static void put_shape(
    const struct hf_growth *growth, const struct hf_growth_place *place, struct hf_out *out)
{
    static const char *const heights[HEIGHTS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    double peak = peak_of(growth, place);
    for (size_t i = 0; i < HEIGHTS; i++) {
        double value = place->values[(growth->point_count - 1) * i / (HEIGHTS - 1)];
        size_t height = (size_t)(value / peak * (HEIGHTS - 1) + 0.5);
        hf_out_string(out, heights[height]);
    }
}

static size_t share_width(enum hf_growth_extent extent)
{
    return extent == HF_GROWTH_ALL ? SHARE + 2 : 0;
}

static size_t shape_width(enum hf_growth_extent extent)
{
    return extent != HF_GROWTH_BRIEF ? HEIGHTS + 2 : 0;
}

size_t hf_growth_columns_width(size_t slope_width, enum hf_growth_extent extent)
{
    return slope_width + 2 + share_width(extent) + shape_width(extent) + VERDICT + 2;
}

void hf_growth_titles(size_t slope_width, enum hf_growth_extent extent, struct hf_out *out)
{
    hf_out_printf(out, "%*s  ", (int)slope_width, "slope");
    if (share_width(extent) != 0)
        hf_out_printf(out, "%*s  ", SHARE, "share");
    if (shape_width(extent) != 0)
        hf_out_printf(out, "%-*s  ", HEIGHTS, "shape");
    hf_out_printf(out, "%-*s  ", VERDICT, "verdict");
}

void hf_growth_columns(const struct hf_growth *growth, const struct hf_growth_place *place,
    size_t slope_width, enum hf_growth_extent extent, struct hf_out *out)
{
    size_t width;
    if (width_of(growth, place, &width, &out->error) != HF_OK)
        return;
    if (peak_of(growth, place) == 0) {
        hf_out_printf(out, "%*s", (int)(hf_growth_columns_width(slope_width, extent) - width), "");
        return;
    }
    hf_out_printf(out, "%*s", (int)(slope_width - width), "");
    hf_growth_slope(growth, &place->trend, out);
    if (share_width(extent) != 0)
        hf_out_printf(out, "  %*.0f %%", SHARE - 2, place->share * 100);
    hf_out_string(out, "  ");
    if (shape_width(extent) != 0) {
        put_shape(growth, place, out);
        hf_out_string(out, "  ");
    }
    hf_out_printf(out, "%-*s  ", VERDICT, hf_verdict_name(place->verdict.kind));
}
