#include "render/page_data.h"

#include "base/escape.h"

#include <stdlib.h>

void hf_page_data_done(struct hf_page_data *data)
{
    hf_order_done(&data->order);
    hf_trie_data_done(&data->trie);
    free(data->rows);
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
    for (size_t i = folded->stacks.count; i-- > 1;)
        is_kept[folded->stacks.nodes[i].parent] |= is_kept[i];
}

enum hf_status hf_page_data_init(
    struct hf_page_data *out_data, const struct hf_profile *folded, struct hf_error *err)
{
    struct hf_page_data *data = out_data;
    size_t count = folded->stacks.count;
    *data = (struct hf_page_data){.folded = folded};
    bool *is_kept = calloc(count, sizeof *is_kept);
    data->rows = calloc(count, sizeof *data->rows);
    enum hf_status status = is_kept == NULL || data->rows == NULL ? hf_error_memory(err) : HF_OK;
    if (status == HF_OK)
        status = hf_order_init(&data->order, folded, err);
    if (status == HF_OK) {
        mark_kept(data, is_kept);
        status = hf_trie_data_init(&data->trie, folded->stacks.nodes, count, &data->order,
            folded->frames.count, is_kept, err);
    }
    free(is_kept);
    return status;
}

static void put_colors(
    const struct hf_page_data *data, struct hf_palette *palette, struct hf_out *out)
{
    hf_trie_data_put_color(out, (struct hf_color){200, 200, 200}); /* of "all" */
    for (uint32_t i = 1; i < data->trie.name_count; i++)
        hf_trie_data_put_color(out, hf_palette_color(palette, hf_trie_data_label(&data->trie, i)));
}

static void put_values(const struct hf_page_data *data, size_t column, struct hf_out *out)
{
    for (size_t i = 0; i < data->trie.node_count; i++) {
        size_t row = data->rows[data->trie.preorder[i]];
        hf_trie_data_put_number(
            out, row != 0 ? hf_profile_values(data->folded, row - 1)[column] : 0);
    }
}

void hf_page_data_write(
    const struct hf_page_data *data, struct hf_palette *palette, struct hf_out *out)
{
    hf_trie_data_put_names(&data->trie, hf_escape_terminal, out);
    put_colors(data, palette, out);
    hf_trie_data_put_nodes(&data->trie, out);
    for (size_t column = 0; column < hf_profile_stride(data->folded); column++)
        put_values(data, column, out);
}
