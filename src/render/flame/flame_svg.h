/*
 * flame_svg.h: the markup of a flame graph. hf_flame_svg (flame.h) is the way in.
 */
#ifndef HF_RENDER_FLAME_SVG_H
#define HF_RENDER_FLAME_SVG_H

#include "base/strings/out.h"
#include "render/flame/flame_groups.h"
#include "render/flame/flame_layout.h"
#include "render/flame/flame_owners.h"
#include "render/flame/flame_text.h"
#include "render/palette.h"

/* All that a picture is made of; borrowed. */
struct hf_flame_picture {
    const struct hf_flame_options *options;
    const struct hf_flame_tree *tree;
    const struct hf_flame_layout *layout;
    const struct hf_flame_text *text;
    struct hf_flame_owners owners;
    struct hf_flame_groups groups; /* of options->colors_by_group */
    struct hf_palette palette;
    struct hf_background background;
};

/* Writes the file. HF_ERR_MEMORY; errors of `out` latch there. */
HF_MUST_CHECK enum hf_status hf_flame_put_svg(
    struct hf_flame_picture *picture, struct hf_out *out, struct hf_error *err);

#endif
