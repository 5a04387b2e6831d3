#include "attach/postgres/context_growth.h"

#include "base/containers/vec.h"
#include "base/strings/out.h"

#include <stdlib.h>

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
    *row = (struct hf_context_row){.path = hf_intern_at(&growth->paths, *out_row)};
    if (growth->walks[time] == 0) /* else the trees before had none of them */
        row->least[time] = (struct hf_context_held){UINT64_MAX, UINT64_MAX};
    return HF_OK;
}

/* Adds what a context holds to its row; *out_place: the row of its name alone, for its children. */
static enum hf_status add_context(struct hf_context_growth *growth,
    const struct hf_contexts *contexts, const struct hf_memory_context *context,
    uint32_t parent_place, enum hf_context_time time, struct hf_out *path, uint32_t *out_place,
    struct hf_error *err)
{
    struct hf_text ident = hf_intern_at(&contexts->texts, context->ident);
    path->size = 0;
    if (context->parent != HF_CONTEXT_TOP) {
        hf_out_text(path, growth->rows[parent_place].path);
        hf_out_string(path, " / ");
    }
    hf_out_text(path, hf_intern_at(&contexts->texts, context->name));
    uint32_t row;
    enum hf_status status =
        context_growth_find_row(growth, hf_out_view(path), time, out_place, err);
    if (ident.size != 0) {
        hf_out_string(path, ": ");
        hf_out_text(path, ident);
    }
    if (status == HF_OK)
        status = context_growth_find_row(growth, hf_out_view(path), time, &row, err);
    if (status == HF_OK)
        status = path->error.status == HF_OK ? HF_OK : hf_error_memory(err);
    if (status == HF_OK) {
        growth->rows[row].now.bytes += hf_context_used(context);
        growth->rows[row].now.contexts++;
    }
    return status;
}

static void keep_least(struct hf_context_row *row, enum hf_context_time time)
{
    struct hf_context_held *least = &row->least[time];
    if (row->now.bytes < least->bytes)
        *least = row->now;
    row->now = (struct hf_context_held){0};
}

enum hf_status hf_context_growth_add(struct hf_context_growth *growth,
    const struct hf_contexts *contexts, enum hf_context_time time, struct hf_error *err)
{
    struct hf_out path = {0};
    uint32_t *places = calloc(contexts->count + 1, sizeof *places);
    enum hf_status status = places != NULL ? HF_OK : hf_error_memory(err);
    for (size_t i = 0; growth->walks[time] == 0 && i < growth->count; i++)
        growth->rows[i].least[time] = (struct hf_context_held){UINT64_MAX, UINT64_MAX};
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

static int context_growth_compare_rows(const void *a_pointer, const void *b_pointer)
{
    const struct hf_context_held *a = ((const struct hf_context_row *)a_pointer)->least;
    const struct hf_context_held *b = ((const struct hf_context_row *)b_pointer)->least;
    int64_t a_grew = (int64_t)(a[HF_CONTEXT_AFTER].bytes - a[HF_CONTEXT_BEFORE].bytes);
    int64_t b_grew = (int64_t)(b[HF_CONTEXT_AFTER].bytes - b[HF_CONTEXT_BEFORE].bytes);
    if (a_grew != b_grew)
        return a_grew > b_grew ? -1 : 1;
    uint64_t a_bytes = a[HF_CONTEXT_AFTER].bytes, b_bytes = b[HF_CONTEXT_AFTER].bytes;
    if (a_bytes != b_bytes)
        return a_bytes > b_bytes ? -1 : 1;
    return hf_text_compare(((const struct hf_context_row *)a_pointer)->path,
        ((const struct hf_context_row *)b_pointer)->path);
}

void hf_context_growth_rank(struct hf_context_growth *growth)
{
    size_t kept = 0;
    for (size_t i = 0; i < growth->count; i++) {
        const struct hf_context_held *least = growth->rows[i].least;
        if (least[HF_CONTEXT_BEFORE].contexts != 0 || least[HF_CONTEXT_AFTER].contexts != 0)
            growth->rows[kept++] = growth->rows[i];
    }
    growth->count = kept;
    if (kept != 0)
        qsort(growth->rows, kept, sizeof *growth->rows, context_growth_compare_rows);
}

void hf_context_growth_done(struct hf_context_growth *growth)
{
    free(growth->rows);
    hf_intern_done(&growth->paths);
    *growth = (struct hf_context_growth){0};
}
