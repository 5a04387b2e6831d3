/*
 * palette.h: the colours of flame graph frames, by the names of flamegraph.pl's palettes.
 *
 * A palette makes three numbers v1, v2, v3 in [0, 1) out of a frame's name and mixes a colour from
 * them. By default all three are the first drand48 value of the seed "sum of the name's code
 * points", which is what flamegraph.pl does: the same name has the same colour in both tools.
 * The language palettes (java, js, perl, wakeup, chain) first look at the name to pick one of the
 * plain ones.
 *
 * A difference has its own two colours, orange and blue, which colour-blind readers can tell apart.
 */
#ifndef HF_RENDER_PALETTE_H
#define HF_RENDER_PALETTE_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_color {
    uint8_t red, green, blue;
};

enum hf_palette_mode {
    HF_PALETTE_BY_SUM,  /* the default described above */
    HF_PALETTE_BY_HASH, /* --hash: names that begin alike look alike */
    HF_PALETTE_RANDOM,  /* --random: anew for every frame; the sequence itself is always the same */
};

struct hf_palette {
    const struct hf_palette_kind *kind;
    enum hf_palette_mode mode;
    uint64_t random_state;
};

/* From top to bottom of the picture. */
struct hf_background {
    struct hf_color top, bottom;
};

/* All palette names, separated by ", ", for messages and --help. */
#define HF_PALETTE_NAMES                                                                           \
    "hot, mem, io, wakeup, chain, java, js, perl, red, green, blue, aqua, yellow, purple, orange"

/* Makes the palette called `name`. HF_ERR_USAGE lists the known names. */
HF_MUST_CHECK enum hf_status hf_palette_init(
    struct hf_palette *palette, const char *name, enum hf_palette_mode mode, struct hf_error *err);

/* The colour of a frame called `name` (raw bytes, with its annotation such as _[k]). */
struct hf_color hf_palette_color(struct hf_palette *palette, struct hf_text name);

/* True if the palette colours what follows a frame "--" as waker stacks (`chain`). */
bool hf_palette_is_chain(const struct hf_palette *palette);

/*
 * The background called `bgcolors` (yellow, blue, green, grey or #rrggbb); NULL: the one that goes
 * with the palette. HF_ERR_USAGE for another name.
 */
HF_MUST_CHECK enum hf_status hf_palette_background(const struct hf_palette *palette,
    const char *bgcolors, struct hf_background *out_background, struct hf_error *err);

/* Orange for what grew, blue for what was released, a little lighter or darker by name. */
struct hf_color hf_palette_difference(bool is_growth, struct hf_text name);

/* Of flamegraph.pl's two columns: white without a change, the redder or bluer the larger it is. */
struct hf_color hf_palette_change(bool is_growth, uint64_t size, uint64_t largest);

/* Black or white text, whichever reads better: contrast is at least 4.5 to 1 on any colour. */
bool hf_color_wants_white_text(struct hf_color color);

#endif
