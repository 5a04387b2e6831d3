/*
 * tables.c: the option tables that the reporting commands share.
 */
#include "cli/report.h"
#include "render/palette.h"

#define VIEW(field) offsetof(struct hf_view_options, field)
#define INPUT(field) VIEW(request.input.field)
#define TIMES(field) VIEW(request.times.field)
#define NAMES(field) VIEW(request.names.field)
#define FOLD(field) VIEW(request.fold.field)
#define COMPARISON(field) VIEW(request.comparison.field)
#define PICTURE(field) offsetof(struct hf_report_options, picture.field)
#define TABLE(field) offsetof(struct hf_report_options, table.field)
#define GRAPH(field) offsetof(struct hf_report_options, limits.field)

const struct hf_option hf_binary_options[] = {
    {"exe", 'e', HF_OPTION_TEXT, 0, NAMES(exe), "BIN",
        "file of the main program, if it is not where the profile says"},
    {"symdir", 0, HF_OPTION_LIST, 0, NAMES(symdirs), "DIR",
        "look for binaries and debug files here first"},
    HF_OPTION_NO_CACHE(NAMES(no_cache)),
    {0},
};

const struct hf_option hf_name_options[] = {
    {"full-names", 0, HF_OPTION_FLAG, 0, NAMES(full_names), NULL,
        "C++ and Rust names with parameters and template arguments"},
    {"keep-allocator", 0, HF_OPTION_FLAG, 0, FOLD(keep_allocator), NULL,
        "keep malloc, operator new and the like at the leaf (cut by default)"},
    {0},
};

const struct hf_option hf_value_options[] = {
    {"inuse_space", 0, HF_OPTION_NAME, 0, FOLD(value), NULL, "bytes in use (the default)"},
    {"inuse_objects", 0, HF_OPTION_NAME, 0, FOLD(value), NULL, "objects in use"},
    {"alloc_space", 0, HF_OPTION_NAME, 0, FOLD(value), NULL,
        "bytes ever allocated (jemalloc: prof_accum:true)"},
    {"alloc_objects", 0, HF_OPTION_NAME, 0, FOLD(value), NULL, "objects ever allocated"},
    {"value", 0, HF_OPTION_TEXT, 0, FOLD(value), "NAME",
        "another kind of value that the profile holds, as peak_space"},
    {"tcmalloc-v1", 0, HF_OPTION_FLAG, 0, INPUT(is_tcmalloc_v1), NULL,
        "correct '@ heap/N' as tcmalloc sampled until 2009, not as Go does"},
    {"input-budget", 0, HF_OPTION_REAL, 0, INPUT(input_budget), "N",
        "let an input take N times the memory and work that its size allows (1)"},
    {0},
};

const struct hf_option hf_filter_options[] = {
    {"focus", 0, HF_OPTION_TEXT, 0, FOLD(focus), "REGEX", "keep stacks with a frame that matches"},
    {"ignore", 0, HF_OPTION_TEXT, 0, FOLD(ignore), "REGEX",
        "drop stacks with a frame that matches"},
    {"retain", 0, HF_OPTION_TEXT, 0, FOLD(retain), "REGEX",
        "in every stack, keep only frames that match"},
    {"exclude", 0, HF_OPTION_TEXT, 0, FOLD(exclude), "REGEX",
        "in every stack, drop frames that match"},
    {"callers-of", 0, HF_OPTION_TEXT, 0, FOLD(callers_of), "REGEX",
        "keep stacks with a frame that matches, and of them its callers"},
    {"thread", 0, HF_OPTION_TEXT, 0, FOLD(thread), "N",
        "one thread, by its number in the profile (the N of tN)"},
    {0},
};

const struct hf_option hf_granularity_options[] = {
    {"functions", 0, HF_OPTION_VALUE, HF_BY_FUNCTION, FOLD(granularity), NULL,
        "one frame per function (the default)"},
    {"lines", 0, HF_OPTION_VALUE, HF_BY_LINE, FOLD(granularity), NULL, "one frame per source line"},
    {"files", 0, HF_OPTION_VALUE, HF_BY_FILE, FOLD(granularity), NULL, "one frame per source file"},
    {"addresses", 0, HF_OPTION_VALUE, HF_BY_ADDRESS, FOLD(granularity), NULL,
        "one frame per address"},
    {0},
};

const struct hf_option hf_base_options[] = {
    {"base", 0, HF_OPTION_LIST, 0, COMPARISON(base), "PROFILE",
        "show what changed since this older profile; give it again to add more"},
    {"drop_negative", 0, HF_OPTION_FLAG, 0, COMPARISON(drops_released), NULL,
        "leave out what was released since the base"},
    {0},
};

const struct hf_option hf_since_options[] = {
    {"since", 0, HF_OPTION_TEXT, 0, COMPARISON(since), "MARK",
        "what was there at this mark of the process (heapflame mark), or file, does not count"},
    {0},
};

const struct hf_option hf_series_options[] = {
    {"series", 0, HF_OPTION_FLAG, 0, COMPARISON(is_series), NULL,
        "the profiles are one process at several times, the oldest first"},
    {0},
};

const struct hf_option hf_time_options[] = {
    {"at", 0, HF_OPTION_TEXT, 0, TIMES(at), "TIMES",
        "when each profile was taken, as 0,60s,2m, or how long after the one before"},
    {"skip", 0, HF_OPTION_TIME, 0, TIMES(skip_ns), "TIME",
        "leave out what was taken so soon after the first: start-up, as 60s"},
    {"older", 0, HF_OPTION_TIME, 0, TIMES(older_ns), "TIME",
        "of a live table: say what is in use for longer than that, as 5m"},
    {0},
};

const struct hf_option hf_output_options[] = {
    {"output", 'o', HF_OPTION_OUTPUT, 0, VIEW(output), "FILE",
        "write here instead of standard output"},
    {0},
};

const struct hf_option hf_picture_options[] = {
    {"title", 0, HF_OPTION_TEXT, 0, PICTURE(title), "TEXT", "heading of the picture"},
    {"subtitle", 0, HF_OPTION_TEXT, 0, PICTURE(subtitle), "TEXT", "second heading"},
    {"notes", 0, HF_OPTION_TEXT, 0, PICTURE(notes), "TEXT", "remark kept inside the file"},
    {"inverted", 0, HF_OPTION_FLAG, 0, PICTURE(is_inverted), NULL, "root on top: an icicle graph"},
    {"reverse", 0, HF_OPTION_FLAG, 0, PICTURE(is_reversed), NULL,
        "merge stacks from their leaf: who calls what allocates"},
    {"colors", 0, HF_OPTION_TEXT, 0, PICTURE(colors), "NAME", "palette: " HF_PALETTE_NAMES},
    {"bgcolors", 0, HF_OPTION_TEXT, 0, PICTURE(bgcolors), "COLOR",
        "background: yellow, blue, green, grey or #rrggbb"},
    {"hash", 0, HF_OPTION_FLAG, 0, PICTURE(by_hash), NULL, "colours by a hash of the name"},
    {"random", 0, HF_OPTION_FLAG, 0, PICTURE(at_random), NULL, "colours at random"},
    {"negate", 0, HF_OPTION_FLAG, 0, PICTURE(is_negated), NULL,
        "exchange the two colours of a difference"},
    {"width", 0, HF_OPTION_COUNT, 0, PICTURE(width), "PX", "width of the picture (1200)"},
    {"height", 0, HF_OPTION_COUNT, 0, PICTURE(height), "PX", "height of a frame (16)"},
    {"minwidth", 0, HF_OPTION_TEXT, 0, PICTURE(min_width), "PX|N%",
        "leave out frames narrower than this (0.1 pixel)"},
    {"fonttype", 0, HF_OPTION_TEXT, 0, PICTURE(font_type), "FONT", "font family (Verdana)"},
    {"fontsize", 0, HF_OPTION_REAL, 0, PICTURE(font_size), "PX", "font size (12)"},
    {"fontwidth", 0, HF_OPTION_REAL, 0, PICTURE(font_width), "N",
        "mean width of a letter in font sizes (0.59)"},
    {"countname", 0, HF_OPTION_TEXT, 0, PICTURE(count_name), "TEXT", "what is counted"},
    {"nametype", 0, HF_OPTION_TEXT, 0, PICTURE(name_type), "TEXT", "what a frame is (Function:)"},
    {"total", 0, HF_OPTION_COUNT, 0, PICTURE(total), "N",
        "value of the whole width, if more than the sum"},
    {"factor", 0, HF_OPTION_REAL, 0, PICTURE(factor), "N", "multiply the shown numbers by N"},
    {0},
};

const struct hf_option hf_graph_options[] = {
    {"nodecount", 0, HF_OPTION_COUNT, 0, GRAPH(node_count), "N", "at most this many boxes (80)"},
    {"nodefraction", 0, HF_OPTION_REAL, 0, GRAPH(node_fraction), "F",
        "leave out boxes below this share (0.005)"},
    {"edgefraction", 0, HF_OPTION_REAL, 0, GRAPH(edge_fraction), "F",
        "leave out arrows below this share (0.001)"},
    {"maxdegree", 0, HF_OPTION_COUNT, 0, GRAPH(max_degree), "N",
        "at most this many arrows on a side of a box (8)"},
    {0},
};

const struct hf_option hf_bytes_options[] = {
    {"show_bytes", 0, HF_OPTION_FLAG, 0, VIEW(show_bytes), NULL, "whole bytes, no units"},
    {0},
};

const struct hf_option hf_table_options[] = {
    {"rows", 'n', HF_OPTION_COUNT, 0, TABLE(rows), "N", "print at most this many rows"},
    {"cum", 0, HF_OPTION_FLAG, 0, TABLE(is_cumulative), NULL,
        "rank by what a function holds with all that it called"},
    {"show_bytes", 0, HF_OPTION_FLAG, 0, VIEW(show_bytes), NULL, "whole bytes, no units"},
    {"json", 0, HF_OPTION_FLAG, 0, TABLE(is_json), NULL, "print one JSON document instead"},
    {0},
};
