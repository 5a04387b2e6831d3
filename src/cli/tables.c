/*
 * tables.c: the option tables that the reporting commands share.
 */
#include "cli/report.h"
#include "render/palette.h"

#define VIEW(field) struct hf_view_options, field
#define INPUT(field) VIEW(request.input.field)
#define TIMES(field) VIEW(request.times.field)
#define NAMES(field) VIEW(request.names.field)
#define FOLD(field) VIEW(request.fold.field)
#define COMPARISON(field) VIEW(request.comparison.field)
#define PICTURE(field) struct hf_report_options, picture.field
#define TABLE(field) struct hf_report_options, table.field
#define GRAPH(field) struct hf_report_options, limits.field

const struct hf_option hf_binary_options[] = {
    {"exe", 'e', HF_OPT_TEXT(NAMES(exe), "BIN"),
        "file of the main program, if it is not where the profile says"},
    {"symdir", 0, HF_OPT_LIST(NAMES(symdirs), "DIR"),
        "look for binaries and debug files here first"},
    HF_OPTION_NO_CACHE(NAMES(no_cache)),
    {0},
};

const struct hf_option hf_name_options[] = {
    {"full-names", 0, HF_OPT_FLAG(NAMES(full_names)),
        "C++ and Rust names with parameters and template arguments"},
    {"keep-allocator", 0, HF_OPT_FLAG(FOLD(keep_allocator)),
        "keep malloc, operator new and the like at the leaf (cut by default)"},
    {0},
};

const struct hf_option hf_value_options[] = {
    {"inuse_space", 0, HF_OPT_NAME(FOLD(value)), "bytes in use (the default)"},
    {"inuse_objects", 0, HF_OPT_NAME(FOLD(value)), "objects in use"},
    {"alloc_space", 0, HF_OPT_NAME(FOLD(value)),
        "bytes ever allocated (jemalloc: prof_accum:true)"},
    {"alloc_objects", 0, HF_OPT_NAME(FOLD(value)), "objects ever allocated"},
    {"value", 0, HF_OPT_TEXT(FOLD(value), "NAME"),
        "another kind of value that the profile holds, as peak_space"},
    {"tcmalloc-v1", 0, HF_OPT_FLAG(INPUT(is_tcmalloc_v1)),
        "correct '@ heap/N' as tcmalloc sampled until 2009, not as Go does"},
    {"input-budget", 0, HF_OPT_REAL(INPUT(input_budget), "N"),
        "let an input take N times the memory and work that its size allows (1)"},
    {0},
};

const struct hf_option hf_filter_options[] = {
    {"focus", 0, HF_OPT_TEXT(FOLD(focus), "REGEX"), "keep stacks with a frame that matches"},
    {"ignore", 0, HF_OPT_TEXT(FOLD(ignore), "REGEX"), "drop stacks with a frame that matches"},
    {"retain", 0, HF_OPT_TEXT(FOLD(retain), "REGEX"),
        "in every stack, keep only frames that match"},
    {"exclude", 0, HF_OPT_TEXT(FOLD(exclude), "REGEX"), "in every stack, drop frames that match"},
    {"callers-of", 0, HF_OPT_TEXT(FOLD(callers_of), "REGEX"),
        "keep stacks with a frame that matches, and of them its callers"},
    {"thread", 0, HF_OPT_TEXT(FOLD(thread), "N"),
        "one thread, by its number in the profile (the N of tN)"},
    {0},
};

const struct hf_option hf_granularity_options[] = {
    {"functions", 0, HF_OPT_VALUE(FOLD(granularity), HF_BY_FUNCTION),
        "one frame per function (the default)"},
    {"lines", 0, HF_OPT_VALUE(FOLD(granularity), HF_BY_LINE), "one frame per source line"},
    {"files", 0, HF_OPT_VALUE(FOLD(granularity), HF_BY_FILE), "one frame per source file"},
    {"addresses", 0, HF_OPT_VALUE(FOLD(granularity), HF_BY_ADDRESS), "one frame per address"},
    {0},
};

const struct hf_option hf_base_options[] = {
    {"base", 0, HF_OPT_LIST(COMPARISON(base), "PROFILE"),
        "show what changed since this older profile; give it again to add more"},
    {"drop_negative", 0, HF_OPT_FLAG(COMPARISON(drops_released)),
        "leave out what was released since the base"},
    {0},
};

const struct hf_option hf_since_options[] = {
    {"since", 0, HF_OPT_TEXT(COMPARISON(since), "MARK"),
        "what was there at this mark of the process (heapflame mark), or file, does not count"},
    {0},
};

const struct hf_option hf_series_options[] = {
    {"series", 0, HF_OPT_FLAG(COMPARISON(is_series)),
        "the profiles are one process at several times, the oldest first"},
    {0},
};

const struct hf_option hf_time_options[] = {
    {"at", 0, HF_OPT_TEXT(TIMES(at), "TIMES"),
        "when each profile was taken, as 0,60s,2m, or how long after the one before"},
    {"skip", 0, HF_OPT_TIME(TIMES(skip_ns), "TIME"),
        "leave out what was taken so soon after the first: start-up, as 60s"},
    {"older", 0, HF_OPT_TIME(TIMES(older_ns), "TIME"),
        "of a live table: say what is in use for longer than that, as 5m"},
    {0},
};

const struct hf_option hf_output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(VIEW(output), "FILE"), "write here instead of standard output"},
    {0},
};

const struct hf_option hf_picture_options[] = {
    {"title", 0, HF_OPT_TEXT(PICTURE(title), "TEXT"), "heading of the picture"},
    {"subtitle", 0, HF_OPT_TEXT(PICTURE(subtitle), "TEXT"), "second heading"},
    {"notes", 0, HF_OPT_TEXT(PICTURE(notes), "TEXT"), "remark kept inside the file"},
    {"inverted", 0, HF_OPT_FLAG(PICTURE(is_inverted)), "root on top: an icicle graph"},
    {"reverse", 0, HF_OPT_FLAG(PICTURE(is_reversed)),
        "merge stacks from their leaf: who calls what allocates"},
    {"colors", 0, HF_OPT_TEXT(PICTURE(colors), "NAME"), "palette: " HF_PALETTE_NAMES},
    {"bgcolors", 0, HF_OPT_TEXT(PICTURE(bgcolors), "COLOR"),
        "background: yellow, blue, green, grey or #rrggbb"},
    {"hash", 0, HF_OPT_FLAG(PICTURE(by_hash)), "colours by a hash of the name"},
    {"random", 0, HF_OPT_FLAG(PICTURE(at_random)), "colours at random"},
    {"negate", 0, HF_OPT_FLAG(PICTURE(is_negated)), "exchange the two colours of a difference"},
    {"width", 0, HF_OPT_COUNT(PICTURE(width), "PX"), "width of the picture (1200)"},
    {"height", 0, HF_OPT_COUNT(PICTURE(height), "PX"), "height of a frame (16)"},
    {"minwidth", 0, HF_OPT_TEXT(PICTURE(min_width), "PX|N%"),
        "leave out frames narrower than this (0.1 pixel)"},
    {"fonttype", 0, HF_OPT_TEXT(PICTURE(font_type), "FONT"), "font family (Verdana)"},
    {"fontsize", 0, HF_OPT_REAL(PICTURE(font_size), "PX"), "font size (12)"},
    {"fontwidth", 0, HF_OPT_REAL(PICTURE(font_width), "N"),
        "mean width of a letter in font sizes (0.59)"},
    {"countname", 0, HF_OPT_TEXT(PICTURE(count_name), "TEXT"), "what is counted"},
    {"nametype", 0, HF_OPT_TEXT(PICTURE(name_type), "TEXT"), "what a frame is (Function:)"},
    {"total", 0, HF_OPT_COUNT(PICTURE(total), "N"),
        "value of the whole width, if more than the sum"},
    {"factor", 0, HF_OPT_REAL(PICTURE(factor), "N"), "multiply the shown numbers by N"},
    {0},
};

const struct hf_option hf_graph_options[] = {
    {"nodecount", 0, HF_OPT_COUNT(GRAPH(node_count), "N"), "at most this many boxes (80)"},
    {"nodefraction", 0, HF_OPT_REAL(GRAPH(node_fraction), "F"),
        "leave out boxes below this share (0.005)"},
    {"edgefraction", 0, HF_OPT_REAL(GRAPH(edge_fraction), "F"),
        "leave out arrows below this share (0.001)"},
    {"maxdegree", 0, HF_OPT_COUNT(GRAPH(max_degree), "N"),
        "at most this many arrows on a side of a box (8)"},
    {0},
};

const struct hf_option hf_bytes_options[] = {
    {"show_bytes", 0, HF_OPT_FLAG(VIEW(show_bytes)), "whole bytes, no units"},
    {0},
};

const struct hf_option hf_table_options[] = {
    {"rows", 'n', HF_OPT_COUNT(TABLE(rows), "N"), "print at most this many rows"},
    {"cum", 0, HF_OPT_FLAG(TABLE(is_cumulative)),
        "rank by what a function holds with all that it called"},
    {"show_bytes", 0, HF_OPT_FLAG(VIEW(show_bytes)), "whole bytes, no units"},
    {"json", 0, HF_OPT_FLAG(TABLE(is_json)), "print one JSON document instead"},
    {0},
};
