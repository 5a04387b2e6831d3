/*
 * row_blocks.h: what became of the blocks of each row of a table: how many of them were temporary,
 * how long they lived, how large they were, how much of what was allocated when is still in use.
 * The columns of the text, and the members of JSON.
 *
 * Lifetimes and sizes are in a profile whose reader was asked for them (profile/lifetimes.h), for
 * the whole process. They are of the values that the row is ranked by, its own or those with
 * callees.
 */
#ifndef HF_RENDER_ROW_BLOCKS_H
#define HF_RENDER_ROW_BLOCKS_H

#include "base/strings/out.h"
#include "profile/fold.h"
#include "render/table/rows.h"

enum hf_row_blocks_kind {
    HF_BLOCKS_NOT_SHOWN,
    HF_BLOCKS_TEMPORARY, /* the rows are ranked by HF_TEMPORARY_OBJECTS */
    HF_BLOCKS_BY_AGE,
    HF_BLOCKS_BY_SIZE,
    HF_BLOCKS_BY_BIRTH,
};

struct hf_row_blocks {
    enum hf_row_blocks_kind kind;
    size_t columns; /* values of a row */
    uint32_t epoch_shift;
    uint64_t *values; /* by shown row */
};

/* Counts for the rows that are shown. Free with hf_row_blocks_done, also after an error. */
HF_MUST_CHECK enum hf_status hf_row_blocks_init(struct hf_row_blocks *blocks,
    enum hf_row_blocks_kind kind, const struct hf_rows *rows, const struct hf_profile *folded,
    const struct hf_rows_options *ranking, struct hf_error *err);
void hf_row_blocks_done(struct hf_row_blocks *blocks);

/* "of allocated  bytes allocated  ", "<1 ms  <8 ms  ...  in use  ", and the same of a row. */
void hf_row_blocks_titles(
    const struct hf_row_blocks *blocks, const struct hf_rows *rows, struct hf_out *out);
void hf_row_blocks_columns(const struct hf_row_blocks *blocks, const struct hf_rows *rows,
    size_t row, bool is_exact, struct hf_out *out);

/* , "allocated_objects": 3, ... */
void hf_row_blocks_json(const struct hf_row_blocks *blocks, size_t row, struct hf_out *out);

#endif
