#include "render/graph/graph.h"

#include "base/plural.h"
#include "base/strings/escape.h"
#include "base/strings/units.h"
#include "render/amount.h"
#include "render/graph/graph_label.h"
#include "render/graph/graph_prune.h"

#include <math.h>

#define FONT_SIZE_LEAST 8.0
#define FONT_SIZE_RANGE 50.0
#define PEN_WIDTH_LEAST 0.5
#define PEN_WIDTH_RANGE 2.5
#define EDGE_WEIGHT_MAX 100000.0 /* Graphviz becomes slow with larger ones */

struct drawing {
    const struct hf_profile *profile;
    const struct hf_graph_options *options;
    const struct hf_graph *graph;
    struct hf_amount_style style;
    struct hf_out *out;
};

struct hf_graph_options hf_graph_defaults(void)
{
    return (struct hf_graph_options){
        .node_count = 80, .node_fraction = .005, .edge_fraction = .001, .max_degree = 8};
}

/* Share of the whole picture, 0 to 1. */
static double graph_weight_of(const struct drawing *d, uint64_t value)
{
    return hf_units_percent(value, hf_total_activity(d->graph->tally.total)) / 100;
}

/* Of a plain profile the share of the total; of a difference that of all growth or all release. */
static double graph_percent_of(const struct drawing *d, struct hf_total value)
{
    struct hf_total total = d->graph->tally.total;
    bool is_growth = value.value >= value.released;
    return hf_units_percent(hf_total_distance(value), is_growth ? total.value : total.released);
}

static const char *amount_of(const struct drawing *d, struct hf_total value, char *out)
{
    return d->profile->is_difference ? hf_amount_net(d->style, value, out)
                                     : hf_amount(d->style, value.value, out);
}

/* Orange for growth, blue for release, stronger the larger the share. */
static const char *graph_color_of(const struct drawing *d, struct hf_total value)
{
    static const char *const growth[] = {"#fee6ce", "#fdae6b", "#f16913"};
    static const char *const release[] = {"#deebf7", "#9ecae1", "#4292c6"};
    if (value.value == value.released)
        return "#f7f7f7";
    double percent = graph_percent_of(d, value);
    size_t strength = percent >= 50 ? 2 : percent >= 10 ? 1 : 0;
    return value.value > value.released ? growth[strength] : release[strength];
}

static void graph_put_node(const struct drawing *d, size_t index)
{
    const struct hf_graph_node *node = &d->graph->nodes[index];
    struct hf_total flat = node->entry->flat, cum = node->entry->cum;
    bool is_difference = d->profile->is_difference;
    char text[HF_AMOUNT_MAX];
    hf_out_printf(d->out, "N%zu [label=\"", index + 1);
    hf_graph_label(node->label, d->out);
    hf_out_printf(d->out, "%s (%.1f%%)\\r", amount_of(d, flat, text), graph_percent_of(d, flat));
    if (flat.value != cum.value || flat.released != cum.released)
        hf_out_printf(
            d->out, "of %s (%.1f%%)\\r", amount_of(d, cum, text), graph_percent_of(d, cum));
    if (cum.value != 0 && cum.released != 0) {
        char released[HF_AMOUNT_MAX];
        hf_out_printf(d->out, "grew %s, released %s\\r", hf_amount(d->style, cum.value, text),
            hf_amount(d->style, cum.released, released));
    }
    double share = graph_weight_of(d, is_difference ? hf_total_distance(flat) : flat.value);
    hf_out_printf(
        d->out, "\",shape=box,fontsize=%.1f", FONT_SIZE_LEAST + FONT_SIZE_RANGE * sqrt(share));
    if (is_difference)
        hf_out_printf(d->out, ",style=filled,fillcolor=\"%s\"",
            graph_color_of(d, hf_total_is_zero(flat) ? cum : flat));
    else if (d->options->is_heapcheck && flat.value != 0)
        hf_out_string(d->out, ",style=filled,fillcolor=gray");
    hf_out_string(d->out, "];\n");
}

static void graph_put_edge(const struct drawing *d, const struct hf_graph_edge *edge)
{
    uint64_t size = hf_total_activity(edge->weight);
    char text[HF_AMOUNT_MAX];
    /* jeprof's pull: an edge that carries more keeps its ends closer together. */
    double pull = fmin(pow((double)size, 0.7), EDGE_WEIGHT_MAX);
    hf_out_printf(d->out, "N%zu -> N%zu [label=\"%s\",weight=%u,penwidth=%.2f", edge->caller + 1,
        edge->callee + 1, amount_of(d, edge->weight, text), (unsigned)pull,
        PEN_WIDTH_LEAST + PEN_WIDTH_RANGE * graph_weight_of(d, size));
    if (d->profile->is_difference) {
        const char *color = "#777777";
        if (edge->weight.value != edge->weight.released)
            color = edge->weight.value > edge->weight.released ? "#b35806" : "#2166ac";
        hf_out_printf(d->out, ",color=\"%s\",fontcolor=\"%s\"", color, color);
    }
    hf_out_string(d->out, "];\n");
}

/* "Total MB: 250.5" as jeprof, "Total: 250.5 MiB" for everyone else. */
static void put_legend_amount(const struct drawing *d, const char *what, const char *amount)
{
    if (d->options->is_jeprof)
        hf_out_printf(d->out, "%s %s: %s\\l", what, hf_amount_unit(d->style), amount);
    else
        hf_out_printf(d->out, "%s: %s\\l", what, amount);
}

static void graph_put_legend(const struct drawing *d)
{
    struct hf_total total = d->graph->tally.total;
    bool is_filtered = !hf_total_is_zero(d->options->whole);
    char text[HF_AMOUNT_MAX];
    const char *unit = d->options->is_jeprof ? hf_amount_unit(d->style) : "";
    const char *space = d->options->is_jeprof ? " " : "";
    hf_out_string(d->out, "Legend [shape=box,fontsize=24,shape=plaintext,label=\"");
    if (d->options->title.size != 0) {
        hf_escape_dot(d->out, d->options->title);
        hf_out_string(d->out, "\\l");
    }
    put_legend_amount(d, "Total", amount_of(d, is_filtered ? d->options->whole : total, text));
    if (is_filtered || d->options->is_jeprof)
        hf_out_printf(d->out, "Focusing on: %s\\l", amount_of(d, total, text));
    if (d->profile->is_difference) {
        hf_out_printf(d->out, "Grew (orange): %s\\l", hf_amount(d->style, total.value, text));
        hf_out_printf(d->out, "Released (blue): %s\\l", hf_amount(d->style, total.released, text));
    }
    hf_out_printf(d->out, "Dropped nodes with <= %s%s%s\\l",
        hf_amount(d->style, d->graph->node_limit, text), space, unit);
    hf_out_printf(d->out, "Dropped edges with <= %s%s%s\\l",
        hf_amount(d->style, d->graph->edge_limit, text), space, unit);
    if (d->graph->node_count < d->graph->tally.entry_count)
        hf_out_printf(d->out, "Showing %zu of %zu %s\\l", d->graph->node_count,
            d->graph->tally.entry_count, hf_plural(d->graph->tally.entry_count, "node", "nodes"));
    hf_out_string(d->out, "\"];\n");
}

static void graph_draw(const struct drawing *d)
{
    struct hf_total total = d->graph->tally.total;
    bool is_filtered = !hf_total_is_zero(d->options->whole);
    char text[HF_AMOUNT_MAX];
    hf_out_string(d->out, "digraph \"");
    if (d->options->title.size != 0) {
        hf_escape_dot(d->out, d->options->title);
        hf_out_string(d->out, "; ");
    }
    hf_out_string(d->out, amount_of(d, is_filtered ? d->options->whole : total, text));
    if (d->options->is_jeprof)
        hf_out_printf(d->out, " %s", hf_amount_unit(d->style));
    hf_out_string(d->out, "\" {\nnode [width=0.375,height=0.25];\n");
    graph_put_legend(d);
    for (size_t i = 0; i < d->graph->node_count; i++)
        graph_put_node(d, i);
    for (size_t i = 0; i < d->graph->edge_count; i++)
        graph_put_edge(d, &d->graph->edges[i]);
    hf_out_string(d->out, "}\n");
}

enum hf_status hf_graph_dot(const struct hf_profile *folded, const struct hf_graph_options *options,
    struct hf_out *out, struct hf_error *err)
{
    struct hf_graph graph;
    enum hf_status status = hf_graph_init(&graph, folded, options, err);
    if (status == HF_OK) {
        struct drawing drawing = {
            .profile = folded,
            .options = options,
            .graph = &graph,
            .style = hf_amount_style(folded, options->type, options->is_exact, options->is_jeprof),
            .out = out,
        };
        graph_draw(&drawing);
    }
    hf_graph_done(&graph);
    return status;
}
