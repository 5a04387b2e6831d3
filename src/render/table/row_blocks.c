#include "render/table/row_blocks.h"

#include "analysis/verdict.h"
#include "base/budget.h"
#include "base/strings/units.h"
#include "base/strings/utf8.h"
#include "profile/lifetimes.h"
#include "render/amount.h"
#include "render/tally.h"

#include <stdio.h>

/* Values of a row; the classes of lifetimes.h come behind them. */
enum block_value { BLOCK_ALLOCATED, BLOCK_BYTES, BLOCK_IN_USE, BLOCK_TEMPORARY, BLOCK_CLASSES };
static const char *const block_types[BLOCK_CLASSES] = {
    [BLOCK_ALLOCATED] = "alloc_objects",
    [BLOCK_BYTES] = "alloc_space",
    [BLOCK_IN_USE] = "inuse_objects",
    [BLOCK_TEMPORARY] = "temporary_objects",
};

#define TITLE_MAX 16
#define SHARE_WIDTH 6 /* ">99 %", and one more to look at */
#define BIRTH_COLUMNS 8
#define TEMPORARY_TITLES "of allocated  bytes allocated  "

/* Classes [from, to) of a row, shown together. */
struct block_column {
    size_t from, to;
    char title[TITLE_MAX];
};

static bool has_classes_of(const struct hf_row_blocks *blocks)
{
    return blocks->kind >= HF_BLOCKS_BY_AGE;
}

static enum hf_lifetimes_class class_of(const struct hf_row_blocks *blocks)
{
    return blocks->kind == HF_BLOCKS_BY_AGE    ? HF_CLASS_AGE
           : blocks->kind == HF_BLOCKS_BY_SIZE ? HF_CLASS_SIZE
                                               : HF_CLASS_BIRTH;
}

static uint64_t *row_block_values(const struct hf_row_blocks *blocks, size_t row)
{
    return blocks->values + row * blocks->columns;
}

/* Fills one value of each row. */
static enum hf_status blocks_count(struct hf_row_blocks *blocks, const struct hf_rows *rows,
    const struct hf_profile *folded, const struct hf_tally_options *counted, bool is_cumulative,
    size_t value, struct hf_error *err)
{
    struct hf_tally tally;
    enum hf_status status = hf_tally_init(&tally, folded, counted, err);
    for (size_t i = 0; status == HF_OK && i < rows->shown; i++) {
        const struct hf_tally_entry *entry = hf_tally_find(&tally, rows->items[i].frame);
        if (entry != NULL)
            row_block_values(blocks, i)[value] =
                is_cumulative ? entry->cum.value : entry->flat.value;
    }
    hf_tally_done(&tally);
    return status;
}

static enum hf_status count_classes(struct hf_row_blocks *blocks, const struct hf_rows *rows,
    const struct hf_profile *folded, const struct hf_rows_options *ranking, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    struct hf_tally_options counted = {.by_name = ranking->granularity == HF_BY_FUNCTION};
    size_t classes = hf_lifetimes_classes(class_of(blocks));
    for (size_t i = 0; status == HF_OK && i < blocks->columns - BLOCK_CLASSES; i++) {
        uint32_t thread;
        counted.type = hf_lifetimes_column(class_of(blocks), i >= classes);
        if (!hf_lifetimes_find_class(folded, class_of(blocks), i % classes, &thread))
            continue;
        counted.part = thread + 1;
        status = blocks_count(
            blocks, rows, folded, &counted, ranking->is_cumulative, BLOCK_CLASSES + i, err);
    }
    return status;
}

enum hf_status hf_row_blocks_init(struct hf_row_blocks *blocks, enum hf_row_blocks_kind kind,
    const struct hf_rows *rows, const struct hf_profile *folded,
    const struct hf_rows_options *ranking, struct hf_error *err)
{
    *blocks = (struct hf_row_blocks){.kind = kind, .columns = BLOCK_CLASSES};
    if (kind == HF_BLOCKS_NOT_SHOWN)
        return HF_OK;
    if (has_classes_of(blocks))
        blocks->columns += hf_lifetimes_classes(class_of(blocks)) *
                           (kind == HF_BLOCKS_BY_BIRTH ? 2 : 1); /* allocated; of these in use */
    blocks->epoch_shift = folded->capture.epoch_shift;
    blocks->values = hf_budget_calloc(rows->shown + 1, blocks->columns * sizeof *blocks->values);
    enum hf_status status = blocks->values != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; status == HF_OK && i < BLOCK_CLASSES; i++) {
        struct hf_tally_options counted = {.by_name = ranking->granularity == HF_BY_FUNCTION};
        if (hf_profile_find_type(folded, hf_text_of(block_types[i]), &counted.type))
            status = blocks_count(blocks, rows, folded, &counted, ranking->is_cumulative, i, err);
    }
    return status == HF_OK && has_classes_of(blocks)
               ? count_classes(blocks, rows, folded, ranking, err)
               : status;
}

void hf_row_blocks_done(struct hf_row_blocks *blocks)
{
    hf_budget_free(blocks->values);
    *blocks = (struct hf_row_blocks){0};
}

/* The last column that there can be for lifetimes is what is in use. */
static bool age_column(size_t index, struct block_column *out_column)
{
    static const struct {
        size_t to; /* the first class that is not in it */
        const char *title;
    } ages[] = {{1, "<1 ms"}, {4, "<8 ms"}, {8, "<134 ms"}, {11, "<1 s"}, {14, "<9 s"},
        {17, "<69 s"}, {HF_CLASS_AGES, "longer"}};
    bool is_age = index < HF_COUNT(ages);
    out_column->from = BLOCK_IN_USE;
    out_column->to = BLOCK_IN_USE + 1;
    if (is_age) {
        out_column->from = BLOCK_CLASSES + (index != 0 ? ages[index - 1].to : 0);
        out_column->to = BLOCK_CLASSES + ages[index].to;
    }
    snprintf(out_column->title, TITLE_MAX, "%s", is_age ? ages[index].title : "in use");
    return index <= HF_COUNT(ages);
}

/* "≤8 B" ... "≤2 MiB", ">2 MiB" */
static bool size_column(size_t index, struct block_column *out_column)
{
    static const char *const units[] = {"B", "KiB", "MiB"};
    bool is_last = index + 1 == HF_CLASS_SIZES;
    size_t power = HF_CLASS_SIZE_SHIFT + index - (is_last ? 1 : 0);
    out_column->from = BLOCK_CLASSES + index;
    out_column->to = BLOCK_CLASSES + index + 1;
    if (index < HF_CLASS_SIZES)
        snprintf(out_column->title, TITLE_MAX, "%s%u %s", is_last ? ">" : "≤", 1U << power % 10,
            units[power / 10]);
    return index < HF_CLASS_SIZES;
}

/* "<2 s", "<4 s" ...: eight equal parts of the time, up to the epoch of the last birth. */
static bool birth_column(
    const struct hf_row_blocks *blocks, size_t rows, size_t index, struct block_column *out_column)
{
    size_t used = 0, last = 0;
    for (size_t i = 0; i < HF_CLASS_BIRTHS; i++) {
        for (size_t row = 0; row < rows; row++)
            used = row_block_values(blocks, row)[BLOCK_CLASSES + i] != 0 ? i + 1 : used;
    }
    size_t each = (used + BIRTH_COLUMNS - 1) / BIRTH_COLUMNS;
    out_column->from = BLOCK_CLASSES + index * each;
    last = (index + 1) * each < used ? (index + 1) * each : used;
    out_column->to = BLOCK_CLASSES + last;
    double seconds = (double)last * (double)(UINT64_C(1) << blocks->epoch_shift) / 1e9;
    struct hf_out time = {0};
    if (seconds < 10)
        hf_out_printf(&time, "%.1f s", seconds);
    else
        hf_verdict_duration(seconds, &time);
    hf_out_char(&time, '\0');
    snprintf(out_column->title, TITLE_MAX, "<%s", time.data != NULL ? time.data : "");
    hf_out_done(&time);
    return used != 0 && out_column->from < out_column->to;
}

static uint64_t sum_of_column(
    const struct hf_row_blocks *blocks, size_t row, const struct block_column *column)
{
    uint64_t sum = 0;
    for (size_t i = column->from; i < column->to; i++)
        sum += row_block_values(blocks, row)[i];
    return sum;
}

/* The column that comes after *index of those that are shown: of sizes, those that some row has. */
static bool next_column(const struct hf_row_blocks *blocks, const struct hf_rows *rows,
    size_t *index, struct block_column *out_column)
{
    for (;; ++*index) {
        bool is_there = blocks->kind == HF_BLOCKS_BY_AGE ? age_column(*index, out_column)
                        : blocks->kind == HF_BLOCKS_BY_SIZE
                            ? size_column(*index, out_column)
                            : birth_column(blocks, rows->shown, *index, out_column);
        if (!is_there)
            return false;
        bool is_shown = blocks->kind != HF_BLOCKS_BY_SIZE;
        for (size_t i = 0; !is_shown && i < rows->shown; i++)
            is_shown = sum_of_column(blocks, i, out_column) != 0;
        if (is_shown)
            break;
    }
    ++*index;
    return true;
}

static void put_padded(const char *text, size_t width, struct hf_out *out)
{
    for (size_t i = hf_utf8_columns(hf_text_of(text)); i < width; i++)
        hf_out_char(out, ' ');
    hf_out_string(out, text);
    hf_out_string(out, "  ");
}

static size_t column_width(const struct block_column *column)
{
    size_t width = hf_utf8_columns(hf_text_of(column->title));
    return width > SHARE_WIDTH ? width : SHARE_WIDTH;
}

void hf_row_blocks_titles(
    const struct hf_row_blocks *blocks, const struct hf_rows *rows, struct hf_out *out)
{
    struct block_column column;
    if (blocks->kind == HF_BLOCKS_TEMPORARY)
        hf_out_string(out, TEMPORARY_TITLES);
    for (size_t i = 0; has_classes_of(blocks) && next_column(blocks, rows, &i, &column);)
        put_padded(column.title, column_width(&column), out);
}

static void put_temporary(
    const struct hf_row_blocks *blocks, size_t row, bool is_exact, struct hf_out *out)
{
    const uint64_t *values = row_block_values(blocks, row);
    const struct hf_amount_style style = {
        is_exact ? HF_AMOUNT_EXACT : HF_AMOUNT_HUMAN, .is_bytes = true};
    char share[TITLE_MAX] = "", bytes[HF_AMOUNT_MAX] = "";
    if (values[BLOCK_ALLOCATED] != 0)
        snprintf(share, sizeof share, "%.1f %%",
            hf_units_percent(values[BLOCK_TEMPORARY], values[BLOCK_ALLOCATED]));
    if (values[BLOCK_BYTES] != 0)
        hf_amount(style, values[BLOCK_BYTES], bytes);
    put_padded(share, strlen("of allocated"), out);
    put_padded(bytes, strlen("bytes allocated"), out);
}

/* Nothing for none; never "0 %" or "100 %" for what is not. */
static const char *share_text(uint64_t part, uint64_t whole, char out[TITLE_MAX])
{
    double percent = hf_units_percent(part, whole);
    out[0] = '\0';
    if (part != 0 && percent < 1)
        return "<1 %";
    if (part != whole && percent > 99)
        return ">99 %";
    if (part != 0)
        snprintf(out, TITLE_MAX, "%.0f %%", percent);
    return out;
}

/* The share of what was allocated then that is in use; nothing where nothing was allocated. */
static const char *kept_text(const struct hf_row_blocks *blocks, size_t row,
    const struct block_column *column, char out[TITLE_MAX])
{
    const struct block_column in_use = {
        .from = column->from + HF_CLASS_BIRTHS, .to = column->to + HF_CLASS_BIRTHS};
    uint64_t whole = sum_of_column(blocks, row, column);
    uint64_t part = sum_of_column(blocks, row, &in_use);
    if (whole != 0 && part == 0)
        return "0 %";
    return share_text(part, whole, out);
}

void hf_row_blocks_columns(const struct hf_row_blocks *blocks, const struct hf_rows *rows,
    size_t row, bool is_exact, struct hf_out *out)
{
    struct block_column column;
    char share[TITLE_MAX];
    uint64_t whole = 0;
    if (blocks->kind == HF_BLOCKS_TEMPORARY)
        put_temporary(blocks, row, is_exact, out);
    if (!has_classes_of(blocks))
        return;
    bool is_by_birth = blocks->kind == HF_BLOCKS_BY_BIRTH;
    for (size_t i = 0; !is_by_birth && next_column(blocks, rows, &i, &column);)
        whole += sum_of_column(blocks, row, &column);
    for (size_t i = 0; next_column(blocks, rows, &i, &column);) {
        uint64_t part = sum_of_column(blocks, row, &column);
        if (is_by_birth)
            put_padded(kept_text(blocks, row, &column, share), column_width(&column), out);
        else
            put_padded(share_text(part, whole, share), column_width(&column), out);
    }
}

/* , "sizes": [{"up_to_bytes": 16, "objects": 3}, ...]: those that are not empty. */
static void put_classes_json(const struct hf_row_blocks *blocks, size_t row, struct hf_out *out)
{
    bool is_age = blocks->kind == HF_BLOCKS_BY_AGE;
    size_t count = blocks->columns - BLOCK_CLASSES;
    const char *comma = "";
    hf_out_string(out, is_age ? ", \"lifetimes\": [" : ", \"sizes\": [");
    for (size_t i = 0; i < count; i++) {
        uint64_t objects = row_block_values(blocks, row)[BLOCK_CLASSES + i];
        if (objects == 0)
            continue;
        hf_out_printf(out, "%s{\"%s\": ", comma, is_age ? "below_ns" : "up_to_bytes");
        if (i + 1 == count)
            hf_out_string(out, "null");
        else
            hf_out_u64(
                out, UINT64_C(1) << ((is_age ? HF_CLASS_AGE_SHIFT : HF_CLASS_SIZE_SHIFT) + i));
        hf_out_string(out, ", \"objects\": ");
        hf_out_u64(out, objects);
        hf_out_char(out, '}');
        comma = ", ";
    }
    hf_out_char(out, ']');
}

/* , "births": [{"before_ns": 268435456, "allocated_bytes": 3, "inuse_bytes": 2}, ...] */
static void put_births_json(const struct hf_row_blocks *blocks, size_t row, struct hf_out *out)
{
    const uint64_t *values = row_block_values(blocks, row) + BLOCK_CLASSES;
    const char *comma = "";
    hf_out_string(out, ", \"births\": [");
    for (size_t i = 0; i < HF_CLASS_BIRTHS; i++) {
        if (values[i] == 0)
            continue;
        hf_out_printf(out, "%s{\"before_ns\": ", comma);
        hf_out_u64(out, ((uint64_t)i + 1) << blocks->epoch_shift);
        hf_out_string(out, ", \"allocated_bytes\": ");
        hf_out_u64(out, values[i]);
        hf_out_string(out, ", \"inuse_bytes\": ");
        hf_out_u64(out, values[HF_CLASS_BIRTHS + i]);
        hf_out_char(out, '}');
        comma = ", ";
    }
    hf_out_char(out, ']');
}

void hf_row_blocks_json(const struct hf_row_blocks *blocks, size_t row, struct hf_out *out)
{
    static const char *const members[] = {
        [BLOCK_ALLOCATED] = ", \"allocated_objects\": ",
        [BLOCK_BYTES] = ", \"allocated_bytes\": ",
        [BLOCK_IN_USE] = ", \"inuse_objects\": ",
    };
    for (size_t i = 0; blocks->kind != HF_BLOCKS_NOT_SHOWN && i < HF_COUNT(members); i++) {
        hf_out_string(out, members[i]);
        hf_out_u64(out, row_block_values(blocks, row)[i]);
    }
    if (blocks->kind == HF_BLOCKS_BY_BIRTH)
        put_births_json(blocks, row, out);
    else if (has_classes_of(blocks))
        put_classes_json(blocks, row, out);
}
