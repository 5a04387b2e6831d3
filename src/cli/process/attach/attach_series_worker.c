#include "cli/process/attach/attach_series_worker.h"

#include "attach/session/recording.h"
#include "capture/loop.h"
#include "cli/process/attach/attach_report.h"
#include "cli/save.h"
#include "formats/format.h"
#include "profile/lifetimes.h"
#include "profile/samples.h"
#include "render/table/growth_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct hf_series_order) <= HF_BROKER_TEXT_MAX, "an order is one answer");
_Static_assert(sizeof(struct hf_series_reply) <= HF_BROKER_TEXT_MAX, "a reply is one question");

/* `lifetimes`: what is wanted of them, or NULL. */
static enum hf_status series_worker_read(const struct hf_series_worker *worker,
    const struct hf_series_order *order, int fd, struct hf_lifetimes *lifetimes,
    struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_input input;
    const struct hf_recording *recording = worker->how->recording;
    hf_input_open_descriptor(&input, fd, "the recording");
    input.now_ns = hf_loop_now_ns();
    input.lifetimes = lifetimes;
    enum hf_status status = hf_format_read(&input, out_profile, err);
    hf_input_close(&input);
    if (status != HF_OK)
        return status;
    struct hf_profile *profile = *out_profile;
    profile->capture.process_id = worker->how->pid; /* of its own it may have another */
    hf_jit_list_note(&recording->jit, &profile->notes);
    status = hf_profile_string(
        profile, hf_jit_list_names(&recording->jit), &profile->capture.jit_names, err);
    if (status != HF_OK) {
        hf_profile_free(profile);
        return status;
    }
    hf_samples_scale(profile, order->weight);
    if (lifetimes != NULL)
        hf_lifetimes_scale(lifetimes, order->weight);
    return HF_OK;
}

static enum hf_status series_worker_save(const struct hf_series_worker *worker,
    const struct hf_series_order *order, int fd, struct hf_series_reply *reply,
    struct hf_error *err)
{
    size_t type;
    struct hf_profile *profile;
    struct hf_report_options report = worker->options->report;
    struct hf_lifetimes lifetimes = {.wants_classes = true};
    report.view.common.quiet = true; /* what there is to say, the end says */
    enum hf_status status = series_worker_read(
        worker, order, fd, hf_save_takes_classes(order->output) ? &lifetimes : NULL, &profile, err);
    if (status != HF_OK)
        return status;
    if (hf_profile_find_type(profile, HF_TEXT("inuse_space"), &type))
        reply->in_use_bytes = hf_profile_total(profile, type, HF_THREAD_ALL).value;
    struct hf_budget budget = {.given_bytes = profile->given_bytes};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    status = hf_save(&report, order->output, profile, err);
    hf_budget_leave(before);
    reply->is_partial = report.view.common.is_partial;
    hf_profile_free(profile);
    return status;
}

/* What a look at the recording reads. */
struct series_look {
    const struct hf_series_worker *worker;
    const struct hf_series_order *order;
    int fd;
};

/* With the births of what is in use. */
static enum hf_status series_worker_read_look(void *context, struct hf_lifetimes *lifetimes,
    struct hf_profile **out_profile, struct hf_error *err)
{
    const struct series_look *look = context;
    return series_worker_read(look->worker, look->order, look->fd, lifetimes, out_profile, err);
}

static enum hf_status series_worker_look(struct hf_series_worker *worker,
    const struct hf_series_order *order, int fd, struct hf_series_reply *reply,
    struct hf_error *err)
{
    struct series_look reading = {worker, order, fd};
    const struct hf_leak_look look = {.dated = {"the recording", hf_timeline_now()},
        .read = series_worker_read_look,
        .context = &reading};
    worker->alarm.rules = (struct hf_leak_alarm_rules){
        .false_a_month = HF_LEAK_FALSE_A_MONTH, .look_ns = order->look_ns};
    return hf_leak_alarm_look(
        &worker->alarm, &worker->options->report.view.request, &look, &reply->told, err);
}

static bool series_worker_found_leak(const struct hf_growth *growth)
{
    for (size_t i = 0; i < growth->count; i++) {
        if (growth->places[i].verdict.kind == HF_VERDICT_LEAK)
            return true;
    }
    return false;
}

static enum hf_status series_worker_print(
    struct hf_process_history *process, uint32_t pid, struct hf_error *err)
{
    char next[96];
    struct hf_output output;
    (void)snprintf(next, sizeof next,
        "while the process runs, heapflame heap %" PRIu32 " shows what holds its memory.",
        /* the name of a process, not a count: never 1 of something */ pid);
    const struct hf_growth_report report = {
        .growth = &process->growth, .suppressions = &process->suppressions, .next = next};
    enum hf_status status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    struct hf_budget_scope before = hf_budget_enter(&process->view.budget);
    hf_growth_text(&report, &output.out);
    hf_budget_leave(before);
    return hf_output_close(&output, status, err);
}

/* What the recording came to, and what is missing in it. */
static enum hf_status series_worker_account(const struct hf_series_worker *worker,
    const struct hf_series_order *order, bool found_leak, struct hf_error *err)
{
    struct hf_session session;
    struct hf_profile *profile = NULL;
    struct hf_common *common = &worker->options->report.view.common;
    enum hf_status status = hf_recording_take(worker->how->recording, worker->how, &session, err);
    if (status == HF_OK)
        status = hf_session_profile(&session, &profile, NULL, err);
    if (status == HF_OK) {
        const struct hf_attach_series_account account = {.looks = order->looks,
            .skipped = order->skipped,
            .weight = order->weight,
            .found_leak = found_leak};
        hf_attach_note_series(&session, &account, &profile->notes);
        if (!common->quiet)
            hf_attach_say_series(&session, &account, profile);
        hf_report_notes(common, &profile->notes);
        hf_profile_free(profile);
    }
    hf_session_close(&session);
    return status;
}

static enum hf_status series_worker_conclude(struct hf_series_worker *worker,
    const struct hf_series_order *order, struct hf_series_reply *reply, struct hf_error *err)
{
    bool found_leak = false;
    struct hf_process_history *process = &worker->alarm.process;
    struct hf_common *common = &worker->options->report.view.common;
    enum hf_status status = HF_OK;
    if (process->history.profile_count >= 2) {
        status = hf_process_history_judge(process, &worker->options->report.view.request, err);
        found_leak = status == HF_OK && series_worker_found_leak(&process->growth);
        if (status == HF_OK)
            status = series_worker_print(process, worker->how->pid, err);
        const struct hf_notes *notes = hf_process_history_notes(process);
        if (status == HF_OK && notes != NULL)
            hf_report_notes(common, notes);
    }
    if (status == HF_OK)
        status = series_worker_account(worker, order, found_leak, err);
    if (status == HF_OK && process->history.profile_count < 2)
        status = hf_error_set(err, HF_ERR_INPUT,
            "there are no verdicts: they need at least two looks that could be read, found %zu",
            process->history.profile_count);
    reply->is_partial = common->is_partial;
    return status;
}

size_t hf_series_worker_work(
    void *context, const struct hf_standby_order *order, char reply_bytes[HF_BROKER_TEXT_MAX])
{
    struct hf_series_worker *worker = context;
    struct hf_series_order what;
    struct hf_series_reply reply;
    enum hf_status status = HF_ERR_SYSTEM;
    memset(&reply, 0, sizeof reply);
    if (order->bytes.size == sizeof what) {
        memcpy(&what, order->bytes.data, sizeof what);
        switch (order->kind) {
        case HF_SERIES_ORDER_SAVE:
            status = series_worker_save(worker, &what, order->fd, &reply, &reply.error);
            break;
        case HF_SERIES_ORDER_LOOK:
            status = series_worker_look(worker, &what, order->fd, &reply, &reply.error);
            break;
        default: status = series_worker_conclude(worker, &what, &reply, &reply.error); break;
        }
    }
    reply.status = (uint32_t)status;
    memcpy(reply_bytes, &reply, sizeof reply);
    return sizeof reply;
}
