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
        "use this file as the main program, if it is not where the profile says"},
    {"symdir", 0, HF_OPT_LIST(NAMES(symdirs), "DIR"),
        "look for binaries and debug files in DIR first"},
    HF_OPTION_NO_CACHE(NAMES(no_cache)),
    {0},
};

/* The same as in hf_value_options, for who shows no values. */
const struct hf_option hf_input_budget_options[] = {
    {"input-budget", 0, HF_OPT_REAL(INPUT(input_budget), "N"),
        "multiply the limits on memory and work for an input by N (default: 1)"},
    {0},
};

const struct hf_option hf_name_options[] = {
    {"full-names", 0, HF_OPT_FLAG(NAMES(full_names)),
        "show C++ and Rust names with parameters and template arguments"},
    {"keep-allocator", 0, HF_OPT_FLAG(FOLD(keep_allocator)),
        "keep the allocator's own frames at the leaf, e.g. malloc"},
    {0},
};

const struct hf_option hf_owner_options[] = {
    {"own", 0, HF_OPT_TEXT(FOLD(own), "REGEX"),
        "count matching functions or source files as the program's own"},
    {"wrapper", 0, HF_OPT_TEXT(FOLD(wrapper), "REGEX"),
        "never count matching functions or source files as owners"},
    {0},
};

const struct hf_option hf_by_options[] = {
    {"by", 0, HF_OPT_TEXT(VIEW(by), "WHAT"),
        "choose what a row is: owner, leaf, line, file or module (default: owner)"},
    {0},
};

const struct hf_option hf_place_options[] = {
    {"by", 0, HF_OPT_TEXT(VIEW(by), "WHAT"),
        "choose what a place is: owner, leaf, line, file or module (default: owner)"},
    {0},
};

const struct hf_option hf_value_options[] = {
    {"inuse_space", 0, HF_OPT_NAME(FOLD(value)), "count bytes in use (default)"},
    {"inuse_objects", 0, HF_OPT_NAME(FOLD(value)), "count objects in use"},
    {"alloc_space", 0, HF_OPT_NAME(FOLD(value)),
        "count bytes ever allocated (jemalloc: only with prof_accum:true)"},
    {"alloc_objects", 0, HF_OPT_NAME(FOLD(value)), "count objects ever allocated"},
    {"value", 0, HF_OPT_TEXT(FOLD(value), "NAME"),
        "use another kind of value that the profile contains, e.g. peak_space"},
    {"tcmalloc-v1", 0, HF_OPT_FLAG(INPUT(is_tcmalloc_v1)),
        "read '@ heap/N' as tcmalloc wrote it until 2009, not as Go does"},
    {"input-budget", 0, HF_OPT_REAL(INPUT(input_budget), "N"),
        "multiply the limits on memory and work for an input by N (default: 1)"},
    {0},
};

const struct hf_option hf_filter_options[] = {
    {"focus", 0, HF_OPT_TEXT(FOLD(focus), "REGEX"), "keep stacks with a frame that matches"},
    {"ignore", 0, HF_OPT_TEXT(FOLD(ignore), "REGEX"), "drop stacks with a frame that matches"},
    {"retain", 0, HF_OPT_TEXT(FOLD(retain), "REGEX"),
        "keep only the frames that match, in every stack"},
    {"exclude", 0, HF_OPT_TEXT(FOLD(exclude), "REGEX"),
        "drop the frames that match, in every stack"},
    {"callers-of", 0, HF_OPT_TEXT(FOLD(callers_of), "REGEX"),
        "keep only the callers of the functions that match"},
    {"thread", 0, HF_OPT_TEXT(FOLD(thread), "N|NAME"),
        "show only this thread, by its number in the profile (the N of tN), or all of this name"},
    {0},
};

const struct hf_option hf_granularity_options[] = {
    {"functions", 0, HF_OPT_VALUE(FOLD(granularity), HF_BY_FUNCTION),
        "show one frame per function (default)"},
    {"lines", 0, HF_OPT_VALUE(FOLD(granularity), HF_BY_LINE), "show one frame per source line"},
    {"files", 0, HF_OPT_VALUE(FOLD(granularity), HF_BY_FILE), "show one frame per source file"},
    {"addresses", 0, HF_OPT_VALUE(FOLD(granularity), HF_BY_ADDRESS), "show one frame per address"},
    {0},
};

const struct hf_option hf_base_options[] = {
    {"base", 0, HF_OPT_LIST(COMPARISON(base), "PROFILE"),
        "show what changed since this older profile; may be repeated"},
    {"drop_negative", 0, HF_OPT_FLAG(COMPARISON(drops_released)),
        "leave out what was released since the base"},
    {0},
};

const struct hf_option hf_since_options[] = {
    {"since", 0, HF_OPT_TEXT(COMPARISON(since), "MARK"),
        "count only changes since this mark (see heapflame mark) or profile"},
    {0},
};

const struct hf_option hf_series_options[] = {
    {"series", 0, HF_OPT_FLAG(COMPARISON(is_series)),
        "treat the profiles as one process at several times, oldest first"},
    {0},
};

const struct hf_option hf_time_options[] = {
    {"at", 0, HF_OPT_TEXT(TIMES(at), "TIMES"),
        "set when each profile was taken, e.g. 0,60s,2m, or the interval, e.g. 60s"},
    {"skip", 0, HF_OPT_TIME(TIMES(skip_ns), "TIME"),
        "ignore profiles from the first TIME, e.g. 60s of start-up"},
    {"older", 0, HF_OPT_TIME(TIMES(older_ns), "TIME"),
        "show how much has been in use for longer than TIME, e.g. 5m (live tables only)"},
    {0},
};

const struct hf_option hf_output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(VIEW(output), "FILE"),
        "write to FILE instead of standard output"},
    {0},
};

const struct hf_option hf_picture_options[] = {
    {"title", 0, HF_OPT_TEXT(PICTURE(title), "TEXT"), "set the heading of the picture"},
    {"subtitle", 0, HF_OPT_TEXT(PICTURE(subtitle), "TEXT"), "set the second heading"},
    {"notes", 0, HF_OPT_TEXT(PICTURE(notes), "TEXT"),
        "store a remark in the file, not shown in the picture"},
    {"inverted", 0, HF_OPT_FLAG(PICTURE(is_inverted)), "put the root on top: an icicle graph"},
    {"reverse", 0, HF_OPT_FLAG(PICTURE(is_reversed)),
        "merge stacks from the leaf, to show the callers of each allocating function"},
    {"colors", 0, HF_OPT_TEXT(PICTURE(colors), "NAME"), "choose a palette: " HF_PALETTE_NAMES},
    {"bgcolors", 0, HF_OPT_TEXT(PICTURE(bgcolors), "COLOR"),
        "set the background: yellow, blue, green, grey or #rrggbb"},
    {"hash", 0, HF_OPT_FLAG(PICTURE(by_hash)), "choose colours by a hash of the name"},
    {"random", 0, HF_OPT_FLAG(PICTURE(at_random)), "choose colours at random"},
    {"negate", 0, HF_OPT_FLAG(PICTURE(is_negated)), "exchange the two colours of a difference"},
    {"minwidth", 0, HF_OPT_TEXT(PICTURE(min_width), "PX|N%"),
        "leave out frames narrower than this (default: 0.1 pixels)"},
    {"fonttype", 0, HF_OPT_TEXT(PICTURE(font_type), "FONT"),
        "set the font family (default: Verdana)"},
    {"countname", 0, HF_OPT_TEXT(PICTURE(count_name), "TEXT"),
        "set what the numbers count, e.g. bytes"},
    {"nametype", 0, HF_OPT_TEXT(PICTURE(name_type), "TEXT"),
        "set the word before a frame's name (default: Function:)"},
    {"total", 0, HF_OPT_COUNT(PICTURE(total), "N"),
        "make the whole width stand for N, if N is more than the sum"},
    {"factor", 0, HF_OPT_REAL(PICTURE(factor), "N"), "multiply the shown numbers by N"},
    {0},
};

const struct hf_option hf_source_options[] = {
    {"source", 0, HF_OPT_COUNT(PICTURE(source_places), "N"),
        "show the source around N places in a page, if it is available (default: 20; 0: none)"},
    {"source-dir", 0, HF_OPT_LIST(PICTURE(source_folders), "DIR"),
        "look for source files in DIR first; may be repeated"},
    {"disassembly", 0, HF_OPT_FLAG(PICTURE(disassembles)),
        "show the instructions of the same places in a page (x86-64)"},
    {0},
};

const struct hf_option hf_size_options[] = {
    {"classic", 0, HF_OPT_FLAG(PICTURE(is_classic)),
        "draw an SVG as flamegraph.pl does: root at the bottom, its colours and sizes"},
    {"width", 0, HF_OPT_COUNT(PICTURE(width), "PX"),
        "set the width of the picture in pixels (default: 1000)"},
    {"height", 0, HF_OPT_COUNT(PICTURE(height), "PX"),
        "set the height of a frame in pixels (default: 18)"},
    {"fontsize", 0, HF_OPT_REAL(PICTURE(font_size), "PX"),
        "set the font size in pixels (default: 13)"},
    {"fontwidth", 0, HF_OPT_REAL(PICTURE(font_width), "N"),
        "set the mean width of a letter, in font sizes (default: 0.62)"},
    {0},
};

const struct hf_option hf_classic_size_options[] = {
    {"width", 0, HF_OPT_COUNT(PICTURE(width), "PX"),
        "set the width of the picture in pixels (default: 1200)"},
    {"height", 0, HF_OPT_COUNT(PICTURE(height), "PX"),
        "set the height of a frame in pixels (default: 16)"},
    {"fontsize", 0, HF_OPT_REAL(PICTURE(font_size), "PX"),
        "set the font size in pixels (default: 12)"},
    {"fontwidth", 0, HF_OPT_REAL(PICTURE(font_width), "N"),
        "set the mean width of a letter, in font sizes (default: 0.59)"},
    {0},
};

const struct hf_option hf_graph_options[] = {
    {"nodecount", 0, HF_OPT_COUNT(GRAPH(node_count), "N"), "draw at most N boxes (default: 80)"},
    {"nodefraction", 0, HF_OPT_REAL(GRAPH(node_fraction), "F"),
        "leave out boxes that hold at most this share of the total (default: 0.005)"},
    {"edgefraction", 0, HF_OPT_REAL(GRAPH(edge_fraction), "F"),
        "leave out arrows that carry at most this share of the total (default: 0.001)"},
    {"maxdegree", 0, HF_OPT_COUNT(GRAPH(max_degree), "N"),
        "draw at most N arrows into a box and N out of it (default: 8)"},
    {0},
};

const struct hf_option hf_bytes_options[] = {
    {"show_bytes", 0, HF_OPT_FLAG(VIEW(show_bytes)), "print whole bytes, without units"},
    {0},
};

const struct hf_option hf_table_options[] = {
    {"rows", 'n', HF_OPT_COUNT(TABLE(rows), "N"), "print at most N rows"},
    {"cum", 0, HF_OPT_FLAG(TABLE(is_cumulative)), "rank by cum: a function with all that it calls"},
    {"show_bytes", 0, HF_OPT_FLAG(VIEW(show_bytes)), "print whole bytes, without units"},
    {"json", 0, HF_OPT_FLAG(TABLE(is_json)), "print one JSON document instead"},
    {0},
};
