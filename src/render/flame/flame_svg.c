#include "render/flame/flame_svg.h"

#include "base/budget.h"
#include "base/strings/decimal.h"
#include "base/strings/escape.h"
#include "profile/fold.h"
#include "render/embedded.h"
#include "render/flame/flame_color.h"
#include "render/flame/flame_data.h"
#include "render/flame/flame_head.h"
#include "render/flame/flame_names.h"
#include "render/flame/flame_small.h"
#include "render/flame/name_attributes.h"

#include <math.h>
#include <stdlib.h>

#define BOX_STEPS 5000
#define LABEL_BYTE_STEPS 25 /* to colour, to measure and to escape a name */

struct flame_svg_writer {
    struct hf_flame_picture *picture;
    struct hf_out *out;
    struct hf_flame_colors colors;
    struct hf_flame_names names;
    struct hf_out name, scratch; /* reused memory */
    uint32_t *stack;             /* nodes to be written */
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

static const char owner_style[] =
    "<style>.owner>rect{stroke:#000;stroke-opacity:.7;stroke-width:1.2}</style>\n";

/* A fold is paler than what it stands for; a wide picture shrinks to the window and to the sheet.
 */
static const char fold_style[] =
    "<style>\n"
    "svg:root{max-width:100%;height:auto}\n"
    "#frames>.fold>rect:only-of-type{fill-opacity:.45}\n"
    "#frames>.fold>text{font-style:italic}\n"
    "@page{size:A4 landscape;margin:8mm}\n"
    "@media print{svg:root{width:100%;max-height:98vh}.button{display:none}}\n"
    "</style>\n";

static const char dark_style[] = "<style>\n"
                                 "@media screen and (prefers-color-scheme:dark){\n"
                                 "svg:root{background:#1b1c1f}\n"
                                 "#background>stop{stop-color:#1b1c1f}\n"
                                 "text,.parent>text{fill:#eceef1}\n"
                                 ".button{fill:#b9bec7}.button:hover,.button:focus{fill:#fff}\n"
                                 "#frames>g:hover>rect,.owner>rect{stroke:#fff}\n"
                                 "[fill=\"rgb(230,0,230)\"]~text{fill:#000}\n";

/* `tenths` / 10, without a decimal where there is none. */
static void put_tenths(struct hf_out *out, int64_t tenths)
{
    hf_out_u64(out, (uint64_t)tenths / 10);
    if (tenths % 10 != 0) {
        hf_out_char(out, '.');
        hf_out_char(out, (char)('0' + tenths % 10));
    }
}

static int64_t tenths_of(double px)
{
    return (int64_t)rint(px * 10);
}

static void put_px(struct hf_out *out, double px)
{
    put_tenths(out, tenths_of(px));
}

/* name="px", with a blank before it */
static inline void flame_svg_put_attribute(struct hf_out *out, const char *name, double px)
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
static void put_opening(struct flame_svg_writer *w)
{
    struct hf_out *out = w->out;
    const struct hf_flame_options *options = w->picture->options;
    double width = options->width_px, height = w->picture->layout->height_px;
    hf_out_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n");
    hf_out_string(out, "<svg version=\"1.1\"");
    flame_svg_put_attribute(out, "width", width);
    flame_svg_put_attribute(out, "height", height);
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
    flame_svg_put_attribute(out, "font-size", options->font_size_px);
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
    if (w->picture->owners.has_any)
        hf_out_string(out, owner_style);
    if (options->folds_rows)
        hf_out_string(out, fold_style);
    if (options->colors_by_group && options->bgcolors == NULL) {
        hf_out_string(out, dark_style);
        hf_flame_put_dark_colors(out);
        hf_out_string(out, "}</style>\n");
    }
    hf_out_string(out, "<rect width=\"100%\" height=\"100%\" fill=\"url(#background)\"/>\n");
}

/* One of the texts at the edges. Those that need the script are hidden until it runs. */
static void flame_svg_put_edge(
    struct flame_svg_writer *w, const char *id, double x, double y, const char *rest)
{
    hf_out_printf(w->out, "<text id=\"%s\"", id);
    flame_svg_put_attribute(w->out, "x", x);
    flame_svg_put_attribute(w->out, "y", y);
    hf_out_string(w->out, rest);
}

static void flame_svg_put_head(struct flame_svg_writer *w)
{
    static const char hidden[] =
        " class=\"button\" role=\"button\" tabindex=\"0\" display=\"none\">";
    struct hf_out *out = w->out;
    const struct hf_flame_options *options = w->picture->options;
    const struct hf_flame_layout *layout = w->picture->layout;
    double right = options->width_px;
    double top = hf_flame_row_y(options, 0);
    double bottom = layout->height_px - (layout->height_px - layout->frames_bottom) / 2;
    flame_svg_put_edge(w, "title", right / 2, top, " text-anchor=\"middle\"");
    flame_svg_put_attribute(out, "font-size", options->font_size_px + 5);
    hf_out_char(out, '>');
    hf_flame_put_headline(w->picture->text, out);
    hf_out_string(out, "</text>\n");
    (void)hf_flame_put_rows(w->picture->text, layout, out);
    flame_svg_put_edge(w, "details", HF_FLAME_MARGIN_PX, bottom, ">");
    hf_flame_put_resting_details(w->picture->text, layout, out);
    hf_out_string(out, "</text>\n");
    flame_svg_put_edge(w, "unzoom", HF_FLAME_MARGIN_PX, top, hidden);
    hf_out_string(out, "Reset Zoom</text>\n");
    flame_svg_put_edge(w, "search", right - 110, top, hidden);
    hf_out_string(out, "Search</text>\n");
    flame_svg_put_edge(w, "ignorecase", right - 26, top, hidden);
    hf_out_string(out, "ic</text>\n");
    flame_svg_put_edge(w, "matched", right - 110, bottom, "> </text>\n");
}

/* A picture has ten thousands of boxes: what is alike in all is put where there is room for it. */
#define RECT_BYTES_MAX 256
#define PLACE_BYTES_MAX 96
#define ADD(to, literal) ((char *)memcpy(to, literal, sizeof(literal) - 1) + sizeof(literal) - 1)

static char *add_tenths(char *to, int64_t tenths)
{
    to = hf_decimal_put(to, (uint64_t)tenths / 10);
    if (tenths % 10 != 0) {
        *to++ = '.';
        *to++ = (char)('0' + tenths % 10);
    }
    return to;
}

static void put_rect(struct hf_out *out, const struct hf_flame_box *box, double height,
    struct hf_color color, bool is_round)
{
    char *to = hf_out_room(out, RECT_BYTES_MAX);
    if (to == NULL)
        return;
    to = ADD(to, "<rect x=\"");
    to = ADD(add_tenths(to, box->left), "\" y=\"");
    to = ADD(add_tenths(to, tenths_of(box->top)), "\" width=\"");
    to = ADD(add_tenths(to, box->width), "\" height=\"");
    to = ADD(add_tenths(to, tenths_of(height)), "\"");
    /* Below 4 px there are no corners to round. */
    if (is_round && box->width >= 40)
        to = ADD(to, " rx=\"2\"");
    to = ADD(to, " fill=\"rgb(");
    to = ADD(hf_decimal_put(to, color.red), ",");
    to = ADD(hf_decimal_put(to, color.green), ",");
    to = ADD(hf_decimal_put(to, color.blue), ")\"/>");
    hf_out_end(out, to);
}

struct frame {
    struct hf_text label, color_name;
    struct hf_text name;   /* as a title has it, escaped */
    struct hf_color color; /* of a plain profile */
    struct hf_total sums;
    const struct hf_total *change; /* of its own values; NULL: nothing to compare with */
    uint64_t start, width;         /* as drawn, in units of the value */
    uint64_t count;                /* as told */
    uint32_t depth;
    uint32_t owner;      /* its node, if it is marked as one; else 0 */
    uint32_t chain;      /* so many frames are folded into this one, itself with them ... */
    struct hf_text last; /* ... up to here; 0 or 1: none */
};

/* The rectangles of a frame; returns the colour below its text. */
static struct hf_color put_rects(
    struct flame_svg_writer *w, const struct hf_flame_box *box, const struct frame *frame)
{
    const struct hf_flame_options *options = w->picture->options;
    double height = options->frame_height_px - 1.0;
    if (!w->colors.is_difference) {
        put_rect(w->out, box, height, frame->color, true);
        return frame->color;
    }
    struct hf_total sums = frame->sums;
    bool has_growth = sums.value != 0 || sums.released == 0;
    struct hf_color first = hf_flame_color_of_change(&w->colors, has_growth, frame->color_name);
    put_rect(w->out, box, height, first, true);
    if (sums.value != 0 && sums.released != 0) {
        double share = (double)sums.released / (double)frame->count;
        struct hf_flame_box part = *box;
        part.width = (int64_t)rint((double)box->width * share);
        part.left += box->width - part.width;
        put_rect(w->out, &part, height,
            hf_flame_color_of_change(&w->colors, false, frame->color_name), false);
    }
    return first;
}

static const char *mark_of(struct hf_total sums)
{
    if (sums.released == 0)
        return "+";
    return sums.value == 0 ? "\xe2\x88\x92" : "\xc2\xb1";
}

/* The name, in a difference with the mark of what happened. */
static void flame_svg_put_marked(
    struct flame_svg_writer *w, struct hf_text name, struct hf_total sums, size_t columns)
{
    if (!w->picture->text->folded->is_difference) {
        hf_out_text(&w->name, name);
        return;
    }
    hf_out_string(&w->name, mark_of(sums));
    /* Too narrow for mark, two letters and "..": then the mark alone. */
    if (columns >= 6 || name.size + 2 <= columns) {
        hf_out_char(&w->name, ' ');
        hf_out_text(&w->name, name);
    }
}

/* "name  10.4 MiB  29 %", where all of it fits. */
static void put_numbers_where_they_fit(
    struct flame_svg_writer *w, const struct frame *frame, size_t columns)
{
    size_t name_end = w->name.size;
    if (!w->picture->options->shows_numbers || columns < HF_FLAME_NUMBERS_COLUMNS)
        return;
    hf_flame_put_box_numbers(w->picture->text, frame->sums, frame->count, &w->name);
    if (!hf_flame_fits(hf_out_view(&w->name), columns, &w->scratch))
        w->name.size = name_end;
}

/* The name in its box, as far as it fits. */
static void flame_svg_put_label(struct flame_svg_writer *w, const struct hf_flame_box *box,
    const struct frame *frame, struct hf_color color)
{
    const struct hf_flame_options *options = w->picture->options;
    double column_px = options->font_size_px * options->font_width;
    size_t columns = (size_t)(box->width_px / column_px);
    if (columns < 3)
        return;
    w->name.size = 0;
    if (frame->chain > 1)
        hf_flame_put_chain(frame->chain, frame->label, frame->last, columns, &w->scratch, &w->name);
    else
        flame_svg_put_marked(w, hf_flame_shown_name(frame->label), frame->sums, columns);
    put_numbers_where_they_fit(w, frame, columns);
    hf_out_string(w->out, "<text x=\"");
    put_tenths(w->out, box->left + 30);
    hf_out_char(w->out, '"');
    flame_svg_put_attribute(w->out, "y", box->top + (options->frame_height_px - 1) / 2.0 + 3);
    hf_out_string(w->out, hf_color_wants_white_text(color) ? " fill=\"#fff\">" : ">");
    hf_flame_put_fitted(hf_out_view(&w->name), columns, &w->scratch, w->out);
    hf_out_string(w->out, "</text>");
}

static const struct hf_name_line *said_of(
    const struct flame_svg_writer *w, const struct frame *frame)
{
    const struct hf_name_attributes *attributes = w->picture->options->attributes;
    return attributes != NULL ? hf_name_attributes_find(attributes, frame->color_name) : NULL;
}

static void put_owner_title(struct flame_svg_writer *w, uint32_t node)
{
    w->scratch.size = 0;
    hf_flame_owners_put(&w->picture->owners, node, &w->scratch);
    hf_escape_xml(w->out, hf_out_view(&w->scratch));
}

static void put_title(struct flame_svg_writer *w, const struct frame *frame)
{
    if (frame->chain > 1) {
        hf_out_u64(w->out, frame->chain);
        hf_out_string(w->out, " frames folded, from ");
        hf_flame_put_name(frame->label, hf_escape_xml, w->out);
        hf_out_string(w->out, " to ");
        hf_flame_put_name(frame->last, hf_escape_xml, w->out);
    } else {
        hf_out_text(w->out, frame->name);
    }
    hf_flame_put_title_numbers(
        w->picture->text, frame->sums, frame->change, frame->count, frame->depth == 0, w->out);
}

/* <g data-v="START WIDTH", of a difference with what was released */
static void flame_svg_put_place(struct hf_out *out, const struct frame *frame, bool is_difference)
{
    char *to = hf_out_room(out, PLACE_BYTES_MAX);
    if (to == NULL)
        return;
    to = hf_decimal_put(ADD(to, "<g data-v=\""), frame->start);
    to = hf_decimal_put(ADD(to, " "), frame->width);
    if (is_difference)
        to = hf_decimal_put(ADD(to, " "), frame->sums.released);
    hf_out_end(out, ADD(to, "\""));
}

static void flame_svg_put_frame(struct flame_svg_writer *w, const struct frame *frame)
{
    struct hf_out *out = w->out;
    struct hf_flame_box box = hf_flame_layout_box(
        w->picture->layout, w->picture->options, frame->start, frame->width, frame->depth);
    flame_svg_put_place(out, frame, w->picture->text->folded->is_difference);
    (void)hf_budget_step(BOX_STEPS + LABEL_BYTE_STEPS * frame->label.size);
    const struct hf_name_line *said = said_of(w, frame);
    if (said != NULL)
        hf_name_attributes_put(said, out);
    if (frame->owner != 0)
        hf_out_string(out, " class=\"owner\"");
    else if (frame->chain > 1)
        hf_out_string(out, " class=\"fold\"");
    hf_out_string(out, "><title>");
    if (said != NULL && said->values[HF_ATTRIBUTE_TITLE].size != 0)
        hf_escape_xml(out, said->values[HF_ATTRIBUTE_TITLE]);
    else
        put_title(w, frame);
    if (frame->owner != 0)
        put_owner_title(w, frame->owner);
    hf_out_string(out, "</title>");
    bool is_link = said != NULL && hf_name_attributes_put_link(said, out);
    struct hf_color color = put_rects(w, &box, frame);
    if (frame->depth != 0 || !w->picture->options->root_is_bare)
        flame_svg_put_label(w, &box, frame, color);
    hf_out_string(out, is_link ? "</a></g>\n" : "</g>\n");
}

static void flame_svg_put_node(struct flame_svg_writer *w, uint32_t node)
{
    const struct hf_flame_tree *tree = w->picture->tree;
    struct frame frame = {
        .label = hf_flame_tree_label(tree, node),
        .color_name = hf_flame_color_name(tree, node),
        .sums = tree->sums[node],
        .start = tree->start[node],
        .width = hf_flame_layout_width(w->picture->layout, tree, node),
        .depth = tree->depth[node],
        .owner = hf_flame_owners_marks(&w->picture->owners, node) ? node : 0,
        .change = tree->changes != NULL ? &tree->changes[node] : NULL,
    };
    uint32_t last;
    frame.chain = hf_flame_rows_chain(w->picture->layout, tree, node, &last);
    frame.last = hf_flame_tree_label(tree, last);
    frame.name = node == HF_STACK_ROOT
                     ? frame.label
                     : hf_flame_names_at(&w->names, tree->nodes[node].frame, frame.label);
    frame.count = node == HF_STACK_ROOT ? frame.width : hf_flame_tree_width(tree, node);
    if (!w->colors.is_difference)
        frame.color = hf_flame_color_of_node(&w->colors, node);
    flame_svg_put_frame(w, &frame);
}

/* The box of values without a stack. */
static void flame_svg_put_no_stack(struct flame_svg_writer *w)
{
    uint64_t width = w->picture->layout->no_stack_width;
    struct hf_text name = HF_TEXT(HF_NO_STACK);
    struct frame frame = {.label = name,
        .color_name = name,
        .name = name,
        .sums = hf_flame_tree_no_stack(w->picture->tree),
        .width = width,
        .count = width,
        .depth = 1};
    if (!w->colors.is_difference)
        frame.color = hf_flame_color_of_no_stack(&w->colors);
    flame_svg_put_frame(w, &frame);
}

/* Frames with a box of their own in preorder, siblings from left to right. */
static void flame_svg_put_frames(struct flame_svg_writer *w)
{
    const struct hf_flame_tree *tree = w->picture->tree;
    size_t waiting = 0;
    w->stack[waiting++] = HF_STACK_ROOT;
    while (waiting != 0 && w->out->error.status == HF_OK) {
        uint32_t node = w->stack[--waiting];
        if (hf_flame_rows_has(&w->picture->layout->rows, tree->depth[node]))
            flame_svg_put_node(w, node);
        if (node == HF_STACK_ROOT && w->picture->layout->no_stack_width != 0)
            flame_svg_put_no_stack(w);
        for (size_t at = tree->order.first_children[node + 1];
             at-- > tree->order.first_children[node];) {
            uint32_t child = tree->order.children[at];
            if (w->picture->layout->drawn[child] == HF_FLAME_BY_ITSELF)
                w->stack[waiting++] = child;
        }
    }
}

static void put_empty(struct flame_svg_writer *w)
{
    const struct hf_flame_layout *layout = w->picture->layout;
    flame_svg_put_edge(w, "empty", w->picture->options->width_px / 2.0,
        (layout->frames_top + layout->frames_bottom) / 2 + 3, " text-anchor=\"middle\">");
    hf_out_string(w->out, w->picture->text->folded->is_difference
                              ? "Nothing grew and nothing was released."
                              : "The profile holds no values of this kind.");
    hf_out_string(w->out, "</text>\n");
}

static enum hf_status flame_svg_put_body(struct flame_svg_writer *w, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    bool is_empty = w->picture->layout->total == 0;
    if (!is_empty)
        status = hf_flame_put_small(w->picture, &w->colors, w->out, err);
    hf_out_string(w->out, "<g id=\"frames\">\n");
    if (!is_empty)
        flame_svg_put_frames(w);
    hf_out_string(w->out, "</g>\n");
    if (is_empty)
        put_empty(w);
    else if (status == HF_OK)
        status = hf_flame_put_data(w->picture, &w->colors, w->out, err);
    hf_out_string(w->out, "<script><![CDATA[\n");
    hf_out_bytes(w->out, hf_svg_script, hf_svg_script_size);
    hf_out_string(w->out, "]]></script>\n</svg>\n");
    return status;
}

void hf_flame_put_error(const struct hf_flame_options *options, struct hf_out *out)
{
    double size = options->font_size_px;
    hf_out_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<svg");
    flame_svg_put_attribute(out, "width", options->width_px);
    flame_svg_put_attribute(out, "height", 5 * size);
    hf_out_string(out, " xmlns=\"http://www.w3.org/2000/svg\">\n<text text-anchor=\"middle\"");
    flame_svg_put_attribute(out, "x", options->width_px / 2.0);
    flame_svg_put_attribute(out, "y", 2 * size);
    flame_svg_put_attribute(out, "font-size", size + 2);
    hf_out_string(out, ">ERROR: No valid input provided to flamegraph.pl.</text>\n</svg>\n");
}

enum hf_status hf_flame_put_svg(
    struct hf_flame_picture *picture, struct hf_out *out, struct hf_error *err)
{
    struct flame_svg_writer w = {.picture = picture, .out = out};
    w.stack = hf_budget_malloc(picture->tree->count * sizeof *w.stack);
    enum hf_status status = w.stack == NULL ? hf_error_memory(err) : HF_OK;
    if (status == HF_OK)
        status = hf_flame_colors_init(&w.colors, picture->options, picture->tree,
            picture->text->folded->is_difference, &picture->palette, &picture->groups, err);
    if (status == HF_OK)
        status = hf_flame_names_init(&w.names, picture->text->folded->frames.count, err);
    if (status == HF_OK) {
        put_opening(&w);
        flame_svg_put_head(&w);
        status = flame_svg_put_body(&w, err);
    }
    /* A name that could not be put together is missing in its box: the file is not whole. */
    if (status == HF_OK &&
        (w.colors.has_failed || w.name.error.status != HF_OK || w.scratch.error.status != HF_OK ||
            w.names.texts.error.status != HF_OK || w.colors.woken.error.status != HF_OK))
        status = hf_error_memory(err);
    hf_budget_free(w.stack);
    hf_flame_colors_done(&w.colors);
    hf_flame_names_done(&w.names);
    hf_out_done(&w.name);
    hf_out_done(&w.scratch);
    return status;
}
