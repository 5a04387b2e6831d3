#include "cli/process/attach/attach_service.h"

#include "attach/keeper/keeper_line.h"
#include "attach/session/recording.h"
#include "cli/process/attach/attach_options.h"

static void worker_ended(void *keeper)
{
    hf_keeper_reset(keeper);
}

static bool recording_survives(void *recording, const char *cause)
{
    return hf_recording_cut(recording, cause);
}

struct hf_reader_service hf_attach_service(
    struct hf_keeper *keeper, const struct hf_session_options *how)
{
    return (struct hf_reader_service){
        .first = HF_KEEPER_WANT,
        .serve = hf_keeper_serve,
        .worker_ended = worker_ended,
        .survives = recording_survives,
        .survivor = how->recording,
        .context = keeper,
        .kept = {.follows = true, .seconds = how->duration_ns / 1000000000 + 1},
    };
}

enum hf_status hf_attach_gather(struct hf_common *common, const struct hf_session_options *how,
    char **words, const struct hf_reader_service *service, struct hf_error *err)
{
    struct hf_reader_service gathering = *service;
    bool is_worker;
    int code;
    if (!how->recording->is_complete || !how->recording->is_in_kernel)
        return HF_OK;
    if (hf_keeper_program(service->context) == NULL) { /* who failed, and lives, took it with it */
        how->recording->is_complete = false;
        return HF_OK;
    }
    gathering.survives = NULL;
    enum hf_status status =
        hf_reader_begin(&hf_cmd_attach, common, words, &gathering, &is_worker, &code, err);
    common->has_code = !is_worker;
    if (is_worker)
        return hf_session_gather(how, err);
    how->recording->is_complete = status == HF_OK && code == HF_EXIT_OK;
    if (status == HF_OK && code != HF_EXIT_OK)
        common->code = code; /* it has said why */
    return status;
}
