#include "cli/fleet/top_report.h"

#include "analysis/verdict.h"
#include "base/attr.h"
#include "base/strings/escape.h"
#include "base/strings/json.h"
#include "base/strings/units.h"
#include "cli/fleet/columns.h"
#include "cli/fleet/fleet_words.h"

#include <inttypes.h>

enum hf_status hf_fleet_top_text(const struct hf_fleet *fleet, const struct hf_fleet_top *top,
    uint64_t rows, struct hf_out *out, struct hf_error *err)
{
    static const struct hf_column titles[] = {
        {"in use", true}, {"share", true}, {"nodes", true}, {"place", false}};
    struct hf_columns columns = {.titles = titles, .count = HF_COUNT(titles)};
    hf_fleet_put_head(fleet, out);
    hf_out_string(out, "in use: ");
    hf_verdict_amount((double)top->bytes, true, out);
    hf_out_string(out, "\n\n");
    for (size_t i = 0; i < hf_fleet_rows(top->row_count, rows); i++) {
        const struct hf_fleet_top_row *row = &top->rows[i];
        hf_verdict_amount((double)row->bytes, true, &columns.text);
        hf_columns_end_cell(&columns);
        hf_out_printf(&columns.text, "%.1f %%", hf_units_percent(row->bytes, top->bytes));
        hf_columns_end_cell(&columns);
        hf_out_u64(&columns.text, row->node_count);
        hf_columns_end_cell(&columns);
        hf_fleet_put_place(&top->places, row->place, &columns.text);
        hf_columns_end_cell(&columns);
    }
    enum hf_status status = hf_columns_put(&columns, out, err);
    hf_fleet_put_more(top->row_count, rows, out);
    hf_columns_done(&columns);
    return status;
}

void hf_fleet_top_json(
    const struct hf_fleet *fleet, const struct hf_fleet_top *top, uint64_t rows, struct hf_out *out)
{
    hf_fleet_json_head(fleet, HF_FLEET_TOP_SCHEMA, out);
    hf_out_printf(out, ",\n \"bytes\": %" PRIu64 ", \"place_count\": %zu,\n \"places\": [",
        top->bytes, top->row_count);
    for (size_t i = 0; i < hf_fleet_rows(top->row_count, rows); i++) {
        const struct hf_fleet_top_row *row = &top->rows[i];
        hf_json_member(
            out, i != 0 ? ",\n  {" : "\n  {", "name", hf_intern_at(&top->places.names, row->place));
        hf_out_printf(out,
            ", \"bytes\": %" PRIu64 ", \"objects\": %" PRIu64 ", \"nodes\": %" PRIu32
            ", \"share\": %.6f}",
            row->bytes, row->objects, row->node_count,
            hf_units_percent(row->bytes, top->bytes) / 100);
    }
    hf_out_string(out, "]}\n");
}
