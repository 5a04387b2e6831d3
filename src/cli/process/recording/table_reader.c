#include "cli/process/recording/table_reader.h"

#include "capture/loop.h"
#include "capture/target.h"
#include "cli/say.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Programs alone: a table comes with the order, and those of others are none of its business. */
static const char *const magics[] = {"\177ELF", NULL};

#define JIT_WAIT_NS UINT64_C(100000000)

#define FIND_TRIES 5
#define FIND_EVERY_NS 20000000

/* In the command. What came is bounded and ended here; it is escaped where it is said. */
static void table_reader_check(struct hf_table_reply *reply)
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
    *reader = (struct hf_table_reader){.worker = {.options = options}};
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
    reader->worker.jit = share_memory(sizeof *reader->worker.jit);
    reader->worker.start = share_memory(sizeof *reader->worker.start);
    enum hf_status status = hf_standby_init(&reader->standby, &reader->rules.rules, err);
    reader->standby.work = hf_table_worker_work;
    reader->standby.context = &reader->worker;
    reader->standby.is_inside = view->common.no_sandbox;
    reader->standby.keeps_output = view->output != NULL && strcmp(view->output, "-") == 0;
    return status;
}

void hf_table_reader_done(struct hf_table_reader *reader)
{
    hf_standby_done(&reader->standby);
    hf_leak_alarm_done(&reader->worker.alarm); /* of one that worked here */
    if (reader->worker.jit != NULL)
        (void)munmap(reader->worker.jit, sizeof *reader->worker.jit);
    reader->worker.jit = NULL;
    if (reader->worker.start != NULL)
        (void)munmap(reader->worker.start, sizeof *reader->worker.start);
    reader->worker.start = NULL;
}

/* Again without a file that killed the worker, whose names are then missing. */
static bool order_it(struct hf_table_reader *reader, const struct hf_standby_order *order,
    struct hf_table_reply *reply, struct hf_standby_ending *ending)
{
    while (!hf_standby_do(&reader->standby, order, reply, sizeof *reply, ending)) {
        if (!hf_sandbox_may_repeat(&reader->standby.sandbox, &ending->worker))
            return false;
        hf_reader_say_lost(&reader->worker.options->view.common, &ending->worker);
    }
    return true;
}

/* HF_OK also if there is no reply: then *out_is_done is false. */
static enum hf_status table_reader_carry_out(struct hf_table_reader *reader, uint32_t kind, int fd,
    const struct hf_table_order *what, struct hf_table_reply *reply, bool *out_is_done,
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
    struct hf_common *common = &reader->worker.options->view.common;
    common->is_partial = common->is_partial || reply->is_partial != 0;
    return hf_error_received(err, &reply->error, reply->status);
}

static void table_reader_fill(struct hf_table_order *order, uint32_t pid, const char *name)
{
    memset(order, 0, sizeof *order);
    order->pid = pid;
    (void)snprintf(order->name, sizeof order->name, "%s", name);
}

static void fill_source(
    struct hf_table_order *order, const struct hf_dump_source *source, const char *output)
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
    hf_report_notes(&reader->worker.options->view.common, &notes);
    hf_notes_done(&notes);
}

enum hf_status hf_table_reader_sums(struct hf_table_reader *reader,
    const struct hf_found_table *table, struct hf_table_sums *out_sums, bool *out_is_known,
    struct hf_error *err)
{
    struct hf_table_order what;
    struct hf_table_reply reply;
    struct hf_standby_ending ending;
    *out_is_known = false;
    if (reader->deaths == HF_TABLE_READER_DEATHS)
        return HF_OK;
    table_reader_fill(&what, 0, table->path);
    enum hf_status status = table_reader_carry_out(
        reader, HF_TABLE_ORDER_SUMS, table->fd, &what, &reply, out_is_known, &ending, err);
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
    struct hf_table_order what;
    struct hf_table_reply reply;
    struct hf_standby_ending ending;
    uint64_t now_ns = hf_loop_now_ns();
    if (reader->worker.jit == NULL || reader->pid == 0 || now_ns < reader->jit_due_ns ||
        reader->deaths == HF_TABLE_READER_DEATHS || hf_memory_open(reader->pid, &fd, NULL) != HF_OK)
        return;
    table_reader_fill(&what, reader->pid, "");
    enum hf_status status = table_reader_carry_out(
        reader, HF_TABLE_ORDER_JIT, fd, &what, &reply, &is_done, &ending, NULL);
    close(fd);
    if (status != HF_OK || !is_done)
        reader->deaths += !ending.was_not_started;
    reader->jit_wait_ns =
        reader->worker.jit->descriptor != 0 ? 0 : reader->jit_wait_ns * 2 + JIT_WAIT_NS;
    reader->jit_due_ns = now_ns + reader->jit_wait_ns;
}

enum hf_status hf_table_reader_save(struct hf_table_reader *reader,
    const struct hf_dump_source *source, const struct hf_table_save *save,
    struct hf_table_written *out_written, struct hf_error *err)
{
    struct hf_table_order what;
    struct hf_table_reply reply;
    struct hf_standby_ending ending;
    *out_written = (struct hf_table_written){0};
    fill_source(&what, source, save->path);
    what.is_last = save->is_last;
    what.skips_nothing = save->skips_nothing;
    what.start_ticks = reader->start_ticks;
    enum hf_status status = table_reader_carry_out(reader, HF_TABLE_ORDER_SAVE, source->fd, &what,
        &reply, &out_written->is_there, &ending, err);
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
    struct hf_table_order what;
    struct hf_table_reply reply;
    struct hf_standby_ending ending;
    bool is_done;
    *out_told = (struct hf_leak_told){.since_ms = 0};
    if (reader->deaths == HF_TABLE_READER_DEATHS)
        return HF_OK;
    fill_source(&what, source, "");
    what.alarm = *rules;
    enum hf_status status = table_reader_carry_out(
        reader, HF_TABLE_ORDER_JUDGE, source->fd, &what, &reply, &is_done, &ending, err);
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
    struct hf_table_order what;
    struct hf_table_reply reply;
    struct hf_standby_ending ending;
    bool is_done;
    fill_source(&what, source, path);
    enum hf_status status = table_reader_carry_out(
        reader, HF_TABLE_ORDER_MARK, source->fd, &what, &reply, &is_done, &ending, err);
    if (status == HF_OK && !is_done)
        status = table_reader_refuse(&ending, source->path, err);
    if (status == HF_OK)
        *out_in_use_bytes = reply.in_use_bytes;
    return status;
}

static enum hf_status find_out_why(
    struct hf_table_reader *reader, uint32_t pid, struct hf_error *err)
{
    struct hf_table_order what;
    struct hf_table_reply reply;
    struct hf_standby_ending ending;
    bool is_done;
    table_reader_fill(&what, pid, "");
    enum hf_status status = table_reader_carry_out(
        reader, HF_TABLE_ORDER_FIND, -1, &what, &reply, &is_done, &ending, err);
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
    struct hf_table_order what;
    struct hf_table_reply reply;
    struct hf_standby_ending ending;
    bool is_done;
    enum hf_status status = hf_target_check_rights(program, err);
    if (status != HF_OK)
        return status;
    table_reader_fill(&what, 0, program);
    status = table_reader_carry_out(
        reader, HF_TABLE_ORDER_PROGRAM, -1, &what, &reply, &is_done, &ending, err);
    if (status == HF_OK && !is_done)
        status = table_reader_refuse(&ending, program, err);
    return status;
}
