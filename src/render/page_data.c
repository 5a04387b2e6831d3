#include "render/page_data.h"

#include "base/escape.h"

#include <stdlib.h>

void hf_page_data_done(struct hf_page_data *data)
{
    hf_order_done(&data->order);
    free(data->preorder);
    free(data->name_of_frame);
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

/* Depth first, siblings in their order; `pending` has room for every node. */
static void list_preorder(struct hf_page_data *data, const bool *is_kept, uint32_t *pending)
{
    const struct hf_order *order = &data->order;
    size_t waiting = 0;
    pending[waiting++] = HF_STACK_ROOT;
    while (waiting != 0) {
        uint32_t node = pending[--waiting];
        data->preorder[data->node_count++] = node;
        for (size_t at = order->first_children[node + 1]; at-- > order->first_children[node];) {
            if (is_kept[order->children[at]])
                pending[waiting++] = order->children[at];
        }
    }
}

/* Numbers the names of the frames that are left, in their order, from 1 on. */
static void number_names(struct hf_page_data *data)
{
    const struct hf_stack_node *nodes = data->folded->stacks.nodes;
    for (size_t i = 1; i < data->node_count; i++)
        data->name_of_frame[nodes[data->preorder[i]].frame] = 1;
    data->name_count = 1;
    for (uint32_t i = 0; i < data->folded->frames.count; i++) {
        uint32_t frame = data->order.frames[i];
        if (data->name_of_frame[frame] != 0)
            data->name_of_frame[frame] = data->name_count++;
    }
}

enum hf_status hf_page_data_init(
    struct hf_page_data *out_data, const struct hf_profile *folded, struct hf_error *err)
{
    struct hf_page_data *data = out_data;
    size_t count = folded->stacks.count;
    *data = (struct hf_page_data){.folded = folded};
    bool *is_kept = calloc(count, sizeof *is_kept);
    uint32_t *pending = calloc(count, sizeof *pending);
    data->preorder = calloc(count, sizeof *data->preorder);
    data->rows = calloc(count, sizeof *data->rows);
    data->name_of_frame = calloc((size_t)folded->frames.count + 1, sizeof *data->name_of_frame);
    enum hf_status status = HF_OK;
    if (is_kept == NULL || pending == NULL || data->preorder == NULL || data->rows == NULL ||
        data->name_of_frame == NULL)
        status = hf_error_memory(err);
    if (status == HF_OK)
        status = hf_order_init(&data->order, folded, err);
    if (status == HF_OK) {
        mark_kept(data, is_kept);
        list_preorder(data, is_kept, pending);
        number_names(data);
    }
    free(is_kept);
    free(pending);
    return status;
}

static void put_number(struct hf_out *out, uint64_t value)
{
    for (; value > 127; value >>= 7)
        hf_out_char(out, (char)(value | 128));
    hf_out_char(out, (char)value);
}

static void put_name(struct hf_out *out, struct hf_text name, struct hf_text before)
{
    size_t shared = 0;
    while (shared < name.size && shared < before.size && name.data[shared] == before.data[shared])
        shared++;
    put_number(out, shared);
    put_number(out, name.size - shared);
    hf_out_text(out, hf_text_from(name, shared));
}

static void put_names(const struct hf_page_data *data, struct hf_out *out)
{
    struct hf_out texts[2] = {{0}, {0}}; /* this name and the one before, in turn */
    size_t turn = 0;
    put_name(out, HF_TEXT("all"), HF_TEXT(""));
    hf_out_string(&texts[1], "all");
    for (uint32_t i = 0; i < data->folded->frames.count; i++) {
        uint32_t frame = data->order.frames[i];
        if (data->name_of_frame[frame] == 0)
            continue;
        struct hf_out *name = &texts[turn];
        name->size = 0;
        hf_escape_terminal(name, hf_order_label(&data->order, frame));
        turn = 1 - turn;
        put_name(out, hf_out_view(name), hf_out_view(&texts[turn]));
        if (name->error.status != HF_OK)
            out->error = name->error;
    }
    hf_out_done(&texts[0]);
    hf_out_done(&texts[1]);
}

static void put_colors(
    const struct hf_page_data *data, struct hf_palette *palette, struct hf_out *out)
{
    hf_out_bytes(out, "\xc8\xc8\xc8", 3); /* of "all" */
    for (uint32_t i = 0; i < data->folded->frames.count; i++) {
        uint32_t frame = data->order.frames[i];
        if (data->name_of_frame[frame] == 0)
            continue;
        struct hf_color color = hf_palette_color(palette, hf_order_label(&data->order, frame));
        hf_out_char(out, (char)color.red);
        hf_out_char(out, (char)color.green);
        hf_out_char(out, (char)color.blue);
    }
}

/* Above the node before it, a node hangs as many levels as lie between that one and its parent. */
static void put_ups(const struct hf_page_data *data, struct hf_out *out)
{
    const struct hf_stack_node *nodes = data->folded->stacks.nodes;
    for (size_t i = 1; i < data->node_count; i++) {
        uint64_t levels = 0;
        uint32_t parent = nodes[data->preorder[i]].parent;
        for (uint32_t at = data->preorder[i - 1]; at != parent; at = nodes[at].parent)
            levels++;
        put_number(out, levels);
    }
}

static void put_values(const struct hf_page_data *data, size_t column, struct hf_out *out)
{
    for (size_t i = 0; i < data->node_count; i++) {
        size_t row = data->rows[data->preorder[i]];
        put_number(out, row != 0 ? hf_profile_values(data->folded, row - 1)[column] : 0);
    }
}

void hf_page_data_write(
    const struct hf_page_data *data, struct hf_palette *palette, struct hf_out *out)
{
    const struct hf_stack_node *nodes = data->folded->stacks.nodes;
    put_names(data, out);
    put_colors(data, palette, out);
    put_ups(data, out);
    put_number(out, 0); /* the root's name */
    for (size_t i = 1; i < data->node_count; i++)
        put_number(out, data->name_of_frame[nodes[data->preorder[i]].frame]);
    for (size_t column = 0; column < hf_profile_stride(data->folded); column++)
        put_values(data, column, out);
}
