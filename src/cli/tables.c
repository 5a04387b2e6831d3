/*
 * tables.c: the option tables that the reporting commands share.
 */
#include "cli/report.h"
#include "render/palette.h"

#define VIEW(field) offsetof(struct hf_view_options, field)
#define PICTURE(field) offsetof(struct hf_report_options, picture.field)
#define TABLE(field) offsetof(struct hf_report_options, table.field)
#define GRAPH(field) offsetof(struct hf_report_options, limits.field)

const struct hf_option hf_output_options[] = {
    {"output", 'o', HF_OPTION_TEXT, 0, VIEW(output), "FILE",
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
