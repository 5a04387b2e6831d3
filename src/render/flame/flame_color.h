/*
 * flame_color.h: the colours of the frames in one picture.
 *
 * A plain profile's frame has one, mostly by its name (palette.h, palette_map.h). It is the node's
 * own where two frames of one name may differ: at random, in the palette "chain", in two columns.
 * In a difference a frame has two, for what grew and for what was released; or one, its node's own,
 * if it is known what was there before.
 */
#ifndef HF_RENDER_FLAME_COLOR_H
#define HF_RENDER_FLAME_COLOR_H

#include "base/strings/out.h"
#include "render/flame/flame_tree.h"
#include "render/palette.h"

struct hf_flame_groups;

struct hf_flame_held {
    uint64_t before, now;
};

struct hf_flame_colors {
    const struct hf_flame_options *options;
    const struct hf_flame_tree *tree;
    struct hf_palette palette;
    bool is_difference;             /* drawn in two colours */
    bool is_relative;               /* a difference whose colours say how much that changed */
    struct hf_flame_groups *groups; /* NULL: the palette's colours */
    struct hf_flame_held *held;     /* of is_relative: by node, with all below */
    struct hf_color *of_node;       /* those known so far; NULL: by name */
    struct hf_color *of_frame;      /* by frame, where of_node is NULL */
    bool *is_known;                 /* by node, or by frame */
    struct hf_color of_no_stack;    /* of a plain profile, once it is known */
    bool knows_no_stack;
    bool *is_woken;      /* by node, of the palette "chain": beyond a frame "--" */
    struct hf_out woken; /* scratch */
    bool has_failed;     /* memory for the palette's map ran out */
};

/* `*out_colors` needs hf_flame_colors_done in any case. Borrows the tree and the options. */
HF_MUST_CHECK enum hf_status hf_flame_colors_init(struct hf_flame_colors *out_colors,
    const struct hf_flame_options *options, const struct hf_flame_tree *tree, bool is_difference,
    const struct hf_palette *palette, struct hf_flame_groups *groups, struct hf_error *err);
void hf_flame_colors_done(struct hf_flame_colors *colors);

/* By the name alone. The root counts as a frame without a name. */
struct hf_color hf_flame_color_of_name(struct hf_flame_colors *colors, struct hf_text name);

/* Of a node; its parent's has been asked for before. */
struct hf_color hf_flame_color_of_node(struct hf_flame_colors *colors, uint32_t node);

/* Of the box of values without a stack. */
struct hf_color hf_flame_color_of_no_stack(struct hf_flame_colors *colors);

/* In a difference: of what grew or of what was released, as the options have it. */
struct hf_color hf_flame_color_of_change(
    const struct hf_flame_colors *colors, bool is_growth, struct hf_text name);

/* The name that counts for the colour. */
struct hf_text hf_flame_color_name(const struct hf_flame_tree *tree, uint32_t node);

#endif
