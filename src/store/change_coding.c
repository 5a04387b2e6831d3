#include "store/change_coding.h"

#include "base/budget.h"
#include "base/checksum.h"
#include "base/containers/vec.h"
#include "base/cursor.h"
#include "base/limits.h"

#include <stdlib.h>

enum { KEYFRAME = 1, CHANGE = 2 };

#define ROW_BYTES_MIN 3u /* of a body: a gap, bytes and objects */
#define STEPS_A_LEVEL 20u

void hf_levels_done(struct hf_levels *levels)
{
    free(levels->items);
    *levels = (struct hf_levels){0};
}

enum hf_status hf_levels_add(struct hf_levels *levels, struct hf_level level, struct hf_error *err)
{
    if (level.bytes == 0 && level.objects == 0)
        return HF_OK;
    if (levels->count == HF_LIMIT_LEVELS)
        return hf_error_set(err, HF_ERR_LIMIT,
            "a profile has more than %u stacks that hold memory (HF_LIMIT_LEVELS)",
            (unsigned)HF_LIMIT_LEVELS);
    if (!hf_vec_reserve(
            &levels->items, &levels->capacity, levels->count + 1, sizeof *levels->items))
        return hf_error_memory(err);
    levels->items[levels->count++] = level;
    return HF_OK;
}

static int64_t store_hour_of(int64_t ms)
{
    return ms / HF_STORE_HOUR_MS - (ms % HF_STORE_HOUR_MS < 0);
}

bool hf_change_needs_keyframe(int64_t before_ms, int64_t now_ms)
{
    return now_ms <= before_ms || store_hour_of(before_ms) != store_hour_of(now_ms);
}

static uint32_t sum_levels(const struct hf_levels *levels)
{
    return (uint32_t)hf_checksum(levels->items, levels->count * sizeof *levels->items);
}

static void put_uleb(struct hf_out *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        hf_out_char(out, (char)(value | 0x80));
    hf_out_char(out, (char)value);
}

static void put_sleb(struct hf_out *out, uint64_t difference)
{
    int64_t value = (int64_t)difference;
    for (; value < -0x40 || value >= 0x40; value >>= 7)
        hf_out_char(out, (char)(value | 0x80));
    hf_out_char(out, (char)(value & 0x7f));
}

/* What so many more objects of a stack are expected to have, by those it had: modulo 2^64. */
static uint64_t expected_bytes(const struct hf_level *before, uint64_t objects)
{
    return before->objects != 0 ? before->bytes / before->objects * objects : 0;
}

/* Of two lists of levels, one stack after the other, those that differ; less what is expected. */
struct level_walk {
    const struct hf_levels *a, *b;
    size_t at_a, at_b;
};

static bool level_walk_next(struct level_walk *walk, struct hf_level *out_difference)
{
    static const struct hf_level none = {.stack = UINT64_MAX};
    while (walk->at_a != walk->a->count || walk->at_b != walk->b->count) {
        struct hf_level a = walk->at_a != walk->a->count ? walk->a->items[walk->at_a] : none;
        struct hf_level b = walk->at_b != walk->b->count ? walk->b->items[walk->at_b] : none;
        struct hf_level difference = {.stack = a.stack < b.stack ? a.stack : b.stack};
        if (b.stack == difference.stack) {
            difference.bytes = b.bytes;
            difference.objects = b.objects;
            walk->at_b++;
        }
        if (a.stack == difference.stack) {
            difference.bytes -= a.bytes;
            difference.objects -= a.objects;
            difference.bytes -= expected_bytes(&a, difference.objects);
            walk->at_a++;
        }
        if (difference.bytes != 0 || difference.objects != 0) {
            *out_difference = difference;
            return true;
        }
    }
    return false;
}

/* The three columns of a body, side by side. */
static void put_body(const struct hf_levels *before, const struct hf_levels *now,
    struct hf_out *body, struct hf_out *bytes, struct hf_out *objects)
{
    struct hf_level row;
    uint64_t count = 0, next = 0;
    for (struct level_walk walk = {before, now, 0, 0}; level_walk_next(&walk, &row);)
        count++;
    put_uleb(body, count);
    for (struct level_walk walk = {before, now, 0, 0}; level_walk_next(&walk, &row);) {
        put_uleb(body, row.stack - next);
        put_sleb(bytes, row.bytes);
        put_sleb(objects, row.objects);
        next = row.stack + 1;
    }
    hf_out_text(body, hf_out_view(bytes));
    hf_out_text(body, hf_out_view(objects));
}

enum hf_status hf_change_write(const struct hf_levels *before, const struct hf_levels *now,
    struct hf_out *out, struct hf_error *err)
{
    static const struct hf_levels nothing;
    struct hf_out bytes = {0}, objects = {0};
    uint32_t sum = sum_levels(now);
    hf_out_char(out, before == NULL ? KEYFRAME : CHANGE);
    hf_out_bytes(out, (const char *)&sum, sizeof sum);
    put_body(before != NULL ? before : &nothing, now, out, &bytes, &objects);
    enum hf_status status = hf_out_finish(&bytes, err);
    if (status == HF_OK)
        status = hf_out_finish(&objects, err);
    if (status == HF_OK)
        status = hf_out_finish(out, err);
    hf_out_done(&bytes);
    hf_out_done(&objects);
    return status;
}

bool hf_change_is_keyframe(struct hf_text blob)
{
    return blob.size != 0 && blob.data[0] == KEYFRAME;
}

/* The columns of a body that is read. */
struct body_columns {
    struct hf_cursor gaps, bytes, objects;
    uint64_t count, next; /* rows that are left; the least number that the next may have */
};

static bool body_columns_begin(struct body_columns *columns, struct hf_text body)
{
    struct hf_cursor c = hf_cursor_of(body.data, body.size, "changes");
    columns->next = 0;
    columns->count = hf_cursor_uleb(&c);
    if (hf_cursor_failed(&c) || columns->count > hf_cursor_left(&c) / ROW_BYTES_MIN)
        return false;
    columns->gaps = c;
    for (uint64_t i = 0; i < columns->count; i++)
        hf_cursor_skip_leb(&c);
    columns->bytes = c;
    for (uint64_t i = 0; i < columns->count; i++)
        hf_cursor_skip_leb(&c);
    columns->objects = c;
    for (uint64_t i = 0; i < columns->count; i++)
        hf_cursor_skip_leb(&c);
    return !hf_cursor_failed(&c) && hf_cursor_left(&c) == 0;
}

/* The next row; false: it is none that is ever written. Each byte was seen before. */
static bool body_columns_next(struct body_columns *columns, struct hf_level *out_row)
{
    uint64_t gap = hf_cursor_uleb(&columns->gaps);
    *out_row = (struct hf_level){.stack = columns->next + gap,
        .bytes = (uint64_t)hf_cursor_sleb(&columns->bytes),
        .objects = (uint64_t)hf_cursor_sleb(&columns->objects)};
    columns->count--;
    columns->next = out_row->stack + 1;
    return gap <= UINT32_MAX && out_row->stack <= UINT32_MAX &&
           (out_row->bytes != 0 || out_row->objects != 0);
}

static enum hf_status damaged_body(struct hf_error *err)
{
    return hf_error_set(err, HF_ERR_INPUT, "a profile in the store is damaged: its changes are");
}

/* Adds the levels before up to a stack, and those of that stack with its row. */
static enum hf_status apply_row(const struct hf_levels *before, size_t *at, struct hf_level row,
    struct hf_levels *now, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (; status == HF_OK && *at != before->count && before->items[*at].stack < row.stack; ++*at)
        status = hf_levels_add(now, before->items[*at], err);
    if (*at != before->count && before->items[*at].stack == row.stack) {
        row.bytes += before->items[*at].bytes + expected_bytes(&before->items[*at], row.objects);
        row.objects += before->items[*at].objects;
        ++*at;
    }
    return status == HF_OK ? hf_levels_add(now, row, err) : status;
}

enum hf_status hf_change_apply(struct hf_text body, const struct hf_levels *before,
    struct hf_levels *out_now, struct hf_error *err)
{
    struct body_columns columns;
    struct hf_levels now = {0};
    size_t at = 0;
    if (!body_columns_begin(&columns, body))
        return damaged_body(err);
    if (!hf_budget_step((before->count + columns.count) * STEPS_A_LEVEL))
        return hf_budget_refuse(err);
    enum hf_status status = HF_OK;
    while (status == HF_OK && columns.count != 0) {
        struct hf_level row;
        status = body_columns_next(&columns, &row) ? apply_row(before, &at, row, &now, err)
                                                   : damaged_body(err);
    }
    for (; status == HF_OK && at != before->count; at++)
        status = hf_levels_add(&now, before->items[at], err);
    if (status == HF_OK)
        *out_now = now;
    else
        hf_levels_done(&now);
    return status;
}

static enum hf_status check_sum(uint32_t sum, struct hf_levels *now, struct hf_error *err)
{
    if (sum == sum_levels(now))
        return HF_OK;
    hf_levels_done(now);
    return hf_error_set(err, HF_ERR_INPUT,
        "a profile in the store is damaged, or the one before it is not the one it was made from");
}

enum hf_status hf_change_read(struct hf_text blob, const struct hf_levels *before,
    struct hf_levels *out_now, struct hf_error *err)
{
    static const struct hf_levels nothing;
    struct hf_cursor c = hf_cursor_of(blob.data, blob.size, "profile");
    uint8_t kind = hf_cursor_u8(&c);
    uint32_t sum = hf_cursor_u32(&c);
    if (hf_cursor_failed(&c) || (kind != KEYFRAME && kind != CHANGE))
        return hf_error_set(err, HF_ERR_INPUT, "a profile in the store is damaged: its head is");
    if (kind == CHANGE && before == NULL)
        return hf_error_set(err, HF_ERR_INPUT,
            "a profile in the store is a change of one that is not there; expected a keyframe");
    struct hf_levels now;
    enum hf_status status = hf_change_apply(
        hf_cursor_bytes(&c, hf_cursor_left(&c)), kind == KEYFRAME ? &nothing : before, &now, err);
    if (status == HF_OK)
        status = check_sum(sum, &now, err);
    if (status == HF_OK)
        *out_now = now;
    return status;
}
