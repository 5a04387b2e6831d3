#include "cli/process/recording/dump_writer.h"

#include "base/strings/units.h"
#include "capture/table_place.h"
#include "cli/file_pattern.h"
#include "cli/say.h"
#include "os/process/proc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define AT(field) struct hf_dump_writer_options, field
#define VALUE AT(report.view.request.fold.value)

const struct hf_option hf_dump_writer_output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(AT(report.view.output), "PATTERN"),
        "name the files: %e program, %p process, %n number, %h host, %t time "
        "(default: " HF_DUMP_WRITER_PATTERN ")"},
    {"keep", 0, HF_OPT_COUNT(AT(keep), "N"),
        "keep the first dump, the peak, the largest growth and the last N; 0 keeps all (default: "
        "12)"},
    {"final", 0, HF_OPT_VALUE(AT(writes_last), 1),
        "write a profile when the program has ended (default)"},
    {"no-final", 0, HF_OPT_VALUE(AT(writes_last), 0),
        "write no profile when the program has ended"},
    {0},
};

const struct hf_option hf_dump_writer_value_options[] = {
    {"inuse_space", 0, HF_OPT_NAME(VALUE), "count bytes in use (default)"},
    {"inuse_objects", 0, HF_OPT_NAME(VALUE), "count objects in use"},
    {"alloc_space", 0, HF_OPT_NAME(VALUE), "count bytes ever allocated"},
    {"alloc_objects", 0, HF_OPT_NAME(VALUE), "count objects ever allocated"},
    {0},
};

const struct hf_option hf_dump_writer_rule_options[] = {
    {"interval", 0, HF_OPT_BYTES(AT(rules.interval_bytes), "BYTES"),
        "write a dump each time BYTES more were allocated, e.g. 1GiB"},
    {"high-water", 0, HF_OPT_BYTES(AT(rules.high_water_bytes), "BYTES"),
        "write a dump each time peak memory (in use or resident) rises by BYTES, e.g. +64MiB"},
    {"every", 0, HF_OPT_WAIT(AT(rules.every_ns), "TIME"),
        "write a dump every TIME, e.g. 30s, 5m or 1h"},
    {0},
};

const struct hf_option hf_dump_writer_place_options[] = {
    {"dir", 0, HF_OPT_TEXT(AT(folder), "DIR"),
        "use DIR as the folder of live tables (default: $XDG_RUNTIME_DIR, /dev/shm or /tmp)"},
    {"cgroup", 0, HF_OPT_TEXT(AT(group), "DIR"),
        "watch the memory cgroup in DIR, if it is not the program's own"},
    {0},
};

const struct hf_option hf_dump_writer_leak_options[] = {
    {"alarm", 0, HF_OPT_FLAG(AT(leaks.is_on)),
        "report a leak when it is certain, and keep a profile of it"},
    {"on-leak", 0, HF_OPT_TEXT(AT(leaks.command), "COMMAND"),
        "run COMMAND by sh when a leak is reported; implies --alarm"},
    {"learn", 0, HF_OPT_WAIT(AT(leaks.learn_ns), "TIME"),
        "report no leak before the program is TIME old (default: 7d)"},
    {"false-alarm-every", 0, HF_OPT_WAIT(AT(leaks.false_every_ns), "TIME"),
        "accept one false alarm per process every TIME (default: 600d)"},
    {0},
};

void hf_dump_writer_defaults(void *options)
{
    struct hf_dump_writer_options *writer = options;
    hf_report_defaults(options);
    writer->keep = 12;
    writer->writes_last = 1;
    hf_leak_options_defaults(&writer->leaks);
    writer->rules.by_pressure = true;
}

static const char *pattern_of(const struct hf_dump_writer_options *options)
{
    const char *output = options->report.view.output;
    return output != NULL ? output : HF_DUMP_WRITER_PATTERN;
}

enum hf_status hf_dump_writer_check(
    const struct hf_dump_writer_options *options, struct hf_error *err)
{
    const struct hf_request_fold *fold = &options->report.view.request.fold;
    struct hf_owners owners;
    enum hf_status status = hf_owners_init(&owners, fold->own, fold->wrapper, NULL, err);
    hf_owners_done(&owners);
    if (status == HF_OK)
        status = hf_file_pattern_check(pattern_of(options), err);
    if (status == HF_OK)
        status = hf_leak_options_check(&options->leaks, "--alarm or --on-leak", err);
    return status == HF_OK ? hf_save_check(pattern_of(options), err) : status;
}

static enum hf_status dump_writer_path_of(const struct hf_dump_writer *writer, uint64_t number,
    char out_path[PATH_MAX], struct hf_error *err)
{
    struct hf_file_name name = {writer->pid, writer->program, writer->first_number + number};
    return hf_file_pattern_expand(pattern_of(writer->options), &name, out_path, err);
}

static enum hf_status dump_writer_take(void *context, uint64_t number, enum hf_dump_reason reason,
    const struct hf_dump_source *source, struct hf_dump_taken *out_taken, struct hf_error *err)
{
    struct hf_dump_writer *writer = context;
    struct hf_table_written written;
    bool is_last = reason == HF_DUMP_FINAL;
    char path[PATH_MAX];
    enum hf_status status = dump_writer_path_of(writer, number, path, err);
    const struct hf_table_save save = {path, is_last, writer->family != NULL};
    if (status == HF_OK)
        status = hf_table_reader_save(&writer->reader, source, &save, &written, err);
    if (status != HF_OK)
        return status;
    out_taken->is_there = written.is_there;
    out_taken->in_use_bytes = written.in_use_bytes;
    writer->in_use_bytes = written.in_use_bytes;
    writer->allocated_bytes = written.allocated_bytes;
    writer->peak_bytes = written.peak_bytes;
    writer->has_lost = is_last && !written.is_there && !written.holds_nothing;
    if (written.is_there)
        memcpy(writer->last_path, path, sizeof path);
    if (is_last) {
        memcpy(writer->most, written.most, sizeof written.most);
        memcpy(writer->resident, written.resident, sizeof written.resident);
        memcpy(writer->curve, written.curve, sizeof written.curve);
    }
    return HF_OK;
}

static enum hf_status sums(void *context, const struct hf_found_table *table,
    struct hf_table_sums *out_sums, uint64_t *out_took_ns, bool *out_is_known, struct hf_error *err)
{
    struct hf_dump_writer *writer = context;
    uint64_t before_ns = hf_standby_spent_ns(&writer->reader.standby);
    enum hf_status status =
        hf_table_reader_sums(&writer->reader, table, out_sums, out_is_known, err);
    uint64_t now_ns = hf_standby_spent_ns(&writer->reader.standby);
    *out_took_ns =
        now_ns > before_ns ? now_ns - before_ns : 0; /* may be of another worker by now */
    hf_table_reader_look_at_jit(&writer->reader);
    return status;
}

static void dump_writer_drop(void *context, uint64_t number)
{
    char path[PATH_MAX];
    const struct hf_dump_writer *writer = context;
    if (hf_file_pattern_has(pattern_of(writer->options), 'n') &&
        dump_writer_path_of(writer, number, path, NULL) == HF_OK)
        (void)unlink(path);
}

static void take_signals(void *context)
{
    const struct hf_loop_source *signals = context;
    (void)!(signals->wake(signals->context, NULL) == HF_OK); /* it has no error to tell */
}

enum hf_status hf_dump_writer_init(struct hf_dump_writer *writer,
    struct hf_dump_writer_options *options, uint32_t pid, const char *program,
    const struct hf_loop_source *signals, struct hf_error *err)
{
    char path[PATH_MAX];
    *writer = (struct hf_dump_writer){.options = options, .pid = pid};
    (void)snprintf(
        writer->program, sizeof writer->program, "%s", hf_text_basename(hf_text_of(program)).data);
    while (hf_file_pattern_has(pattern_of(options), 'n') &&
           dump_writer_path_of(writer, 0, path, NULL) == HF_OK && access(path, F_OK) == 0)
        writer->first_number++;
    enum hf_status status = hf_table_reader_init(&writer->reader, &options->report, NULL, err);
    if (status == HF_OK)
        status = hf_leak_watch_init(&writer->leaks, &options->leaks, &options->report, pid, err);
    writer->leaks.profile = writer->last_path;
    writer->reader.pid = pid;
    if (!hf_proc_start_ticks(pid, &writer->reader.start_ticks))
        writer->reader.start_ticks = 0;
    if (signals == NULL)
        return status;
    writer->reader.standby.meanwhile.fd = signals->fd;
    writer->reader.standby.meanwhile.wake = take_signals;
    writer->reader.standby.meanwhile.context = (void *)(uintptr_t)signals; /* only read */
    return status;
}

void hf_dump_writer_done(struct hf_dump_writer *writer)
{
    hf_leak_watch_done(&writer->leaks);
    hf_table_reader_done(&writer->reader);
}

struct hf_dump_keeper hf_dump_writer_keeper(struct hf_dump_writer *writer)
{
    return (struct hf_dump_keeper){.sink = {dump_writer_take, dump_writer_drop, writer},
        .last = (size_t)writer->options->keep};
}

/* What the table will not survive, or not hold. */
static void put_dangers(
    struct hf_out *line, const struct hf_table_place *place, const char *program)
{
    char room[HF_UNITS_MAX];
    if (place->is_killed_together)
        hf_out_printf(line,
            "when memory runs out, heapflame is killed together with %s (memory.oom.group)",
            program);
    if (place->is_killed_together && place->is_of_container)
        hf_out_string(line, ", and ");
    if (place->is_of_container)
        hf_out_printf(line, "%s is deleted with this container", place->mount);
    if (place->room_bytes != 0 && place->is_of_container)
        hf_out_printf(line, ", and has room for only %s", hf_units_bytes(place->room_bytes, room));
    else if (place->room_bytes != 0)
        hf_out_printf(line, "%s%s has room for only %s", line->size != 0 ? ", and " : "",
            place->mount, hf_units_bytes(place->room_bytes, room));
}

static void put_advice(
    struct hf_out *line, const struct hf_table_place *place, const char *table_path)
{
    if (place->is_of_container && place->volume[0] != '\0')
        hf_out_printf(
            line, "use --dir %s to keep the live table for heapflame dump", place->volume);
    else if (place->is_of_container)
        hf_out_string(
            line, "use --dir with a mounted volume to keep the live table for heapflame dump");
    else if (place->is_killed_together)
        hf_out_printf(
            line, "the last profile is then still available with heapflame dump %s", table_path);
    else
        hf_out_string(line, "use --dir with a larger folder to keep the whole live table");
}

/*
 * "/dev/shm goes with this container, and has room for no more than 64.0 MiB; --dir /heap keeps the
 * live table for heapflame dump"
 */
static void say_what_endangers(void *context, const struct hf_watcher *watcher)
{
    const struct hf_dump_writer *writer = context;
    struct hf_out line = {0};
    struct hf_table_place place = hf_table_place_of(&watcher->table, watcher->pid, &watcher->group);
    put_dangers(&line, &place, writer->program);
    if (line.size != 0 && !writer->options->report.view.common.quiet) {
        hf_out_string(&line, "; ");
        put_advice(&line, &place, watcher->table.path);
        hf_say("%.*s", (int)line.size, line.data);
    }
    hf_out_done(&line);
}

struct hf_watcher hf_dump_writer_watcher(struct hf_dump_writer *writer)
{
    struct hf_watcher watcher = {
        .folder = writer->options->folder,
        .rules = writer->options->rules,
        .keeper = hf_dump_writer_keeper(writer),
        .adder = {sums, writer},
        .judge = hf_leak_watch_judge(&writer->leaks),
        .on_table = say_what_endangers,
        .context = writer,
    };
    hf_watcher_init(&watcher, writer->pid, writer->options->group);
    return watcher;
}

/* "the recording ended when sh executed ./server: ./server is linked statically, ..." */
static bool say_where_it_ended(struct hf_dump_writer *writer, const struct hf_watcher *watcher)
{
    struct hf_error why;
    char program[HF_LIVE_EXECUTED_BYTES];
    if (!hf_found_table_executed(&watcher->table, program))
        return false;
    bool is_known = hf_table_reader_check_program(&writer->reader, program, &why) == HF_ERR_USAGE;
    if (!writer->options->report.view.common.quiet)
        hf_say("the recording ended when %s executed %s%s%s", writer->program, program,
            is_known ? ": " : ", which kept no live table", is_known ? why.text : "");
    return true;
}

void hf_dump_writer_conclude(const struct hf_dump_writer *writer)
{
    bool was_too_little = writer->is_sampled && writer->allocated_bytes == 0;
    if (writer->options->report.view.common.quiet)
        return;
    if (writer->curve[0] != '\0')
        hf_say("%s", writer->curve);
    if (writer->resident[0] != '\0' && writer->most[0] == '\0') {
        hf_say("%s: see %s", writer->resident, writer->last_path);
        return;
    }
    if (writer->resident[0] != '\0')
        hf_say("%s", writer->resident);
    if (writer->most[0] == '\0' && writer->has_only_mappings)
        hf_say("%s has its own malloc, which the agent cannot replace, and nothing that it mapped "
               "was seen: see %s",
            writer->program, writer->last_path);
    else if (writer->most[0] == '\0' && was_too_little)
        hf_say("%s%s allocated too little to be sampled (--exact records everything): see %s",
            writer->was_replaced ? "until then " : "", writer->program, writer->last_path);
    else
        hf_say("%s%s: see %s", writer->was_replaced ? "until then " : "",
            writer->most[0] != '\0' ? writer->most
            : writer->was_replaced  ? "nothing stayed in use"
                                    : "nothing is in use",
            writer->last_path);
}

static void dump_writer_tell_family(
    const struct hf_dump_writer *writer, const struct hf_watcher *watcher)
{
    const struct hf_live_head *head = &watcher->table.head;
    char command[sizeof head->command + 1] = "";
    memcpy(command, head->command, sizeof head->command);
    const struct hf_family_member member = {
        .pid = writer->pid,
        .parent = head->parent_pid,
        .started_ns = head->realtime_ns,
        .in_use_bytes = writer->in_use_bytes,
        .peak_bytes = writer->peak_bytes,
        .allocated_bytes = writer->allocated_bytes,
        .resident_bytes = watcher->most_resident_bytes,
        .was_replaced = writer->was_replaced,
        .has_only_mappings = writer->has_only_mappings,
        .command = command,
        .program = writer->program,
        .file = writer->last_path,
        .heaviest = writer->most[0] != '\0' ? writer->most : writer->resident,
    };
    hf_family_add(writer->family, &member);
}

enum hf_status hf_dump_writer_finish(struct hf_dump_writer *writer, struct hf_watcher *watcher,
    bool *out_was_found, struct hf_error *err)
{
    bool writes_last = writer->options->writes_last != 0;
    /* Of a family only what was recorded has a file, so no reader need start for the others. */
    bool is_empty = writer->family != NULL && watcher->table.fd >= 0 &&
                    hf_found_table_is_empty(&watcher->table);
    enum hf_status status =
        hf_watcher_finish(watcher, writes_last && !is_empty, out_was_found, err);
    if (status != HF_OK || !*out_was_found)
        return status;
    writer->is_sampled = watcher->table.head.period_bytes > 1;
    writer->has_only_mappings = hf_found_table_has_only_mappings(&watcher->table);
    writer->was_replaced = say_where_it_ended(writer, watcher);
    if (writer->has_lost) {
        hf_say("the live table is kept: heapflame dump %s tries again", watcher->table.path);
        return HF_OK;
    }
    if (writer->family != NULL)
        dump_writer_tell_family(writer, watcher);
    else if (writes_last)
        hf_dump_writer_conclude(writer);
    hf_found_tables_remove(&watcher->table);
    return HF_OK;
}
