/*
 * flame.h: a folded profile as a flame graph, one self-contained SVG file.
 *
 * What people know from flamegraph.pl holds here, so that their eyes and scripts keep working:
 * geometry, element ids (background, title, subtitle, details, unzoom, search, ignorecase, matched,
 * frames), one <g><title/><rect/><text/></g> per frame, "NAME (1,234 samples, 12.34%)", colours by
 * name, and the link parameters s, x and y. In addition:
 *
 *  - frames are merged as a trie, sums are exact integers, and equal profiles give equal bytes;
 *  - each frame carries data-v="start width [released]", its exact extent in units of the value;
 *  - a difference is as wide as what grew and what was released together: orange grew, blue was
 *    released, a frame with both is split in proportion, and marks + − ± say the same in text;
 *  - frames that own memory have an outline, and "; owner of memory via NAME" behind their titles;
 *  - what is not drawn (too narrow, too deep, lost by the capture) is said in the picture;
 *  - where there are many, those too narrow to be pointed at share a few paths (flame_small.h);
 *  - the file is complete without its script, which adds zoom, search and hover, and loads nothing:
 *    it redraws from data in the file (flame_data.h), so what was too narrow appears on zooming in.
 *
 * Every text of the input and of the options is escaped; no markup or script is built from them.
 */
#ifndef HF_RENDER_FLAME_H
#define HF_RENDER_FLAME_H

#include "base/error.h"
#include "base/strings/out.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_FLAME_TYPE_DEFAULT SIZE_MAX /* the profile's default value type */
#define HF_FLAME_NO_BASE SIZE_MAX

struct hf_name_attributes;
struct hf_owners;
struct hf_palette_map;
struct hf_places;

/* Start from hf_flame_options_init. Texts are borrowed, UTF-8 or not, and may be NULL as noted. */
struct hf_flame_options {
    const char *title;         /* NULL: "Flame Graph", "Icicle Graph" ... */
    const char *subtitle;      /* NULL: none */
    const char *notes;         /* NULL: none; goes into <desc> */
    const char *colors;        /* a name of HF_PALETTE_NAMES; not used in a difference */
    const char *bgcolors;      /* yellow, blue, green, grey, #rrggbb; NULL: goes with the palette */
    unsigned width_px;         /* of the picture, 100 .. 30,000 */
    unsigned frame_height_px;  /* 4 .. 500 */
    double min_width;          /* narrower frames are not drawn; in px ... */
    bool min_width_is_percent; /* ... or in percent of the total */
    double box_width_px;       /* of many, narrower frames are drawn together; 0: none are */
    const char *font_type;     /* a font family: letters, digits, blanks and , . - _ only */
    double font_size_px;       /* 1 .. 100 */
    double font_width;         /* mean width of a character in font sizes, 0.1 .. 3 */
    const char *count_name;    /* NULL: by the profile's unit; given, bytes are a plain count too */
    const char *name_type;     /* stands before the name in the details line */
    bool is_inverted;          /* root on top: an icicle graph */
    bool is_reversed;          /* stacks begin with their leaf */
    bool colors_by_hash;       /* --hash: enum hf_palette_mode */
    bool colors_at_random;     /* --random */
    bool is_negated;           /* a difference with its two colours exchanged */
    size_t type;               /* index of the value type, or HF_FLAME_TYPE_DEFAULT */
    uint64_t total; /* width of `all`; ignored below the sum of the profile; 0: the sum */
    double factor;  /* counts are shown times this, rounded; > 0 */
    /* What else flamegraph.pl can do */
    bool root_is_bare; /* nothing is written into the root's box */
    bool is_chart;     /* siblings stand in the order of their nodes: formats/folded/folded.h */
    size_t base_type;  /* older values: red where a frame itself grew since, blue where it shrank */
    struct hf_palette_map *palette_map;          /* NULL: none; new names are added */
    const struct hf_name_attributes *attributes; /* NULL: none */
    struct hf_owners *owners; /* of the stacks, which are marked; NULL: unknown, or reversed */
    /* What `heapflame flame` draws, and flamegraph.pl cannot */
    bool folds_rows;      /* levels that say nothing have no row until one zooms: flame_rows.h */
    bool shows_numbers;   /* value and share behind the name, where both fit */
    bool colors_by_group; /* instead of `colors`: flame_groups.h */
    struct hf_places *places;     /* for the groups; NULL: names alone are known */
    const uint64_t *base_by_node; /* of a difference: what each stack held itself before; colours
                                     then say how much that changed. NULL: they say what grew */
    bool has_totals;              /* a difference: totals of A and B are known, for its subtitle */
    uint64_t base_total, current_total;
};

void hf_flame_options_init(struct hf_flame_options *options);

/*
 * Writes flamegraph.pl's picture for an input without a valid line, for tools that show whatever
 * comes out.
 */
void hf_flame_put_error(const struct hf_flame_options *options, struct hf_out *out);

/*
 * Writes the SVG of a folded profile (profile/fold.h). A profile without values gives a picture
 * that says so. HF_ERR_USAGE: an option out of its range, naming it. Errors of `out` latch there.
 */
HF_MUST_CHECK enum hf_status hf_flame_svg(const struct hf_profile *folded,
    const struct hf_flame_options *options, struct hf_out *out, struct hf_error *err);

#endif
