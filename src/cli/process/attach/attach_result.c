#include "cli/process/attach/attach_result.h"

#include "answer/heaviest.h"
#include "answer/names.h"
#include "cli/convert.h"
#include "cli/process/attach/attach_report.h"
#include "cli/save.h"
#include "cli/say.h"

#include <stdlib.h>

/* Whose memory most of it is, as run says at its end; the rows below it are by stack. */
static void attach_say_most(const struct hf_request_fold *fold, const struct hf_profile *profile)
{
    char most[HF_HEAVIEST_MAX];
    hf_heaviest_describe(profile, fold, most);
    if (most[0] != '\0')
        hf_say("%s", most);
}

enum hf_status hf_attach_write_result(struct hf_attach_options *options,
    const struct hf_session *session, struct hf_profile *profile, struct hf_live_ages *ages,
    struct hf_error *err)
{
    struct hf_survivors survivors;
    struct hf_view_options *view = &options->report.view;
    const char *output = view->output;
    enum hf_status status;
    hf_survivors_choose(&survivors, profile, ages);
    free(ages->items);
    if (!view->common.quiet)
        hf_attach_say_result(session, profile);
    status = output != NULL ? hf_save(&options->report, output, profile, err)
                            : hf_convert_profile(&hf_writer_stap, view, profile, err);
    if (status == HF_OK && !view->common.quiet)
        status = hf_names_add(&view->request.names, profile, err);
    if (status == HF_OK && !view->common.quiet)
        attach_say_most(&view->request.fold, profile);
    if (status == HF_OK && !view->common.quiet)
        hf_attach_say_survivors(session, &survivors, profile);
    if (status == HF_OK && !view->common.quiet)
        hf_attach_say_caches(session, profile);
    hf_profile_free(profile);
    return status;
}

enum hf_status hf_attach_write_session(
    struct hf_attach_options *options, struct hf_session *session, struct hf_error *err)
{
    struct hf_profile *profile;
    struct hf_live_ages ages;
    enum hf_status status = hf_session_profile(session, &profile, &ages, err);
    return status == HF_OK ? hf_attach_write_result(options, session, profile, &ages, err) : status;
}
