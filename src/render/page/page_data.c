#include "render/page/page_data.h"

#include "base/budget.h"
#include "base/strings/escape.h"

#include <stdlib.h>

void hf_page_data_done(struct hf_page_data *data)
{
    hf_order_done(&data->order);
    hf_trie_data_done(&data->trie);
    hf_budget_free(data->rows);
    hf_intern_done(&data->modules);
    hf_intern_done(&data->files);
    hf_budget_free(data->places);
    hf_budget_free(data->owners);
    hf_page_threads_done(&data->threads);
    hf_budget_free(data->before);
    hf_budget_free(data->after);
    *data = (struct hf_page_data){0};
}

/* Marks the nodes that hold something, themselves or below; finds the row of each. */
static void mark_kept(struct hf_page_data *data, bool *is_kept)
{
    const struct hf_profile *folded = data->folded;
    size_t stride = hf_profile_stride(folded);
    is_kept[HF_STACK_ROOT] = true;
    for (size_t i = 0; i < folded->sample_count; i++) {
        const uint64_t *values = hf_profile_values(folded, i);
        if (folded->samples[i].thread != HF_THREAD_ALL)
            continue;
        data->rows[folded->samples[i].node] = i + 1;
        for (size_t v = 0; v < stride; v++)
            is_kept[folded->samples[i].node] |= values[v] != 0;
    }
    for (size_t p = 0; data->series != NULL && p < data->series->count; p++) {
        const struct hf_point *point = &data->series->points[p];
        for (size_t i = 0; i < point->folded->sample_count; i++)
            is_kept[point->nodes[point->folded->samples[i].node]] = true;
    }
    for (size_t i = folded->stacks.count; i-- > 1;)
        is_kept[folded->stacks.nodes[i].parent] |= is_kept[i];
}

/* Numbers the modules and files in the order of the names. */
static enum hf_status page_data_find_places(
    struct hf_page_data *data, struct hf_places *places, struct hf_error *err)
{
    uint32_t ignored;
    data->places = hf_budget_calloc(data->trie.name_count, sizeof *data->places);
    if (data->places == NULL || !hf_intern_put(&data->modules, "", 0, &ignored) ||
        !hf_intern_put(&data->files, "", 0, &ignored))
        return hf_error_memory(err);
    for (uint32_t i = 1; places != NULL && i < data->trie.name_count; i++) {
        struct hf_probe_site found;
        struct hf_page_place *place = &data->places[i];
        enum hf_status status =
            hf_places_find(places, hf_trie_data_label(&data->trie, i), &found, err);
        if (status != HF_OK)
            return status;
        if (!hf_intern_put(&data->modules, found.module.data, found.module.size, &place->module) ||
            !hf_intern_put(&data->files, found.file.data, found.file.size, &place->file))
            return hf_error_memory(err);
        place->line = found.line;
    }
    return HF_OK;
}

enum hf_status hf_page_data_init(struct hf_page_data *out_data, const struct hf_profile *folded,
    const struct hf_series *series, struct hf_places *places, struct hf_error *err)
{
    struct hf_page_data *data = out_data;
    size_t count = folded->stacks.count;
    *data = (struct hf_page_data){.folded = folded, .series = series};
    bool *is_kept = hf_budget_calloc(count, sizeof *is_kept);
    data->rows = hf_budget_calloc(count, sizeof *data->rows);
    bool has_memory = is_kept != NULL && data->rows != NULL;
    if (series != NULL) {
        data->before = hf_budget_calloc(count, sizeof *data->before);
        data->after = hf_budget_calloc(count, sizeof *data->after);
        has_memory = has_memory && data->before != NULL && data->after != NULL;
    }
    enum hf_status status = has_memory ? HF_OK : hf_error_memory(err);
    if (status == HF_OK)
        status = hf_order_init(&data->order, folded, err);
    if (status == HF_OK) {
        mark_kept(data, is_kept);
        status = hf_trie_data_init(&data->trie, folded->stacks.nodes, count, &data->order,
            folded->frames.count, is_kept, err);
    }
    if (status == HF_OK)
        status = page_data_find_places(data, places, err);
    if (status == HF_OK && series == NULL)
        status = hf_page_threads_init(&data->threads, folded, &data->trie, err);
    hf_budget_free(is_kept);
    return status;
}

static void page_data_put_colors(
    const struct hf_page_data *data, struct hf_palette *palette, struct hf_out *out)
{
    hf_trie_data_put_color(out, (struct hf_color){200, 200, 200}); /* of "all" */
    for (uint32_t i = 1; i < data->trie.name_count; i++)
        hf_trie_data_put_color(out, hf_palette_color(palette, hf_trie_data_label(&data->trie, i)));
}

struct page_data_column {
    const struct hf_page_data *data;
    size_t index;
};

static uint64_t page_data_value(const void *context, size_t i)
{
    const struct page_data_column *column = context;
    const struct hf_page_data *data = column->data;
    size_t row = data->rows[data->trie.preorder[i]];
    return row != 0 ? hf_profile_values(data->folded, row - 1)[column->index] : 0;
}

/* At the first point of a series. */
static uint64_t page_data_held(const void *context, size_t i)
{
    const struct hf_page_data *data = context;
    return data->before[data->trie.preorder[i]];
}

/* What each stack holds at a point, in `values`. */
static void hold(const struct hf_page_data *data, size_t point, size_t type, uint64_t *values)
{
    memset(values, 0, data->folded->stacks.count * sizeof *values);
    hf_series_at(data->series, point, type, values);
}

/* What changed from one point to the next. */
static void page_data_put_step(
    const struct hf_page_data *data, size_t point, size_t type, struct hf_out *out)
{
    size_t count = 0, last = 0;
    hold(data, point, type, data->before);
    hold(data, point + 1, type, data->after);
    for (size_t i = 0; i < data->trie.node_count; i++) {
        uint32_t node = data->trie.preorder[i];
        count += data->before[node] != data->after[node];
    }
    hf_trie_data_put_number(out, count);
    for (size_t i = 0; i < data->trie.node_count; i++) {
        uint32_t node = data->trie.preorder[i];
        uint64_t a = data->before[node], b = data->after[node];
        if (a == b)
            continue;
        hf_trie_data_put_number(out, i - last);
        hf_trie_data_put_number(out, b > a ? b - a : 0);
        hf_trie_data_put_number(out, a > b ? a - b : 0);
        last = i;
    }
}

static void put_series(const struct hf_page_data *data, struct hf_out *out)
{
    size_t types = data->folded->type_count;
    for (size_t type = 0; type < types; type++) {
        hold(data, 0, type, data->before);
        hf_trie_data_put_packed(out, data->trie.node_count, page_data_held, data);
    }
    for (size_t type = 0; type < types; type++) {
        for (size_t point = 0; point + 1 < data->series->count; point++)
            page_data_put_step(data, point, type, out);
    }
}

static void page_data_put_places(const struct hf_page_data *data, struct hf_out *out)
{
    bool is_any = data->modules.count > 1 || data->files.count > 1; /* beside "" */
    for (uint32_t i = 0; is_any && i < data->trie.name_count; i++) {
        hf_trie_data_put_number(out, data->places[i].module);
        hf_trie_data_put_number(out, data->places[i].file);
        hf_trie_data_put_number(out, data->places[i].line);
    }
}

void hf_page_data_write(
    const struct hf_page_data *data, struct hf_palette *palette, struct hf_out *out)
{
    size_t columns = data->series == NULL ? hf_profile_stride(data->folded) : 0;
    hf_trie_data_put_lines(&data->trie, hf_escape_terminal, out);
    page_data_put_colors(data, palette, out);
    page_data_put_places(data, out);
    for (uint32_t i = 0; data->owners != NULL && i < data->trie.name_count; i++)
        hf_trie_data_put_number(out, data->owners[i]);
    hf_trie_data_put_packed_nodes(&data->trie, out);
    for (size_t column = 0; column < columns; column++)
        hf_trie_data_put_packed(
            out, data->trie.node_count, page_data_value, &(struct page_data_column){data, column});
    if (data->series != NULL)
        put_series(data, out);
    hf_page_threads_write(&data->threads, data->folded, out);
}
