#include "attach/postgres/context_growth.h"

#include "attach/postgres/known_cache.h"
#include "base/containers/vec.h"
#include "base/strings/out.h"

#include <stdlib.h>

static const struct hf_context_held nothing_yet = {UINT64_MAX, UINT64_MAX, UINT64_MAX};

/* The number of the row of `path`. */
static enum hf_status context_growth_find_row(struct hf_context_growth *growth, struct hf_text path,
    enum hf_context_time time, uint32_t *out_row, struct hf_error *err)
{
    if (!hf_intern_put(&growth->paths, path.data, path.size, out_row))
        return hf_error_memory(err);
    if (*out_row < growth->count)
        return HF_OK;
    if (!hf_vec_reserve(&growth->rows, &growth->capacity, growth->count + 1, sizeof *growth->rows))
        return hf_error_memory(err);
    struct hf_context_row *row = &growth->rows[growth->count++];
    *row = (struct hf_context_row){
        .path = hf_intern_at(&growth->paths, *out_row), .name_row = *out_row};
    if (growth->walks[time] == 0) /* else the trees before had none of them */
        row->least[time] = nothing_yet;
    return HF_OK;
}

/* The row of a context: below `parent_row` its name and, if it has one, its ident. */
static enum hf_status context_growth_row_of(struct hf_context_growth *growth,
    const struct hf_contexts *contexts, const struct hf_memory_context *context,
    uint32_t parent_row, enum hf_context_time time, struct hf_out *path, uint32_t *out_name_row,
    uint32_t *out_row, struct hf_error *err)
{
    struct hf_text name = hf_intern_at(&contexts->texts, context->name);
    struct hf_text ident = hf_intern_at(&contexts->texts, context->ident);
    path->size = 0;
    if (context->parent != HF_CONTEXT_TOP) {
        hf_out_text(path, growth->rows[parent_row].path);
        hf_out_string(path, " / ");
    }
    hf_out_text(path, name);
    enum hf_status status =
        context_growth_find_row(growth, hf_out_view(path), time, out_name_row, err);
    if (status == HF_OK)
        growth->rows[*out_name_row].cache = hf_known_cache_of_context(name, HF_TEXT(""));
    *out_row = *out_name_row;
    if (status != HF_OK || ident.size == 0)
        return status;
    hf_out_string(path, ": ");
    if (growth->keeps_idents)
        hf_out_text(path, ident);
    else
        hf_context_put_ident(ident, path);
    status = context_growth_find_row(growth, hf_out_view(path), time, out_row, err);
    if (status == HF_OK) {
        growth->rows[*out_row].name_row = *out_name_row;
        growth->rows[*out_row].cache = hf_known_cache_of_context(name, ident);
    }
    return status;
}

/* Adds what a context holds to its row; *out_place: the row of its name alone, for its children. */
static enum hf_status add_context(struct hf_context_growth *growth,
    const struct hf_contexts *contexts, const struct hf_memory_context *context,
    uint32_t parent_place, enum hf_context_time time, struct hf_out *path, uint32_t *out_place,
    struct hf_error *err)
{
    uint32_t number;
    enum hf_status status = context_growth_row_of(
        growth, contexts, context, parent_place, time, path, out_place, &number, err);
    if (status == HF_OK)
        status = path->error.status == HF_OK ? HF_OK : hf_error_memory(err);
    if (status != HF_OK)
        return status;
    struct hf_context_row *row = &growth->rows[number];
    row->now.used_bytes += hf_context_used(context);
    row->now.held_bytes += context->allocated_bytes;
    row->now.contexts++;
    if (context->allocated_bytes > row->largest_bytes)
        row->largest_bytes = context->allocated_bytes;
    return HF_OK;
}

static uint64_t context_growth_lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void keep_least(struct hf_context_row *row, enum hf_context_time time)
{
    struct hf_context_held *least = &row->least[time];
    least->used_bytes = context_growth_lesser(least->used_bytes, row->now.used_bytes);
    least->held_bytes = context_growth_lesser(least->held_bytes, row->now.held_bytes);
    least->contexts = context_growth_lesser(least->contexts, row->now.contexts);
    row->now = (struct hf_context_held){0};
}

enum hf_status hf_context_growth_add(struct hf_context_growth *growth,
    const struct hf_contexts *contexts, enum hf_context_time time, struct hf_error *err)
{
    struct hf_out path = {0};
    uint32_t *places = calloc(contexts->count + 1, sizeof *places);
    enum hf_status status = places != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; growth->walks[time] == 0 && i < growth->count; i++)
        growth->rows[i].least[time] = nothing_yet;
    for (size_t i = 0; status == HF_OK && i < contexts->count; i++) {
        const struct hf_memory_context *context = &contexts->items[i];
        uint32_t parent = context->parent != HF_CONTEXT_TOP ? places[context->parent] : 0;
        status = add_context(growth, contexts, context, parent, time, &path, &places[i], err);
    }
    for (size_t i = 0; i < growth->count; i++)
        keep_least(&growth->rows[i], time);
    growth->walks[time]++;
    growth->torn += contexts->torn;
    free(places);
    hf_out_done(&path);
    return status;
}

int64_t hf_context_grew(const struct hf_context_held least[HF_CONTEXT_TIMES])
{
    const struct hf_context_held *before = &least[HF_CONTEXT_BEFORE];
    const struct hf_context_held *after = &least[HF_CONTEXT_AFTER];
    return before->contexts != after->contexts ? (int64_t)(after->held_bytes - before->held_bytes)
                                               : (int64_t)(after->used_bytes - before->used_bytes);
}

static int context_growth_compare_rows(const void *a_pointer, const void *b_pointer)
{
    const struct hf_context_row *a = a_pointer, *b = b_pointer;
    int64_t a_grew = hf_context_grew(a->least), b_grew = hf_context_grew(b->least);
    if (a_grew != b_grew)
        return a_grew > b_grew ? -1 : 1;
    uint64_t a_bytes = a->least[HF_CONTEXT_AFTER].held_bytes;
    uint64_t b_bytes = b->least[HF_CONTEXT_AFTER].held_bytes;
    if (a_bytes != b_bytes)
        return a_bytes > b_bytes ? -1 : 1;
    return hf_text_compare(a->path, b->path);
}

static bool context_growth_is_empty(const struct hf_context_row *row)
{
    return row->least[HF_CONTEXT_BEFORE].contexts == 0 &&
           row->least[HF_CONTEXT_AFTER].contexts == 0;
}

static void move_to_name(struct hf_context_row *row, struct hf_context_row *name_row)
{
    for (int time = 0; time < HF_CONTEXT_TIMES; time++) {
        name_row->least[time].used_bytes += row->least[time].used_bytes;
        name_row->least[time].held_bytes += row->least[time].held_bytes;
        name_row->least[time].contexts += row->least[time].contexts;
        row->least[time] = (struct hf_context_held){0};
    }
}

/*
 * The rows of small contexts join that of their name; one that would be alone there keeps its
 * ident. False without memory.
 */
static bool context_growth_drop_idents(struct hf_context_growth *growth)
{
    uint32_t *small = calloc(growth->count + 1, sizeof *small); /* rows of a name that may join */
    if (small == NULL)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < growth->count; i++) {
            struct hf_context_row *row = &growth->rows[i];
            uint32_t name = row->name_row;
            if (context_growth_is_empty(row) || row->largest_bytes >= HF_CONTEXT_LARGE_BYTES)
                continue;
            if (pass == 0)
                small[name]++;
            else if (name != i && small[name] > 1)
                move_to_name(row, &growth->rows[name]);
        }
    }
    free(small);
    return true;
}

enum hf_status hf_context_growth_rank(struct hf_context_growth *growth, struct hf_error *err)
{
    size_t kept = 0;
    if (!growth->keeps_idents && !context_growth_drop_idents(growth))
        return hf_error_memory(err);
    for (size_t i = 0; i < growth->count; i++) {
        if (!context_growth_is_empty(&growth->rows[i]))
            growth->rows[kept++] = growth->rows[i];
    }
    growth->count = kept;
    if (kept != 0)
        qsort(growth->rows, kept, sizeof *growth->rows, context_growth_compare_rows);
    return HF_OK;
}

void hf_context_growth_done(struct hf_context_growth *growth)
{
    free(growth->rows);
    hf_intern_done(&growth->paths);
    *growth = (struct hf_context_growth){0};
}
