#include "cli/report.h"

static const struct hf_option_group groups[] = {
    {"Output", hf_output_options},
    {"Compare", hf_base_options},
    {"Picture", hf_picture_options},
    {"Values", hf_value_options},
    {"Frames", hf_granularity_options},
    {"Filters", hf_filter_options},
    {"Names", hf_name_options},
    {"Help", hf_common_options},
    {0},
};

static enum hf_status run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    enum hf_status status = hf_view_need_profile(operands, err);
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
    .run = run,
};

/* flamegraph.pl reads standard input unless it is given files, and counts samples. */
static enum hf_status run_namesake(
    void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_report_options *report = options;
    static const char *const standard_input[] = {"-"};
    report->view.keep_allocator = true; /* what is folded is drawn, whole */
    if (report->view.output == NULL)
        report->view.output = "-";
    if (report->picture.count_name == NULL)
        report->picture.count_name = "samples";
    if (operands->count == 0)
        return hf_report_picture(report, standard_input, 1, err);
    return hf_report_picture(report, operands->items, operands->count, err);
}

static const struct hf_option_group namesake_groups[] = {
    {"Picture", hf_picture_options},
    {"Output", hf_output_options},
    {"Help", hf_common_options},
    {0},
};

const struct hf_command hf_cmd_flamegraph_pl = {
    .name = "flamegraph.pl",
    .summary = "Take flamegraph.pl's place: folded stacks in, SVG out.",
    .operands = "[FOLDED...]",
    .details =
        "Reads standard input if no file is given. Negative counts, as jeprof --base prints\n"
        "them, are drawn as what was released.",
    .groups = namesake_groups,
    .options_size = sizeof(struct hf_report_options),
    .run = run_namesake,
};
