#include "cli/process/recording/table_worker.h"

#include "answer/interpreters.h"
#include "answer/names.h"
#include "capture/found_table.h"
#include "capture/loop.h"
#include "capture/mark.h"
#include "capture/reading.h"
#include "capture/target.h"
#include "cli/save.h"
#include "formats/format.h"
#include "formats/writers.h"
#include "profile/lifetimes.h"
#include "profile/samples.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct hf_table_order) <= HF_BROKER_TEXT_MAX, "an order is one answer");
_Static_assert(sizeof(struct hf_table_reply) <= HF_BROKER_TEXT_MAX, "a reply is one question");

/* `lifetimes`: what is wanted of them, or NULL. */
static enum hf_status table_worker_read(const struct hf_table_worker *worker,
    const struct hf_table_order *order, int fd, struct hf_lifetimes *lifetimes,
    struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_input input;
    hf_input_open_descriptor(&input, fd, order->name);
    input.start = worker->start;
    input.now_ns = hf_loop_now_ns();
    input.lifetimes = lifetimes;
    enum hf_status status = hf_format_read(&input, out_profile, err);
    hf_input_close(&input);
    return status;
}

static enum hf_status table_worker_read_profile(const struct hf_table_worker *worker,
    const struct hf_table_order *order, int fd, struct hf_profile **out_profile,
    struct hf_error *err)
{
    struct hf_lifetimes lifetimes = {.wants_classes = true};
    enum hf_status status = table_worker_read(worker, order, fd,
        hf_save_takes_classes(order->output) ? &lifetimes : NULL, out_profile, err);
    if (status != HF_OK)
        return status;
    (*out_profile)->capture.process_id =
        order->pid; /* in a container it has another number for itself */
    (*out_profile)->capture.has_just_ended = order->is_last != 0;
    if ((*out_profile)->capture.process_start == 0)
        (*out_profile)->capture.process_start = order->start_ticks;
    if (order->program[0] != '\0')
        status = hf_profile_string(
            *out_profile, hf_text_of(order->program), &(*out_profile)->capture.command, err);
    if (status == HF_OK && worker->jit != NULL) {
        hf_jit_list_note(worker->jit, &(*out_profile)->notes);
        status = hf_profile_string(
            *out_profile, hf_jit_list_names(worker->jit), &(*out_profile)->capture.jit_names, err);
    }
    if (status != HF_OK)
        hf_profile_free(*out_profile);
    return status;
}

static uint64_t table_worker_total(const struct hf_profile *profile, struct hf_text type_name)
{
    size_t type;
    return hf_profile_find_type(profile, type_name, &type)
               ? hf_profile_total(profile, type, HF_THREAD_ALL).value
               : 0;
}

/* What was lost is something. */
static bool table_worker_holds_nothing(
    const struct hf_profile *profile, const struct hf_table_reply *reply)
{
    for (size_t i = 0; i < profile->notes.count; i++) {
        if (profile->notes.items[i].kind == HF_NOTE_LOSS)
            return false;
    }
    return reply->in_use_bytes == 0 && reply->allocated_bytes == 0 && !profile->capture.is_no_heap;
}

/* Nothing is in use at the end: what is shown, if nothing else is asked for, is the peak, or, if
 * there was none, what was resident. heap_v2 has no place for it. */
static void show_peak(
    struct hf_request_fold *fold, const struct hf_profile *profile, const char *output)
{
    size_t type;
    if (fold->value == NULL && !hf_report_ends(output, ".heap") &&
        hf_profile_find_type(profile, HF_TEXT(HF_PEAK_SPACE), &type))
        fold->value = HF_PEAK_SPACE;
    else if (fold->value == NULL && !hf_report_ends(output, ".heap") &&
             hf_profile_find_type(profile, HF_TEXT(HF_RESIDENT_SPACE), &type))
        fold->value = HF_RESIDENT_SPACE;
}

static void table_worker_put_curve(const struct hf_profile *profile, struct hf_table_reply *reply)
{
    struct hf_out curve = {0};
    hf_usage_line_put(&profile->capture, &curve);
    if (curve.error.status == HF_OK)
        (void)snprintf(reply->curve, sizeof reply->curve, "%.*s", (int)curve.size, curve.data);
    hf_out_done(&curve);
}

/* Of a process that has ended: what holds most, and what cannot be seen of it; not of each of many.
 */
static void table_worker_conclude(const struct hf_table_worker *worker,
    const struct hf_table_order *order, const struct hf_profile *profile,
    struct hf_table_reply *reply)
{
    struct hf_notes notes = {0};
    struct hf_common common = worker->options->view.common;
    const struct hf_request_fold *wanted = &worker->options->view.request.fold;
    hf_heaviest_describe_ended(profile, wanted, reply->most);
    bool is_all;
    hf_heaviest_describe_resident(profile, wanted, reply->resident, &is_all);
    if (is_all)
        reply->most[0] = '\0';
    table_worker_put_curve(profile, reply);
    if (order->skips_nothing == 0)
        hf_note_interpreter(profile, &notes);
    hf_report_notes(&common, &notes);
    hf_notes_done(&notes);
}

/* Of a family: each process with a malloc of its own has the same note, and they are counted. */
static void table_worker_keep_losses(struct hf_profile *profile)
{
    struct hf_notes kept = {0};
    for (size_t i = 0; i < profile->notes.count; i++)
        if (profile->notes.items[i].kind == HF_NOTE_LOSS)
            hf_notes_add(&kept, HF_NOTE_LOSS, "%s", profile->notes.items[i].text);
    hf_notes_done(&profile->notes);
    profile->notes = kept;
}

static enum hf_status table_worker_save(const struct hf_table_worker *worker,
    const struct hf_table_order *order, int fd, struct hf_table_reply *reply, struct hf_error *err)
{
    struct hf_profile *profile;
    struct hf_report_options report = *worker->options;
    /* What a dump on the way has to say, the last one says again. */
    report.view.common.quiet = report.view.common.quiet || order->is_last == 0;
    enum hf_status status = table_worker_read_profile(worker, order, fd, &profile, err);
    if (status != HF_OK)
        return status;
    struct hf_budget budget = {.given_bytes = profile->given_bytes};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    reply->in_use_bytes = table_worker_total(profile, HF_TEXT("inuse_space"));
    reply->allocated_bytes = table_worker_total(profile, HF_TEXT("alloc_space"));
    reply->peak_bytes = profile->capture.peak_bytes;
    if (order->skips_nothing != 0 && table_worker_holds_nothing(profile, reply)) {
        reply->holds_nothing = 1;
        hf_budget_leave(before);
        hf_profile_free(profile);
        return HF_OK;
    }
    if (order->skips_nothing != 0 && profile->capture.is_no_heap)
        table_worker_keep_losses(profile);
    if (order->is_last != 0 && reply->in_use_bytes == 0)
        show_peak(&report.view.request.fold, profile, order->output);
    status = hf_save(&report, order->output, profile, err);
    reply->is_partial = report.view.common.is_partial;
    if (status == HF_OK && order->is_last != 0) /* a bundle keeps names as the files have them */
        status = hf_names_make_readable(&report.view.request.names, profile, err);
    if (status == HF_OK && order->is_last != 0)
        table_worker_conclude(worker, order, profile, reply);
    hf_budget_leave(before);
    hf_profile_free(profile);
    return status;
}

static enum hf_status table_worker_write_bundle(
    const char *path, const struct hf_profile *profile, struct hf_error *err)
{
    struct hf_out out = {0};
    struct hf_notes ignored = {0}; /* a bundle has room for all of a profile */
    enum hf_status status =
        hf_writer_bundle.write(profile, profile->default_type, &ignored, &out, err);
    if (status == HF_OK)
        status = hf_out_finish(&out, err);
    if (status == HF_OK)
        status = hf_mark_write(path, hf_out_view(&out), err);
    hf_notes_done(&ignored);
    hf_out_done(&out);
    return status;
}

/* With the names of its frames: the binaries may be others when it is read. */
static enum hf_status table_worker_mark(const struct hf_table_worker *worker,
    const struct hf_table_order *order, int fd, struct hf_table_reply *reply, struct hf_error *err)
{
    struct hf_profile *profile;
    struct hf_common common = worker->options->view.common;
    struct hf_request_names names = worker->options->view.request.names;
    enum hf_status status = table_worker_read_profile(worker, order, fd, &profile, err);
    if (status != HF_OK)
        return status;
    names.linkage_names = true;
    struct hf_budget budget = {.given_bytes = profile->given_bytes};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    status = hf_names_add(&names, profile, err);
    if (status == HF_OK)
        status = table_worker_write_bundle(order->output, profile, err);
    hf_budget_leave(before);
    if (status == HF_OK)
        hf_report_notes(&common, &profile->notes);
    reply->is_partial = common.is_partial;
    reply->in_use_bytes = table_worker_total(profile, HF_TEXT("inuse_space"));
    hf_profile_free(profile);
    return status;
}

static enum hf_status table_worker_add_up(const struct hf_table_worker *worker,
    const struct hf_table_order *order, int fd, struct hf_table_reply *reply, struct hf_error *err)
{
    struct hf_table_sums sums;
    enum hf_status status = hf_table_sums_take(fd, order->name, worker->start, &sums, err);
    if (status != HF_OK)
        return status;
    reply->in_use_bytes = sums.in_use_bytes;
    reply->allocated_bytes = sums.allocated_bytes;
    return HF_OK;
}

/* A process that became another program has another table, and begins anew. */
static void table_worker_begin_alarm(
    struct hf_table_worker *worker, const struct hf_table_order *order)
{
    if (strcmp(worker->alarm_of, order->name) != 0) {
        hf_leak_alarm_done(&worker->alarm);
        worker->alarm = (struct hf_leak_alarm){.told_count = 0};
    }
    memcpy(worker->alarm_of, order->name, sizeof order->name);
    worker->alarm.rules = order->alarm;
}

/* What a look at the process reads. */
struct table_worker_look {
    const struct hf_table_worker *worker;
    const struct hf_table_order *order;
    int fd;
};

/* With the births of what is in use. */
static enum hf_status table_worker_read_look(void *context, struct hf_lifetimes *lifetimes,
    struct hf_profile **out_profile, struct hf_error *err)
{
    const struct table_worker_look *look = context;
    enum hf_status status =
        table_worker_read(look->worker, look->order, look->fd, lifetimes, out_profile, err);
    if (status != HF_OK)
        return status;
    status = hf_lifetimes_take_births(lifetimes, *out_profile, err);
    if (status != HF_OK)
        hf_profile_free(*out_profile);
    return status;
}

/* An alarm names the owner of what leaks, as trend does of the same profiles. */
static struct hf_request request_of_alarm(const struct hf_table_worker *worker)
{
    struct hf_request request = worker->options->view.request;
    request.fold.owners = request.fold.keep_allocator ? HF_OWNERS_UNKNOWN : HF_OWNERS_KNOWN;
    return request;
}

static enum hf_status table_worker_judge(struct hf_table_worker *worker,
    const struct hf_table_order *order, int fd, struct hf_table_reply *reply, struct hf_error *err)
{
    struct table_worker_look reading = {worker, order, fd};
    const struct hf_leak_look look = {.dated = {order->name, hf_timeline_now()},
        .read = table_worker_read_look,
        .context = &reading};
    const struct hf_request request = request_of_alarm(worker);
    table_worker_begin_alarm(worker, order);
    return hf_leak_alarm_look(&worker->alarm, &request, &look, &reply->told, err);
}

static enum hf_status table_worker_find(const struct hf_table_order *order, struct hf_error *err)
{
    struct hf_found_table table;
    enum hf_status status = hf_found_table_of(&table, order->pid, NULL, err);
    if (status == HF_OK)
        hf_found_table_close(&table);
    return status;
}

static enum hf_status table_worker_look_at_program(
    const struct hf_table_order *order, struct hf_error *err)
{
    struct hf_target target;
    enum hf_status status = hf_target_find(order->name, &target, err);
    if (status == HF_OK)
        status = hf_target_check_image(&target, err);
    if (status == HF_OK && target.has_own_malloc)
        status = hf_error_set(err, HF_ERR_USAGE,
            "%s exports its own malloc, which the agent cannot replace", target.path);
    return status;
}

/* The memory comes with the order. */
static enum hf_status table_worker_look_at_jit(
    const struct hf_table_worker *worker, uint32_t pid, int fd)
{
    struct hf_memory memory = hf_memory_of_file(&fd);
    if (worker->jit->descriptor == 0)
        worker->jit->descriptor = hf_jit_list_descriptor(pid);
    hf_jit_list_look(worker->jit, &memory);
    return HF_OK;
}

size_t hf_table_worker_work(
    void *context, const struct hf_standby_order *order, char reply_bytes[HF_BROKER_TEXT_MAX])
{
    struct hf_table_worker *worker = context;
    struct hf_table_order what;
    struct hf_table_reply reply;
    struct hf_error *err = &reply.error;
    enum hf_status status = HF_ERR_SYSTEM;
    memset(&reply, 0, sizeof reply);
    if (order->bytes.size == sizeof what) {
        memcpy(&what, order->bytes.data, sizeof what);
        switch (order->kind) {
        case HF_TABLE_ORDER_SUMS:
            status = table_worker_add_up(worker, &what, order->fd, &reply, err);
            break;
        case HF_TABLE_ORDER_SAVE:
            status = table_worker_save(worker, &what, order->fd, &reply, err);
            break;
        case HF_TABLE_ORDER_MARK:
            status = table_worker_mark(worker, &what, order->fd, &reply, err);
            break;
        case HF_TABLE_ORDER_JIT:
            status = table_worker_look_at_jit(worker, what.pid, order->fd);
            break;
        case HF_TABLE_ORDER_JUDGE:
            status = table_worker_judge(worker, &what, order->fd, &reply, err);
            break;
        case HF_TABLE_ORDER_FIND: status = table_worker_find(&what, err); break;
        default: status = table_worker_look_at_program(&what, err); break;
        }
    }
    reply.status = (uint32_t)status;
    memcpy(reply_bytes, &reply, sizeof reply);
    return sizeof reply;
}
