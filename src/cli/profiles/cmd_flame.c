#include "cli/report.h"
#include "code/disassembler.h"
#include "render/page/page_sources.h"

static const struct hf_option format_options[] = {
    {"to", 0, HF_OPT_TEXT(struct hf_report_options, picture_format, "FORMAT"),
        "write this format, whatever the ending of FILE: svg, html"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", hf_output_options},
    {"", format_options},
    {"Compare", hf_base_options},
    {"", hf_since_options},
    {"", hf_series_options},
    {"Time", hf_time_options},
    {"Picture", hf_picture_options},
    {"", hf_size_options},
    {"Source", hf_source_options},
    HF_SHOWN_GROUPS,
    {0},
};

static void flame_defaults(void *options)
{
    ((struct hf_report_options *)options)->picture.source_places = HF_PAGE_SOURCES_UNASKED;
}

/* What a reader loads from then on, it has already. Whether it is there, the page says. */
static enum hf_status flame_before(void *options, struct hf_error *err)
{
    (void)err;
    if (((struct hf_report_options *)options)->picture.disassembles)
        hf_disassembler_prepare();
    return HF_OK;
}

static enum hf_status flame_run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    enum hf_status status = hf_view_options_need_profile(operands, err);
    return status == HF_OK ? hf_report_picture(options, operands->items, operands->count, err)
                           : status;
}

const struct hf_command hf_cmd_flame = {
    .name = "flame",
    .summary = "Draw a flame graph as one SVG or HTML file.",
    .operands = "PROFILE... -o FILE.svg|FILE.html",
    .details =
        "The width of a frame is the memory that it and everything it called hold. In an SVG,\n"
        "the root is on top, colours are modules, crates or packages, and rows that say nothing\n"
        "are folded until you zoom in. Open the file in a browser to zoom and search. An HTML\n"
        "page has more views, e.g. table, sandwich and suspects.\n"
        "With --base, growth is orange and released memory is blue.",
    .groups = groups,
    .options_size = sizeof(struct hf_report_options),
    .defaults = flame_defaults,
    .is_reader = hf_command_is_reader,
    .before = flame_before,
    .run = flame_run,
};
