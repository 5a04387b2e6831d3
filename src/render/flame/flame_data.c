#include "render/flame/flame_data.h"

#include "base/budget.h"
#include "base/strings/escape.h"
#include "profile/fold.h"
#include "render/trie_data.h"

#include <inttypes.h>
#include <stdlib.h>

struct flame_data_columns {
    const struct hf_flame_picture *picture;
    struct hf_flame_colors *colors;
    struct hf_trie_data trie;
    uint64_t *scratch; /* by node, or by its place in preorder */
    uint64_t *ends;    /* right edges, by place in preorder */
    uint32_t *path;    /* by depth: the place of the last node there */
};

static void flame_data_put_name(struct hf_out *out, struct hf_text label)
{
    hf_flame_put_name(label, hf_escape_terminal, out);
}

static void flame_data_put_colors(struct flame_data_columns *c, struct hf_out *out)
{
    if (c->colors->of_node != NULL) {
        for (size_t i = 0; i < c->trie.node_count; i++)
            hf_trie_data_put_color(out, hf_flame_color_of_node(c->colors, c->trie.preorder[i]));
        return;
    }
    for (int side = 0; side <= c->colors->is_difference; side++) {
        for (uint32_t i = 0; i < c->trie.name_count; i++) {
            struct hf_text name = hf_trie_data_label(&c->trie, i);
            hf_trie_data_put_color(out, c->colors->is_difference
                                            ? hf_flame_color_of_change(c->colors, side == 0, name)
                                            : hf_flame_color_of_name(c->colors, name));
        }
    }
}

/*
 * `scratch` follows the right edge of what has been placed in each node. Nodes lie apart in memory,
 * so each is looked at once.
 */
static void flame_data_put_places(struct flame_data_columns *c, struct hf_out *out)
{
    const struct hf_flame_tree *tree = c->picture->tree;
    for (size_t i = 0; i < c->trie.node_count; i++) {
        uint32_t node = c->trie.preorder[i], depth = tree->depth[node];
        uint64_t start = tree->start[node];
        c->scratch[i] = start;
        c->ends[i] = start + hf_flame_layout_width(c->picture->layout, tree, node);
        c->path[depth] = (uint32_t)i;
        if (i == 0)
            continue;
        uint64_t *placed = &c->scratch[c->path[depth - 1]];
        hf_trie_data_put_number(out, start - *placed);
        *placed = c->ends[i];
    }
    for (size_t i = 0; i < c->trie.node_count; i++)
        hf_trie_data_put_number(out, c->ends[i] - c->scratch[i]);
}

static void put_released(struct flame_data_columns *c, struct hf_out *out)
{
    const struct hf_flame_tree *tree = c->picture->tree;
    for (size_t i = 0; i < c->trie.node_count; i++) {
        uint32_t node = c->trie.preorder[i];
        uint64_t released = tree->sums[node].released;
        c->scratch[node] = released;
        if (i == 0)
            continue;
        uint64_t *rest = &c->scratch[tree->nodes[node].parent];
        *rest -= released < *rest ? released : *rest;
    }
    for (size_t i = 0; i < c->trie.node_count; i++)
        hf_trie_data_put_number(out, c->scratch[c->trie.preorder[i]]);
}

static void put_changes(struct flame_data_columns *c, struct hf_out *out)
{
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < c->trie.node_count; i++) {
            struct hf_total change = c->picture->tree->changes[c->trie.preorder[i]];
            uint64_t to = side == 0 ? change.value : change.released;
            uint64_t from = side == 0 ? change.released : change.value;
            hf_trie_data_put_number(out, to > from ? to - from : 0);
        }
    }
}

static void flame_data_put_columns(void *context, struct hf_out *out)
{
    struct flame_data_columns *c = context;
    hf_trie_data_put_names(&c->trie, flame_data_put_name, out);
    flame_data_put_colors(c, out);
    hf_trie_data_put_nodes(&c->trie, out);
    flame_data_put_places(c, out);
    if (c->picture->text->folded->is_difference)
        put_released(c, out);
    if (c->picture->tree->changes != NULL)
        put_changes(c, out);
}

/* The box of values without a stack, which is no node. */
static void flame_data_put_no_stack(const struct flame_data_columns *c, struct hf_out *out)
{
    struct hf_text name = HF_TEXT(HF_NO_STACK);
    struct hf_total sums = hf_flame_tree_no_stack(c->picture->tree);
    struct hf_color colors[2];
    colors[0] = c->colors->is_difference ? hf_flame_color_of_change(c->colors, true, name)
                                         : hf_flame_color_of_no_stack(c->colors);
    colors[1] = hf_flame_color_of_change(c->colors, false, name);
    hf_out_printf(out,
        ",\"noStack\":{\"name\":\"" HF_NO_STACK "\",\"width\":\"%" PRIu64
        "\",\"released\":\"%" PRIu64 "\",\"colors\":[",
        c->picture->layout->no_stack_width, sums.released);
    for (size_t i = 0; i < 2; i++)
        hf_out_printf(
            out, "%s%u,%u,%u", i == 0 ? "" : ",", colors[i].red, colors[i].green, colors[i].blue);
    hf_out_string(out, "]}");
}

static const char *json_bool(bool value)
{
    return value ? "true" : "false";
}

/* ,"owners":{"12":"; owner of memory via std::string"}, by node in preorder */
static void flame_data_put_owners(const struct flame_data_columns *c, struct hf_out *out)
{
    const char *before = "";
    struct hf_out title = {0};
    hf_out_string(out, ",\"owners\":{");
    for (size_t i = 0; i < c->trie.node_count; i++) {
        if (!hf_flame_owners_marks(&c->picture->owners, c->trie.preorder[i]))
            continue;
        title.size = 0;
        hf_flame_owners_put(&c->picture->owners, c->trie.preorder[i], &title);
        hf_out_printf(out, "%s\"%zu\":\"", before, i);
        hf_escape_json(out, hf_out_view(&title));
        hf_out_char(out, '"');
        before = ",";
    }
    hf_out_char(out, '}');
    if (title.error.status != HF_OK)
        out->error = title.error;
    hf_out_done(&title);
}

/* interface Head of web/src/svg/frames.ts */
static void flame_data_put_head(const struct flame_data_columns *c, struct hf_out *out)
{
    const struct hf_flame_options *options = c->picture->options;
    const struct hf_flame_layout *layout = c->picture->layout;
    const struct hf_flame_text *text = c->picture->text;
    double least = options->min_width_is_percent
                       ? options->min_width / 100 * (double)layout->total * layout->scale
                       : options->min_width;
    hf_out_printf(out,
        "{\"version\":2,\"names\":%" PRIu32 ",\"nodes\":%zu,\"total\":\"%" PRIu64 "\"",
        c->trie.name_count, c->trie.node_count, text->total);
    hf_out_printf(out, ",\"isDifference\":%s,\"isSplit\":%s,\"isNegated\":%s,\"hasChanges\":%s",
        json_bool(text->folded->is_difference), json_bool(c->colors->is_difference),
        json_bool(options->is_negated), json_bool(c->picture->tree->changes != NULL));
    hf_out_printf(out, ",\"hasNodeColors\":%s,\"showsBytes\":%s,\"factor\":%.17g,\"noun\":\"",
        json_bool(c->colors->of_node != NULL), json_bool(text->shows_bytes), options->factor);
    hf_escape_json(out, text->noun);
    hf_out_string(out, "\",\"nameType\":\"");
    hf_escape_json(out, hf_text_of(options->name_type));
    hf_out_printf(out,
        "\",\"width\":%u,\"rowHeight\":%u,\"rootTop\":%.1f,\"isInverted\":%s"
        ",\"isRootBare\":%s,\"foldsRows\":%s,\"showsNumbers\":%s",
        options->width_px, options->frame_height_px,
        hf_flame_layout_box(layout, options, 0, 0, 0).top, json_bool(options->is_inverted),
        json_bool(options->root_is_bare), json_bool(options->folds_rows),
        json_bool(options->shows_numbers));
    hf_out_printf(out, ",\"levels\":%" PRIu32 ",\"levelsMax\":%" PRIu32,
        layout->rows.row_of != NULL ? layout->rows.count : layout->max_depth + 1,
        layout->levels_max);
    hf_out_printf(out, ",\"leastWidth\":%.6g,\"boxWidth\":%g,\"boxes\":%d,\"column\":%.6g", least,
        options->box_width_px, HF_FLAME_BOXES_MIN, options->font_size_px * options->font_width);
    if (layout->no_stack_width != 0)
        flame_data_put_no_stack(c, out);
    if (c->picture->owners.has_any)
        flame_data_put_owners(c, out);
    hf_out_char(out, '}');
}

enum hf_status hf_flame_put_data(const struct hf_flame_picture *picture,
    struct hf_flame_colors *colors, struct hf_out *out, struct hf_error *err)
{
    const struct hf_flame_tree *tree = picture->tree;
    struct flame_data_columns c = {.picture = picture, .colors = colors};
    bool *is_kept = hf_budget_calloc(tree->count, sizeof *is_kept);
    c.scratch = hf_budget_calloc(tree->count, sizeof *c.scratch);
    c.ends = hf_budget_calloc(tree->count, sizeof *c.ends);
    c.path = hf_budget_calloc(tree->count, sizeof *c.path);
    bool has_room = is_kept != NULL && c.scratch != NULL && c.ends != NULL && c.path != NULL;
    enum hf_status status = has_room ? HF_OK : hf_error_memory(err);
    if (status == HF_OK) {
        for (size_t i = 0; i < tree->count; i++)
            is_kept[i] = i == HF_STACK_ROOT || hf_flame_layout_width(picture->layout, tree, i) >=
                                                   picture->layout->data_min;
        status = hf_trie_data_init(&c.trie, tree->nodes, tree->count, &tree->order,
            picture->text->folded->frames.count, is_kept, err);
    }
    if (status == HF_OK) {
        hf_out_string(out, "<metadata id=\"head\">");
        flame_data_put_head(&c, out);
        hf_out_string(out, "</metadata>\n<metadata id=\"data\">");
        status = hf_trie_data_pack_quickly(flame_data_put_columns, &c, out, err);
        hf_out_string(out, "</metadata>\n");
    }
    hf_trie_data_done(&c.trie);
    hf_budget_free(c.scratch);
    hf_budget_free(c.ends);
    hf_budget_free(c.path);
    hf_budget_free(is_kept);
    return status;
}
