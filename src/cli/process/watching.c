#include "cli/process/watching.h"

#include "base/strings/units.h"
#include "capture/table_place.h"
#include "cli/file_pattern.h"
#include "cli/say.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define AT(field) offsetof(struct hf_watching_options, field)

const struct hf_option hf_watching_output_options[] = {
    {"output", 'o', HF_OPTION_OUTPUT, 0, AT(report.view.output), "PATTERN",
        "program, process, number; also %h host, %t time (" HF_WATCHING_PATTERN ")"},
    {"keep", 0, HF_OPTION_COUNT, 0, AT(keep), "N",
        "keep the last N, the first, the peak and where most grew (12; 0: all)"},
    {"final", 0, HF_OPTION_VALUE, 1, AT(writes_last), NULL,
        "write a profile when the program has ended (the default)"},
    {"no-final", 0, HF_OPTION_VALUE, 0, AT(writes_last), NULL, "write none then"},
    {0},
};

const struct hf_option hf_watching_rule_options[] = {
    {"interval", 0, HF_OPTION_BYTES, 0, AT(rules.interval_bytes), "BYTES",
        "each time so much was allocated, as 1GiB"},
    {"high-water", 0, HF_OPTION_BYTES, 0, AT(rules.high_water_bytes), "BYTES",
        "each time so much more is in use, or resident, than ever, as +64MiB"},
    {"every", 0, HF_OPTION_WAIT, 0, AT(rules.every_ns), "TIME", "so often, as 30s, 5m or 1h"},
    {0},
};

const struct hf_option hf_watching_place_options[] = {
    {"dir", 0, HF_OPTION_TEXT, 0, AT(folder), "DIR",
        "where the live table is made ($XDG_RUNTIME_DIR, /dev/shm, /tmp)"},
    {"cgroup", 0, HF_OPTION_TEXT, 0, AT(group), "DIR",
        "folder of the memory cgroup, if not the program's own"},
    {0},
};

void hf_watching_defaults(void *options)
{
    struct hf_watching_options *watching = options;
    hf_report_defaults(options);
    watching->keep = 12;
    watching->writes_last = 1;
    watching->rules.by_pressure = true;
}

static const char *pattern_of(const struct hf_watching_options *options)
{
    const char *output = options->report.view.output;
    return output != NULL ? output : HF_WATCHING_PATTERN;
}

enum hf_status hf_watching_check(const struct hf_watching_options *options, struct hf_error *err)
{
    enum hf_status status = hf_file_pattern_check(pattern_of(options), err);
    return status == HF_OK ? hf_save_check(pattern_of(options), err) : status;
}

static enum hf_status watching_path_of(const struct hf_watching *watching, uint64_t number,
    char out_path[PATH_MAX], struct hf_error *err)
{
    struct hf_file_name name = {watching->pid, watching->program, watching->first_number + number};
    return hf_file_pattern_expand(pattern_of(watching->options), &name, out_path, err);
}

static enum hf_status watching_take(void *context, uint64_t number, enum hf_dump_reason reason,
    const struct hf_dump_source *source, struct hf_dump_taken *out_taken, struct hf_error *err)
{
    struct hf_watching *watching = context;
    struct hf_table_written written;
    bool is_last = reason == HF_DUMP_FINAL;
    char path[PATH_MAX];
    enum hf_status status = watching_path_of(watching, number, path, err);
    if (status == HF_OK)
        status = hf_table_reader_save(&watching->reader, source, path, is_last, &written, err);
    if (status != HF_OK)
        return status;
    out_taken->is_there = written.is_there;
    out_taken->in_use_bytes = written.in_use_bytes;
    watching->has_lost = is_last && !written.is_there;
    if (written.is_there)
        memcpy(watching->last_path, path, sizeof path);
    if (is_last)
        memcpy(watching->most, written.most, sizeof written.most);
    return HF_OK;
}

static enum hf_status sums(void *context, const struct hf_found_table *table,
    struct hf_table_sums *out_sums, uint64_t *out_took_ns, bool *out_is_known, struct hf_error *err)
{
    struct hf_watching *watching = context;
    uint64_t before_ns = hf_standby_spent_ns(&watching->reader.standby);
    enum hf_status status =
        hf_table_reader_sums(&watching->reader, table, out_sums, out_is_known, err);
    uint64_t now_ns = hf_standby_spent_ns(&watching->reader.standby);
    *out_took_ns =
        now_ns > before_ns ? now_ns - before_ns : 0; /* may be of another worker by now */
    return status;
}

static void watching_drop(void *context, uint64_t number)
{
    char path[PATH_MAX];
    const struct hf_watching *watching = context;
    if (hf_file_pattern_has(pattern_of(watching->options), 'n') &&
        watching_path_of(watching, number, path, NULL) == HF_OK)
        (void)unlink(path);
}

static void take_signals(void *context)
{
    const struct hf_loop_source *signals = context;
    (void)!(signals->wake(signals->context, NULL) == HF_OK); /* it has no error to tell */
}

enum hf_status hf_watching_init(struct hf_watching *watching, struct hf_watching_options *options,
    uint32_t pid, const char *program, const struct hf_loop_source *signals, struct hf_error *err)
{
    char path[PATH_MAX];
    *watching = (struct hf_watching){.options = options, .pid = pid};
    (void)snprintf(watching->program, sizeof watching->program, "%s",
        hf_text_basename(hf_text_of(program)).data);
    while (hf_file_pattern_has(pattern_of(options), 'n') &&
           watching_path_of(watching, 0, path, NULL) == HF_OK && access(path, F_OK) == 0)
        watching->first_number++;
    enum hf_status status = hf_table_reader_init(&watching->reader, &options->report, NULL, err);
    if (signals == NULL)
        return status;
    watching->reader.standby.meanwhile.fd = signals->fd;
    watching->reader.standby.meanwhile.wake = take_signals;
    watching->reader.standby.meanwhile.context = (void *)(uintptr_t)signals; /* only read */
    return status;
}

void hf_watching_done(struct hf_watching *watching)
{
    hf_table_reader_done(&watching->reader);
}

struct hf_dump_keeper hf_watching_keeper(struct hf_watching *watching)
{
    return (struct hf_dump_keeper){
        .sink = {watching_take, watching_drop, watching}, .last = (size_t)watching->options->keep};
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
        hf_out_printf(line, "%s goes with this container", place->mount);
    if (place->room_bytes != 0 && place->is_of_container)
        hf_out_printf(
            line, ", and has room for no more than %s", hf_units_bytes(place->room_bytes, room));
    else if (place->room_bytes != 0)
        hf_out_printf(line, "%s%s has room for no more than %s", line->size != 0 ? ", and " : "",
            place->mount, hf_units_bytes(place->room_bytes, room));
}

static void put_advice(
    struct hf_out *line, const struct hf_table_place *place, const char *table_path)
{
    if (place->is_of_container && place->volume[0] != '\0')
        hf_out_printf(line, "--dir %s keeps the live table for heapflame dump", place->volume);
    else if (place->is_of_container)
        hf_out_string(line, "--dir of a mounted volume keeps the live table for heapflame dump");
    else if (place->is_killed_together)
        hf_out_printf(line, "heapflame dump %s has the last profile then", table_path);
    else
        hf_out_string(line, "--dir of a larger folder keeps the whole live table");
}

/*
 * "/dev/shm goes with this container, and has room for no more than 64.0 MiB; --dir /heap keeps the
 * live table for heapflame dump"
 */
static void say_what_endangers(void *context, const struct hf_watcher *watcher)
{
    const struct hf_watching *watching = context;
    struct hf_out line = {0};
    struct hf_table_place place = hf_table_place_of(&watcher->table, watcher->pid, &watcher->group);
    put_dangers(&line, &place, watching->program);
    if (line.size != 0 && !watching->options->report.view.common.quiet) {
        hf_out_string(&line, "; ");
        put_advice(&line, &place, watcher->table.path);
        hf_say("%.*s", (int)line.size, line.data);
    }
    hf_out_done(&line);
}

struct hf_watcher hf_watching_watcher(struct hf_watching *watching)
{
    struct hf_watcher watcher = {
        .folder = watching->options->folder,
        .rules = watching->options->rules,
        .keeper = hf_watching_keeper(watching),
        .adder = {sums, watching},
        .on_table = say_what_endangers,
        .context = watching,
    };
    hf_watcher_init(&watcher, watching->pid, watching->options->group);
    return watcher;
}

void hf_watching_conclude(const struct hf_watching *watching)
{
    if (!watching->options->report.view.common.quiet)
        hf_say("%s: see %s", watching->most[0] != '\0' ? watching->most : "nothing is in use",
            watching->last_path);
}

enum hf_status hf_watching_finish(struct hf_watching *watching, struct hf_watcher *watcher,
    bool *out_was_found, struct hf_error *err)
{
    bool writes_last = watching->options->writes_last != 0;
    enum hf_status status = hf_watcher_finish(watcher, writes_last, out_was_found, err);
    if (status != HF_OK || !*out_was_found)
        return status;
    if (watching->has_lost) {
        hf_say("the live table stays: heapflame dump %s tries it again", watcher->table.path);
        return HF_OK;
    }
    if (writes_last)
        hf_watching_conclude(watching);
    hf_found_tables_remove(&watcher->table);
    return HF_OK;
}
