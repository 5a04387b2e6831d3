#include "render/trie_data.h"

#include "base/budget.h"
#include "base/strings/base64.h"
#include "compress/gzip.h"

#include <stdlib.h>

#define NODE_STEPS 150
#define NUMBER_BYTES_MAX 10 /* of 64 bits, seven in each */

void hf_trie_data_done(struct hf_trie_data *data)
{
    hf_budget_free(data->preorder);
    hf_budget_free(data->name_of_frame);
    hf_budget_free(data->frame_of_name);
    *data = (struct hf_trie_data){0};
}

/* Depth first; `pending` has room for every node. */
static void list_preorder(struct hf_trie_data *data, const bool *is_kept, uint32_t *pending)
{
    const struct hf_order *order = data->order;
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
static void number_names(struct hf_trie_data *data, size_t frame_count)
{
    for (size_t i = 1; i < data->node_count; i++)
        data->name_of_frame[data->nodes[data->preorder[i]].frame] = 1;
    data->name_count = 1;
    for (size_t i = 0; i < frame_count; i++) {
        uint32_t frame = data->order->frames[i];
        if (data->name_of_frame[frame] == 0)
            continue;
        data->frame_of_name[data->name_count] = frame;
        data->name_of_frame[frame] = data->name_count++;
    }
}

enum hf_status hf_trie_data_init(struct hf_trie_data *out_data, const struct hf_stack_node *nodes,
    size_t count, const struct hf_order *order, size_t frame_count, const bool *is_kept,
    struct hf_error *err)
{
    struct hf_trie_data *data = out_data;
    *data = (struct hf_trie_data){.nodes = nodes, .order = order};
    if (!hf_budget_step(NODE_STEPS * count))
        return hf_budget_refuse(err);
    uint32_t *pending = hf_budget_calloc(count, sizeof *pending);
    data->preorder = hf_budget_calloc(count, sizeof *data->preorder);
    data->name_of_frame = hf_budget_calloc(frame_count + 1, sizeof *data->name_of_frame);
    data->frame_of_name = hf_budget_calloc(frame_count + 1, sizeof *data->frame_of_name);
    enum hf_status status = HF_OK;
    if (pending == NULL || data->preorder == NULL || data->name_of_frame == NULL ||
        data->frame_of_name == NULL) {
        status = hf_error_memory(err);
    } else {
        list_preorder(data, is_kept, pending);
        number_names(data, frame_count);
    }
    hf_budget_free(pending);
    return status;
}

struct hf_text hf_trie_data_label(const struct hf_trie_data *data, uint32_t name)
{
    return name == 0 ? HF_TEXT("") : hf_order_label(data->order, data->frame_of_name[name]);
}

void hf_trie_data_put_number(struct hf_out *out, uint64_t value)
{
    char *to = hf_out_room(out, NUMBER_BYTES_MAX);
    if (to == NULL)
        return;
    for (; value > 127; value >>= 7)
        *to++ = (char)(value | 128);
    *to++ = (char)value;
    hf_out_end(out, to);
}

void hf_trie_data_put_color(struct hf_out *out, struct hf_color color)
{
    hf_out_char(out, (char)color.red);
    hf_out_char(out, (char)color.green);
    hf_out_char(out, (char)color.blue);
}

static void trie_data_put_name(struct hf_out *out, struct hf_text name, struct hf_text before)
{
    size_t shared = 0;
    while (shared < name.size && shared < before.size && name.data[shared] == before.data[shared])
        shared++;
    hf_trie_data_put_number(out, shared);
    hf_trie_data_put_number(out, name.size - shared);
    hf_out_text(out, hf_text_from(name, shared));
}

void hf_trie_data_put_names(const struct hf_trie_data *data,
    void (*put)(struct hf_out *out, struct hf_text label), struct hf_out *out)
{
    struct hf_out texts[2] = {{0}, {0}}; /* this name and the one before, in turn */
    trie_data_put_name(out, HF_TEXT("all"), HF_TEXT(""));
    hf_out_string(&texts[0], "all");
    for (uint32_t i = 1; i < data->name_count; i++) {
        struct hf_out *name = &texts[i % 2];
        name->size = 0;
        put(name, hf_trie_data_label(data, i));
        trie_data_put_name(out, hf_out_view(name), hf_out_view(&texts[1 - i % 2]));
        if (name->error.status != HF_OK)
            out->error = name->error;
    }
    hf_out_done(&texts[0]);
    hf_out_done(&texts[1]);
}

void hf_trie_data_put_lines(const struct hf_trie_data *data,
    void (*put)(struct hf_out *out, struct hf_text label), struct hf_out *out)
{
    struct hf_out lines = {0};
    hf_out_string(&lines, "all");
    for (uint32_t i = 1; i < data->name_count; i++) {
        hf_out_char(&lines, '\n');
        put(&lines, hf_trie_data_label(data, i));
    }
    hf_trie_data_put_number(out, lines.size);
    hf_out_text(out, hf_out_view(&lines));
    if (lines.error.status != HF_OK)
        out->error = lines.error;
    hf_out_done(&lines);
}

/* Above the node before it, a node hangs as many levels as lie between that one and its parent. */
static uint64_t trie_data_up(const void *context, size_t i)
{
    const struct hf_trie_data *data = context;
    uint64_t levels = 0;
    uint32_t parent = data->nodes[data->preorder[i + 1]].parent;
    for (uint32_t at = data->preorder[i]; at != parent; at = data->nodes[at].parent)
        levels++;
    return levels;
}

static uint64_t trie_data_id(const void *context, size_t i)
{
    const struct hf_trie_data *data = context;
    return i == 0 ? 0 : data->name_of_frame[data->nodes[data->preorder[i]].frame];
}

void hf_trie_data_put_nodes(const struct hf_trie_data *data, struct hf_out *out)
{
    for (size_t i = 0; i + 1 < data->node_count; i++)
        hf_trie_data_put_number(out, trie_data_up(data, i));
    for (size_t i = 0; i < data->node_count; i++)
        hf_trie_data_put_number(out, trie_data_id(data, i));
}

void hf_trie_data_put_packed_nodes(const struct hf_trie_data *data, struct hf_out *out)
{
    hf_trie_data_put_packed(out, data->node_count - 1, trie_data_up, data);
    hf_trie_data_put_packed(out, data->node_count, trie_data_id, data);
}

void hf_trie_data_put_packed(struct hf_out *out, size_t count,
    uint64_t (*at)(const void *context, size_t i), const void *context)
{
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = at(context, i);
        most = value > most ? value : most;
    }
    size_t width = most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : most <= UINT32_MAX ? 4 : 0;
    hf_out_char(out, (char)width);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = at(context, i);
        if (width == 0)
            hf_trie_data_put_number(out, value);
        for (size_t byte = 0; byte < width; byte++)
            hf_out_char(out, (char)(value >> 8 * byte));
    }
}

static enum hf_status trie_data_pack(void (*put_columns)(void *context, struct hf_out *out),
    void *context, bool is_hurried, struct hf_out *out, struct hf_error *err)
{
    struct hf_base64 base64;
    struct hf_gzip *gzip = NULL;
    hf_base64_init(&base64, out);
    enum hf_status status = hf_gzip_open(&gzip, &base64.bytes, err);
    if (status == HF_OK) {
        if (is_hurried)
            hf_gzip_hurry(gzip);
        put_columns(context, hf_gzip_out(gzip));
        status = hf_gzip_finish(gzip, err);
    }
    if (status == HF_OK)
        status = hf_base64_finish(&base64, err);
    hf_gzip_close(gzip);
    hf_base64_done(&base64);
    return status;
}

enum hf_status hf_trie_data_pack(void (*put_columns)(void *context, struct hf_out *out),
    void *context, struct hf_out *out, struct hf_error *err)
{
    return trie_data_pack(put_columns, context, false, out, err);
}

enum hf_status hf_trie_data_pack_quickly(void (*put_columns)(void *context, struct hf_out *out),
    void *context, struct hf_out *out, struct hf_error *err)
{
    return trie_data_pack(put_columns, context, true, out, err);
}
