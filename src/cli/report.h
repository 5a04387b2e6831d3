/*
 * report.h: the reports of a view, for the commands that end in one: folded stacks, table, flame
 * graph, call graph.
 *
 * All these commands have one options struct, so that they share their option tables.
 */
#ifndef HF_CLI_REPORT_H
#define HF_CLI_REPORT_H

#include "cli/view_options.h"
#include "render/flame/flame.h"
#include "render/table/top.h"

struct hf_process_history; /* answer/history/process_history.h */

struct hf_table_options {
    uint64_t rows;    /* 0: all */
    uint64_t columns; /* of the window; 0: any */
    bool is_cumulative, is_json, is_jeprof;
    bool is_leak_first;             /* of a process that is shown again and again */
    hf_top_find_held_fn *find_held; /* as in struct hf_top_options, as the next */
    void *holder;
    size_t max_lines;
    int blocks;                   /* enum hf_row_blocks_kind */
    const char *thread;           /* jeprof's layout says which it shows; NULL: all */
    enum hf_granularity rows_are; /* set by hf_report_table */
};

struct hf_graph_limits {
    uint64_t node_count, max_degree;
    double node_fraction, edge_fraction;
    bool is_jeprof, is_heapcheck;
    const char *title; /* set by hf_report_graph */
};

/* Only what was asked for; the rest is the renderer's default. */
struct hf_picture_options {
    const char *title, *subtitle, *notes, *colors, *bgcolors, *min_width, *font_type, *count_name,
        *name_type;
    uint64_t width, height, total;
    double font_size, font_width, factor;
    bool is_inverted, is_reversed, by_hash, at_random, is_negated;
    uint64_t source_places; /* of a page (render/page/page_sources.h) */
    struct hf_name_list source_folders;
    bool disassembles; /* render/page/page_code.h */
    bool is_classic;   /* as flamegraph.pl draws */
};

struct hf_report_options {
    struct hf_view_options view;
    struct hf_picture_options picture;
    struct hf_graph_limits limits;
    struct hf_table_options table;
    struct hf_regex *list_pattern; /* set by hf_report_listing */
    struct hf_growth *growth;      /* of the history that ends with what is shown; NULL: none */
    const char **sources;          /* names to be shown of what is read; set by hf_report_picture */
    size_t source_count;
    const char *picture_format; /* "svg", "html"; NULL: by the ending of view.output */
    struct hf_out *screen; /* the report goes there, with its first note; NULL: to view.output */
};

/* Option tables over it; those over its view are in view.h. */
extern const struct hf_option hf_output_options[];       /* -o */
extern const struct hf_option hf_table_options[];        /* --rows, --cum, --show_bytes, --json */
extern const struct hf_option hf_bytes_options[];        /* --show_bytes */
extern const struct hf_option hf_picture_options[];      /* flamegraph.pl's */
extern const struct hf_option hf_source_options[];       /* --source, --source-dir */
extern const struct hf_option hf_size_options[];         /* --classic, --width, --fontsize ... */
extern const struct hf_option hf_classic_size_options[]; /* flamegraph.pl's */
extern const struct hf_option hf_graph_options[];        /* --nodecount ... */

/* Defaults that are not zero: jeprof's limits of a graph. */
void hf_report_defaults(void *options);

/*
 * Each makes the view of `profiles` and writes it to options->view.output (standard output if
 * NULL). A function's row of the table shows its heaviest line, so the view is folded by line for
 * it. The picture refuses to flood a terminal. The graph is DOT, or SVG through Graphviz's dot;
 * `title` is the program or profile.
 */
HF_MUST_CHECK enum hf_status hf_report_folded(struct hf_report_options *options,
    const char *const *profiles, size_t count, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_report_table(struct hf_report_options *options,
    const char *const *profiles, size_t count, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_report_picture(struct hf_report_options *options,
    const char *const *profiles, size_t count, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_report_graph(struct hf_report_options *options,
    const char *const *profiles, size_t count, const char *title, bool is_svg,
    struct hf_error *err);

/*
 * The table of the last profile of a process (process->last), with how its rows changed if there
 * are at least `points_min` points. Notes on all of its profiles become notes on the last one.
 */
HF_MUST_CHECK enum hf_status hf_report_last_table(struct hf_report_options *options,
    struct hf_process_history *process, size_t points_min, struct hf_error *err);

/*
 * jeprof's --list: the source of the functions that `pattern` matches; and --raw: the whole profile
 * as heap_v2 with names, which frees it.
 */
HF_MUST_CHECK enum hf_status hf_report_listing(struct hf_report_options *options,
    const char *const *profiles, size_t count, const char *pattern, struct hf_error *err);
HF_MUST_CHECK enum hf_status hf_report_raw(
    struct hf_report_options *options, struct hf_profile *profile, struct hf_error *err);

/* The renderer's options for those of the command line. */
HF_MUST_CHECK enum hf_status hf_report_flame_options(const struct hf_picture_options *picture,
    struct hf_flame_options *out_flame, struct hf_error *err);

/* True if `path` (may be NULL) ends in `ending`. */
bool hf_report_ends(const char *path, const char *ending);

#endif
