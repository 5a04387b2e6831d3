#include "cli/fleet/columns.h"

#include "base/containers/vec.h"
#include "base/strings/utf8.h"

#include <stdlib.h>

void hf_columns_end_cell(struct hf_columns *columns)
{
    if (!hf_vec_reserve(&columns->ends, &columns->cell_capacity, columns->cell_count + 1,
            sizeof *columns->ends))
        columns->has_no_memory = true;
    else
        columns->ends[columns->cell_count++] = columns->text.size;
}

static struct hf_text column_cell(const struct hf_columns *columns, size_t at)
{
    size_t from = at != 0 ? columns->ends[at - 1] : 0;
    return hf_text_first(hf_text_from(hf_out_view(&columns->text), from), columns->ends[at] - from);
}

static void put_cell(const struct hf_columns *columns, size_t column, struct hf_text cell,
    size_t width, struct hf_out *out)
{
    int blanks = (int)(width - hf_utf8_columns(cell));
    bool is_last = column + 1 == columns->count;
    if (columns->titles[column].is_right)
        hf_out_printf(out, "%*s", blanks, "");
    hf_out_text(out, cell);
    if (!columns->titles[column].is_right && !is_last)
        hf_out_printf(out, "%*s", blanks, "");
    hf_out_string(out, is_last ? "\n" : "  ");
}

enum hf_status hf_columns_put(struct hf_columns *columns, struct hf_out *out, struct hf_error *err)
{
    size_t widths[HF_COLUMNS_MAX] = {0};
    enum hf_status status = hf_out_finish(&columns->text, err);
    if (status == HF_OK && columns->has_no_memory)
        status = hf_error_memory(err);
    if (status != HF_OK)
        return status;
    for (size_t i = 0; i < columns->count; i++)
        widths[i] = strlen(columns->titles[i].title);
    for (size_t i = 0; i < columns->cell_count; i++) {
        size_t width = hf_utf8_columns(column_cell(columns, i));
        if (width > widths[i % columns->count])
            widths[i % columns->count] = width;
    }
    for (size_t i = 0; i < columns->count; i++)
        put_cell(columns, i, hf_text_of(columns->titles[i].title), widths[i], out);
    for (size_t i = 0; i < columns->cell_count; i++)
        put_cell(
            columns, i % columns->count, column_cell(columns, i), widths[i % columns->count], out);
    return HF_OK;
}

void hf_columns_done(struct hf_columns *columns)
{
    hf_out_done(&columns->text);
    free(columns->ends);
}
