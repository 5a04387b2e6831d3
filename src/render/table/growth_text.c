#include "analysis/growth/growth_place.h"
#include "analysis/suspects.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "base/strings/utf8.h"
#include "render/table/growth_columns.h"
#include "render/table/growth_report.h"
#include "render/table/used_suppressions.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static struct hf_verdict_facts facts_of(
    const struct hf_growth_report *report, const struct hf_growth_place *place)
{
    return hf_growth_facts(report->growth, place);
}

struct hf_growth_left hf_growth_left(const struct hf_growth_report *report)
{
    const struct hf_growth *g = report->growth;
    const struct hf_trend *trend = &g->whole.trend;
    double used = fmax(g->whole.values[g->point_count - 1], (double)report->limit_used);
    double left = (double)report->limit_bytes - used;
    struct hf_survival leaks = {.rate = 0};
    for (size_t i = 0; i < g->count; i++) {
        const struct hf_growth_place *place = &g->places[i];
        if (place->verdict.kind != HF_VERDICT_LEAK || !place->survival.has_onset)
            continue;
        leaks.rate += place->survival.rate;
        leaks.rate_low += place->survival.rate_low;
        leaks.rate_high += place->survival.rate_high;
    }
    /* What began later than the series is steeper now than the series is. */
    if (leaks.rate_low > fmax(trend->slope, 0))
        return (struct hf_growth_left){
            left, left / leaks.rate, left / leaks.rate_high, left / leaks.rate_low};
    if (trend->low <= 0)
        return (struct hf_growth_left){left, INFINITY, INFINITY, INFINITY};
    return (struct hf_growth_left){
        left, left / trend->slope, left / trend->high, left / trend->low};
}

void hf_growth_put_left(const struct hf_growth_left *left, struct hf_out *out)
{
    if (left->bytes <= 0) {
        hf_out_string(out, "is exceeded");
    } else if (isinf(left->s)) {
        hf_out_string(out, "is not getting closer, as far as the profiles show");
    } else {
        hf_out_string(out, "would be reached in ");
        hf_verdict_duration(left->s, out);
        hf_out_string(out, " (");
        hf_verdict_duration(left->low_s, out);
        hf_out_string(out, " to ");
        hf_verdict_duration(left->high_s, out);
        hf_out_string(out, ")");
    }
}

bool hf_growth_limit_left(const struct hf_growth_report *report, struct hf_verdict_left *out_left)
{
    if (report->limit_bytes == 0)
        return false;
    struct hf_growth_left left = hf_growth_left(report);
    *out_left =
        (struct hf_verdict_left){(double)report->limit_bytes, left.s, left.low_s, left.high_s};
    return left.bytes > 0 && isfinite(left.s);
}

/* A name that a shell takes as it is, and a regular expression as itself. */
static bool is_plain_name(struct hf_text name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && !(c >= '0' && c <= '9') && c != '_' && c != ':')
            return false;
    }
    return name.size != 0;
}

static bool has_undecided(const struct hf_growth *growth)
{
    for (size_t i = 0; i < growth->count; i++) {
        if (growth->places[i].verdict.kind == HF_VERDICT_UNDECIDED)
            return true;
    }
    return false;
}

void hf_growth_next(const struct hf_growth_report *report, struct hf_out *out)
{
    const struct hf_growth *growth = report->growth;
    const struct hf_growth_place *leak = hf_growth_first_leak(growth);
    bool has_births = growth->history->epoch_shift != 0;
    if (leak != NULL && report->next != NULL) {
        hf_out_string(out, report->next);
    } else if (leak != NULL && has_births && report->held != NULL) {
        return;
    } else if (leak != NULL && has_births) {
        hf_out_string(out, "while the process runs, heapflame who ");
        if (report->pid != 0)
            hf_out_printf(out, "%" PRIu32, report->pid);
        else
            hf_out_string(out, "PID");
        if (is_plain_name(leak->name)) {
            hf_out_char(out, ' ');
            hf_out_text(out, leak->name);
        }
        hf_out_string(out, " shows what keeps these blocks.");
    } else if (leak != NULL || (has_undecided(growth) && !has_births && report->next == NULL)) {
        hf_out_string(out, "record with heapflame run or watch, whose profiles say when blocks "
                           "were allocated: then survivors decide, not the shape of the total.");
    } else if (has_undecided(growth)) {
        hf_out_string(out, growth->is_exact
                               ? "record for twice as long: a leak keeps growing at the same rate."
                               : "record for twice as long, or every allocation: heapflame run "
                                 "--exact.");
    }
}

static void growth_text_put_limit(const struct hf_growth_report *report, struct hf_out *out)
{
    char limit[HF_UNITS_MAX], used[HF_UNITS_MAX];
    struct hf_growth_left left = hf_growth_left(report);
    hf_out_printf(out, "The limit of %s ", hf_units_bytes(report->limit_bytes, limit));
    if (report->limit_used != 0)
        hf_out_printf(out, "(%s in use) ", hf_units_bytes(report->limit_used, used));
    hf_growth_put_left(&left, out);
    hf_out_string(out, ".\n");
}

/* " and 1,234,567 requests" */
static void put_counted(const struct hf_growth_report *report, struct hf_out *out)
{
    hf_out_string(out, " and ");
    hf_verdict_amount(report->growth->load.total, false, out);
    hf_out_printf(out, " %s", report->growth->load.clock->name);
}

static void put_whole(const struct hf_growth_report *report, struct hf_out *out)
{
    const struct hf_growth *g = report->growth;
    const struct hf_growth_place *whole = &g->whole;
    hf_out_printf(out, "%zu profiles over ", /* never 1 */ report->growth->history->profile_count);
    hf_verdict_duration(g->times_s[g->point_count - 1], out);
    if (g->load.clock != NULL)
        put_counted(report, out);
    hf_out_string(out, ": ");
    hf_verdict_amount(whole->values[g->point_count - 1], g->is_bytes, out);
    hf_out_string(out, " at the end, ");
    hf_growth_slope(g, &whole->trend, out);
    if (g->load.clock != NULL)
        hf_out_printf(out, " per 1,000 %s", g->load.clock->name);
    hf_out_printf(out, "; as a whole: %s.\n", hf_verdict_name(whole->verdict.kind));
    if (report->limit_bytes != 0)
        growth_text_put_limit(report, out);
}

static size_t rows_of(const struct hf_growth_report *report)
{
    size_t count = report->growth->count;
    return report->max_rows != 0 && report->max_rows < count ? report->max_rows : count;
}

static void growth_text_put_label(const struct hf_growth_place *place, struct hf_out *out)
{
    struct hf_out label = {0};
    hf_growth_place_label(place, &label);
    hf_escape_terminal(out, hf_out_view(&label));
    if (label.error.status != HF_OK)
        out->error = label.error;
    hf_out_done(&label);
}

static void growth_text_put_table(const struct hf_growth_report *report, struct hf_out *out)
{
    const struct hf_growth *growth = report->growth;
    size_t width;
    if (hf_growth_slope_width(growth, growth->places, rows_of(report), &width, &out->error) !=
        HF_OK)
        return;
    for (size_t i = 0; i < rows_of(report); i++) {
        hf_growth_columns(growth, &growth->places[i], width, HF_GROWTH_ALL, out);
        growth_text_put_label(&growth->places[i], out);
        hf_out_char(out, '\n');
    }
}

/* From the place, which is its owner, outward. */
static void put_way_there(
    const struct hf_growth_report *report, const struct hf_growth_place *place, struct hf_out *out)
{
    struct hf_out name = {0};
    hf_out_string(out, "  in ");
    for (size_t i = 0; i < place->depth; i++) {
        name.size = 0;
        hf_suspect_frame_name(report->growth->folded, place->frames[i], false, &name);
        hf_escape_terminal(out, hf_out_view(&name));
        hf_out_string(out, i + 1 != place->depth ? " < " : "\n");
    }
    if (name.error.status != HF_OK)
        out->error = name.error;
    hf_out_done(&name);
}

#define KEEPERS_SHOWN 3

static void put_keeper_part(uint64_t bytes, uint64_t all, struct hf_out *out)
{
    hf_out_printf(out, "%.1f %% ", (double)bytes * 100 / (double)all);
}

/* The first keepers by name, the others together. */
static void put_keepers(const struct hf_growth_held *held, size_t shown, struct hf_out *out)
{
    uint64_t rest = held->bytes;
    hf_out_string(out, "held by: ");
    for (size_t i = 0; i < shown && i < held->count; i++) {
        hf_out_string(out, i != 0 ? ", " : "");
        put_keeper_part(held->items[i].bytes, held->bytes, out);
        hf_escape_terminal(out, hf_text_of(held->items[i].name));
        rest -= held->items[i].bytes;
    }
    if (held->count > shown) {
        hf_out_string(out, ", ");
        put_keeper_part(rest, held->bytes, out);
        hf_out_string(out, "others");
    }
}

void hf_growth_put_held(const struct hf_growth_held *held, size_t columns, struct hf_out *out)
{
    struct hf_out line = {0};
    for (size_t shown = KEEPERS_SHOWN; shown != 0; shown--) {
        line.size = 0;
        put_keepers(held, shown, &line);
        if (columns == 0 || hf_utf8_columns(hf_out_view(&line)) <= columns)
            break;
    }
    hf_out_text(out, hf_out_view(&line));
    if (line.error.status != HF_OK)
        out->error = line.error;
    hf_out_done(&line);
}

void hf_growth_held_done(struct hf_growth_held *held)
{
    for (size_t i = 0; held->items != NULL && i < held->count; i++)
        free(held->items[i].name);
    free(held->items);
    *held = (struct hf_growth_held){0};
}

static void growth_text_put_held(
    const struct hf_growth_report *report, const struct hf_growth_place *place, struct hf_out *out)
{
    const struct hf_growth_held *held =
        report->held != NULL ? &report->held[place - report->growth->places] : NULL;
    uint64_t lost = 0;
    if (held == NULL || held->bytes == 0)
        return;
    hf_out_string(out, "  ");
    hf_growth_put_held(held, 0, out);
    hf_out_char(out, '\n');
    for (size_t i = 0; i < held->count; i++)
        lost += held->items[i].is_lost ? held->items[i].bytes : 0;
    if (lost < held->bytes / 2)
        return;
    hf_out_string(out, "  proven");
    if (lost < held->bytes)
        hf_out_printf(out, " for %.1f %%", (double)lost * 100 / (double)held->bytes);
    hf_out_string(out, ": nothing leads to these blocks, so they cannot be freed\n");
}

static void growth_text_put_place(
    const struct hf_growth_report *report, const struct hf_growth_place *place, struct hf_out *out)
{
    struct hf_out name = {0}, text = {0};
    struct hf_verdict_facts facts = facts_of(report, place);
    hf_growth_place_label(place, &name);
    hf_verdict_sentence(&place->verdict, &facts, hf_out_view(&name), &text);
    hf_escape_terminal(out, hf_out_view(&text));
    hf_out_string(out, "\n  ");
    text.size = 0;
    hf_growth_evidence(report->growth, place, &text);
    hf_escape_terminal(out, hf_out_view(&text));
    hf_out_char(out, '\n');
    put_way_there(report, place, out);
    growth_text_put_held(report, place, out);
    if (name.error.status != HF_OK || text.error.status != HF_OK)
        out->error = name.error.status != HF_OK ? name.error : text.error;
    hf_out_done(&text);
    hf_out_done(&name);
}

/* Those that are leaks, or those that are not. */
static void growth_text_put_places(
    const struct hf_growth_report *report, bool are_leaks, struct hf_out *out)
{
    for (size_t i = 0; i < rows_of(report); i++) {
        const struct hf_growth_place *place = &report->growth->places[i];
        bool is_leak = place->verdict.kind == HF_VERDICT_LEAK;
        if (is_leak != are_leaks || place->verdict.kind == HF_VERDICT_STEADY)
            continue;
        if (!are_leaks)
            hf_out_char(out, '\n');
        growth_text_put_place(report, place, out);
        if (are_leaks)
            hf_out_char(out, '\n');
    }
}

static void growth_text_put_next(const struct hf_growth_report *report, struct hf_out *out)
{
    struct hf_out text = {0};
    hf_growth_next(report, &text);
    if (text.size != 0) {
        hf_out_string(out, "\nNext: ");
        hf_escape_terminal(out, hf_out_view(&text));
        hf_out_char(out, '\n');
    }
    if (text.error.status != HF_OK)
        out->error = text.error;
    hf_out_done(&text);
}

void hf_growth_text(const struct hf_growth_report *report, struct hf_out *out)
{
    growth_text_put_places(report, true, out);
    put_whole(report, out);
    if (rows_of(report) != 0)
        hf_out_char(out, '\n');
    growth_text_put_table(report, out);
    growth_text_put_places(report, false, out);
    growth_text_put_next(report, out);
    if (report->suppressions->count != 0)
        hf_out_char(out, '\n');
    hf_used_suppressions_text(report->suppressions, out);
}
