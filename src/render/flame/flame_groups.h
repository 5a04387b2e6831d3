/*
 * flame_groups.h: where functions come from, for their colours: each has a group, and the groups
 * that are seen most have a colour of their own.
 *
 * The group of a function is the first part of its name that says it: the namespace or crate
 * (`std::`, `tokio::`), the package of Go and Python; else the file name of its module. The kernel
 * (`_[k]`) and code made at run time (`_[j]`) are groups, too. The rest is "other", and so are the
 * groups beyond the eighth. Where no function has a group, colours are by name.
 *
 * Seen are the boxes that the picture draws as it comes.
 *
 * The colours have one lightness and one chroma in OKLCH, so that none stands out and black text is
 * readable on all; each is there twice, a little lighter and a little darker, by the bytes of the
 * name. Where the reader's screen is dark, a style gives each another value (hf_flame_put_style).
 */
#ifndef HF_RENDER_FLAME_GROUPS_H
#define HF_RENDER_FLAME_GROUPS_H

#include "profile/places.h"
#include "render/flame/flame_tree.h"
#include "render/palette.h"

#define HF_FLAME_GROUPS 8

struct hf_flame_layout;

struct hf_flame_groups {
    struct hf_places *places;        /* borrowed; NULL: only names are known */
    struct hf_intern names;          /* of groups; [0] is "": other */
    uint32_t shown[HF_FLAME_GROUPS]; /* of `names`, the largest first */
    size_t count;                    /* of those; 0: colours are by name */
    bool has_other, has_failed;
};

/* `*out_groups` needs hf_flame_groups_done in any case. */
HF_MUST_CHECK enum hf_status hf_flame_groups_init(struct hf_flame_groups *out_groups,
    const struct hf_flame_tree *tree, const struct hf_flame_layout *layout,
    const struct hf_profile *folded, struct hf_places *places, struct hf_error *err);
void hf_flame_groups_done(struct hf_flame_groups *groups);

/* The colour of a function. If memory runs out, has_failed is set. */
struct hf_color hf_flame_groups_color(struct hf_flame_groups *groups, struct hf_text label);

/* The colour of a place of the legend; HF_FLAME_GROUPS: that of "other". */
struct hf_color hf_flame_groups_swatch(size_t place);

/*
 * How much more or less there is than there was, as one of seven colours: gone, half or less, less,
 * the same within 2 %, more, twice or more, new.
 */
enum hf_flame_change {
    HF_FLAME_GONE,
    HF_FLAME_HALF,
    HF_FLAME_LESS,
    HF_FLAME_SAME,
    HF_FLAME_MORE,
    HF_FLAME_TWICE,
    HF_FLAME_NEW,
    HF_FLAME_CHANGES,
};
enum hf_flame_change hf_flame_change_of(uint64_t before, uint64_t after);
struct hf_color hf_flame_change_color(enum hf_flame_change change);

/* The text of the group of a label, which it is a part of; empty: none. */
struct hf_text hf_flame_group_of(struct hf_text label, const struct hf_probe_site *place);

/* Rules that give a dark screen its own values of all these colours. */
void hf_flame_put_dark_colors(struct hf_out *out);

#endif
