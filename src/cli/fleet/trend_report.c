#include "cli/fleet/trend_report.h"

#include "analysis/verdict.h"
#include "base/attr.h"
#include "base/strings/escape.h"
#include "base/strings/json.h"
#include "cli/fleet/columns.h"
#include "cli/fleet/fleet_words.h"

static struct hf_text node_of_cell(
    const struct hf_fleet *fleet, const struct hf_fleet_trend *trend, size_t cell)
{
    return fleet->nodes[trend->growth.units[trend->growth.cells[cell].unit].node].name;
}

static void trend_put_place(const struct hf_fleet *fleet, const struct hf_fleet_trend *trend,
    const struct hf_fleet_trend_row *row, struct hf_columns *columns)
{
    hf_fleet_put_slope(&row->slope, &columns->text);
    hf_columns_end_cell(columns);
    hf_out_printf(&columns->text, "%zu of %zu", row->growing, fleet->node_count);
    hf_columns_end_cell(columns);
    hf_verdict_rate(trend->growth.cells[row->worst].slope.slope, true, &columns->text);
    hf_out_string(&columns->text, " on ");
    hf_escape_terminal(&columns->text, node_of_cell(fleet, trend, row->worst));
    hf_columns_end_cell(columns);
    hf_fleet_put_place(&trend->growth.places, row->place, &columns->text);
    hf_columns_end_cell(columns);
}

static void put_builds(const struct hf_fleet *fleet, const struct hf_fleet_trend *trend,
    const struct hf_fleet_trend_row *row, struct hf_columns *columns)
{
    for (size_t i = 0; i < trend->build_count; i++) {
        const struct hf_fleet_build *build = &trend->builds[i];
        struct hf_rollup_slope slope = hf_fleet_trend_of_build(trend, row, build);
        hf_fleet_put_slope(&slope, &columns->text);
        hf_columns_end_cell(columns);
        hf_out_u64(&columns->text, build->node_count);
        hf_columns_end_cell(columns);
        hf_escape_terminal(&columns->text, hf_fleet_text(fleet, build->text));
        hf_columns_end_cell(columns);
        hf_fleet_put_place(&trend->growth.places, row->place, &columns->text);
        hf_columns_end_cell(columns);
    }
}

enum hf_status hf_fleet_trend_text(const struct hf_fleet *fleet, const struct hf_fleet_trend *trend,
    uint64_t rows, struct hf_out *out, struct hf_error *err)
{
    static const struct hf_column by_fleet[] = {
        {"slope", true}, {"nodes", true}, {"fastest", false}, {"place", false}};
    static const struct hf_column by_build[] = {
        {"slope on each node", true}, {"nodes", true}, {"build", false}, {"place", false}};
    struct hf_columns columns = {
        .titles = trend->builds != NULL ? by_build : by_fleet, .count = HF_COUNT(by_fleet)};
    hf_fleet_put_head(fleet, out);
    for (size_t i = 0; i < hf_fleet_rows(trend->row_count, rows); i++) {
        if (trend->builds != NULL)
            put_builds(fleet, trend, &trend->rows[i], &columns);
        else
            trend_put_place(fleet, trend, &trend->rows[i], &columns);
    }
    enum hf_status status = hf_columns_put(&columns, out, err);
    hf_fleet_put_more(trend->row_count, rows, out);
    hf_fleet_put_rough(trend->is_rough, out);
    hf_columns_done(&columns);
    return status;
}

static void put_cells_json(const struct hf_fleet *fleet, const struct hf_fleet_trend *trend,
    const struct hf_fleet_trend_row *row, struct hf_out *out)
{
    hf_out_printf(out, ", \"growing\": %zu, \"nodes\": [", row->growing);
    for (size_t i = row->first; i < row->first + row->count; i++) {
        const struct hf_rollup_slope *slope = &trend->growth.cells[i].slope;
        hf_json_member(out, i != row->first ? ", {" : "{", "name", node_of_cell(fleet, trend, i));
        hf_fleet_json_slope(slope, out);
        hf_out_char(out, '}');
    }
    hf_out_char(out, ']');
}

static void put_builds_json(const struct hf_fleet *fleet, const struct hf_fleet_trend *trend,
    const struct hf_fleet_trend_row *row, struct hf_out *out)
{
    hf_out_string(out, ", \"builds\": [");
    for (size_t i = 0; i < trend->build_count; i++) {
        const struct hf_fleet_build *build = &trend->builds[i];
        struct hf_rollup_slope slope = hf_fleet_trend_of_build(trend, row, build);
        hf_json_member(out, i != 0 ? ", {" : "{", "name", hf_fleet_text(fleet, build->text));
        hf_fleet_json_time(out, ", \"first\": ", build->first_ms);
        hf_out_printf(out, ", \"nodes\": %zu", build->node_count);
        hf_fleet_json_slope(&slope, out);
        hf_out_char(out, '}');
    }
    hf_out_char(out, ']');
}

void hf_fleet_trend_json(const struct hf_fleet *fleet, const struct hf_fleet_trend *trend,
    uint64_t rows, struct hf_out *out)
{
    hf_fleet_json_head(fleet, HF_FLEET_TREND_SCHEMA, out);
    hf_out_printf(out, ",\n \"place_count\": %zu,\n \"places\": [", trend->row_count);
    for (size_t i = 0; i < hf_fleet_rows(trend->row_count, rows); i++) {
        const struct hf_fleet_trend_row *row = &trend->rows[i];
        hf_json_member(out, i != 0 ? ",\n  {" : "\n  {", "name",
            hf_intern_at(&trend->growth.places.names, row->place));
        hf_fleet_json_slope(&row->slope, out);
        if (trend->builds != NULL)
            put_builds_json(fleet, trend, row, out);
        else
            put_cells_json(fleet, trend, row, out);
        hf_out_char(out, '}');
    }
    hf_out_string(out, "]}\n");
}
