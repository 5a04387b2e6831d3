#include "cli/report.h"

static const struct hf_option_group groups[] = {
    {"Output", hf_output_options},
    {"Compare", hf_base_options},
    {"", hf_since_options},
    {"", hf_series_options},
    {"Time", hf_time_options},
    {"Picture", hf_picture_options},
    HF_SHOWN_GROUPS,
    {0},
};

static enum hf_status flame_run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    enum hf_status status = hf_view_options_need_profile(operands, err);
    return status == HF_OK ? hf_report_picture(options, operands->items, operands->count, err)
                           : status;
}

const struct hf_command hf_cmd_flame = {
    .name = "flame",
    .summary = "Draw the flame graph, as one SVG or HTML file.",
    .operands = "PROFILE... -o FILE.svg|FILE.html",
    .details = "The root is at the bottom, the width of a frame is what it and all above it hold;\n"
               "colours only tell frames apart. Open the file in a browser to zoom and search; an\n"
               "HTML page has more views: from the leaves, sandwich, table.\n"
               "With --base, orange grew and blue was released.",
    .groups = groups,
    .options_size = sizeof(struct hf_report_options),
    .is_reader = hf_command_is_reader,
    .run = flame_run,
};
