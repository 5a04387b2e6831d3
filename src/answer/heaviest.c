#include "answer/heaviest.h"

#include "answer/view.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "render/table/rows.h"

#include <stdio.h>

static void heaviest_put_row(
    const struct hf_rows *rows, struct hf_owners *owners, char out_text[HF_HEAVIEST_MAX])
{
    const struct hf_row *row = &rows->items[0];
    char held[HF_UNITS_MAX], all[HF_UNITS_MAX];
    struct hf_out name = {0};
    hf_escape_terminal(&name, row->name);
    if (row->file.size != 0) {
        hf_out_string(&name, " (");
        hf_escape_terminal(&name, hf_text_basename(row->file));
        hf_out_printf(&name, ":%u)", row->line);
    }
    struct hf_text via = hf_owners_via(owners, row->name);
    if (via.size != 0) {
        hf_out_string(&name, " via ");
        hf_escape_terminal(&name, via);
    }
    (void)snprintf(out_text, HF_HEAVIEST_MAX, "%.*s holds %s of %s in use", (int)name.size,
        name.data, hf_units_bytes(row->flat.value, held), hf_units_bytes(rows->total.value, all));
    hf_out_done(&name);
}

void hf_heaviest_describe(const struct hf_profile *profile, char out_text[HF_HEAVIEST_MAX])
{
    struct hf_view view;
    struct hf_rows rows = {0};
    struct hf_owners owners = {0};
    const struct hf_request request = {
        .given = profile, .fold = {.granularity = HF_BY_LINE, .owners = &owners}};
    out_text[0] = '\0';
    if (hf_view_make(&view, &request, NULL, 0, NULL) == HF_OK) {
        const struct hf_rows_options first = {
            .type = view.type, .only_ranked = true, .max_rows = 1};
        if (hf_rows_init(&rows, view.folded, &first, NULL) == HF_OK && rows.shown != 0)
            heaviest_put_row(&rows, &owners, out_text);
        hf_rows_done(&rows);
    }
    hf_view_done(&view);
    hf_owners_done(&owners);
}
