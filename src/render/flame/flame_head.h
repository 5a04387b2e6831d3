/*
 * flame_head.h: what surrounds the frames of a flame graph: the title, the rows below it, the
 * details line, the description.
 *
 * Everything written here is escaped for XML content.
 */
#ifndef HF_RENDER_FLAME_HEAD_H
#define HF_RENDER_FLAME_HEAD_H

#include "base/strings/out.h"
#include "render/flame/flame_layout.h"
#include "render/flame/flame_text.h"

/* The title, given or made from the kind of picture. */
void hf_flame_put_headline(const struct hf_flame_text *text, struct hf_out *out);

/*
 * Writes the <text> elements below the title, the first at row 1: subtitle, sums of a difference,
 * its legend, and what is missing. Returns how many there are; with `out` NULL it only counts.
 */
size_t hf_flame_put_rows(
    const struct hf_flame_text *text, const struct hf_flame_layout *layout, struct hf_out *out);

/* The details line while nothing is pointed at: what the width means, what is not drawn. */
void hf_flame_put_resting_details(
    const struct hf_flame_text *text, const struct hf_flame_layout *layout, struct hf_out *out);

/* The content of <desc>: all of that for readers of the file, and the notes. */
void hf_flame_put_description(
    const struct hf_flame_text *text, const struct hf_flame_layout *layout, struct hf_out *out);

#endif
