#include "cli/report.h"

#include "base/num.h"
#include "cli/load.h"
#include "os/process.h"
#include "render/flame.h"
#include "render/graph.h"
#include "render/top.h"

#include <unistd.h>

bool hf_report_ends(const char *path, const char *ending)
{
    return path != NULL && hf_text_ends(hf_text_of(path), ending);
}

void hf_report_fold_for_table(struct hf_view_options *options)
{
    if (options->granularity == HF_BY_FUNCTION)
        options->granularity = HF_BY_LINE;
}

enum hf_status hf_report_table(const struct hf_view *view, const struct hf_view_options *options,
    enum hf_granularity rows, const struct hf_table_options *table, struct hf_error *err)
{
    struct hf_top_options top = {
        .type = view->type,
        .granularity = rows,
        .max_rows = (size_t)table->rows,
        .is_cumulative = table->is_cumulative,
        .is_exact = options->show_bytes,
        .is_jeprof = table->is_jeprof,
        /* What leaks is what was asked for: it leads even where more was released. */
        .is_growth_first = true,
        .base_total = view->base_total,
        .current_total = view->current_total,
        .whole = view->whole,
    };
    struct hf_output output;
    enum hf_status status = hf_output_open(&output, options->output, err);
    if (status != HF_OK)
        return status;
    status = table->is_json ? hf_top_json(view->folded, &top, &output.out, err)
                            : hf_top_text(view->folded, &top, &output.out, err);
    return hf_output_close(&output, status, err);
}

/* "0.1" pixels or "0.5%" of the total. */
static enum hf_status parse_min_width(
    const char *text, struct hf_flame_options *flame, struct hf_error *err)
{
    struct hf_text number = hf_text_of(text);
    flame->min_width_is_percent = hf_text_ends(number, "%");
    if (flame->min_width_is_percent)
        number.size--;
    if (!hf_num_real(number, &flame->min_width))
        return hf_error_set(err, HF_ERR_USAGE,
            "--minwidth: expected pixels ('0.1') or a share ('0.5%%'), found '%s'", text);
    return HF_OK;
}

static enum hf_status flame_options(struct hf_flame_options *flame, const struct hf_view *view,
    const struct hf_picture_options *p, struct hf_error *err)
{
    hf_flame_options_init(flame);
    flame->title = p->title;
    flame->subtitle = p->subtitle;
    flame->notes = p->notes;
    flame->bgcolors = p->bgcolors;
    flame->count_name = p->count_name;
    flame->is_inverted = p->is_inverted;
    flame->is_reversed = p->is_reversed;
    flame->colors_by_hash = p->by_hash;
    flame->colors_at_random = p->at_random;
    flame->is_negated = p->is_negated;
    flame->type = view->type;
    flame->total = p->total;
    flame->has_totals = view->has_totals;
    flame->base_total = view->base_total;
    flame->current_total = view->current_total;
    if (p->colors != NULL)
        flame->colors = p->colors;
    if (p->font_type != NULL)
        flame->font_type = p->font_type;
    if (p->name_type != NULL)
        flame->name_type = p->name_type;
    /* Out of range in either type is refused by the renderer, by the option's name. */
    if (p->width != 0)
        flame->width_px = p->width <= UINT32_MAX ? (unsigned)p->width : UINT32_MAX;
    if (p->height != 0)
        flame->frame_height_px = p->height <= UINT32_MAX ? (unsigned)p->height : UINT32_MAX;
    if (p->font_size > 0)
        flame->font_size_px = p->font_size;
    if (p->font_width > 0)
        flame->font_width = p->font_width;
    if (p->factor > 0)
        flame->factor = p->factor;
    return p->min_width != NULL ? parse_min_width(p->min_width, flame, err) : HF_OK;
}

enum hf_status hf_report_picture(const struct hf_view *view, const struct hf_view_options *options,
    const struct hf_picture_options *picture, struct hf_error *err)
{
    struct hf_flame_options flame;
    enum hf_status status = flame_options(&flame, view, picture, err);
    if (status != HF_OK)
        return status;
    if (options->output == NULL && isatty(STDOUT_FILENO))
        return hf_error_set(err, HF_ERR_USAGE,
            "the picture would flood the terminal: say where it goes, as -o leak.svg");
    struct hf_output output;
    status = hf_output_open(&output, options->output, err);
    if (status != HF_OK)
        return status;
    status = hf_flame_svg(view->folded, &flame, &output.out, err);
    return hf_output_close(&output, status, err);
}

static enum hf_status draw_with_dot(struct hf_text dot_text, const char *path, struct hf_error *err)
{
    static const char *const dot[] = {"dot", "-Tsvg", NULL};
    struct hf_file_writer writer;
    enum hf_status status = hf_file_writer_open(&writer, path != NULL ? path : "-", err);
    if (status != HF_OK)
        return status;
    status = hf_process_run(dot, dot_text, writer.fd, err);
    if (status != HF_OK)
        hf_error_context(err,
            "drawing the graph needs Graphviz (package graphviz); without it write DOT, as -o "
            "graph.dot");
    else
        status = hf_file_writer_commit(&writer, err);
    hf_file_writer_close(&writer);
    return status;
}

enum hf_status hf_report_graph(const struct hf_view *view, const struct hf_view_options *options,
    const struct hf_graph_limits *limits, const char *title, bool is_svg, struct hf_error *err)
{
    struct hf_graph_options graph = hf_graph_defaults();
    graph.type = view->type;
    graph.granularity = (enum hf_granularity)options->granularity;
    graph.title = hf_text_basename(hf_text_of(title));
    /* "http://user:password@host:4000": the picture is for others to see. */
    if (hf_load_is_url(title) && hf_text_find_last(graph.title, '@') != graph.title.size)
        graph.title = hf_text_from(graph.title, hf_text_find_last(graph.title, '@') + 1);
    graph.is_exact = options->show_bytes;
    graph.is_jeprof = limits->is_jeprof;
    graph.node_count = (size_t)limits->node_count;
    graph.node_fraction = limits->node_fraction;
    graph.edge_fraction = limits->edge_fraction;
    graph.max_degree = (size_t)limits->max_degree;
    graph.whole = view->whole;
    if (!is_svg) {
        struct hf_output output;
        enum hf_status status = hf_output_open(&output, options->output, err);
        if (status != HF_OK)
            return status;
        status = hf_graph_dot(view->folded, &graph, &output.out, err);
        return hf_output_close(&output, status, err);
    }
    struct hf_out dot_text = {0};
    enum hf_status status = hf_graph_dot(view->folded, &graph, &dot_text, err);
    if (status == HF_OK)
        status = hf_out_finish(&dot_text, err);
    if (status == HF_OK)
        status = draw_with_dot(hf_out_view(&dot_text), options->output, err);
    hf_out_done(&dot_text);
    return status;
}
