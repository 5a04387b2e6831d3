#include "cli/view_options.h"

#include "base/budget.h"

const struct hf_request *hf_view_options_request(struct hf_view_options *options)
{
    struct hf_common *common = &options->common;
    options->request.input.listener = hf_progress_listener(&common->progress, common->quiet);
    return &options->request;
}

void hf_view_options_budget(const struct hf_view_options *options)
{
    if (options->request.input.input_budget != 0)
        hf_budget_set_factor(options->request.input.input_budget);
}

void hf_view_options_finish(struct hf_view_options *options, struct hf_view *view)
{
    const struct hf_notes *notes = hf_view_notes(view);
    if (notes != NULL)
        hf_report_notes(&options->common, notes);
    hf_view_done(view);
}

enum hf_status hf_view_options_need_profile(
    const struct hf_operands *operands, struct hf_error *err)
{
    if (operands->count != 0)
        return HF_OK;
    return hf_error_set(err, HF_ERR_USAGE,
        "expected at least one profile: a file, a URL, or - for standard input (see --help)");
}
