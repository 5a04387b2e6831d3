/*
 * report.h: the three reports of a view, for the commands that end in one: table, graph, picture.
 */
#ifndef HF_CLI_REPORT_H
#define HF_CLI_REPORT_H

#include "cli/view.h"

struct hf_table_options {
    uint64_t rows; /* 0: all */
    bool is_cumulative, is_json, is_jeprof;
};

struct hf_graph_limits {
    uint64_t node_count, max_degree;
    double node_fraction, edge_fraction;
    bool is_jeprof;
};

/* Only what was asked for; the rest is the renderer's default. */
struct hf_picture_options {
    const char *title, *subtitle, *notes, *colors, *bgcolors, *min_width, *font_type, *count_name,
        *name_type;
    uint64_t width, height, total;
    double font_size, font_width, factor;
    bool is_inverted, is_reversed, by_hash, at_random, is_negated;
};

/* For top, a function's row shows its heaviest line: the view must be folded by line then. */
void hf_report_fold_for_table(struct hf_view_options *options);

/* Each writes to options->output (standard output if NULL). */
HF_MUST_CHECK enum hf_status hf_report_table(const struct hf_view *view,
    const struct hf_view_options *options, enum hf_granularity rows,
    const struct hf_table_options *table, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_report_picture(const struct hf_view *view,
    const struct hf_view_options *options, const struct hf_picture_options *picture,
    struct hf_error *err);

/* As DOT, or as SVG through Graphviz's dot. `title`: program or profile. */
HF_MUST_CHECK enum hf_status hf_report_graph(const struct hf_view *view,
    const struct hf_view_options *options, const struct hf_graph_limits *limits, const char *title,
    bool is_svg, struct hf_error *err);

/* True if `path` (may be NULL) ends in `ending`. */
bool hf_report_ends(const char *path, const char *ending);

#endif
