/*
 * The JSON document of top.h:
 *
 *   {"schema": "heapflame.top/1",
 *    "type": "inuse_space", "unit": "bytes", "difference": false, "by": "owner", "rows_total": 12,
 *    "total": VALUE, ["whole": VALUE,] ["base_total": n, "current_total": n,]
 *    "rows": [{"name": "...", "via": "...", "file": "...", "line": 41, "flat": VALUE, "cum":
 * VALUE}, ...], "suspects": [{"name": "...", "value": n, "percent": 64.1, "sentence": "...",
 *                  "suppression": "leak:...", "stack": ["leaf", ..., "root"]}, ...],
 *    "notes": [{"kind": "loss", "times": 1, "text": "..."}, ...]}
 *
 * Where a plain profile was sampled and says how often ("samples", of flat and of cum), "flat_95"
 * and "cum_95" are [low, high], the exact Poisson interval (profile/interval.h).
 *
 * With a history each row has "trend": {PLACE members}, of what it is ranked by, and the document
 * "trend": {"profiles", "times", "whole", "places"}, both as in growth_report.h.
 *
 * With columns on blocks each row has "allocated_objects", "allocated_bytes", "inuse_objects", and
 * "lifetimes": [{"below_ns": n, "objects": n}, ...] or "sizes": [{"up_to_bytes": n, "objects": n},
 * ...]: the classes that are not empty, null for the last of all.
 *
 * VALUE is an integer; in a difference {"grew": n, "released": n, "net": n}. "file" and "line" are
 * there where they are known. Readers skip members that they do not know.
 */
#include "render/table/top.h"

#include "base/strings/json.h"
#include "profile/interval.h"
#include "render/amount.h"
#include "render/table/growth_report.h"
#include "render/table/row_trends.h"
#include "render/table/rows.h"
#include "render/table/suspects_json.h"
#include "render/usage_line.h"

static void put_value(struct hf_out *out, const char *key, struct hf_total value, bool is_pair)
{
    hf_out_printf(out, "\"%s\": ", key);
    if (!is_pair) {
        hf_out_u64(out, value.value);
        return;
    }
    hf_out_string(out, "{\"grew\": ");
    hf_out_u64(out, value.value);
    hf_out_string(out, ", \"released\": ");
    hf_out_u64(out, value.released);
    hf_out_string(out, value.value < value.released ? ", \"net\": -" : ", \"net\": ");
    hf_out_u64(out, hf_total_distance(value));
    hf_out_char(out, '}');
}

/* , "flat_95": [low, high] */
static void put_interval(struct hf_out *out, const char *key, const struct hf_rows *rows,
    uint64_t value, uint64_t samples)
{
    struct hf_interval interval = hf_interval_of_peak(value, samples, rows->peak, rows->peak_most);
    if (samples == 0)
        return;
    hf_out_printf(out, ", \"%s_95\": [", key);
    hf_out_u64(out, interval.low);
    hf_out_string(out, ", ");
    hf_out_u64(out, interval.high);
    hf_out_char(out, ']');
}

/* `place`: how it went over time; NULL: not known. */
static void top_json_put_row(struct hf_out *out, const struct hf_rows *rows, size_t index,
    bool is_pair, const struct hf_top_options *options, const struct hf_row_blocks *blocks,
    const struct hf_growth_place *place)
{
    const struct hf_row *row = &rows->items[index];
    struct hf_text via = {NULL, 0};
    if (options->owners != NULL)
        via = hf_owners_via(options->owners, row->name);
    hf_json_member(out, "\n    {", "name", row->name);
    if (via.size != 0)
        hf_json_member(out, ", ", "via", via);
    if (row->twins != 0) {
        hf_out_string(out, ", \"equal_functions\": ");
        hf_out_u64(out, row->twins);
    }
    if (row->file.size != 0) {
        hf_json_member(out, ", ", "file", row->file);
        if (row->line != 0)
            hf_out_printf(out, ", \"line\": %u", row->line);
        if (row->line != 0 && row->is_near)
            hf_out_string(out, ", \"line_is_near\": true");
    }
    hf_out_string(out, ", ");
    put_value(out, "flat", row->flat, is_pair);
    hf_out_string(out, ", ");
    put_value(out, "cum", row->cum, is_pair);
    if (row->cum_samples != 0) {
        hf_out_string(out, ", \"samples\": [");
        hf_out_u64(out, row->flat_samples);
        hf_out_string(out, ", ");
        hf_out_u64(out, row->cum_samples);
        hf_out_char(out, ']');
    }
    put_interval(out, "flat", rows, row->flat.value, row->flat_samples);
    put_interval(out, "cum", rows, row->cum.value, row->cum_samples);
    hf_row_blocks_json(blocks, index, out);
    if (place != NULL) {
        hf_out_string(out, ", \"trend\": {");
        hf_growth_place_json(options->growth, place, out);
        hf_out_char(out, '}');
    }
    hf_out_char(out, '}');
}

static void top_json_put_stack(struct hf_out *out, const struct hf_profile *folded,
    const struct hf_suspect *suspect, bool by_name)
{
    struct hf_out name = {0};
    hf_out_string(out, ", \"stack\": [");
    for (size_t i = 0; i < suspect->depth; i++) {
        name.size = 0;
        hf_suspect_frame_name(folded, suspect->frames[i], by_name, &name);
        hf_json_string(out, i != 0 ? ", " : "", hf_out_view(&name));
    }
    if (name.error.status != HF_OK)
        out->error = name.error;
    hf_out_done(&name);
    hf_out_string(out, "]}");
}

static enum hf_status top_json_put_suspects(struct hf_out *out, const struct hf_profile *folded,
    const struct hf_top_options *options, struct hf_error *err)
{
    struct hf_suspects suspects;
    bool by_name = options->granularity == HF_BY_FUNCTION;
    const struct hf_suspects_options how = {
        .type = options->type,
        .by_name = by_name,
        .series = options->series,
        .owners = options->owners,
    };
    enum hf_status status = hf_suspects_find(&suspects, folded, &how, err);
    size_t points = options->series != NULL ? options->series->count : 0;
    hf_out_string(out, "  \"suspects\": [");
    for (size_t i = 0; status == HF_OK && i < suspects.count; i++) {
        hf_out_string(out, i != 0 ? ",\n    " : "\n    ");
        hf_suspect_json(&suspects.items[i], points, out);
        top_json_put_stack(out, folded, &suspects.items[i], by_name);
    }
    hf_out_string(out, "],\n");
    hf_suspects_done(&suspects);
    return status;
}

static void top_json_put_notes(struct hf_out *out, const struct hf_notes *notes)
{
    hf_out_string(out, "  \"notes\": [");
    for (size_t i = 0; i < notes->count; i++) {
        const struct hf_note *note = &notes->items[i];
        hf_out_printf(out, "%s\n    {\"kind\": \"%s\", \"times\": ", i != 0 ? "," : "",
            note->kind == HF_NOTE_LOSS ? "loss" : "info");
        hf_out_u64(out, note->times);
        hf_json_member(out, ", ", "text", hf_text_of(note->text));
        hf_out_char(out, '}');
    }
    hf_out_string(out, "],\n  \"notes_dropped\": ");
    hf_out_u64(out, notes->dropped);
}

/* What a row is, as --by says it. */
static const char *top_json_by(const struct hf_top_options *options)
{
    static const char *const names[] = {
        [HF_BY_FUNCTION] = "leaf",
        [HF_BY_LINE] = "line",
        [HF_BY_FILE] = "file",
        [HF_BY_MODULE] = "module",
        [HF_BY_ADDRESS] = "address",
        [HF_BY_THREAD] = "thread",
    };
    return options->owners != NULL ? "owner" : names[options->granularity];
}

static void top_json_put_head(struct hf_out *out, const struct hf_profile *folded,
    const struct hf_top_options *options, const struct hf_rows *rows)
{
    bool is_pair = folded->is_difference;
    const struct hf_value_type *type = &folded->types[options->type];
    hf_json_member(out, "{\n  ", "schema", HF_TEXT(HF_TOP_JSON_SCHEMA));
    hf_json_member(out, ",\n  ", "type", hf_profile_text(folded, type->name));
    hf_json_member(out, ",\n  ", "unit", hf_profile_text(folded, type->unit));
    hf_out_printf(out, ",\n  \"difference\": %s,\n  \"by\": \"%s\",\n  \"rows_total\": %zu,\n  ",
        is_pair ? "true" : "false", top_json_by(options), rows->count);
    put_value(out, "total", rows->total, is_pair);
    if (!hf_total_is_zero(options->whole)) {
        hf_out_string(out, ",\n  ");
        put_value(out, "whole", options->whole, is_pair);
    }
    if (options->base_total != 0 || options->current_total != 0) {
        hf_out_string(out, ",\n  \"base_total\": ");
        hf_out_u64(out, options->base_total);
        hf_out_string(out, ",\n  \"current_total\": ");
        hf_out_u64(out, options->current_total);
    }
}

enum hf_status hf_top_json(const struct hf_profile *folded, const struct hf_top_options *options,
    struct hf_out *out, struct hf_error *err)
{
    struct hf_rows rows;
    struct hf_row_trends trends = {0};
    struct hf_row_blocks blocks = {0};
    struct hf_rows_options ranking = hf_top_ranking(folded, options);
    struct hf_growth *growth = options->growth;
    enum hf_status status = hf_rows_init(&rows, folded, &ranking, err);
    if (status == HF_OK)
        status = hf_row_blocks_init(&blocks, options->blocks, &rows, folded, &ranking, err);
    if (status == HF_OK && growth != NULL)
        status = hf_row_trends_init(&trends, &rows, growth, options->is_cumulative, err);
    if (status == HF_OK) {
        top_json_put_head(out, folded, options, &rows);
        hf_out_string(out, ",\n  \"rows\": [");
        for (size_t i = 0; i < rows.shown; i++) {
            hf_out_string(out, i != 0 ? "," : "");
            top_json_put_row(out, &rows, i, folded->is_difference, options, &blocks,
                growth != NULL ? &trends.items[i] : NULL);
        }
        hf_out_string(out, "],\n");
        if (growth != NULL) {
            hf_out_string(out, "  \"trend\": {");
            hf_growth_members_json(growth, NULL, NULL, out);
            hf_out_string(out, "},\n");
        }
        if (folded->capture.curve.count != 0 && !folded->is_difference) {
            hf_out_string(out, "  \"curve\": ");
            hf_usage_line_json(&folded->capture.curve, out);
            hf_out_string(out, ",\n");
        }
        status = top_json_put_suspects(out, folded, options, err);
        top_json_put_notes(out, &folded->notes);
        hf_out_string(out, "\n}\n");
    }
    hf_row_trends_done(&trends);
    hf_row_blocks_done(&blocks);
    hf_rows_done(&rows);
    return status;
}
