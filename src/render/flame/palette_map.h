/*
 * palette_map.h: colours that a name keeps from one picture to the next: flamegraph.pl's --cp.
 *
 *     file = { name "->rgb(" red "," green "," blue ")" LF }
 *
 * Written sorted by name. A name is taken up to the last "->", so a name may hold "->" itself.
 * Names are as they are drawn, with "<" and ">", as the flamegraph.pl of 2024 has them, so both
 * tools may share a file; that of 2014 wrote "(" and ")". Lines of another form are left out, and
 * counted.
 */
#ifndef HF_RENDER_PALETTE_MAP_H
#define HF_RENDER_PALETTE_MAP_H

#include "base/containers/intern.h"
#include "base/error.h"
#include "base/strings/out.h"
#include "render/palette.h"

/* All-zero is empty. */
struct hf_palette_map {
    struct hf_intern names;
    struct hf_color *colors; /* by name */
    size_t capacity;
    uint64_t left_out; /* lines */
};
void hf_palette_map_done(struct hf_palette_map *map);

/* Adds what a file holds; the last line of a name counts. */
HF_MUST_CHECK enum hf_status hf_palette_map_read(
    struct hf_palette_map *map, struct hf_text bytes, struct hf_error *err);

/* The colour of `name`, which is `fresh` if it had none. */
HF_MUST_CHECK enum hf_status hf_palette_map_color(struct hf_palette_map *map, struct hf_text name,
    struct hf_color fresh, struct hf_color *out_color, struct hf_error *err);

HF_MUST_CHECK enum hf_status hf_palette_map_write(
    const struct hf_palette_map *map, struct hf_out *out, struct hf_error *err);

#endif
