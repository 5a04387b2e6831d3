#include "render/graph/graph_prune.h"

#include "base/budget.h"
#include "base/checked.h"

#include <stdlib.h>

#define NOT_SHOWN SIZE_MAX

uint64_t hf_total_activity(struct hf_total total)
{
    bool saturated = false;
    return hf_add_saturating(total.value, total.released, &saturated);
}

/* The largest integer that is not above fraction * total: integers are compared from here on. */
static uint64_t limit_of(double fraction, uint64_t total)
{
    double limit = fraction * (double)total;
    if (!(limit > 0))
        return 0;
    return limit < 0x1p64 ? (uint64_t)limit : UINT64_MAX;
}

static enum hf_status graph_prune_label_of(struct hf_graph *graph, const struct hf_profile *folded,
    struct hf_graph_node *node, bool is_function, struct hf_error *err)
{
    if (node->entry->frame == HF_TALLY_NONE) {
        node->label = HF_TEXT(HF_NO_STACK);
        return HF_OK;
    }
    const struct hf_frame *frame = hf_profile_frame_at(folded, node->entry->frame);
    bool is_marked = (frame->flags & HF_FRAME_TWINS) != 0;
    if (is_function && frame->name != HF_NO_STRING && !is_marked) {
        node->label = hf_profile_text(folded, frame->name);
        return HF_OK;
    }
    struct hf_out label = {0};
    if (is_function && frame->name != HF_NO_STRING)
        hf_frame_name(folded, frame, &label);
    else
        hf_frame_label(folded, frame, &label);
    enum hf_status status = hf_out_finish(&label, err);
    if (status == HF_OK) {
        char *copy = hf_arena_copy(&graph->labels, label.data, label.size);
        node->label = (struct hf_text){copy, label.size};
        status = copy != NULL ? HF_OK : hf_error_memory(err);
    }
    hf_out_done(&label);
    return status;
}

static int graph_prune_compare_sizes(struct hf_total a, struct hf_total b)
{
    uint64_t x = hf_total_activity(a), y = hf_total_activity(b);
    return (x < y) - (x > y);
}

static int graph_prune_compare_nodes(const void *left, const void *right)
{
    const struct hf_graph_node *a = left, *b = right;
    int order = graph_prune_compare_sizes(a->entry->cum, b->entry->cum);
    if (order == 0)
        order = hf_text_compare(a->label, b->label);
    return order != 0 ? order : graph_prune_compare_sizes(a->entry->flat, b->entry->flat);
}

static int compare_edges(const void *left, const void *right)
{
    const struct hf_graph_edge *a = left, *b = right;
    int order = graph_prune_compare_sizes(a->weight, b->weight);
    if (order == 0)
        order = (a->caller > b->caller) - (a->caller < b->caller);
    return order != 0 ? order : (a->callee > b->callee) - (a->callee < b->callee);
}

static enum hf_status choose_nodes(struct hf_graph *graph, const struct hf_profile *folded,
    const struct hf_graph_options *options, struct hf_error *err)
{
    graph->nodes = hf_budget_calloc(graph->tally.entry_count + 1, sizeof *graph->nodes);
    if (graph->nodes == NULL)
        return hf_error_memory(err);
    bool is_function = options->granularity == HF_BY_FUNCTION;
    for (size_t i = 0; i < graph->tally.entry_count; i++) {
        const struct hf_tally_entry *entry = &graph->tally.entries[i];
        if (hf_total_activity(entry->cum) <= graph->node_limit)
            continue;
        struct hf_graph_node *node = &graph->nodes[graph->node_count++];
        node->entry = entry;
        enum hf_status status = graph_prune_label_of(graph, folded, node, is_function, err);
        if (status != HF_OK)
            return status;
    }
    qsort(graph->nodes, graph->node_count, sizeof *graph->nodes, graph_prune_compare_nodes);
    if (graph->node_count > options->node_count)
        graph->node_count = options->node_count;
    return HF_OK;
}

/* Takes the edges between shown nodes, heaviest first. */
static enum hf_status collect_edges(struct hf_graph *graph, struct hf_error *err)
{
    const struct hf_tally *tally = &graph->tally;
    size_t *node_of_entry = hf_budget_calloc(tally->entry_count + 1, sizeof *node_of_entry);
    graph->edges = hf_budget_calloc(tally->edge_count + 1, sizeof *graph->edges);
    if (node_of_entry == NULL || graph->edges == NULL) {
        hf_budget_free(node_of_entry);
        return hf_error_memory(err);
    }
    for (size_t i = 0; i < tally->entry_count; i++)
        node_of_entry[i] = NOT_SHOWN;
    for (size_t i = 0; i < graph->node_count; i++)
        node_of_entry[graph->nodes[i].entry - tally->entries] = i;
    for (size_t i = 0; i < tally->edge_count; i++) {
        const struct hf_tally_edge *edge = &tally->edges[i];
        size_t caller = node_of_entry[edge->caller], callee = node_of_entry[edge->callee];
        if (caller != NOT_SHOWN && callee != NOT_SHOWN)
            graph->edges[graph->edge_count++] =
                (struct hf_graph_edge){caller, callee, edge->weight};
    }
    hf_budget_free(node_of_entry);
    qsort(graph->edges, graph->edge_count, sizeof *graph->edges, compare_edges);
    return HF_OK;
}

static enum hf_status choose_edges(
    struct hf_graph *graph, const struct hf_graph_options *options, struct hf_error *err)
{
    enum hf_status status = collect_edges(graph, err);
    if (status != HF_OK)
        return status;
    struct degree {
        size_t in, out;
    } *degrees = hf_budget_calloc(graph->node_count + 1, sizeof *degrees);
    if (degrees == NULL)
        return hf_error_memory(err);
    size_t kept = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        const struct hf_graph_edge *edge = &graph->edges[i];
        size_t *in = &degrees[edge->callee].in, *out = &degrees[edge->caller].out;
        bool is_light = hf_total_activity(edge->weight) <= graph->edge_limit;
        bool is_crowded = *in >= options->max_degree || *out >= options->max_degree;
        if (*in != 0 && (is_light || is_crowded))
            continue;
        ++*in;
        ++*out;
        graph->edges[kept++] = *edge;
    }
    graph->edge_count = kept;
    hf_budget_free(degrees);
    return HF_OK;
}

enum hf_status hf_graph_init(struct hf_graph *graph, const struct hf_profile *folded,
    const struct hf_graph_options *options, struct hf_error *err)
{
    *graph = (struct hf_graph){0};
    struct hf_tally_options counted = {
        .type = options->type,
        .by_name = options->granularity == HF_BY_FUNCTION,
        .with_edges = true,
    };
    enum hf_status status = hf_tally_init(&graph->tally, folded, &counted, err);
    if (status != HF_OK)
        return status;
    uint64_t total = hf_total_activity(graph->tally.total);
    graph->node_limit = limit_of(options->node_fraction, total);
    graph->edge_limit = limit_of(options->edge_fraction, total);
    status = choose_nodes(graph, folded, options, err);
    if (status == HF_OK)
        status = choose_edges(graph, options, err);
    return status;
}

void hf_graph_done(struct hf_graph *graph)
{
    hf_budget_free(graph->nodes);
    hf_budget_free(graph->edges);
    hf_tally_done(&graph->tally);
    hf_arena_done(&graph->labels);
    *graph = (struct hf_graph){0};
}
