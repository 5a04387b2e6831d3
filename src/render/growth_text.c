#include "analysis/growth_ages.h"
#include "analysis/suspects.h"
#include "base/escape.h"
#include "base/units.h"
#include "render/growth_report.h"

#include <math.h>

#define SPARKS 8

static struct hf_verdict_facts facts_of(
    const struct hf_growth_report *report, const struct hf_growth_place *place)
{
    return hf_growth_facts(report->growth, place);
}

/* Its way over time, in SPARKS columns of eight heights, from nothing to the peak. */
static void put_spark(
    const struct hf_growth_report *report, const struct hf_growth_place *place, struct hf_out *out)
{
    static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t points = report->growth->point_count;
    double peak = 0;
    for (size_t i = 0; i < points; i++)
        peak = fmax(peak, place->values[i]);
    for (size_t i = 0; i < SPARKS; i++) {
        double value = place->values[(points - 1) * i / (SPARKS - 1)];
        size_t height = peak > 0 ? (size_t)(value / peak * (HF_COUNT(heights) - 1) + 0.5) : 0;
        hf_out_string(out, heights[height]);
    }
}

/* "+3.1 MiB/min ± 0.4 MiB" */
static struct hf_text slope_text(
    const struct hf_growth_report *report, const struct hf_trend *trend, struct hf_out *scratch)
{
    char error[HF_UNITS_MAX];
    double half = (trend->high - trend->low) / 2 * 60;
    scratch->size = 0;
    hf_verdict_rate(trend->slope, report->growth->is_bytes, scratch);
    if (isinf(half))
        hf_out_string(scratch, " ± ?");
    else if (report->growth->is_bytes)
        hf_out_printf(scratch, " ± %s", hf_units_bytes((uint64_t)half, error));
    else
        hf_out_printf(scratch, " ± %.1f", half);
    return hf_out_view(scratch);
}

static void put_whole(const struct hf_growth_report *report, struct hf_out *out)
{
    const struct hf_growth *g = report->growth;
    const struct hf_growth_place *whole = &g->whole;
    char amount[HF_UNITS_MAX];
    struct hf_out scratch = {0};
    double end = whole->values[g->point_count - 1];
    hf_out_printf(out, "%zu profiles over ", report->profile_count);
    hf_verdict_duration(g->times_s[g->point_count - 1], out);
    hf_out_printf(out, ": %s at the end, ",
        g->is_bytes ? hf_units_bytes((uint64_t)end, amount)
                    : hf_units_grouped((uint64_t)end, amount));
    hf_out_text(out, slope_text(report, &whole->trend, &scratch));
    hf_out_string(out, ".\n");
    hf_out_done(&scratch);
    double left = (double)report->limit_bytes - end;
    if (report->limit_bytes == 0)
        return;
    hf_out_printf(out, "The limit of %s ", hf_units_bytes(report->limit_bytes, amount));
    if (left <= 0) {
        hf_out_string(out, "is passed.\n");
    } else if (whole->trend.low > 0) {
        hf_out_string(out, "would be reached in ");
        hf_verdict_duration(left / whole->trend.slope, out);
        hf_out_string(out, " (");
        hf_verdict_duration(left / whole->trend.high, out);
        hf_out_string(out, " to ");
        hf_verdict_duration(left / whole->trend.low, out);
        hf_out_string(out, ").\n");
    } else {
        hf_out_string(out, "is not coming nearer, as far as can be told.\n");
    }
}

static size_t rows_of(const struct hf_growth_report *report)
{
    size_t count = report->growth->count;
    return report->max_rows != 0 && report->max_rows < count ? report->max_rows : count;
}

/* Columns of a text in which one character is one column. */
static int columns_of(struct hf_text text)
{
    int columns = 0;
    for (size_t i = 0; i < text.size; i++)
        columns += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    return columns;
}

static void put_table(const struct hf_growth_report *report, struct hf_out *out)
{
    struct hf_out scratch = {0};
    int width = 0;
    for (size_t i = 0; i < rows_of(report); i++) {
        int columns = columns_of(slope_text(report, &report->growth->places[i].trend, &scratch));
        width = columns > width ? columns : width;
    }
    for (size_t i = 0; i < rows_of(report); i++) {
        const struct hf_growth_place *place = &report->growth->places[i];
        struct hf_text slope = slope_text(report, &place->trend, &scratch);
        hf_out_printf(out, "%*s", width - columns_of(slope), "");
        hf_out_text(out, slope);
        hf_out_printf(out, "  %3.0f %%  ", place->share * 100);
        put_spark(report, place, out);
        hf_out_printf(out, "  %-15s  ", hf_verdict_name(place->verdict.kind));
        hf_escape_terminal(out, place->name);
        hf_out_char(out, '\n');
    }
    hf_out_done(&scratch);
}

static void put_way_there(
    const struct hf_growth_report *report, const struct hf_growth_place *place, struct hf_out *out)
{
    struct hf_out name = {0};
    hf_out_string(out, "  in ");
    for (size_t i = place->depth; i-- != 0;) {
        name.size = 0;
        hf_suspect_frame_name(report->folded, place->frames[i], false, &name);
        hf_escape_terminal(out, hf_out_view(&name));
        hf_out_string(out, i != 0 ? " > " : "\n");
    }
    hf_out_done(&name);
}

static void put_place(
    const struct hf_growth_report *report, const struct hf_growth_place *place, struct hf_out *out)
{
    struct hf_out name = {0};
    struct hf_verdict_facts facts = facts_of(report, place);
    hf_escape_terminal(&name, place->name);
    hf_out_char(out, '\n');
    hf_verdict_sentence(&place->verdict, &facts, hf_out_view(&name), out);
    hf_out_string(out, "\n  ");
    hf_verdict_evidence(&place->verdict, &facts, out);
    name.size = 0;
    hf_growth_ages_sentences(report->growth, place, &name);
    hf_escape_terminal(out, hf_out_view(&name));
    /* Nothing is sure: that is said of the method, too. */
    double percent = place->verdict.confidence * 100;
    hf_out_printf(
        out, " Confidence %s%.0f %%.\n", percent > 99 ? "over " : "", percent > 99 ? 99 : percent);
    put_way_there(report, place, out);
    hf_out_done(&name);
}

void hf_growth_text(const struct hf_growth_report *report, struct hf_out *out)
{
    put_whole(report, out);
    if (rows_of(report) != 0)
        hf_out_char(out, '\n');
    put_table(report, out);
    for (size_t i = 0; i < rows_of(report); i++) {
        const struct hf_growth_place *place = &report->growth->places[i];
        if (place->verdict.kind != HF_VERDICT_STEADY)
            put_place(report, place, out);
    }
}
