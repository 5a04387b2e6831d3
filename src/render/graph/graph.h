/*
 * graph.h: the call graph, as text for Graphviz (DOT).
 *
 * A box is a function (line, file, address), an arrow a call:
 *
 *     N5 [label="process_leak\n150.0 MiB (59.9%)\r",shape=box,fontsize=46.7];
 *     N4 -> N5 [label="100.0 MiB",weight=100000,penwidth=1.50];
 *
 * "flat (p%)", then "of cum (p%)" where they differ; the letters grow with flat, the arrows with
 * what passed through. What is left out follows jeprof's rules and options:
 *   - boxes: the `node_count` with the largest cum, less those of at most `node_fraction` of the
 *     total;
 *   - arrows, from the heaviest down: the first one into a box always stays, so that every box can
 *     be reached; others go if they are at most `edge_fraction` of the total, or if a box already
 *     has `max_degree` arrows on that side.
 *
 * In a difference amounts are signed, growth is orange and release blue, size and rank follow what
 * moved in either direction, and percentages are of all growth or of all release, as in top.h.
 *
 * Names are escaped; there are no links in the text. Equal profiles give equal bytes.
 */
#ifndef HF_RENDER_GRAPH_H
#define HF_RENDER_GRAPH_H

#include "base/strings/out.h"
#include "profile/fold.h"
#include "profile/profile.h"

struct hf_graph_options {
    size_t type;                     /* index of the value type shown */
    enum hf_granularity granularity; /* what a box is */
    struct hf_text title;            /* program or profiles; raw, escaped here */
    bool is_exact;                   /* whole bytes instead of KiB, MiB, ... */
    bool is_jeprof;                  /* jeprof's numbers: MB without unit */
    bool is_heapcheck;               /* mark boxes with a flat of their own */
    size_t node_count;
    double node_fraction; /* 0 .. 1 */
    double edge_fraction; /* 0 .. 1 */
    size_t max_degree;
    struct hf_total whole; /* the sum before filters; 0, 0: there were none */
};

/* jeprof's defaults: 80 boxes, .005, .001, 8 arrows; everything else 0. */
struct hf_graph_options hf_graph_defaults(void);

/*
 * Writes the graph of a folded profile or difference. One without values is a graph with only the
 * legend. HF_ERR_MEMORY only; failures of `out` are latched there.
 */
HF_MUST_CHECK enum hf_status hf_graph_dot(const struct hf_profile *folded,
    const struct hf_graph_options *options, struct hf_out *out, struct hf_error *err);

#endif
