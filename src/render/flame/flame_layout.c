#include "render/flame/flame_layout.h"

#include "base/budget.h"
#include "base/limits.h"

#include <math.h>
#include <stdlib.h>

/* In font sizes: the head without rows, one row of it, and the foot (with 10 px more). */
#define HEAD_FONT_SIZES 3
#define ROW_FONT_SIZES 2
#define FOOT_FONT_SIZES 2

static double foot_px(const struct hf_flame_options *options)
{
    return FOOT_FONT_SIZES * options->font_size_px + 10;
}

double hf_flame_row_y(const struct hf_flame_options *options, size_t index)
{
    return ROW_FONT_SIZES * options->font_size_px * (double)(index + 1);
}

/* Values without a stack get a box, except where a plain count of flamegraph.pl's is asked for. */
static void keep_no_stack(struct hf_flame_layout *layout, const struct hf_flame_tree *tree,
    const struct hf_flame_options *options, double min_units)
{
    uint64_t width = options->count_name == NULL ? hf_flame_tree_own_width(tree, 0) : 0;
    if (width == 0)
        return;
    if ((double)width < min_units) {
        layout->small_count++;
        return;
    }
    layout->no_stack_width = width;
    layout->kept_count++;
    layout->max_depth = 1;
}

static void keep_nodes(struct hf_flame_layout *layout, const struct hf_flame_tree *tree,
    const struct hf_flame_options *options)
{
    double min_units = options->min_width_is_percent
                           ? (double)layout->total * options->min_width / 100
                           : options->min_width / layout->scale;
    layout->drawn[0] = HF_FLAME_BY_ITSELF;
    layout->kept_count = 1;
    keep_no_stack(layout, tree, options, min_units);
    for (size_t i = 1; i < tree->count; i++) {
        uint64_t width = hf_flame_layout_width(layout, tree, i);
        if (width == 0)
            continue; /* nothing was lost */
        if ((double)width < min_units) {
            layout->small_count++;
        } else if (tree->depth[i] >= layout->levels_max) {
            layout->deep_count++;
        } else {
            /* The parent is at least as wide, so it is kept, too. */
            bool is_wide = (double)width * layout->scale >= options->box_width_px;
            layout->drawn[i] = is_wide ? HF_FLAME_BY_ITSELF : HF_FLAME_WITH_OTHERS;
            layout->kept_count++;
            layout->together_count += !is_wide;
            if (tree->depth[i] > layout->max_depth)
                layout->max_depth = tree->depth[i];
        }
    }
}

/* Boxes for all, if these are few. */
static void separate_few(struct hf_flame_layout *layout, size_t count)
{
    if (layout->kept_count > HF_FLAME_BOXES_MIN)
        return;
    layout->together_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (layout->drawn[i] == HF_FLAME_WITH_OTHERS)
            layout->drawn[i] = HF_FLAME_BY_ITSELF;
    }
}

static size_t count_from(
    const struct hf_flame_layout *layout, const struct hf_flame_tree *tree, uint64_t width)
{
    size_t count = 0;
    for (size_t i = 1; i < tree->count; i++)
        count += hf_flame_layout_width(layout, tree, i) >= width;
    return count;
}

/* The width of which `rank` - 1 frames are at least; byte by byte, each time of those that fit. */
static uint64_t width_at(
    const struct hf_flame_layout *layout, const struct hf_flame_tree *tree, size_t rank)
{
    uint64_t width = 0, known = 0; /* the bytes of `width` that are found, and where they are */
    for (unsigned shift = 56;; shift -= 8) {
        size_t counts[256] = {0};
        unsigned byte = 255;
        if (layout->total >> shift == 0)
            continue;
        for (size_t i = 1; i < tree->count; i++) {
            uint64_t other = hf_flame_layout_width(layout, tree, i);
            if ((other & known) == width)
                counts[other >> shift & 255]++;
        }
        while (counts[byte] < rank)
            rank -= counts[byte--];
        width |= (uint64_t)byte << shift;
        known |= (uint64_t)255 << shift;
        if (shift == 0)
            return width;
    }
}

/* Finds the least width of which there are not too many frames. */
static void limit_data(struct hf_flame_layout *layout, const struct hf_flame_tree *tree)
{
    size_t all = count_from(layout, tree, 1);
    layout->data_min = 1;
    if (all <= HF_LIMIT_SVG_FRAMES)
        return;
    uint64_t too_many = width_at(layout, tree, HF_LIMIT_SVG_FRAMES + 1);
    layout->data_min = too_many < layout->total ? too_many + 1 : layout->total;
    layout->lost_count = all - count_from(layout, tree, layout->data_min);
}

enum hf_status hf_flame_layout_init(const struct hf_flame_tree *tree,
    const struct hf_flame_options *options, struct hf_flame_layout *out_layout,
    struct hf_error *err)
{
    *out_layout = (struct hf_flame_layout){0};
    uint64_t sum = hf_flame_tree_width(tree, HF_STACK_ROOT);
    out_layout->total = options->total > sum && sum != 0 ? options->total : sum;
    out_layout->drawn = hf_budget_calloc(tree->count, sizeof *out_layout->drawn);
    if (out_layout->drawn == NULL)
        return hf_error_memory(err);
    /* Room for the head and foot at their highest is set aside: eight rows. */
    double room = HF_FLAME_HEIGHT_MAX_PX - foot_px(options) - hf_flame_row_y(options, 8);
    double levels = floor(room / options->frame_height_px);
    out_layout->levels_max = levels > 1 ? (uint32_t)levels : 1;
    if (out_layout->total == 0)
        return HF_OK;
    out_layout->scale =
        (double)(options->width_px - 2 * HF_FLAME_MARGIN_PX) / (double)out_layout->total;
    keep_nodes(out_layout, tree, options);
    separate_few(out_layout, tree->count);
    limit_data(out_layout, tree);
    return HF_OK;
}

void hf_flame_layout_done(struct hf_flame_layout *layout)
{
    hf_budget_free(layout->drawn);
    hf_flame_rows_done(&layout->rows);
    *layout = (struct hf_flame_layout){0};
}

void hf_flame_layout_set_rows(
    struct hf_flame_layout *layout, const struct hf_flame_options *options, size_t rows)
{
    layout->frames_top = (HEAD_FONT_SIZES + ROW_FONT_SIZES * (double)rows) * options->font_size_px;
    double count =
        layout->rows.row_of != NULL ? (double)layout->rows.count : (double)layout->max_depth + 1;
    layout->frames_bottom = layout->frames_top + count * options->frame_height_px;
    layout->height_px = layout->frames_bottom + foot_px(options);
}

struct hf_flame_box hf_flame_layout_box(const struct hf_flame_layout *layout,
    const struct hf_flame_options *options, uint64_t start, uint64_t width, uint32_t depth)
{
    double end = (double)(start + width);
    /* Both edges are rounded, not the width: neighbours touch. */
    double from = HF_FLAME_MARGIN_PX + (double)start * layout->scale;
    double to = HF_FLAME_MARGIN_PX + end * layout->scale;
    double left = rint(from * 10), right = rint(to * 10);
    uint32_t row = layout->rows.row_of != NULL ? layout->rows.row_of[depth] : depth;
    double level = (double)row * options->frame_height_px;
    double top = options->is_inverted
                     ? layout->frames_top + level
                     : layout->frames_bottom - level - options->frame_height_px + 1;
    return (struct hf_flame_box){(int64_t)left, (int64_t)(right - left), to - from, top};
}
