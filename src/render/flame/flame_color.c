#include "render/flame/flame_color.h"

#include "base/budget.h"
#include "profile/fold.h"
#include "render/amount.h"
#include "render/flame/flame.h"
#include "render/flame/flame_groups.h"
#include "render/flame/palette_map.h"

#include <stdlib.h>

static size_t count_frames(const struct hf_flame_tree *tree)
{
    uint32_t last = 0;
    for (size_t i = 1; i < tree->count; i++)
        last = tree->nodes[i].frame > last ? tree->nodes[i].frame : last;
    return (size_t)last + 1;
}

/* What each node held before, and holds now. */
static bool add_held(struct hf_flame_colors *colors, const uint64_t *base_by_node)
{
    const struct hf_flame_tree *tree = colors->tree;
    bool ignored = false;
    colors->held = hf_budget_calloc(tree->count, sizeof *colors->held);
    if (colors->held == NULL)
        return false;
    for (size_t i = tree->count; i-- > 0;) {
        struct hf_flame_held *held = &colors->held[i];
        held->before = hf_add_saturating(held->before, base_by_node[i], &ignored);
        if (i == 0)
            break;
        uint64_t *above = &colors->held[tree->nodes[i].parent].before;
        *above = hf_add_saturating(*above, held->before, &ignored);
    }
    for (size_t i = 0; i < tree->count; i++) {
        struct hf_total sums = tree->sums[i];
        uint64_t now = hf_add_saturating(colors->held[i].before, sums.value, &ignored);
        colors->held[i].now = now > sums.released ? now - sums.released : 0;
    }
    return true;
}

static struct hf_color color_of_held(const struct hf_flame_colors *colors, uint32_t node)
{
    struct hf_flame_held held = colors->held[node];
    bool is_negated = colors->options->is_negated;
    return hf_flame_change_color(is_negated ? hf_flame_change_of(held.now, held.before)
                                            : hf_flame_change_of(held.before, held.now));
}

enum hf_status hf_flame_colors_init(struct hf_flame_colors *out_colors,
    const struct hf_flame_options *options, const struct hf_flame_tree *tree, bool is_difference,
    const struct hf_palette *palette, struct hf_flame_groups *groups, struct hf_error *err)
{
    struct hf_flame_colors *colors = out_colors;
    bool is_chain = hf_palette_is_chain(palette);
    bool is_relative = is_difference && options->base_by_node != NULL && !options->is_reversed;
    *colors = (struct hf_flame_colors){.options = options,
        .tree = tree,
        .palette = *palette,
        .is_difference = is_difference && !is_relative,
        .is_relative = is_relative,
        .groups = options->colors_by_group ? groups : NULL};
    if (is_relative && !add_held(colors, options->base_by_node))
        return hf_error_memory(err);
    if (colors->is_difference)
        return HF_OK;
    if (!is_relative && !is_chain && !options->colors_at_random && tree->changes == NULL) {
        size_t count = count_frames(tree);
        colors->of_frame = hf_budget_calloc(count, sizeof *colors->of_frame);
        colors->is_known = hf_budget_calloc(count, sizeof *colors->is_known);
        return colors->of_frame != NULL && colors->is_known != NULL ? HF_OK : hf_error_memory(err);
    }
    colors->of_node = hf_budget_calloc(tree->count, sizeof *colors->of_node);
    colors->is_known = hf_budget_calloc(tree->count, sizeof *colors->is_known);
    if (is_chain)
        colors->is_woken = hf_budget_calloc(tree->count, sizeof *colors->is_woken);
    if (colors->of_node == NULL || colors->is_known == NULL ||
        (is_chain && colors->is_woken == NULL))
        return hf_error_memory(err);
    return HF_OK;
}

void hf_flame_colors_done(struct hf_flame_colors *colors)
{
    hf_budget_free(colors->of_node);
    hf_budget_free(colors->of_frame);
    hf_budget_free(colors->is_known);
    hf_budget_free(colors->is_woken);
    hf_budget_free(colors->held);
    hf_out_done(&colors->woken);
    *colors = (struct hf_flame_colors){0};
}

struct hf_text hf_flame_color_name(const struct hf_flame_tree *tree, uint32_t node)
{
    return node == HF_STACK_ROOT ? HF_TEXT("") : hf_flame_tree_label(tree, node);
}

static bool flame_color_is_separator(struct hf_text name)
{
    return hf_text_is(name, "--") || hf_text_is(name, "-");
}

struct hf_color hf_flame_color_of_name(struct hf_flame_colors *colors, struct hf_text name)
{
    if (colors->groups != NULL)
        return hf_flame_groups_color(colors->groups, name);
    struct hf_color color = hf_palette_color(&colors->palette, name);
    struct hf_palette_map *map = colors->options->palette_map;
    struct hf_error ignored;
    if (map != NULL && !flame_color_is_separator(name) &&
        hf_palette_map_color(map, name, color, &color, &ignored) != HF_OK)
        colors->has_failed = true;
    return color;
}

/* The palette "chain" treats what lies beyond a frame "--" as if it were annotated _[w]. */
static struct hf_text woken_name(struct hf_flame_colors *colors, uint32_t node, struct hf_text name)
{
    if (colors->is_woken == NULL || node == HF_STACK_ROOT)
        return name;
    uint32_t parent = colors->tree->nodes[node].parent;
    bool is_first = colors->tree->depth[parent] > 1 &&
                    hf_text_is(hf_flame_tree_label(colors->tree, parent), "--");
    colors->is_woken[node] = colors->is_woken[parent] || is_first;
    if (!colors->is_woken[node] || hf_text_is(name, "--"))
        return name;
    colors->woken.size = 0;
    hf_out_text(&colors->woken, name);
    hf_out_string(&colors->woken, "_[w]");
    return hf_out_view(&colors->woken);
}

struct hf_color hf_flame_color_of_node(struct hf_flame_colors *colors, uint32_t node)
{
    struct hf_text name = hf_flame_color_name(colors->tree, node);
    if (colors->of_node == NULL && node == HF_STACK_ROOT)
        return hf_flame_color_of_name(colors, name);
    if (colors->of_node == NULL) {
        uint32_t frame = colors->tree->nodes[node].frame;
        if (!colors->is_known[frame])
            colors->of_frame[frame] = hf_flame_color_of_name(colors, name);
        colors->is_known[frame] = true;
        return colors->of_frame[frame];
    }
    if (colors->is_known[node])
        return colors->of_node[node];
    struct hf_color color;
    if (colors->is_relative)
        color = color_of_held(colors, node);
    else if (colors->tree->changes != NULL && !flame_color_is_separator(name)) {
        const struct hf_total *change = &colors->tree->changes[node];
        color = hf_palette_change((change->value > change->released) != colors->options->is_negated,
            hf_total_distance(*change), colors->tree->largest_change);
    } else {
        color = hf_flame_color_of_name(colors, woken_name(colors, node, name));
    }
    colors->is_known[node] = true;
    colors->of_node[node] = color;
    return color;
}

struct hf_color hf_flame_color_of_no_stack(struct hf_flame_colors *colors)
{
    if (!colors->knows_no_stack && colors->is_relative)
        colors->of_no_stack = hf_flame_change_color(HF_FLAME_SAME);
    else if (!colors->knows_no_stack)
        colors->of_no_stack = hf_flame_color_of_name(colors, HF_TEXT(HF_NO_STACK));
    colors->knows_no_stack = true;
    return colors->of_no_stack;
}

struct hf_color hf_flame_color_of_change(
    const struct hf_flame_colors *colors, bool is_growth, struct hf_text name)
{
    bool grew = is_growth != colors->options->is_negated;
    if (colors->groups != NULL)
        return hf_flame_change_color(grew ? HF_FLAME_TWICE : HF_FLAME_HALF);
    return hf_palette_difference(grew, name);
}
