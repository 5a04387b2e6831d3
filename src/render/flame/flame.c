#include "render/flame/flame.h"

#include "base/plural.h"
#include "render/flame/flame_head.h"
#include "render/flame/flame_layout.h"
#include "render/flame/flame_svg.h"
#include "render/flame/flame_text.h"
#include "render/flame/flame_tree.h"
#include "render/palette.h"

#include <string.h>

void hf_flame_options_init(struct hf_flame_options *options)
{
    *options = (struct hf_flame_options){
        .colors = "hot",
        .width_px = 1200,
        .frame_height_px = 16,
        .min_width = 0.1,
        .box_width_px = 3,
        .font_type = "Verdana",
        .font_size_px = 12,
        .font_width = 0.59,
        .name_type = "Function:",
        .type = HF_FLAME_TYPE_DEFAULT,
        .base_type = HF_FLAME_NO_BASE,
        .factor = 1,
    };
}

/* Also false for what is no number. */
static bool is_within(double value, double least, double most)
{
    return value >= least && value <= most;
}

static bool is_font_name(const char *name)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ,.-_";
    return name[0] != '\0' && strspn(name, allowed) == strlen(name);
}

static enum hf_status flame_check_options(const struct hf_profile *folded,
    const struct hf_flame_options *options, size_t type, struct hf_error *err)
{
    const struct {
        const char *name;
        double value, least, most;
    } ranges[] = {
        {"width", options->width_px, 100, 30000},
        {"frame height", options->frame_height_px, 4, 500},
        {"font size", options->font_size_px, 1, 100},
        {"font width", options->font_width, 0.1, 3},
        {"minimum width", options->min_width, 0, options->min_width_is_percent ? 100 : 30000},
        {"factor", options->factor, 1e-12, 1e12},
    };
    for (size_t i = 0; i < HF_COUNT(ranges); i++) {
        if (!is_within(ranges[i].value, ranges[i].least, ranges[i].most))
            return hf_error_set(err, HF_ERR_USAGE, "the %s of a flame graph is %g to %g, not %g",
                ranges[i].name, ranges[i].least, ranges[i].most, ranges[i].value);
    }
    if (!is_font_name(options->font_type))
        return hf_error_set(err, HF_ERR_USAGE,
            "'%.64s' is not a font name: expected letters, digits, blanks, and , . - _",
            options->font_type);
    if (type >= folded->type_count)
        return hf_error_set(err, HF_ERR_USAGE, "the profile has %zu %s of values, not number %zu",
            folded->type_count, hf_plural(folded->type_count, "kind", "kinds"), type);
    return HF_OK;
}

/* A difference has its own two colours, for which the yellow of the palettes is no good ground. */
static enum hf_status choose_colors(const struct hf_profile *folded,
    const struct hf_flame_options *options, struct hf_flame_picture *picture, struct hf_error *err)
{
    enum hf_palette_mode mode = options->colors_at_random ? HF_PALETTE_RANDOM
                                : options->colors_by_hash ? HF_PALETTE_BY_HASH
                                                          : HF_PALETTE_BY_SUM;
    const char *bgcolors = options->bgcolors;
    if (bgcolors == NULL && options->colors_by_group)
        bgcolors = "#ffffff";
    else if (bgcolors == NULL && folded->is_difference)
        bgcolors = "grey";
    enum hf_status status = hf_palette_init(&picture->palette, options->colors, mode, err);
    if (status == HF_OK)
        status = hf_palette_background(&picture->palette, bgcolors, &picture->background, err);
    return status;
}

enum hf_status hf_flame_svg(const struct hf_profile *folded, const struct hf_flame_options *options,
    struct hf_out *out, struct hf_error *err)
{
    size_t type = options->type != HF_FLAME_TYPE_DEFAULT ? options->type : folded->default_type;
    struct hf_flame_tree tree = {0};
    struct hf_flame_layout layout = {0};
    struct hf_flame_text text;
    struct hf_flame_picture picture = {
        .options = options, .tree = &tree, .layout = &layout, .text = &text};
    enum hf_status status = flame_check_options(folded, options, type, err);
    if (status == HF_OK)
        status = choose_colors(folded, options, &picture, err);
    if (status == HF_OK)
        status = hf_flame_tree_build(folded, type, options->is_reversed, &tree, err);
    if (status == HF_OK && options->is_chart)
        status = hf_flame_tree_keep_order(&tree, folded, type, err);
    if (status == HF_OK && options->base_type != HF_FLAME_NO_BASE)
        status = hf_flame_tree_compare(&tree, folded, type, options->base_type, err);
    if (status == HF_OK)
        status = hf_flame_layout_init(&tree, options, &layout, err);
    if (status == HF_OK)
        status = hf_flame_owners_init(&picture.owners, folded, type, options->owners, err);
    if (status == HF_OK && options->folds_rows)
        status = hf_flame_rows_init(&layout, &tree, &picture.owners, err);
    if (status == HF_OK && options->colors_by_group)
        status =
            hf_flame_groups_init(&picture.groups, &tree, &layout, folded, options->places, err);
    if (status == HF_OK) {
        hf_flame_text_init(&text, folded, options, type, layout.total);
        text.has_owners = picture.owners.has_any;
        text.groups = options->colors_by_group ? &picture.groups : NULL;
        hf_flame_layout_set_rows(&layout, options, hf_flame_put_rows(&text, &layout, NULL));
        status = hf_flame_put_svg(&picture, out, err);
    }
    hf_flame_owners_done(&picture.owners);
    hf_flame_groups_done(&picture.groups);
    hf_flame_layout_done(&layout);
    hf_flame_tree_done(&tree);
    return status;
}
