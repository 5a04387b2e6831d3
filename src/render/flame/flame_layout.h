/*
 * flame_layout.h: where the boxes of a flame graph go, in pixels.
 *
 * Horizontal: 10 px margins, x = 10 + start * scale. Vertical: a head (title, then rows of text),
 * the frames, a foot (the details line); the root is at the bottom, or on top when inverted. Both
 * are flamegraph.pl's, but for one thing: there, rows of the head overlap an inverted root.
 *
 * Boxes narrower than the minimum are dropped, and boxes beyond HF_FLAME_HEIGHT_MAX_PX, the tallest
 * image that common viewers take (cairo's surfaces end at 32,767 px). Both are counted. What is
 * dropped because it is narrow is drawn once one zooms in: the file holds it as data, but of more
 * than HF_LIMIT_SVG_FRAMES frames the widest only.
 */
#ifndef HF_RENDER_FLAME_LAYOUT_H
#define HF_RENDER_FLAME_LAYOUT_H

#include "render/flame/flame.h"
#include "render/flame/flame_rows.h"
#include "render/flame/flame_tree.h"

#define HF_FLAME_MARGIN_PX 10
#define HF_FLAME_HEIGHT_MAX_PX 32000
#define HF_FLAME_BOXES_MIN 1000 /* as many frames always have a box of their own */

enum hf_flame_drawn {
    HF_FLAME_NOT_DRAWN,
    HF_FLAME_WITH_OTHERS, /* flame_small.h */
    HF_FLAME_BY_ITSELF,
};

struct hf_flame_layout {
    uint64_t total;          /* width of `all`, in units of the value; 0: nothing to draw */
    double scale;            /* px per unit */
    uint8_t *drawn;          /* by node: enum hf_flame_drawn */
    uint64_t no_stack_width; /* of the box on level 1 for values without a stack; 0: none */
    uint32_t max_depth;      /* of the kept nodes */
    uint32_t levels_max;     /* levels that fit into HF_FLAME_HEIGHT_MAX_PX */
    uint64_t kept_count;     /* frames drawn ... */
    uint64_t together_count; /* ... of which so many without a box of their own */
    uint64_t small_count;    /* dropped: too narrow */
    uint64_t deep_count;     /* dropped: wide enough, but too deep */
    uint64_t data_min;       /* narrower frames are not even in the data; units of the value */
    uint64_t lost_count;     /* those frames */
    double frames_top, frames_bottom, height_px;
    struct hf_flame_rows rows; /* set by hf_flame_rows_init, if the picture folds */
};

struct hf_flame_box {
    int64_t left, width; /* tenths of a pixel, rounded */
    double width_px;     /* not rounded; by its edges, as flamegraph.pl finds what fits */
    double top;          /* px */
};

/* Decides what is drawn. `*out_layout` needs hf_flame_layout_done in any case. */
HF_MUST_CHECK enum hf_status hf_flame_layout_init(const struct hf_flame_tree *tree,
    const struct hf_flame_options *options, struct hf_flame_layout *out_layout,
    struct hf_error *err);
void hf_flame_layout_done(struct hf_flame_layout *layout);

/* Sets the heights, once it is known how many rows of text stand below the title. */
void hf_flame_layout_set_rows(
    struct hf_flame_layout *layout, const struct hf_flame_options *options, size_t rows);

/*
 * Width of a node as drawn, in units of the value: `all` may be wider than its sum
 * (options->total), and a saturated sum is cut where `all` ends.
 */
static inline uint64_t hf_flame_layout_width(
    const struct hf_flame_layout *layout, const struct hf_flame_tree *tree, size_t node)
{
    if (node == HF_STACK_ROOT)
        return layout->total;
    uint64_t width = hf_flame_tree_width(tree, node);
    uint64_t room = layout->total - tree->start[node];
    return width < room ? width : room;
}

/* The box of what lies at [start, start + width) on level `depth`. */
struct hf_flame_box hf_flame_layout_box(const struct hf_flame_layout *layout,
    const struct hf_flame_options *options, uint64_t start, uint64_t width, uint32_t depth);

/* Baseline of row `index` of the head; row 0 is the title's. */
double hf_flame_row_y(const struct hf_flame_options *options, size_t index);

#endif
