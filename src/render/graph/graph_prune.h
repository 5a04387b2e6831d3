/*
 * graph_prune.h: which boxes and arrows of a call graph are worth drawing (the rules of graph.h).
 */
#ifndef HF_RENDER_GRAPH_PRUNE_H
#define HF_RENDER_GRAPH_PRUNE_H

#include "base/containers/arena.h"
#include "render/graph/graph.h"
#include "render/tally.h"

struct hf_graph_node {
    const struct hf_tally_entry *entry;
    struct hf_text label; /* raw: what ties are broken by */
};

struct hf_graph_edge {
    size_t caller, callee; /* indices of nodes */
    struct hf_total weight;
};

struct hf_graph {
    struct hf_graph_node *nodes; /* largest first */
    size_t node_count;
    struct hf_graph_edge *edges; /* heaviest first */
    size_t edge_count;
    uint64_t node_limit, edge_limit; /* what is at most this much is left out */
    struct hf_tally tally;
    struct hf_arena labels;
};

/* What moved in either direction: the size of things in a graph. */
uint64_t hf_total_activity(struct hf_total total);

/* Counts and chooses. Free with hf_graph_done, also after an error. */
HF_MUST_CHECK enum hf_status hf_graph_init(struct hf_graph *graph, const struct hf_profile *folded,
    const struct hf_graph_options *options, struct hf_error *err);
void hf_graph_done(struct hf_graph *graph);

#endif
