#include "cli/report.h"

#define VIEW(field) struct hf_report_options, view.field

static const struct hf_option output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(VIEW(output), "FILE"),
        "write to FILE: .svg or .html is a flame graph, .dot a call graph"},
    {"growth-only", 0, HF_OPT_FLAG(VIEW(request.comparison.drops_released)),
        "leave out what was released"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Output", output_options},
    {"Table", hf_table_options},
    {"", hf_by_options},
    {"", hf_owner_options},
    {"Picture", hf_picture_options},
    {"", hf_size_options},
    HF_SHOWN_GROUPS,
    {0},
};

/* A picture shows stacks whole. */
static enum hf_status diff_choose_rows(struct hf_report_options *report, struct hf_error *err)
{
    struct hf_view_options *view = &report->view;
    bool is_picture = hf_report_ends(view->output, ".svg") ||
                      hf_report_ends(view->output, ".html") || hf_report_ends(view->output, ".dot");
    if (!is_picture)
        return hf_view_options_choose_rows(view, err);
    if (view->by == NULL && view->request.fold.own == NULL && view->request.fold.wrapper == NULL)
        return HF_OK;
    return hf_error_set(
        err, HF_ERR_USAGE, "--by, --own and --wrapper are for the table, not for a picture");
}

static enum hf_status diff_run(void *options, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_report_options *report = options;
    if (operands->count != 2)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected two profiles, the older one first: heapflame diff A B; found %zu",
            operands->count);
    const char *current = operands->items[1];
    struct hf_name_list *base = &report->view.request.comparison.base;
    enum hf_status status = diff_choose_rows(report, err);
    if (status != HF_OK)
        return status;
    base->items[base->count++] = operands->items[0];
    if (hf_report_ends(report->view.output, ".svg") || hf_report_ends(report->view.output, ".html"))
        return hf_report_picture(report, &current, 1, err);
    if (hf_report_ends(report->view.output, ".dot"))
        return hf_report_graph(report, &current, 1, current, false, err);
    return hf_report_table(report, &current, 1, err);
}

const struct hf_command hf_cmd_diff = {
    .name = "diff",
    .summary = "Print what grew and what was released between two profiles.",
    .operands = "A B",
    .details =
        "A is the older profile. Stacks are matched by name, not by address, so the two may\n"
        "come from different runs. A + grew - released = B, in every line.",
    .groups = groups,
    .options_size = sizeof(struct hf_report_options),
    .defaults = hf_report_defaults,
    .is_reader = hf_command_is_reader,
    .run = diff_run,
};
