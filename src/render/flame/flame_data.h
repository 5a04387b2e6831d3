/*
 * flame_data.h: what the script of a picture redraws it from (web/src/svg reads it): all frames,
 * also those that are too narrow to be drawn before one zooms in.
 *
 *     <metadata id="head">JSON</metadata>      ; how the picture is drawn
 *     <metadata id="data">base64 of gzip</metadata>
 *
 *     data     = names { color } ups ids { before } { after } [ { released } ] [ { more } { less }
 * ] color    = red green blue    ; by name, or by node (flame_color.h); in a difference two ;
 * columns by name: for what grew, for what was released before   ; between a node's left edge and
 * the right edge of its sibling before it, or else ; its parent's left edge after    ; between a
 * node's right edge and that of its last child, or else its left edge released ; in a difference:
 * what was released, without what was in the children more, less ; of two columns: by what the
 * node's own value grew, or shrank
 *
 * names, ups and ids are those of trie_data.h; all numbers are in units of the value. Beyond
 * HF_LIMIT_SVG_FRAMES the narrowest frames are left out (flame_layout.h).
 */
#ifndef HF_RENDER_FLAME_DATA_H
#define HF_RENDER_FLAME_DATA_H

#include "render/flame/flame_color.h"
#include "render/flame/flame_svg.h"

/* Writes both elements. HF_ERR_MEMORY; errors of `out` latch there. */
HF_MUST_CHECK enum hf_status hf_flame_put_data(const struct hf_flame_picture *picture,
    struct hf_flame_colors *colors, struct hf_out *out, struct hf_error *err);

#endif
