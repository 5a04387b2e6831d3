/*
 * embedded.h: files that go into every picture, as tools/embed.c made them C arrays at build time.
 */
#ifndef HF_RENDER_EMBEDDED_H
#define HF_RENDER_EMBEDDED_H

#include <stddef.h>

/* web/svg_script.js, the script of an SVG flame graph. */
extern const char hf_svg_script[];
extern const size_t hf_svg_script_size; /* bytes */

/* web/viewer.html: the HTML page, with @TITLE@, @HEAD@ and @DATA@ where those belong. */
extern const char hf_viewer[];
extern const size_t hf_viewer_size;

#endif
