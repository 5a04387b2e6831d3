/*
 * flame_small.h: the frames that are too narrow for a box of their own, drawn together.
 *
 *     <g id="small" transform="scale(.1)" stroke-width="150" fill="none">
 *     <path stroke="rgb(230,119,28)" d="M123 455h4m6 0h31..."/>
 *     </g>
 *
 * Each path is a row's frames of about one colour: lines as thick as a box is high, in tenths of a
 * pixel. Those of a colour less than half a pixel apart are one line.
 */
#ifndef HF_RENDER_FLAME_SMALL_H
#define HF_RENDER_FLAME_SMALL_H

#include "render/flame/flame_color.h"
#include "render/flame/flame_svg.h"

/* HF_ERR_MEMORY; errors of `out` latch there. */
HF_MUST_CHECK enum hf_status hf_flame_put_small(const struct hf_flame_picture *picture,
    struct hf_flame_colors *colors, struct hf_out *out, struct hf_error *err);

#endif
