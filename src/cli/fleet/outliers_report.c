#include "cli/fleet/outliers_report.h"

#include "analysis/verdict.h"
#include "base/attr.h"
#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/json.h"
#include "base/strings/units.h"
#include "cli/fleet/columns.h"
#include "cli/fleet/fleet_words.h"

#include <inttypes.h>

static void outlier_put_row(const struct hf_fleet *fleet, const struct hf_fleet_outliers *outliers,
    const struct hf_fleet_outlier *row, struct hf_columns *columns)
{
    const struct hf_growth_unit *unit = &outliers->growth.units[row->unit];
    struct hf_out *text = &columns->text;
    hf_fleet_put_slope(&row->slope, text);
    hf_columns_end_cell(columns);
    hf_verdict_rate(row->core.low, true, text);
    hf_out_string(text, " to ");
    hf_verdict_rate(row->core.high, true, text);
    hf_out_printf(text, " on %zu of %zu", row->core.count, row->node_count);
    hf_columns_end_cell(columns);
    hf_escape_terminal(text, fleet->nodes[unit->node].name);
    hf_columns_end_cell(columns);
    hf_escape_terminal(text, hf_fleet_text(fleet, unit->key));
    hf_columns_end_cell(columns);
    hf_escape_terminal(text, hf_fleet_text(fleet, unit->build));
    hf_columns_end_cell(columns);
    hf_fleet_put_place(&outliers->growth.places, row->place, text);
    hf_columns_end_cell(columns);
}

/* What was compared, and how often an answer is wrong. */
static void outliers_put_sum(const struct hf_fleet_outliers *outliers, struct hf_out *out)
{
    char number[HF_UNITS_MAX];
    size_t left = outliers->service_count - outliers->compared_count;
    hf_out_printf(out, "%zu %s in %s %s of a place with other nodes", outliers->row_count,
        hf_plural(outliers->row_count, "outlier", "outliers"),
        hf_units_grouped(outliers->comparison_count, number),
        hf_plural(outliers->comparison_count, "comparison", "comparisons"));
    hf_out_printf(out, "; of answers without a true one, %g %% have a false one at most\n",
        outliers->rate * 100);
    if (left != 0)
        hf_out_printf(out,
            "%zu %s %s not compared: that takes %d nodes with profiles of %d hours or more\n", left,
            hf_plural(left, "service", "services"), hf_plural(left, "was", "were"),
            /* never 1 */ HF_OUTLIER_VALUES_MIN, HF_ROLLUP_HOURS_MIN);
}

enum hf_status hf_fleet_outliers_text(const struct hf_fleet *fleet,
    const struct hf_fleet_outliers *outliers, uint64_t rows, struct hf_out *out,
    struct hf_error *err)
{
    static const struct hf_column titles[] = {{"slope", true}, {"most nodes", true},
        {"node", false}, {"service", false}, {"build", false}, {"place", false}};
    struct hf_columns columns = {.titles = titles, .count = HF_COUNT(titles)};
    enum hf_status status = HF_OK;
    hf_fleet_put_head(fleet, out);
    outliers_put_sum(outliers, out);
    for (size_t i = 0; i < hf_fleet_rows(outliers->row_count, rows); i++)
        outlier_put_row(fleet, outliers, &outliers->rows[i], &columns);
    if (outliers->row_count != 0) {
        hf_out_char(out, '\n');
        status = hf_columns_put(&columns, out, err);
    }
    hf_fleet_put_more(outliers->row_count, rows, out);
    hf_columns_done(&columns);
    return status;
}

void hf_fleet_outliers_json(const struct hf_fleet *fleet, const struct hf_fleet_outliers *outliers,
    uint64_t rows, struct hf_out *out)
{
    hf_fleet_json_head(fleet, HF_FLEET_OUTLIERS_SCHEMA, out);
    hf_json_number(out, ",\n \"rate\": ", outliers->rate);
    hf_out_printf(out,
        ", \"comparisons\": %" PRIu64
        ", \"services\": %zu, \"services_compared\": %zu, \"outlier_count\": %zu,\n \"outliers\": "
        "[",
        outliers->comparison_count, outliers->service_count, outliers->compared_count,
        outliers->row_count);
    for (size_t i = 0; i < hf_fleet_rows(outliers->row_count, rows); i++) {
        const struct hf_fleet_outlier *row = &outliers->rows[i];
        const struct hf_growth_unit *unit = &outliers->growth.units[row->unit];
        hf_json_member(out, i != 0 ? ",\n  {" : "\n  {", "node", fleet->nodes[unit->node].name);
        hf_json_member(out, ", ", "service", hf_fleet_text(fleet, unit->key));
        hf_json_member(out, ", ", "build", hf_fleet_text(fleet, unit->build));
        hf_json_member(
            out, ", ", "place", hf_intern_at(&outliers->growth.places.names, row->place));
        hf_fleet_json_slope(&row->slope, out);
        hf_out_printf(
            out, ", \"nodes\": %zu, \"core\": {\"nodes\": %zu", row->node_count, row->core.count);
        hf_json_number(out, ", \"mean\": ", row->core.mean);
        hf_json_number(out, ", \"low\": ", row->core.low);
        hf_json_number(out, ", \"high\": ", row->core.high);
        hf_json_number(out, "}, \"probability\": ", row->probability);
        hf_out_char(out, '}');
    }
    hf_out_string(out, "]}\n");
}
