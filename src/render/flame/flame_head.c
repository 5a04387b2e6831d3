#include "render/flame/flame_head.h"

#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "render/flame/flame_groups.h"
#include "render/palette.h"
#include "render/value_words.h"

#define MINUS "\xe2\x88\x92" /* U+2212, as wide as a plus */
#define PLUS_MINUS "\xc2\xb1"
#define ARROW "\xe2\x86\x92"
#define TIMES "\xc3\x97"
#define SQUARE "\xe2\x96\xa0"
#define GROUP_COLUMNS 24 /* of a name in the legend */

/* "server: " of "/usr/bin/server --port 80", of a profile that says so; a difference may be of two.
 */
static void put_program(const struct hf_flame_text *text, struct hf_out *out)
{
    struct hf_text command = hf_profile_text(text->folded, text->folded->capture.command);
    if (text->folded->is_difference || command.size == 0)
        return;
    command = hf_text_first(command, hf_text_find(command, ' '));
    size_t slash = hf_text_find_last(command, '/');
    hf_escape_xml(out, slash != command.size ? hf_text_from(command, slash + 1) : command);
    hf_out_string(out, ": ");
}

/* "129.6 MiB in use"; of types that others made: "12 objects: tcmalloc_live". */
static void flame_head_put_amount(
    const struct hf_flame_text *text, uint64_t value, struct hf_out *out)
{
    const char *words = text->options->count_name == NULL ? hf_value_words(text->type_name) : NULL;
    hf_flame_put_short(text, value, out);
    if (words != NULL) {
        hf_out_string(out, words);
        return;
    }
    if (!text->shows_bytes)
        hf_flame_put_noun(text, out);
    if (text->options->count_name == NULL && !hf_text_equal(text->noun, text->type_name)) {
        hf_out_string(out, ": ");
        hf_escape_xml(out, text->type_name);
    }
}

void hf_flame_put_headline(const struct hf_flame_text *text, struct hf_out *out)
{
    if (text->options->title != NULL) {
        hf_escape_xml(out, hf_text_of(text->options->title));
        return;
    }
    if (text->options->is_chart) {
        hf_out_string(out, "Flame Chart");
        return;
    }
    if (text->options->folds_rows) {
        put_program(text, out);
        flame_head_put_amount(text, text->total, out);
        if (text->folded->is_difference)
            hf_out_string(out, " changed");
        return;
    }
    hf_out_string(out, text->folded->is_difference ? "Differential " : "");
    hf_out_string(out, text->options->is_inverted ? "Icicle Graph" : "Flame Graph");
}

static size_t columns_of_row(const struct hf_flame_text *text)
{
    const struct hf_flame_options *options = text->options;
    return (size_t)((options->width_px - 2 * HF_FLAME_MARGIN_PX) /
                    (options->font_size_px * options->font_width));
}

static void flame_head_put_subtitle(const struct hf_flame_text *text, struct hf_out *out)
{
    hf_escape_xml(out, hf_text_of(text->options->subtitle));
}

static void put_sums(const struct hf_flame_text *text, struct hf_out *out)
{
    struct hf_total sums = hf_profile_total(text->folded, text->type, HF_THREAD_ALL);
    if (text->options->has_totals) {
        hf_out_string(out, "A ");
        hf_flame_put_short(text, text->options->base_total, out);
        hf_out_string(out, " " ARROW " B ");
        hf_flame_put_short(text, text->options->current_total, out);
        hf_out_string(out, ": ");
    }
    hf_out_string(out, "grew ");
    hf_flame_put_short(text, sums.value, out);
    hf_out_string(out, ", released ");
    hf_flame_put_short(text, sums.released, out);
    hf_out_string(out, ", net ");
    hf_flame_put_net(text, sums, out);
    if (!text->shows_bytes)
        hf_flame_put_noun(text, out);
}

static void put_swatch_of(struct hf_color color, struct hf_out *out)
{
    hf_out_printf(out,
        "<tspan fill=\"rgb(%u,%u,%u)\" stroke=\"#000\" stroke-width=\".4\">" SQUARE "</tspan>",
        color.red, color.green, color.blue);
}

static void put_swatch(const struct hf_flame_text *text, bool is_growth, struct hf_out *out)
{
    put_swatch_of(text->groups != NULL
                      ? hf_flame_change_color(is_growth ? HF_FLAME_TWICE : HF_FLAME_HALF)
                      : hf_palette_difference(is_growth, HF_TEXT("")),
        out);
}

/* What each colour stands for: groups of functions. */
static void put_groups(const struct hf_flame_text *text, struct hf_out *out)
{
    const struct hf_flame_groups *groups = text->groups;
    struct hf_out scratch = {0};
    size_t room = columns_of_row(text), used = 0;
    for (size_t i = 0; i < groups->count + groups->has_other; i++) {
        bool is_other = i == groups->count;
        struct hf_text name =
            is_other ? HF_TEXT("other") : hf_intern_at(&groups->names, groups->shown[i]);
        size_t columns = name.size < GROUP_COLUMNS ? name.size : GROUP_COLUMNS;
        used += columns + 4;
        if (used > room)
            break;
        put_swatch_of(hf_flame_groups_swatch(is_other ? HF_FLAME_GROUPS : i), out);
        hf_out_char(out, ' ');
        hf_flame_put_fitted(name, GROUP_COLUMNS, &scratch, out);
        hf_out_string(out, " \xc2\xa0 ");
    }
    hf_out_done(&scratch);
}

/* The scale of a difference whose colours say how much there is of what there was. */
static void put_scale(const struct hf_flame_text *text, struct hf_out *out)
{
    static const char *const names[] = {
        [HF_FLAME_GONE] = "gone",
        [HF_FLAME_HALF] = MINUS "50 % or more",
        [HF_FLAME_LESS] = "less",
        [HF_FLAME_SAME] = "same",
        [HF_FLAME_MORE] = "more",
        [HF_FLAME_TWICE] = TIMES "2 or more",
        [HF_FLAME_NEW] = "new",
    };
    (void)text;
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        put_swatch_of(hf_flame_change_color((enum hf_flame_change)i), out);
        hf_out_printf(out, " %s \xc2\xa0 ", names[i]);
    }
    hf_out_string(out, "width: grew and released together");
}

static void flame_head_put_legend(const struct hf_flame_text *text, struct hf_out *out)
{
    bool grew = !text->options->is_negated;
    put_swatch(text, grew, out);
    hf_out_string(out, " + grew \xc2\xa0 ");
    put_swatch(text, !grew, out);
    hf_out_string(out, " " MINUS " released \xc2\xa0 ");
    put_swatch(text, grew, out);
    put_swatch(text, !grew, out);
    hf_out_string(
        out, " " PLUS_MINUS " some of both, split in proportion \xc2\xa0 width: both together");
}

static void put_depth_cut(
    const struct hf_flame_text *text, const struct hf_flame_layout *layout, struct hf_out *out)
{
    char number[HF_UNITS_MAX];
    (void)text;
    hf_out_string(out, hf_units_grouped(layout->deep_count, number));
    hf_out_string(out, hf_plural(layout->deep_count, " frame", " frames"));
    hf_out_printf(out, " deeper than %s levels", hf_units_grouped(layout->levels_max - 1, number));
    hf_out_string(out, hf_plural(layout->deep_count, " is not drawn", " are not drawn"));
}

static void put_losses(const struct hf_flame_text *text, struct hf_out *out)
{
    const struct hf_notes *notes = &text->folded->notes;
    struct hf_out scratch = {0}, sentence = {0};
    size_t losses = 0;
    for (size_t i = 0; i < notes->count; i++) {
        if (notes->items[i].kind == HF_NOTE_LOSS && losses++ == 0)
            hf_out_string(&sentence, notes->items[i].text);
    }
    if (losses != 1)
        hf_out_printf(&sentence, "%s%zu %s in all", losses == 0 ? "" : "; ", losses,
            hf_plural(losses, "note", "notes"));
    static const char lead[] = "Data is missing: ";
    size_t columns = columns_of_row(text);
    hf_out_string(out, lead);
    hf_flame_put_fitted(
        hf_out_view(&sentence), columns > sizeof lead ? columns - sizeof lead : 0, &scratch, out);
    hf_out_done(&sentence);
    hf_out_done(&scratch);
}

static void open_row(
    const struct hf_flame_text *text, const char *id, size_t row, struct hf_out *out)
{
    const struct hf_flame_options *options = text->options;
    hf_out_printf(out, "<text id=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", id,
        options->width_px / 2.0, hf_flame_row_y(options, row));
}

size_t hf_flame_put_rows(
    const struct hf_flame_text *text, const struct hf_flame_layout *layout, struct hf_out *out)
{
    bool is_difference = text->folded->is_difference;
    bool is_relative =
        is_difference && text->options->base_by_node != NULL && !text->options->is_reversed;
    const struct {
        bool is_there;
        const char *id;
        void (*put)(const struct hf_flame_text *text, struct hf_out *out);
    } rows[] = {
        {text->options->subtitle != NULL, "subtitle", flame_head_put_subtitle},
        {is_difference, "difference", put_sums},
        {is_difference && !is_relative, "legend", flame_head_put_legend},
        {is_relative, "legend", put_scale},
        {!is_difference && text->groups != NULL && text->groups->count != 0, "legend", put_groups},
        {text->folded->notes.has_loss, "losses", put_losses},
    };
    size_t count = 0;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        if (!rows[i].is_there)
            continue;
        count++;
        if (out == NULL)
            continue;
        open_row(text, rows[i].id, count, out);
        rows[i].put(text, out);
        hf_out_string(out, "</text>\n");
    }
    if (layout->deep_count != 0) {
        count++;
        if (out != NULL) {
            open_row(text, "toodeep", count, out);
            put_depth_cut(text, layout, out);
            hf_out_string(out, "</text>\n");
        }
    }
    return count;
}

static void put_small_cut(
    const struct hf_flame_text *text, const struct hf_flame_layout *layout, struct hf_out *out)
{
    char number[HF_UNITS_MAX];
    hf_out_string(out, hf_units_grouped(layout->small_count, number));
    hf_out_printf(out, " small %s not drawn (narrower than %g%s)",
        hf_plural(layout->small_count, "frame", "frames"), text->options->min_width,
        text->options->min_width_is_percent ? "%" : " px");
}

void hf_flame_put_resting_details(
    const struct hf_flame_text *text, const struct hf_flame_layout *layout, struct hf_out *out)
{
    if (text->options->is_reversed)
        hf_out_string(
            out, "Reversed: the allocating function is next to all, its callers follow. ");
    hf_out_string(out, text->folded->is_difference ? "Width: change of " : "Width: ");
    if (text->options->folds_rows && !text->folded->is_difference) {
        flame_head_put_amount(text, layout->total, out);
    } else {
        hf_escape_xml(out, text->options->count_name != NULL ? text->noun : text->type_name);
        hf_out_string(out, ", ");
        hf_flame_put_short(text, layout->total, out);
        hf_out_string(out, " in all");
    }
    if (layout->small_count != 0) {
        hf_out_string(out, "; ");
        put_small_cut(text, layout, out);
    }
    if (layout->rows.levels > layout->rows.drawn) {
        char number[HF_UNITS_MAX];
        uint64_t count = layout->rows.levels - layout->rows.drawn;
        hf_out_printf(out, "; %s deeper %s when you zoom in", hf_units_grouped(count, number),
            hf_plural(count, "row appears", "rows appear"));
    }
    if (text->has_owners)
        hf_out_string(out, "; outlined: the program's own functions that own memory");
    if (layout->lost_count != 0) {
        char number[HF_UNITS_MAX];
        hf_out_printf(out, "; %s below ", hf_units_grouped(layout->lost_count, number));
        hf_flame_put_short(text, layout->data_min, out);
        if (!text->shows_bytes)
            hf_flame_put_noun(text, out);
        hf_out_string(out, " are left out of this file");
    }
}

void hf_flame_put_description(
    const struct hf_flame_text *text, const struct hf_flame_layout *layout, struct hf_out *out)
{
    char number[HF_UNITS_MAX];
    hf_out_printf(
        out, "Drawn by heapflame: %s frames. ", hf_units_grouped(layout->kept_count, number));
    if (layout->together_count != 0)
        hf_out_printf(out, "%s are narrower than %g px and drawn together. ",
            hf_units_grouped(layout->together_count, number), text->options->box_width_px);
    hf_flame_put_resting_details(text, layout, out);
    hf_out_char(out, '.');
    if (layout->deep_count != 0) {
        hf_out_char(out, ' ');
        put_depth_cut(text, layout, out);
        hf_out_char(out, '.');
    }
    const struct hf_notes *notes = &text->folded->notes;
    for (size_t i = 0; i < notes->count; i++) {
        hf_out_string(out, "\n");
        hf_escape_xml(out, hf_text_of(notes->items[i].text));
    }
    if (text->options->notes != NULL) {
        hf_out_string(out, "\nNOTES: ");
        hf_escape_xml(out, hf_text_of(text->options->notes));
    }
}
