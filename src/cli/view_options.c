#include "cli/view_options.h"

#include "base/budget.h"

#include <string.h>

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

/* Whoever asks for lines, files, addresses or the allocator's frames asks for what allocates. */
static int owners_by_default(const struct hf_request_fold *fold)
{
    return fold->granularity == HF_BY_FUNCTION && !fold->keep_allocator ? HF_OWNERS_IN_HEAPS
                                                                        : HF_OWNERS_UNKNOWN;
}

/* What --by can be but "owner"; false: nothing of that name. */
static bool find_granularity(const char *by, int *out_granularity)
{
    static const struct {
        const char *name;
        enum hf_granularity granularity;
    } others[] = {{"leaf", HF_BY_FUNCTION}, {"line", HF_BY_LINE}, {"file", HF_BY_FILE},
        {"module", HF_BY_MODULE}};
    for (size_t i = 0; i < HF_COUNT(others); i++) {
        if (strcmp(by, others[i].name) == 0) {
            *out_granularity = (int)others[i].granularity;
            return true;
        }
    }
    return false;
}

static enum hf_status refuse_by(const char *by, struct hf_error *err)
{
    return hf_error_set(
        err, HF_ERR_USAGE, "--by: expected owner, leaf, line, file or module, found '%s'", by);
}

static enum hf_status refuse_told(struct hf_error *err)
{
    return hf_error_set(err, HF_ERR_USAGE, "--own and --wrapper need --by owner");
}

enum hf_status hf_view_options_choose_rows(struct hf_view_options *options, struct hf_error *err)
{
    struct hf_request_fold *fold = &options->request.fold;
    bool is_told = fold->own != NULL || fold->wrapper != NULL;
    if (options->by == NULL && !is_told) {
        fold->owners = owners_by_default(fold);
        return HF_OK;
    }
    if (options->by == NULL || strcmp(options->by, "owner") == 0) {
        fold->owners = HF_OWNERS_END;
        if (fold->granularity == HF_BY_FUNCTION)
            return HF_OK;
        return hf_error_set(err, HF_ERR_USAGE,
            "--by owner shows functions; it excludes --lines, --files and --addresses");
    }
    if (!find_granularity(options->by, &fold->granularity))
        return refuse_by(options->by, err);
    return is_told ? refuse_told(err) : HF_OK;
}

enum hf_status hf_view_options_choose_places(struct hf_view_options *options, struct hf_error *err)
{
    struct hf_request_fold *fold = &options->request.fold;
    bool is_told = fold->own != NULL || fold->wrapper != NULL;
    bool is_other = options->by != NULL && strcmp(options->by, "owner") != 0;
    if (is_other && !find_granularity(options->by, &fold->granularity))
        return refuse_by(options->by, err);
    if (is_other && is_told)
        return refuse_told(err);
    fold->owners = is_other || fold->keep_allocator ? HF_OWNERS_UNKNOWN : HF_OWNERS_KNOWN;
    return HF_OK;
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
