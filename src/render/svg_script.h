/*
 * svg_script.h: the script of a flame graph, svg_script.js, as made by tools/embed.c at build time.
 */
#ifndef HF_RENDER_SVG_SCRIPT_H
#define HF_RENDER_SVG_SCRIPT_H

#include <stddef.h>

extern const char hf_svg_script[];
extern const size_t hf_svg_script_size; /* bytes */

#endif
