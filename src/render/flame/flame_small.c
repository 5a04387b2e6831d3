#include "render/flame/flame_small.h"

#include "base/budget.h"
#include <stdlib.h>

#define SHADES 64             /* two bits of each channel */
#define GAP_TENTHS INT64_C(5) /* narrower gaps are closed */

/* The line of one shade in the row at hand. */
struct flame_small_line {
    struct hf_out path;
    struct hf_color color; /* of its first frame */
    int64_t from, to;      /* the last piece, which may still grow; tenths of a pixel */
    int64_t pen;           /* where the piece before ends */
};

struct flame_small_writer {
    const struct hf_flame_picture *picture;
    struct hf_flame_colors *colors;
    struct hf_out *out;
    struct flame_small_line lines[SHADES];
    double center; /* of the row, px */
    bool has_failed;
};

static unsigned shade_of(struct hf_color color)
{
    return (unsigned)(color.red >> 6 << 4 | color.green >> 6 << 2 | color.blue >> 6);
}

static void flame_small_put_number(struct hf_out *out, int64_t value)
{
    if (value < 0)
        hf_out_char(out, '-');
    hf_out_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

static void end_piece(struct flame_small_writer *w, struct flame_small_line *line)
{
    bool is_first = line->path.size == 0;
    hf_out_char(&line->path, is_first ? 'M' : 'm');
    flame_small_put_number(&line->path, is_first ? line->from : line->from - line->pen);
    if (is_first)
        hf_out_printf(&line->path, " %.0fh", w->center * 10);
    else
        hf_out_string(&line->path, " 0h");
    flame_small_put_number(&line->path, line->to - line->from);
    line->pen = line->to;
}

static void end_row(struct flame_small_writer *w)
{
    for (size_t i = 0; i < SHADES; i++) {
        struct flame_small_line *line = &w->lines[i];
        if (line->to == 0)
            continue;
        end_piece(w, line);
        hf_out_printf(w->out, "<path stroke=\"rgb(%u,%u,%u)\" d=\"", line->color.red,
            line->color.green, line->color.blue);
        hf_out_text(w->out, hf_out_view(&line->path));
        hf_out_string(w->out, "\"/>\n");
        w->has_failed |= line->path.error.status != HF_OK;
        line->path.size = 0;
        line->to = 0;
    }
}

static struct hf_color flame_small_color_of(struct flame_small_writer *w, uint32_t node)
{
    const struct hf_total *sums = &w->picture->tree->sums[node];
    if (!w->colors->is_difference) /* or with a colour of its own for each node */
        return hf_flame_color_of_node(w->colors, node);
    return hf_flame_color_of_change(
        w->colors, sums->value >= sums->released, hf_flame_color_name(w->picture->tree, node));
}

static void flame_small_add_frame(struct flame_small_writer *w, uint32_t node)
{
    const struct hf_flame_tree *tree = w->picture->tree;
    struct hf_color color = flame_small_color_of(w, node);
    struct hf_flame_box box =
        hf_flame_layout_box(w->picture->layout, w->picture->options, tree->start[node],
            hf_flame_layout_width(w->picture->layout, tree, node), tree->depth[node]);
    struct flame_small_line *line = &w->lines[shade_of(color)];
    if (box.width == 0)
        return;
    if (line->to != 0 && box.left - line->to < GAP_TENTHS) {
        line->to = box.left + box.width;
        return;
    }
    if (line->to != 0)
        end_piece(w, line);
    else
        line->color = color;
    w->center = box.top + (w->picture->options->frame_height_px - 1) / 2.0;
    line->from = box.left;
    line->to = box.left + box.width;
}

/* Level by level, each from left to right. */
static void put_levels(struct flame_small_writer *w, uint32_t *queue)
{
    const struct hf_flame_tree *tree = w->picture->tree;
    const uint8_t *drawn = w->picture->layout->drawn;
    size_t end = 0;
    uint32_t depth = 0;
    queue[end++] = HF_STACK_ROOT;
    for (size_t at = 0; at < end; at++) {
        uint32_t node = queue[at];
        if (tree->depth[node] != depth) {
            end_row(w);
            depth = tree->depth[node];
        }
        if (drawn[node] == HF_FLAME_WITH_OTHERS &&
            hf_flame_rows_has(&w->picture->layout->rows, tree->depth[node]))
            flame_small_add_frame(w, node);
        for (size_t i = tree->order.first_children[node]; i < tree->order.first_children[node + 1];
             i++) {
            if (drawn[tree->order.children[i]] != HF_FLAME_NOT_DRAWN)
                queue[end++] = tree->order.children[i];
        }
    }
    end_row(w);
}

enum hf_status hf_flame_put_small(const struct hf_flame_picture *picture,
    struct hf_flame_colors *colors, struct hf_out *out, struct hf_error *err)
{
    struct flame_small_writer w = {.picture = picture, .colors = colors, .out = out};
    if (picture->layout->together_count == 0)
        return HF_OK;
    uint32_t *queue = hf_budget_calloc(picture->tree->count, sizeof *queue);
    if (queue == NULL)
        return hf_error_memory(err);
    hf_out_printf(out,
        "<g id=\"small\" transform=\"scale(.1)\" stroke-width=\"%u\" fill=\"none\">\n",
        (picture->options->frame_height_px - 1) * 10);
    put_levels(&w, queue);
    hf_out_string(out, "</g>\n");
    hf_budget_free(queue);
    for (size_t i = 0; i < SHADES; i++)
        hf_out_done(&w.lines[i].path);
    return w.has_failed ? hf_error_memory(err) : HF_OK;
}
