#include "analysis/growth/growth_place.h"
#include "analysis/suspects.h"
#include "base/strings/json.h"
#include "render/table/growth_columns.h"
#include "render/table/growth_report.h"
#include "render/table/used_suppressions.h"

#include <inttypes.h>
#include <math.h>

static void growth_json_put_points(
    const struct hf_growth *growth, const struct hf_growth_place *place, struct hf_out *out)
{
    for (size_t i = 0; i < growth->point_count; i++)
        hf_out_printf(out, "%s%.0f", i == 0 ? ", \"points\": [" : ", ", place->values[i]);
    hf_out_string(out, "]");
}

/* Seconds from the first point. */
static void put_when(
    const struct hf_growth *growth, const struct hf_growth_place *place, struct hf_out *out)
{
    size_t from, to;
    bool grew = hf_growth_when(growth, place, &from, &to);
    hf_json_number(out, ", \"grew_from\": ", grew ? growth->times_s[from] : NAN);
    hf_json_number(out, ", \"grew_to\": ", grew ? growth->times_s[to] : NAN);
}

static void growth_json_put_ages(const struct hf_growth_ages *ages, struct hf_out *out)
{
    hf_json_number(out, ", \"old_freed\": ", ages->old_freed);
    hf_json_number(out, ", \"old_bytes\": ", ages->old_bytes);
    hf_json_number(out, ", \"median_age\": ", ages->median_s);
    hf_json_number(out, ", \"allocated_per_second\": ", ages->allocated);
    hf_json_number(out, ", \"freed_per_second\": ", ages->gone);
    if (ages->site.size == 0)
        return;
    hf_out_printf(out, ", \"freed\": %" PRIu64 ", \"freed_elsewhere\": %" PRIu64, ages->freed,
        ages->freed_elsewhere);
    hf_json_member(out, ", ", "freed_in", ages->site);
}

/* What births say of a place; times are seconds from the first point. */
static void put_survival(
    const struct hf_growth *growth, const struct hf_survival *survival, struct hf_out *out)
{
    static const char *const kinds[] = {[HF_SURVIVAL_LEAK] = "stay",
        [HF_SURVIVAL_RENEWED] = "renewed",
        [HF_SURVIVAL_ENDED] = "ended",
        [HF_SURVIVAL_UNDECIDED] = "undecided"};
    double began_s = hf_growth_began_s(growth);
    if (survival->kind == HF_SURVIVAL_UNKNOWN)
        return;
    hf_out_printf(out, ", \"survivors\": {\"kind\": \"%s\"", kinds[survival->kind]);
    if (survival->kind == HF_SURVIVAL_LEAK) {
        hf_json_number(out, ", \"older_than\": ", survival->age_s);
        hf_json_number(out, ", \"samples\": ", survival->survivors);
        hf_json_number(out, ", \"lost\": ", survival->lost);
        hf_json_number(out, ", \"per_second\": ", survival->rate);
        hf_json_number(out, ", \"per_second_95\": [", survival->rate_low);
        hf_json_number(out, ", ", survival->rate_high);
        hf_json_number(
            out, "], \"since\": ", survival->has_onset ? survival->onset_s + began_s : NAN);
    }
    if (survival->kind == HF_SURVIVAL_LEAK && survival->onset_high_s > 0) {
        hf_json_number(out, ", \"since_95\": [", survival->onset_low_s + began_s);
        hf_json_number(out, ", ", survival->onset_high_s + began_s);
        hf_out_char(out, ']');
    }
    if (survival->kind == HF_SURVIVAL_RENEWED)
        hf_json_number(out, ", \"gone_after\": ", survival->gone_s);
    hf_out_char(out, '}');
}

/* The last mark or build before a leak. */
static void growth_json_put_event(
    const struct hf_growth *growth, const struct hf_growth_place *place, struct hf_out *out)
{
    double onset_s;
    const struct hf_verdict_event *event = hf_growth_event_before(growth, place);
    if (event == NULL || !hf_growth_onset(growth, place, &onset_s))
        return;
    hf_out_printf(out, ", \"after\": {\"kind\": \"%s\"", event->kind);
    hf_json_member(out, ", ", "name", event->name);
    hf_json_number(out, ", \"seconds\": ", onset_s - event->time_s);
    hf_out_char(out, '}');
}

static void put_thousand(
    const struct hf_growth *growth, const struct hf_trend *trend, struct hf_out *out)
{
    double by_s = hf_growth_thousand_s(growth);
    if (by_s <= 0)
        return;
    hf_json_number(out, ", \"per_1000\": ", trend->slope * by_s);
    hf_json_number(out, ", \"per_1000_95\": [", trend->low * by_s);
    hf_json_number(out, ", ", trend->high * by_s);
    hf_out_char(out, ']');
}

void hf_growth_place_json(
    const struct hf_growth *growth, const struct hf_growth_place *place, struct hf_out *out)
{
    struct hf_out text = {0};
    const struct hf_trend *trend = &place->trend;
    struct hf_verdict_facts facts = hf_growth_facts(growth, place);
    hf_out_printf(out, "\"verdict\": \"%s\"", hf_verdict_name(place->verdict.kind));
    if (place->verdict.held_s > 0)
        hf_json_number(out, ", \"held\": ", place->verdict.held_s);
    struct hf_out label = {0};
    hf_growth_place_label(place, &label);
    hf_verdict_sentence(&place->verdict, &facts, hf_out_view(&label), &text);
    if (label.error.status != HF_OK)
        out->error = label.error;
    hf_out_done(&label);
    hf_json_member(out, ", ", "sentence", hf_out_view(&text));
    text.size = 0;
    hf_growth_evidence(growth, place, &text);
    hf_json_member(out, ", ", "evidence", hf_out_view(&text));
    hf_out_printf(out, ", \"shape\": \"%s\"", hf_trend_shape_name(trend->shape));
    text.size = 0;
    hf_growth_slope(growth, trend, &text);
    hf_json_member(out, ", ", "slope", hf_out_view(&text));
    hf_json_number(out, ", \"per_second\": ", trend->slope);
    hf_json_number(out, ", \"per_second_95\": [", trend->low);
    hf_json_number(out, ", ", trend->high);
    hf_out_char(out, ']');
    put_thousand(growth, trend, out);
    hf_json_number(out, ", \"share\": ", place->share);
    hf_json_number(out, ", \"bend\": ", trend->bend);
    hf_json_number(out, ", \"bend_error\": ", trend->bend_error);
    put_when(growth, place, out);
    growth_json_put_ages(&place->ages, out);
    put_survival(growth, &place->survival, out);
    growth_json_put_event(growth, place, out);
    growth_json_put_points(growth, place, out);
    if (text.error.status != HF_OK)
        out->error = text.error;
    hf_out_done(&text);
}

void hf_growth_stack_json(
    const struct hf_profile *folded, const struct hf_growth_place *place, struct hf_out *out)
{
    struct hf_out name = {0};
    hf_out_string(out, ", \"stack\": [");
    for (size_t i = 0; i < place->depth; i++) {
        name.size = 0;
        hf_suspect_frame_name(folded, place->frames[i], false, &name);
        hf_json_string(out, i == 0 ? "" : ", ", hf_out_view(&name));
    }
    hf_out_char(out, ']');
    if (name.error.status != HF_OK)
        out->error = name.error;
    hf_out_done(&name);
}

static void growth_json_put_notes(struct hf_out *out, const struct hf_notes *notes)
{
    hf_out_string(out, "  \"notes\": [");
    for (size_t i = 0; i < notes->count; i++) {
        hf_out_printf(out, "%s\n    {\"kind\": \"%s\"", i != 0 ? "," : "",
            notes->items[i].kind == HF_NOTE_LOSS ? "loss" : "info");
        hf_json_member(out, ", ", "text", hf_text_of(notes->items[i].text));
        hf_out_char(out, '}');
    }
    hf_out_string(out, "]\n}\n");
}

static void growth_json_put_held(const struct hf_growth_held *held, struct hf_out *out)
{
    hf_out_string(out, ", \"held_by\": [");
    for (size_t i = 0; i < held->count; i++) {
        const struct hf_growth_keeper *keeper = &held->items[i];
        hf_json_member(out, i == 0 ? "{" : ", {", "keeper", hf_text_of(keeper->name));
        hf_out_printf(out, ", \"lost\": %s, \"bytes\": %" PRIu64 "}",
            keeper->is_lost ? "true" : "false", keeper->bytes);
    }
    hf_out_char(out, ']');
}

void hf_growth_members_json(const struct hf_growth *growth, const uint32_t *nodes,
    const struct hf_growth_held *held, struct hf_out *out)
{
    hf_out_printf(out, "\"profiles\": %zu,\n  \"times\": [", growth->history->profile_count);
    for (size_t i = 0; i < growth->point_count; i++)
        hf_json_number(out, i == 0 ? "" : ", ", growth->times_s[i]);
    hf_out_string(out, "],\n  \"whole\": {");
    hf_growth_place_json(growth, &growth->whole, out);
    hf_out_string(out, "},\n  \"places\": [");
    for (size_t i = 0; i < growth->count; i++) {
        const struct hf_growth_place *place = &growth->places[i];
        hf_json_member(out, i == 0 ? "\n    {" : ",\n    {", "name", place->name);
        if (place->via.size != 0)
            hf_json_member(out, ", ", "via", place->via);
        if (nodes != NULL)
            hf_out_printf(out, ", \"node\": %" PRIu32, nodes[i]);
        else
            hf_growth_stack_json(growth->folded, place, out);
        hf_out_string(out, ", ");
        hf_growth_place_json(growth, place, out);
        hf_json_member(out, ", ", "suppression", place->suppression);
        if (held != NULL && held[i].count != 0)
            growth_json_put_held(&held[i], out);
        hf_out_char(out, '}');
    }
    hf_out_char(out, ']');
}

static void growth_json_put_limit(const struct hf_growth_report *report, struct hf_out *out)
{
    struct hf_growth_left left = hf_growth_left(report);
    hf_out_printf(out, "\"limit\": {\"bytes\": %" PRIu64 ", \"used\": %" PRIu64,
        report->limit_bytes, report->limit_bytes - (uint64_t)fmax(left.bytes, 0));
    hf_json_number(out, ", \"seconds_left\": ", left.bytes > 0 ? left.s : 0);
    hf_json_number(out, ", \"seconds_left_95\": [", left.bytes > 0 ? left.low_s : 0);
    hf_json_number(out, ", ", left.bytes > 0 ? left.high_s : 0);
    hf_out_string(out, "]},\n  ");
}

static void growth_json_put_next(const struct hf_growth_report *report, struct hf_out *out)
{
    struct hf_out text = {0};
    hf_growth_next(report, &text);
    if (text.size != 0)
        hf_json_member(out, "", "next", hf_out_view(&text));
    else
        hf_out_string(out, "\"next\": null");
    hf_out_string(out, ",\n  ");
    if (text.error.status != HF_OK)
        out->error = text.error;
    hf_out_done(&text);
}

void hf_growth_json(const struct hf_growth_report *report, struct hf_out *out)
{
    const struct hf_profile *folded = report->growth->folded;
    const struct hf_value_type *type = &folded->types[HF_HISTORY_VALUE];
    hf_json_member(out, "{\n  ", "schema", HF_TEXT(HF_GROWTH_JSON_SCHEMA));
    hf_json_member(out, ",\n  ", "type", hf_profile_text(folded, type->name));
    hf_json_member(out, ",\n  ", "unit", hf_profile_text(folded, type->unit));
    hf_out_string(out, ",\n  ");
    if (report->growth->load.clock != NULL) {
        hf_json_member(out, "\"per\": {", "name", hf_text_of(report->growth->load.clock->name));
        hf_out_printf(out, ", \"count\": %.12g},\n  ", report->growth->load.total);
    }
    hf_growth_members_json(report->growth, NULL, report->held, out);
    hf_out_string(out, ",\n  ");
    growth_json_put_next(report, out);
    if (report->limit_bytes != 0)
        growth_json_put_limit(report, out);
    hf_used_suppressions_json(report->suppressions, out);
    hf_out_string(out, ",\n");
    growth_json_put_notes(out, &folded->notes);
}
