#include "cli/process/attach/attach_one.h"

#include "attach/keeper/keeper_line.h"
#include "attach/session/looks.h"
#include "cli/process/attach/attach_recording.h"
#include "cli/process/attach/attach_report.h"
#include "cli/process/attach/attach_result.h"
#include "cli/process/attach/attach_service.h"
#include "cli/process/attach/attach_specs.h"
#include "os/process/shielded_worker.h"

/* All but what the keeper does. */
static enum hf_status attach_follow(
    struct hf_attach_options *options, const struct hf_session_options *how, struct hf_error *err)
{
    struct hf_session session;
    bool is_quiet = options->report.view.common.quiet;
    enum hf_status status = hf_session_open(&session, how, err);
    if (status == HF_OK && !is_quiet)
        hf_attach_say_probes(&session);
    if (status == HF_OK)
        status = hf_session_count(&session, err);
    if (status == HF_OK && !is_quiet)
        hf_attach_say_cost(&session);
    if (status == HF_OK && hf_shielded_worker_is_told())
        status =
            hf_error_set(err, HF_ERR_SYSTEM, "stopped by a signal before anything was attached");
    struct hf_look look = {.recording = how->recording}; /* its head says when it ends */
    if (status == HF_OK)
        status = hf_attach_record(options, &session, how->is_series ? &look : NULL, err);
    if (status == HF_OK && how->recording != NULL)
        hf_recording_put(how->recording, &session);
    else if (status == HF_OK)
        status = hf_attach_write_session(options, &session, err);
    hf_session_close(&session);
    return status;
}

static enum hf_status attach_work(
    struct hf_attach_options *options, struct hf_session_options *how, struct hf_error *err)
{
    struct hf_attach_specs specs = {0};
    enum hf_status status = hf_attach_specs_choose(&specs, options, how, err);
    if (status == HF_OK)
        status = attach_follow(options, how, err);
    hf_attach_specs_done(&specs);
    return status;
}

/* In a worker of its own: it names and writes what was recorded. */
static enum hf_status write_recorded(
    struct hf_attach_options *options, const struct hf_session_options *how, struct hf_error *err)
{
    struct hf_session session;
    enum hf_status status = hf_recording_take(how->recording, how, &session, err);
    if (status == HF_OK)
        status = hf_attach_write_session(options, &session, err);
    hf_session_close(&session);
    return status;
}

/* A file that kills who names costs its names: who does it next has the recording still. */
static enum hf_status attach_finish(struct hf_attach_options *options,
    const struct hf_session_options *how, char **words, struct hf_error *err)
{
    struct hf_common *common = &options->report.view.common;
    int before = common->code;
    bool is_worker;
    if (!how->recording->is_complete || (before != HF_EXIT_OK && before != HF_EXIT_PARTIAL))
        return HF_OK;
    hf_shielded_worker_end(); /* nothing is in the process any more */
    enum hf_status status =
        hf_reader_begin(&hf_cmd_attach, common, words, NULL, &is_worker, &common->code, err);
    common->has_code = !is_worker;
    if (is_worker)
        return write_recorded(options, how, err);
    if (common->code == HF_EXIT_OK)
        common->code = before;
    return status;
}

/* The calling process has all rights; another, which has none, does the work. */
static enum hf_status attach_split(struct hf_attach_options *options,
    struct hf_session_options *how, struct hf_keeper *keeper, char **words, struct hf_error *err)
{
    struct hf_common *common = &options->report.view.common;
    bool is_worker;
    enum hf_status status = how->is_series ? HF_OK : hf_recording_new(&how->recording, false, err);
    if (status != HF_OK)
        return status;
    const struct hf_reader_service service = hf_attach_service(keeper, how);
    status =
        hf_reader_begin(&hf_cmd_attach, common, words, &service, &is_worker, &common->code, err);
    common->has_code = !is_worker;
    if (is_worker)
        status = attach_work(options, how, err);
    else if (status == HF_OK)
        status = hf_attach_gather(common, how, words, &service, err);
    if (how->is_series)
        return status; /* its head has the recording */
    if (status == HF_OK && common->has_code)
        status = attach_finish(options, how, words, err);
    hf_recording_free(how->recording);
    return status;
}

enum hf_status hf_attach_to_one(struct hf_attach_options *options, struct hf_session_options *how,
    char **words, struct hf_error *err)
{
    hf_session_prepare();
    struct hf_keeper *keeper = hf_keeper_new(how->pid);
    if (keeper == NULL)
        return hf_error_memory(err);
    enum hf_status status = HF_OK;
    if (options->report.view.common.no_sandbox) {
        how->keeper = keeper;
        status = attach_work(options, how, err);
    } else {
        status = attach_split(options, how, keeper, words, err);
    }
    hf_keeper_free(keeper);
    return status;
}
