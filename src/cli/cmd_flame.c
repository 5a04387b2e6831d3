#include "cli/tables.h"

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

static enum hf_status draw(struct hf_flame_command *command, const char *const *profiles,
    size_t count, struct hf_error *err)
{
    struct hf_view view = {0};
    enum hf_status status = hf_view_make(&view, &command->view, profiles, count, err);
    if (status == HF_OK)
        status = hf_report_picture(&view, &command->view, &command->picture, err);
    hf_view_done(&view);
    return status;
}

static enum hf_status run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    enum hf_status status = hf_view_need_profile(operands, err);
    return status == HF_OK ? draw(options, operands->items, operands->count, err) : status;
}

const struct hf_command hf_cmd_flame = {
    .name = "flame",
    .summary = "Draw the flame graph, as one SVG file.",
    .operands = "PROFILE...",
    .details = "The root is at the bottom, the width of a frame is what it and all above it hold;\n"
               "colours only tell frames apart. Open the file in a browser to zoom and search.\n"
               "With --base, orange grew and blue was released.",
    .groups = groups,
    .options_size = sizeof(struct hf_flame_command),
    .run = run,
};

/* flamegraph.pl reads standard input unless it is given files, and counts samples. */
static enum hf_status run_namesake(
    void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_flame_command *command = options;
    static const char *const standard_input[] = {"-"};
    command->view.keep_allocator = true; /* what is folded is drawn, whole */
    if (command->view.output == NULL)
        command->view.output = "-";
    if (command->picture.count_name == NULL)
        command->picture.count_name = "samples";
    if (operands->count == 0)
        return draw(command, standard_input, 1, err);
    return draw(command, operands->items, operands->count, err);
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
    .options_size = sizeof(struct hf_flame_command),
    .run = run_namesake,
};
