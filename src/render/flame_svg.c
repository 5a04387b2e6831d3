#include "render/flame_svg.h"

#include "base/escape.h"
#include "profile/fold.h"
#include "render/amount.h"
#include "render/embedded.h"
#include "render/flame_head.h"
#include "render/name_attributes.h"
#include "render/palette_map.h"

#include <math.h>
#include <stdlib.h>

struct writer {
    struct hf_flame_picture *picture;
    struct hf_out *out;
    struct hf_out woken, name, scratch; /* reused memory */
    uint32_t *stack;                    /* nodes to be written */
    uint8_t *is_woken;                  /* by node: beyond a "--" frame; NULL: nobody asks */
    bool has_failed;                    /* memory for the palette's map ran out */
};

/* Hover needs no script, and a picture without this style still reads the same. */
static const char style[] = "<style>\n"
                            "text{white-space:pre}\n"
                            "#frames text{pointer-events:none}\n"
                            "#frames>g:hover>rect{stroke:#000;stroke-width:.5}\n"
                            "#frames.live>g,.button{cursor:pointer}\n"
                            ".button{fill:#444;text-decoration:underline}\n"
                            ".button:hover,.button:focus{fill:#000}\n"
                            ".parent>rect{opacity:.5}\n"
                            ".parent>text{fill:#000}\n"
                            ".hide{display:none}\n"
                            "</style>\n";

/* `tenths` / 10, without a decimal where there is none. */
static void put_tenths(struct hf_out *out, int64_t tenths)
{
    hf_out_u64(out, (uint64_t)tenths / 10);
    if (tenths % 10 != 0) {
        hf_out_char(out, '.');
        hf_out_char(out, (char)('0' + tenths % 10));
    }
}

static void put_px(struct hf_out *out, double px)
{
    put_tenths(out, (int64_t)rint(px * 10));
}

/* name="px", with a blank before it */
static void put_attribute(struct hf_out *out, const char *name, double px)
{
    hf_out_char(out, ' ');
    hf_out_string(out, name);
    hf_out_string(out, "=\"");
    put_px(out, px);
    hf_out_char(out, '"');
}

static void put_color(struct hf_out *out, struct hf_color color)
{
    hf_out_string(out, "rgb(");
    hf_out_u64(out, color.red);
    hf_out_char(out, ',');
    hf_out_u64(out, color.green);
    hf_out_char(out, ',');
    hf_out_u64(out, color.blue);
    hf_out_char(out, ')');
}

/* The file up to its title */
static void put_opening(struct writer *w)
{
    struct hf_out *out = w->out;
    const struct hf_flame_options *options = w->picture->options;
    double width = options->width_px, height = w->picture->layout->height_px;
    hf_out_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
    hf_out_string(out, "<svg version=\"1.1\"");
    put_attribute(out, "width", width);
    put_attribute(out, "height", height);
    hf_out_string(out, " viewBox=\"0 0 ");
    put_px(out, width);
    hf_out_char(out, ' ');
    put_px(out, height);
    hf_out_char(out, '"');
    hf_out_string(out, " xmlns=\"http://www.w3.org/2000/svg\"");
    if (options->attributes != NULL)
        hf_out_string(out, " xmlns:xlink=\"http://www.w3.org/1999/xlink\"");
    hf_out_string(out, " font-family=\"");
    hf_escape_xml(out, hf_text_of(options->font_type));
    hf_out_string(out, ",sans-serif\"");
    put_attribute(out, "font-size", options->font_size_px);
    hf_out_string(out, ">\n<title>");
    hf_flame_put_headline(w->picture->text, out);
    hf_out_string(out, "</title>\n<desc>");
    hf_flame_put_description(w->picture->text, w->picture->layout, out);
    hf_out_string(out,
        "</desc>\n<defs><linearGradient id=\"background\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"1\">"
        "<stop offset=\"5%\" stop-color=\"");
    put_color(out, w->picture->background.top);
    hf_out_string(out, "\"/><stop offset=\"95%\" stop-color=\"");
    put_color(out, w->picture->background.bottom);
    hf_out_string(out, "\"/></linearGradient></defs>\n");
    hf_out_string(out, style);
    hf_out_string(out, "<rect width=\"100%\" height=\"100%\" fill=\"url(#background)\"/>\n");
}

/* One of the texts at the edges. Those that need the script are hidden until it runs. */
static void put_edge(struct writer *w, const char *id, double x, double y, const char *rest)
{
    hf_out_printf(w->out, "<text id=\"%s\"", id);
    put_attribute(w->out, "x", x);
    put_attribute(w->out, "y", y);
    hf_out_string(w->out, rest);
}

static void put_head(struct writer *w)
{
    static const char hidden[] =
        " class=\"button\" role=\"button\" tabindex=\"0\" display=\"none\">";
    struct hf_out *out = w->out;
    const struct hf_flame_options *options = w->picture->options;
    const struct hf_flame_layout *layout = w->picture->layout;
    double right = options->width_px;
    double top = hf_flame_row_y(options, 0);
    double bottom = layout->height_px - (layout->height_px - layout->frames_bottom) / 2;
    put_edge(w, "title", right / 2, top, " text-anchor=\"middle\"");
    put_attribute(out, "font-size", options->font_size_px + 5);
    hf_out_char(out, '>');
    hf_flame_put_headline(w->picture->text, out);
    hf_out_string(out, "</text>\n");
    (void)hf_flame_put_rows(w->picture->text, layout, out);
    put_edge(w, "details", HF_FLAME_MARGIN_PX, bottom, ">");
    hf_flame_put_resting_details(w->picture->text, layout, out);
    hf_out_string(out, "</text>\n");
    put_edge(w, "unzoom", HF_FLAME_MARGIN_PX, top, hidden);
    hf_out_string(out, "Reset Zoom</text>\n");
    put_edge(w, "search", right - 110, top, hidden);
    hf_out_string(out, "Search</text>\n");
    put_edge(w, "ignorecase", right - 26, top, hidden);
    hf_out_string(out, "ic</text>\n");
    put_edge(w, "matched", right - 110, bottom, "> </text>\n");
}

static void put_rect(struct hf_out *out, const struct hf_flame_box *box, double height,
    struct hf_color color, bool is_round)
{
    hf_out_string(out, "<rect x=\"");
    put_tenths(out, box->left);
    hf_out_char(out, '"');
    put_attribute(out, "y", box->top);
    hf_out_string(out, " width=\"");
    put_tenths(out, box->width);
    hf_out_char(out, '"');
    put_attribute(out, "height", height);
    /* Below 4 px there are no corners to round. */
    if (is_round && box->width >= 40)
        hf_out_string(out, " rx=\"2\"");
    hf_out_string(out, " fill=\"");
    put_color(out, color);
    hf_out_string(out, "\"/>");
}

/* The colour of a frame of a plain profile: by its change, by the map, or by its name. */
static struct hf_color color_of(
    struct writer *w, struct hf_text name, const struct hf_total *change)
{
    const struct hf_flame_options *options = w->picture->options;
    struct hf_color color = hf_palette_color(&w->picture->palette, name);
    if (hf_text_is(name, "--") || hf_text_is(name, "-"))
        return color;
    if (change != NULL)
        return hf_palette_change((change->grew > change->released) != options->is_negated,
            hf_total_distance(*change), w->picture->tree->largest_change);
    struct hf_error ignored;
    if (options->palette_map != NULL &&
        hf_palette_map_color(options->palette_map, name, color, &color, &ignored) != HF_OK)
        w->has_failed = true;
    return color;
}

/* The rectangles of a frame; returns the colour below its text. */
static struct hf_color put_rects(struct writer *w, const struct hf_flame_box *box,
    struct hf_text color_name, struct hf_total sums, const struct hf_total *change, uint64_t width)
{
    const struct hf_flame_options *options = w->picture->options;
    double height = options->frame_height_px - 1.0;
    if (!w->picture->text->folded->is_difference) {
        struct hf_color color = color_of(w, color_name, change);
        put_rect(w->out, box, height, color, true);
        return color;
    }
    bool has_growth = sums.grew != 0 || sums.released == 0;
    struct hf_color first = hf_palette_difference(has_growth != options->is_negated, color_name);
    put_rect(w->out, box, height, first, true);
    if (sums.grew != 0 && sums.released != 0) {
        double share = (double)sums.released / (double)width;
        struct hf_flame_box part = *box;
        part.width = (int64_t)rint((double)box->width * share);
        part.left += box->width - part.width;
        put_rect(
            w->out, &part, height, hf_palette_difference(options->is_negated, color_name), false);
    }
    return first;
}

static const char *mark_of(struct hf_total sums)
{
    if (sums.released == 0)
        return "+";
    return sums.grew == 0 ? "\xe2\x88\x92" : "\xc2\xb1";
}

/* The name in its box, as far as it fits; in a difference with the mark of what happened. */
static void put_label(struct writer *w, const struct hf_flame_box *box, struct hf_text label,
    struct hf_total sums, struct hf_color color)
{
    const struct hf_flame_options *options = w->picture->options;
    double column_px = options->font_size_px * options->font_width;
    size_t columns = (size_t)(box->width_px / column_px);
    if (columns < 3)
        return;
    struct hf_text name = hf_flame_shown_name(label);
    w->name.size = 0;
    if (w->picture->text->folded->is_difference) {
        const char *mark = mark_of(sums);
        hf_out_string(&w->name, mark);
        /* Too narrow for mark, two letters and "..": then the mark alone. */
        if (columns >= 6 || name.size + 2 <= columns) {
            hf_out_char(&w->name, ' ');
            hf_out_text(&w->name, name);
        }
    } else {
        hf_out_text(&w->name, name);
    }
    hf_out_string(w->out, "<text x=\"");
    put_tenths(w->out, box->left + 30);
    hf_out_char(w->out, '"');
    put_attribute(w->out, "y", box->top + (options->frame_height_px - 1) / 2.0 + 3);
    hf_out_string(w->out, hf_color_wants_white_text(color) ? " fill=\"#fff\">" : ">");
    hf_flame_put_fitted(hf_out_view(&w->name), columns, &w->scratch, w->out);
    hf_out_string(w->out, "</text>");
}

struct frame {
    struct hf_text label, color_name;
    struct hf_total sums;
    const struct hf_total *change; /* of its own values; NULL: nothing to compare with */
    uint64_t start, width;         /* as drawn, in units of the value */
    uint64_t count;                /* as told */
    uint32_t depth;
};

static const struct hf_name_line *said_of(const struct writer *w, const struct frame *frame)
{
    const struct hf_name_attributes *attributes = w->picture->options->attributes;
    return attributes != NULL ? hf_name_attributes_find(attributes, frame->color_name) : NULL;
}

static void put_frame(struct writer *w, const struct frame *frame)
{
    struct hf_out *out = w->out;
    const struct hf_flame_text *text = w->picture->text;
    struct hf_flame_box box = hf_flame_layout_box(
        w->picture->layout, w->picture->options, frame->start, frame->width, frame->depth);
    hf_out_string(out, "<g data-v=\"");
    hf_out_u64(out, frame->start);
    hf_out_char(out, ' ');
    hf_out_u64(out, frame->width);
    if (text->folded->is_difference) {
        hf_out_char(out, ' ');
        hf_out_u64(out, frame->sums.released);
    }
    hf_out_char(out, '"');
    const struct hf_name_line *said = said_of(w, frame);
    if (said != NULL)
        hf_name_attributes_put(said, out);
    hf_out_string(out, "><title>");
    if (said != NULL && said->values[HF_ATTRIBUTE_TITLE].size != 0)
        hf_escape_xml(out, said->values[HF_ATTRIBUTE_TITLE]);
    else
        hf_flame_put_title(
            text, frame->label, frame->sums, frame->change, frame->count, frame->depth == 0, out);
    hf_out_string(out, "</title>");
    bool is_link = said != NULL && hf_name_attributes_put_link(said, out);
    struct hf_color color =
        put_rects(w, &box, frame->color_name, frame->sums, frame->change, frame->count);
    put_label(w, &box, frame->label, frame->sums, color);
    hf_out_string(out, is_link ? "</a></g>\n" : "</g>\n");
}

/*
 * The palette "chain" treats what lies beyond a frame "--" as if it were annotated _[w]. The
 * annotation counts for the colour; it is not shown.
 */
static struct hf_text label_of(struct writer *w, uint32_t node)
{
    struct hf_text label = hf_flame_tree_label(w->picture->tree, node);
    if (w->is_woken == NULL || node == HF_STACK_ROOT)
        return label;
    uint32_t parent = w->picture->tree->nodes[node].parent;
    bool is_first = hf_text_is(hf_flame_tree_label(w->picture->tree, parent), "--");
    w->is_woken[node] = w->is_woken[parent] || is_first;
    if (!w->is_woken[node] || hf_text_is(label, "--"))
        return label;
    w->woken.size = 0;
    hf_out_text(&w->woken, label);
    hf_out_string(&w->woken, "_[w]");
    return hf_out_view(&w->woken);
}

static void put_node(struct writer *w, uint32_t node)
{
    const struct hf_flame_tree *tree = w->picture->tree;
    struct frame frame = {
        .label = label_of(w, node),
        .sums = tree->sums[node],
        .start = tree->start[node],
        .width = hf_flame_layout_width(w->picture->layout, tree, node),
        .depth = tree->depth[node],
        .change = tree->changes != NULL ? &tree->changes[node] : NULL,
    };
    frame.count = node == HF_STACK_ROOT ? frame.width : hf_flame_tree_width(tree, node);
    /* flamegraph.pl's root is a frame without a name; "all" is only written on it. */
    frame.color_name = node == HF_STACK_ROOT ? HF_TEXT("") : frame.label;
    put_frame(w, &frame);
}

/* The values of `all` itself less those of its children. */
static void put_no_stack(struct writer *w)
{
    const struct hf_flame_tree *tree = w->picture->tree;
    uint64_t width = w->picture->layout->no_stack_width;
    struct frame frame = {.label = HF_TEXT(HF_NO_STACK),
        .color_name = HF_TEXT(HF_NO_STACK),
        .sums = tree->sums[0],
        .width = width,
        .depth = 1};
    for (size_t at = 0; at < tree->order.first_children[1]; at++) {
        const struct hf_total *child = &tree->sums[tree->order.children[at]];
        frame.sums.grew -= child->grew < frame.sums.grew ? child->grew : frame.sums.grew;
        frame.sums.released -=
            child->released < frame.sums.released ? child->released : frame.sums.released;
    }
    frame.count = width;
    put_frame(w, &frame);
}

/* Frames in pre-order, siblings from left to right: the script relies on it. */
static void put_frames(struct writer *w)
{
    const struct hf_flame_tree *tree = w->picture->tree;
    size_t waiting = 0;
    w->stack[waiting++] = HF_STACK_ROOT;
    while (waiting != 0) {
        uint32_t node = w->stack[--waiting];
        put_node(w, node);
        if (node == HF_STACK_ROOT && w->picture->layout->no_stack_width != 0)
            put_no_stack(w);
        for (size_t at = tree->order.first_children[node + 1];
             at-- > tree->order.first_children[node];) {
            uint32_t child = tree->order.children[at];
            if (w->picture->layout->is_kept[child])
                w->stack[waiting++] = child;
        }
    }
}

static void put_body(struct writer *w)
{
    struct hf_out *out = w->out;
    const struct hf_flame_options *options = w->picture->options;
    const struct hf_flame_layout *layout = w->picture->layout;
    hf_out_string(out, "<g id=\"frames\"");
    put_attribute(out, "data-height", options->frame_height_px);
    hf_out_printf(out, " data-column=\"%.3f\" data-name-type=\"",
        options->font_size_px * options->font_width);
    hf_escape_xml(out, hf_text_of(options->name_type));
    hf_out_string(out, "\">\n");
    if (layout->total != 0)
        put_frames(w);
    hf_out_string(out, "</g>\n");
    if (layout->total == 0) {
        put_edge(w, "empty", options->width_px / 2.0,
            (layout->frames_top + layout->frames_bottom) / 2 + 3, " text-anchor=\"middle\">");
        hf_out_string(out, w->picture->text->folded->is_difference
                               ? "Nothing grew and nothing was released."
                               : "The profile holds no values of this kind.");
        hf_out_string(out, "</text>\n");
    }
    hf_out_string(out, "<script><![CDATA[\n");
    hf_out_bytes(out, hf_svg_script, hf_svg_script_size);
    hf_out_string(out, "]]></script>\n</svg>\n");
}

void hf_flame_put_error(const struct hf_flame_options *options, struct hf_out *out)
{
    double size = options->font_size_px;
    hf_out_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<svg");
    put_attribute(out, "width", options->width_px);
    put_attribute(out, "height", 5 * size);
    hf_out_string(out, " xmlns=\"http://www.w3.org/2000/svg\">\n<text text-anchor=\"middle\"");
    put_attribute(out, "x", options->width_px / 2.0);
    put_attribute(out, "y", 2 * size);
    put_attribute(out, "font-size", size + 2);
    hf_out_string(out, ">ERROR: No valid input provided to flamegraph.pl.</text>\n</svg>\n");
}

enum hf_status hf_flame_put_svg(
    struct hf_flame_picture *picture, struct hf_out *out, struct hf_error *err)
{
    struct writer w = {.picture = picture, .out = out};
    size_t count = picture->tree->count;
    enum hf_status status = HF_OK;
    w.stack = malloc(count * sizeof *w.stack);
    if (hf_palette_is_chain(&picture->palette))
        w.is_woken = calloc(count, sizeof *w.is_woken);
    if (w.stack == NULL || (w.is_woken == NULL && hf_palette_is_chain(&picture->palette))) {
        status = hf_error_memory(err);
    } else {
        put_opening(&w);
        put_head(&w);
        put_body(&w);
    }
    /* A name that could not be put together is missing in its box: the file is not whole. */
    if (status == HF_OK && (w.has_failed || w.name.error.status != HF_OK ||
                               w.scratch.error.status != HF_OK || w.woken.error.status != HF_OK))
        status = hf_error_memory(err);
    free(w.stack);
    free(w.is_woken);
    hf_out_done(&w.woken);
    hf_out_done(&w.name);
    hf_out_done(&w.scratch);
    return status;
}
