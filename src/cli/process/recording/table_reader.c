#include "cli/process/recording/table_reader.h"

#include "answer/heaviest.h"
#include "answer/interpreters.h"
#include "answer/names.h"
#include "capture/loop.h"
#include "capture/mark.h"
#include "capture/target.h"
#include "cli/save.h"
#include "cli/say.h"
#include "formats/format.h"
#include "formats/writers.h"
#include "live/start_moment.h"
#include "profile/lifetimes.h"
#include "profile/samples.h"
#include "render/usage_line.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Programs alone: a table comes with the order, and those of others are none of its business. */
static const char *const magics[] = {"\177ELF", NULL};

enum { ORDER_SUMS, ORDER_SAVE, ORDER_MARK, ORDER_FIND, ORDER_PROGRAM, ORDER_JIT, ORDER_JUDGE };

#define JIT_WAIT_NS UINT64_C(100000000)

#define FIND_TRIES 5
#define FIND_EVERY_NS 20000000

/* As both sides have it. */
struct order {
    uint32_t pid, is_last; /* its process has ended; who holds most is asked for */
    uint32_t skips_nothing, reserved;
    uint64_t start_ticks;
    struct hf_leak_alarm_rules alarm;
    char name[PATH_MAX];    /* of the table, for messages */
    char program[PATH_MAX]; /* the command of what was read; "": as it says */
    char output[PATH_MAX];
};

/* No `bool` and no text that must end: it may come from a worker that was taken over. */
struct table_reader_reply {
    uint32_t status, is_partial, holds_nothing, reserved;
    uint64_t in_use_bytes, allocated_bytes, peak_bytes;
    struct hf_error error;
    struct hf_leak_told told;
    char most[sizeof((struct hf_table_written *)0)->most];
    char resident[sizeof((struct hf_table_written *)0)->resident];
    char curve[sizeof((struct hf_table_written *)0)->curve];
};

_Static_assert(sizeof(struct order) <= HF_BROKER_TEXT_MAX, "an order is one answer");
_Static_assert(sizeof(struct table_reader_reply) <= HF_BROKER_TEXT_MAX, "a reply is one question");

static enum hf_status table_reader_read_profile(const struct hf_table_reader *reader,
    const struct order *order, int fd, struct hf_profile **out_profile, struct hf_error *err)
{
    struct hf_input input;
    struct hf_lifetimes lifetimes = {.wants_classes = true};
    hf_input_open_descriptor(&input, fd, order->name);
    input.start = reader->start;
    input.now_ns = hf_loop_now_ns();
    input.lifetimes = hf_save_takes_classes(order->output) ? &lifetimes : NULL;
    enum hf_status status = hf_format_read(&input, out_profile, err);
    hf_input_close(&input);
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
    if (status == HF_OK && reader->jit != NULL) {
        hf_jit_list_note(reader->jit, &(*out_profile)->notes);
        status = hf_profile_string(
            *out_profile, hf_jit_list_names(reader->jit), &(*out_profile)->capture.jit_names, err);
    }
    if (status != HF_OK)
        hf_profile_free(*out_profile);
    return status;
}

static uint64_t table_reader_total(const struct hf_profile *profile, struct hf_text type_name)
{
    size_t type;
    return hf_profile_find_type(profile, type_name, &type)
               ? hf_profile_total(profile, type, HF_THREAD_ALL).value
               : 0;
}

/* What was lost is something. */
static bool table_reader_holds_nothing(
    const struct hf_profile *profile, const struct table_reader_reply *reply)
{
    for (size_t i = 0; i < profile->notes.count; i++) {
        if (profile->notes.items[i].kind == HF_NOTE_LOSS)
            return false;
    }
    return reply->in_use_bytes == 0 && reply->allocated_bytes == 0;
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

static void table_reader_put_curve(
    const struct hf_profile *profile, struct table_reader_reply *reply)
{
    struct hf_out curve = {0};
    hf_usage_line_put(&profile->capture, &curve);
    if (curve.error.status == HF_OK)
        (void)snprintf(reply->curve, sizeof reply->curve, "%.*s", (int)curve.size, curve.data);
    hf_out_done(&curve);
}

/* Of a process that has ended: what holds most, and what cannot be seen of it; not of each of many.
 */
static void table_reader_conclude(const struct hf_table_reader *reader, const struct order *order,
    const struct hf_profile *profile, struct table_reader_reply *reply)
{
    struct hf_notes notes = {0};
    struct hf_common common = reader->options->view.common;
    const struct hf_request_fold *wanted = &reader->options->view.request.fold;
    hf_heaviest_describe_ended(profile, wanted, reply->most);
    bool is_all;
    hf_heaviest_describe_resident(profile, wanted, reply->resident, &is_all);
    if (is_all)
        reply->most[0] = '\0';
    table_reader_put_curve(profile, reply);
    if (order->skips_nothing == 0)
        hf_note_interpreter(profile, &notes);
    hf_report_notes(&common, &notes);
    hf_notes_done(&notes);
}

static enum hf_status table_reader_save(const struct hf_table_reader *reader,
    const struct order *order, int fd, struct table_reader_reply *reply, struct hf_error *err)
{
    struct hf_profile *profile;
    struct hf_report_options report = *reader->options;
    /* What a dump on the way has to say, the last one says again. */
    report.view.common.quiet = report.view.common.quiet || order->is_last == 0;
    enum hf_status status = table_reader_read_profile(reader, order, fd, &profile, err);
    if (status != HF_OK)
        return status;
    struct hf_budget budget = {.given_bytes = profile->given_bytes};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    reply->in_use_bytes = table_reader_total(profile, HF_TEXT("inuse_space"));
    reply->allocated_bytes = table_reader_total(profile, HF_TEXT("alloc_space"));
    reply->peak_bytes = profile->capture.peak_bytes;
    if (order->skips_nothing != 0 && table_reader_holds_nothing(profile, reply)) {
        reply->holds_nothing = 1;
        hf_budget_leave(before);
        hf_profile_free(profile);
        return HF_OK;
    }
    if (order->is_last != 0 && reply->in_use_bytes == 0)
        show_peak(&report.view.request.fold, profile, order->output);
    status = hf_save(&report, order->output, profile, err);
    reply->is_partial = report.view.common.is_partial;
    if (status == HF_OK && order->is_last != 0) /* a bundle keeps names as the files have them */
        status = hf_names_make_readable(&report.view.request.names, profile, err);
    if (status == HF_OK && order->is_last != 0)
        table_reader_conclude(reader, order, profile, reply);
    hf_budget_leave(before);
    hf_profile_free(profile);
    return status;
}

static enum hf_status table_reader_write_bundle(
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
static enum hf_status table_reader_mark(const struct hf_table_reader *reader,
    const struct order *order, int fd, struct table_reader_reply *reply, struct hf_error *err)
{
    struct hf_profile *profile;
    struct hf_common common = reader->options->view.common;
    struct hf_request_names names = reader->options->view.request.names;
    enum hf_status status = table_reader_read_profile(reader, order, fd, &profile, err);
    if (status != HF_OK)
        return status;
    names.linkage_names = true;
    struct hf_budget budget = {.given_bytes = profile->given_bytes};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    status = hf_names_add(&names, profile, err);
    if (status == HF_OK)
        status = table_reader_write_bundle(order->output, profile, err);
    hf_budget_leave(before);
    if (status == HF_OK)
        hf_report_notes(&common, &profile->notes);
    reply->is_partial = common.is_partial;
    reply->in_use_bytes = table_reader_total(profile, HF_TEXT("inuse_space"));
    hf_profile_free(profile);
    return status;
}

static enum hf_status table_reader_add_up(const struct hf_table_reader *reader,
    const struct order *order, int fd, struct table_reader_reply *reply, struct hf_error *err)
{
    struct hf_table_sums sums;
    enum hf_status status = hf_table_sums_take(fd, order->name, reader->start, &sums, err);
    if (status != HF_OK)
        return status;
    reply->in_use_bytes = sums.in_use_bytes;
    reply->allocated_bytes = sums.allocated_bytes;
    return HF_OK;
}

/* A process that became another program has another table, and begins anew. */
static void table_reader_begin_alarm(struct hf_table_reader *reader, const struct order *order)
{
    if (strcmp(reader->alarm_of, order->name) != 0) {
        hf_leak_alarm_done(&reader->alarm);
        reader->alarm = (struct hf_leak_alarm){.told_count = 0};
    }
    memcpy(reader->alarm_of, order->name, sizeof order->name);
    reader->alarm.rules = order->alarm;
}

/* With the births of what is in use. */
static enum hf_status table_reader_read_look(struct hf_table_reader *reader,
    const struct order *order, int fd, struct hf_lifetimes *lifetimes,
    struct hf_leak_look *out_look, struct hf_error *err)
{
    struct hf_input input;
    hf_input_open_descriptor(&input, fd, order->name);
    input.start = reader->start;
    input.now_ns = hf_loop_now_ns();
    input.lifetimes = lifetimes;
    *out_look =
        (struct hf_leak_look){.dated = {order->name, lifetimes->to_ms}, .lifetimes = lifetimes};
    enum hf_status status = hf_format_read(&input, &out_look->profile, err);
    hf_input_close(&input);
    if (status != HF_OK)
        return status;
    status = hf_lifetimes_take_births(lifetimes, out_look->profile, err);
    if (status != HF_OK)
        hf_profile_free(out_look->profile);
    return status;
}

static enum hf_status table_reader_judge(struct hf_table_reader *reader, const struct order *order,
    int fd, struct table_reader_reply *reply, struct hf_error *err)
{
    struct hf_leak_look look;
    struct hf_lifetimes lifetimes = {
        .to_ms = hf_timeline_now(), .wants_births = true, .wants_epochs_only = true};
    table_reader_begin_alarm(reader, order);
    enum hf_status status = table_reader_read_look(reader, order, fd, &lifetimes, &look, err);
    if (status == HF_OK) {
        status = hf_leak_alarm_look(
            &reader->alarm, &reader->options->view.request, &look, &reply->told, err);
        if (status == HF_OK)
            hf_profile_free(look.profile);
    }
    hf_lifetimes_done(&lifetimes);
    return status;
}

static enum hf_status table_reader_find(const struct order *order, struct hf_error *err)
{
    struct hf_found_table table;
    enum hf_status status = hf_found_table_of(&table, order->pid, NULL, err);
    if (status == HF_OK)
        hf_found_table_close(&table);
    return status;
}

static enum hf_status table_reader_look_at_program(const struct order *order, struct hf_error *err)
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
static enum hf_status table_reader_look_at_jit(
    const struct hf_table_reader *reader, uint32_t pid, int fd)
{
    struct hf_memory memory = hf_memory_of_file(&fd);
    if (reader->jit->descriptor == 0)
        reader->jit->descriptor = hf_jit_list_descriptor(pid);
    hf_jit_list_look(reader->jit, &memory);
    return HF_OK;
}

static size_t table_reader_work(
    void *context, const struct hf_standby_order *order, char reply_bytes[HF_BROKER_TEXT_MAX])
{
    struct hf_table_reader *reader = context;
    struct order what;
    struct table_reader_reply reply;
    struct hf_error *err = &reply.error;
    enum hf_status status = HF_ERR_SYSTEM;
    memset(&reply, 0, sizeof reply);
    if (order->bytes.size == sizeof what) {
        memcpy(&what, order->bytes.data, sizeof what);
        switch (order->kind) {
        case ORDER_SUMS: status = table_reader_add_up(reader, &what, order->fd, &reply, err); break;
        case ORDER_SAVE: status = table_reader_save(reader, &what, order->fd, &reply, err); break;
        case ORDER_MARK: status = table_reader_mark(reader, &what, order->fd, &reply, err); break;
        case ORDER_JIT: status = table_reader_look_at_jit(reader, what.pid, order->fd); break;
        case ORDER_JUDGE: status = table_reader_judge(reader, &what, order->fd, &reply, err); break;
        case ORDER_FIND: status = table_reader_find(&what, err); break;
        default: status = table_reader_look_at_program(&what, err); break;
        }
    }
    reply.status = (uint32_t)status;
    memcpy(reply_bytes, &reply, sizeof reply);
    return sizeof reply;
}

/* In the command. What came is bounded and ended here; it is escaped where it is said. */
static void table_reader_check(struct table_reader_reply *reply)
{
    reply->most[sizeof reply->most - 1] = '\0';
    reply->told.what[sizeof reply->told.what - 1] = '\0';
    reply->resident[sizeof reply->resident - 1] = '\0';
    reply->curve[sizeof reply->curve - 1] = '\0';
}

/* All-zero, shared with the worker; NULL: there is no room. */
static void *share_memory(size_t bytes)
{
    void *memory = mmap(
        NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

enum hf_status hf_table_reader_init(struct hf_table_reader *reader,
    struct hf_report_options *options, const char *operand, struct hf_error *err)
{
    size_t count = 0;
    const struct hf_view_options *view = &options->view;
    *reader = (struct hf_table_reader){.options = options};
    hf_view_options_budget(view);
    const struct hf_request_names *names = &view->request.names;
    for (size_t i = 0; i < names->symdirs.count; i++)
        reader->words[count++] = names->symdirs.items[i];
    if (names->exe != NULL)
        reader->words[count++] = names->exe;
    reader->words[count] = operand;
    hf_reader_rules_init(&reader->rules, view->common.quiet, reader->words, reader->outputs);
    reader->rules.rules.drawing = NULL;
    if (operand == NULL) {
        reader->rules.rules.magics = magics;
        reader->rules.rules.gives_tables = false;
    }
    reader->jit = share_memory(sizeof *reader->jit);
    reader->start = share_memory(sizeof *reader->start);
    enum hf_status status = hf_standby_init(&reader->standby, &reader->rules.rules, err);
    reader->standby.work = table_reader_work;
    reader->standby.context = reader;
    reader->standby.is_inside = view->common.no_sandbox;
    reader->standby.keeps_output = view->output != NULL && strcmp(view->output, "-") == 0;
    return status;
}

void hf_table_reader_done(struct hf_table_reader *reader)
{
    hf_standby_done(&reader->standby);
    hf_leak_alarm_done(&reader->alarm); /* of one that worked here */
    if (reader->jit != NULL)
        (void)munmap(reader->jit, sizeof *reader->jit);
    reader->jit = NULL;
    if (reader->start != NULL)
        (void)munmap(reader->start, sizeof *reader->start);
    reader->start = NULL;
}

/* Again without a file that killed the worker, whose names are then missing. */
static bool order_it(struct hf_table_reader *reader, const struct hf_standby_order *order,
    struct table_reader_reply *reply, struct hf_standby_ending *ending)
{
    while (!hf_standby_do(&reader->standby, order, reply, sizeof *reply, ending)) {
        if (!hf_sandbox_may_repeat(&reader->standby.sandbox, &ending->worker))
            return false;
        hf_reader_say_lost(&reader->options->view.common, &ending->worker);
    }
    return true;
}

/* HF_OK also if there is no reply: then *out_is_done is false. */
static enum hf_status table_reader_carry_out(struct hf_table_reader *reader, uint32_t kind, int fd,
    const struct order *what, struct table_reader_reply *reply, bool *out_is_done,
    struct hf_standby_ending *ending, struct hf_error *err)
{
    const struct hf_standby_order order = {
        kind, {(const char *)(const void *)what, sizeof *what}, fd};
    reader->outputs[0] = what->output[0] != '\0' ? what->output : NULL;
    *out_is_done = order_it(reader, &order, reply, ending);
    reader->outputs[0] = NULL;
    if (!*out_is_done)
        return HF_OK;
    table_reader_check(reply);
    struct hf_common *common = &reader->options->view.common;
    common->is_partial = common->is_partial || reply->is_partial != 0;
    return hf_error_received(err, &reply->error, reply->status);
}

static void table_reader_fill(struct order *order, uint32_t pid, const char *name)
{
    memset(order, 0, sizeof *order);
    order->pid = pid;
    (void)snprintf(order->name, sizeof order->name, "%s", name);
}

static void fill_source(
    struct order *order, const struct hf_dump_source *source, const char *output)
{
    table_reader_fill(order, source->pid, source->path);
    (void)snprintf(order->output, sizeof order->output, "%s", output);
    if (source->program != NULL)
        (void)snprintf(order->program, sizeof order->program, "%s", source->program);
}

static void say_lost(struct hf_table_reader *reader, const struct hf_standby_ending *ending,
    const char *what, const char *source)
{
    struct hf_notes notes = {0};
    char cause[160];
    hf_standby_put_cause(ending, cause, sizeof cause);
    hf_notes_add(&notes, HF_NOTE_LOSS, "%s, because the reader of %s %s", what, source, cause);
    hf_report_notes(&reader->options->view.common, &notes);
    hf_notes_done(&notes);
}

enum hf_status hf_table_reader_sums(struct hf_table_reader *reader,
    const struct hf_found_table *table, struct hf_table_sums *out_sums, bool *out_is_known,
    struct hf_error *err)
{
    struct order what;
    struct table_reader_reply reply;
    struct hf_standby_ending ending;
    *out_is_known = false;
    if (reader->deaths == HF_TABLE_READER_DEATHS)
        return HF_OK;
    table_reader_fill(&what, 0, table->path);
    enum hf_status status = table_reader_carry_out(
        reader, ORDER_SUMS, table->fd, &what, &reply, out_is_known, &ending, err);
    if (status != HF_OK)
        return status;
    if (*out_is_known) {
        *out_sums = (struct hf_table_sums){reply.allocated_bytes, reply.in_use_bytes};
        return HF_OK;
    }
    if (ending.was_not_started) /* for lack of processes, say: another time */
        return HF_OK;
    reader->deaths++;
    say_lost(reader, &ending,
        reader->deaths == HF_TABLE_READER_DEATHS ? "all further readings of a process"
                                                 : "one reading of a process",
        table->path);
    return HF_OK;
}

/* Without a list, the next look comes later and later: files are searched for it. */
void hf_table_reader_look_at_jit(struct hf_table_reader *reader)
{
    int fd;
    bool is_done;
    struct order what;
    struct table_reader_reply reply;
    struct hf_standby_ending ending;
    uint64_t now_ns = hf_loop_now_ns();
    if (reader->jit == NULL || reader->pid == 0 || now_ns < reader->jit_due_ns ||
        reader->deaths == HF_TABLE_READER_DEATHS || hf_memory_open(reader->pid, &fd, NULL) != HF_OK)
        return;
    table_reader_fill(&what, reader->pid, "");
    enum hf_status status =
        table_reader_carry_out(reader, ORDER_JIT, fd, &what, &reply, &is_done, &ending, NULL);
    close(fd);
    if (status != HF_OK || !is_done)
        reader->deaths += !ending.was_not_started;
    reader->jit_wait_ns = reader->jit->descriptor != 0 ? 0 : reader->jit_wait_ns * 2 + JIT_WAIT_NS;
    reader->jit_due_ns = now_ns + reader->jit_wait_ns;
}

enum hf_status hf_table_reader_save(struct hf_table_reader *reader,
    const struct hf_dump_source *source, const struct hf_table_save *save,
    struct hf_table_written *out_written, struct hf_error *err)
{
    struct order what;
    struct table_reader_reply reply;
    struct hf_standby_ending ending;
    *out_written = (struct hf_table_written){0};
    fill_source(&what, source, save->path);
    what.is_last = save->is_last;
    what.skips_nothing = save->skips_nothing;
    what.start_ticks = reader->start_ticks;
    enum hf_status status = table_reader_carry_out(
        reader, ORDER_SAVE, source->fd, &what, &reply, &out_written->is_there, &ending, err);
    hf_standby_rest(&reader->standby); /* with all that it took to name and to draw */
    if (status == HF_OK && out_written->is_there) {
        out_written->holds_nothing = reply.holds_nothing != 0;
        out_written->is_there = !out_written->holds_nothing;
        out_written->in_use_bytes = reply.in_use_bytes;
        out_written->allocated_bytes = reply.allocated_bytes;
        out_written->peak_bytes = reply.peak_bytes;
        memcpy(out_written->most, reply.most, sizeof reply.most);
        memcpy(out_written->resident, reply.resident, sizeof reply.resident);
        memcpy(out_written->curve, reply.curve, sizeof reply.curve);
    } else if (status == HF_OK) {
        say_lost(reader, &ending, save->path, source->path);
    }
    return status;
}

enum hf_status hf_table_reader_judge(struct hf_table_reader *reader,
    const struct hf_dump_source *source, const struct hf_leak_alarm_rules *rules,
    struct hf_leak_told *out_told, struct hf_error *err)
{
    struct order what;
    struct table_reader_reply reply;
    struct hf_standby_ending ending;
    bool is_done;
    *out_told = (struct hf_leak_told){.since_ms = 0};
    if (reader->deaths == HF_TABLE_READER_DEATHS)
        return HF_OK;
    fill_source(&what, source, "");
    what.alarm = *rules;
    enum hf_status status = table_reader_carry_out(
        reader, ORDER_JUDGE, source->fd, &what, &reply, &is_done, &ending, err);
    if (status == HF_OK && is_done)
        *out_told = reply.told;
    if (is_done || ending.was_not_started)
        return status;
    reader->deaths++;
    say_lost(reader, &ending,
        reader->deaths == HF_TABLE_READER_DEATHS ? "leaks are no longer looked for"
                                                 : "the search for leaks begins anew",
        source->path);
    return status;
}

static enum hf_status table_reader_refuse(
    const struct hf_standby_ending *ending, const char *source, struct hf_error *err)
{
    char cause[160];
    hf_standby_put_cause(ending, cause, sizeof cause);
    return hf_error_set(
        err, HF_ERR_INPUT, "the reader of %s %s; nothing else is affected", source, cause);
}

enum hf_status hf_table_reader_mark(struct hf_table_reader *reader,
    const struct hf_dump_source *source, const char *path, uint64_t *out_in_use_bytes,
    struct hf_error *err)
{
    struct order what;
    struct table_reader_reply reply;
    struct hf_standby_ending ending;
    bool is_done;
    fill_source(&what, source, path);
    enum hf_status status = table_reader_carry_out(
        reader, ORDER_MARK, source->fd, &what, &reply, &is_done, &ending, err);
    if (status == HF_OK && !is_done)
        status = table_reader_refuse(&ending, source->path, err);
    if (status == HF_OK)
        *out_in_use_bytes = reply.in_use_bytes;
    return status;
}

static enum hf_status find_out_why(
    struct hf_table_reader *reader, uint32_t pid, struct hf_error *err)
{
    struct order what;
    struct table_reader_reply reply;
    struct hf_standby_ending ending;
    bool is_done;
    table_reader_fill(&what, pid, "");
    enum hf_status status =
        table_reader_carry_out(reader, ORDER_FIND, -1, &what, &reply, &is_done, &ending, err);
    if (status == HF_OK && !is_done)
        return table_reader_refuse(&ending, "its program", err);
    /* There is one now, and a moment ago there was none; if it has gone again, say so. */
    return status != HF_OK ? status
                           : hf_error_set(err, HF_ERR_SYSTEM,
                                 "process %u has just created its live table: try again", pid);
}

enum hf_status hf_table_reader_find(struct hf_found_table *table, uint32_t pid, const char *operand,
    struct hf_report_options *options, struct hf_error *err)
{
    struct hf_table_reader reader;
    if (hf_found_table_of(table, pid, NULL, NULL) == HF_OK)
        return HF_OK;
    enum hf_status status = hf_table_reader_init(&reader, options, operand, err);
    if (status == HF_OK)
        status = find_out_why(&reader, pid, err);
    hf_table_reader_done(&reader);
    /* A program that has just started may have one soon, which the worker may not open. */
    for (int tries = 0; status != HF_OK && tries < FIND_TRIES; tries++) {
        if (hf_found_table_of(table, pid, NULL, NULL) == HF_OK)
            return HF_OK;
        (void)nanosleep(&(struct timespec){.tv_nsec = FIND_EVERY_NS}, NULL);
    }
    return status;
}

enum hf_status hf_table_reader_check_program(
    struct hf_table_reader *reader, const char *program, struct hf_error *err)
{
    struct order what;
    struct table_reader_reply reply;
    struct hf_standby_ending ending;
    bool is_done;
    enum hf_status status = hf_target_check_rights(program, err);
    if (status != HF_OK)
        return status;
    table_reader_fill(&what, 0, program);
    status =
        table_reader_carry_out(reader, ORDER_PROGRAM, -1, &what, &reply, &is_done, &ending, err);
    if (status == HF_OK && !is_done)
        status = table_reader_refuse(&ending, program, err);
    return status;
}
