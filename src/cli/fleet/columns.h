/*
 * columns.h: a table whose columns are as wide as their widest cell.
 *
 * Each cell is written into `text` and ended; what is written is escaped already. The last column
 * is not padded.
 *
 * Example:
 *
 *     static const struct hf_column titles[] = {{"bytes", true}, {"place", false}};
 *     struct hf_columns columns = {.titles = titles, .count = 2};
 *     hf_out_string(&columns.text, "12");
 *     hf_columns_end_cell(&columns);
 *     hf_out_string(&columns.text, "main");
 *     hf_columns_end_cell(&columns);
 *     status = hf_columns_put(&columns, out, err);
 *     hf_columns_done(&columns);
 */
#ifndef HF_CLI_FLEET_COLUMNS_H
#define HF_CLI_FLEET_COLUMNS_H

#include "base/strings/out.h"

struct hf_column {
    const char *title;
    bool is_right; /* aligned so */
};

#define HF_COLUMNS_MAX 12

/* Give it the titles; the rest is its own. */
struct hf_columns {
    const struct hf_column *titles;
    size_t count; /* up to HF_COLUMNS_MAX */
    struct hf_out text;
    size_t *ends; /* in `text`, of the cells, row by row */
    size_t cell_count, cell_capacity;
    bool has_no_memory;
};

void hf_columns_end_cell(struct hf_columns *columns);

/* Writes the titles and the rows. */
HF_MUST_CHECK enum hf_status hf_columns_put(
    struct hf_columns *columns, struct hf_out *out, struct hf_error *err);
void hf_columns_done(struct hf_columns *columns);

#endif
