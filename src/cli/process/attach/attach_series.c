#include "cli/process/attach/attach_series.h"

#include "answer/operand.h"
#include "attach/session/duty.h"
#include "attach/session/recording.h"
#include "base/plural.h"
#include "capture/dump_keeper.h"
#include "cli/file_pattern.h"
#include "cli/leak_options.h"
#include "cli/process/attach/attach_one.h"
#include "cli/process/attach/attach_report.h"
#include "cli/process/attach/attach_series_worker.h"
#include "cli/reader.h"
#include "cli/save.h"
#include "cli/say.h"
#include "os/path.h"
#include "os/process/shielded_worker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS UINT64_C(50000000)
#define WAIT_NS UINT64_C(5000000)
#define FILE_PATTERN "%e.%p.%n.hfb"
#define READER_DEATHS 4u
#define JUDGED_PERIODS 2 /* of --duty, from one look that is judged to the next */

/* Who reads: its rules borrow its words, so it stays where it is. */
struct series_reader {
    struct hf_standby standby;
    struct hf_series_worker worker; /* as it is when one starts */
    struct hf_reader_rules rules;
    const char *words[HF_NAME_LIST_MAX + 3], *outputs[2];
    unsigned deaths;
};

struct series {
    struct hf_attach_options *options;
    const struct hf_session_options *how;
    struct hf_recording *recording;
    struct series_reader saver, judge; /* apart: a file that kills who names costs no history */
    char pid[16], pattern[PATH_MAX], program[PATH_MAX];
    struct hf_dump_keeper files;
    struct hf_series_order *order; /* of the look whose file is written */
    uint64_t first_number;         /* of the files; those of an earlier series are before it */
    pid_t recorder;                /* 0: it has ended */
    int recorder_code;             /* then */
    uint64_t begin_ns;             /* 0: it has not begun */
    uint64_t due_ns, judge_due_ns;
    uint64_t looks, skipped;
    double weight; /* of what was recorded until the last look; 0: there was none */
    bool is_told, has_shown, cannot_save;
};

static uint64_t series_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* -o: a pattern, or a folder. */
static enum hf_status series_pattern(
    const struct hf_attach_options *options, char out_pattern[PATH_MAX], struct hf_error *err)
{
    struct stat folder;
    const char *output = options->report.view.output;
    bool is_folder = hf_path_stat(output, 0, &folder) && S_ISDIR(folder.st_mode);
    int length = snprintf(out_pattern, PATH_MAX, "%s%s", output, is_folder ? "/" FILE_PATTERN : "");
    return length < PATH_MAX ? HF_OK
                             : hf_error_set(err, HF_ERR_USAGE, "--output: the name is too long");
}

enum hf_status hf_attach_series_check(const struct hf_attach_options *options, struct hf_error *err)
{
    char pattern[PATH_MAX];
    if (options->report.view.output == NULL)
        return HF_OK;
    enum hf_status status = series_pattern(options, pattern, err);
    if (status == HF_OK)
        status = hf_file_pattern_check(pattern, err);
    if (status == HF_OK && strcmp(pattern, "-") == 0)
        status = hf_error_set(err, HF_ERR_USAGE,
            "--output: expected a pattern or a folder, because --every writes several profiles");
    return status == HF_OK ? hf_save_check(pattern, err) : status;
}

static enum hf_status series_reader_init(
    struct series_reader *reader, struct series *series, struct hf_error *err)
{
    size_t count = 0;
    const struct hf_view_options *view = &series->options->report.view;
    const struct hf_request_names *names = &view->request.names;
    reader->worker = (struct hf_series_worker){.options = series->options, .how = series->how};
    for (size_t i = 0; i < names->symdirs.count; i++)
        reader->words[count++] = names->symdirs.items[i];
    if (names->exe != NULL)
        reader->words[count++] = names->exe;
    reader->words[count] = series->pid;
    hf_reader_rules_init(&reader->rules, view->common.quiet, reader->words, reader->outputs);
    reader->rules.rules.drawing = NULL;
    enum hf_status status = hf_standby_init(&reader->standby, &reader->rules.rules, err);
    reader->standby.work = hf_series_worker_work;
    reader->standby.context = &reader->worker;
    reader->standby.is_inside = view->common.no_sandbox;
    reader->standby.keeps_output = true; /* verdicts go there */
    return status;
}

static void series_reader_done(struct series_reader *reader)
{
    hf_standby_done(&reader->standby);
    hf_leak_alarm_done(&reader->worker.alarm); /* of one that worked here */
}

static void series_lost(struct series *series, const char *what, const char *why)
{
    struct hf_notes notes = {0};
    hf_notes_add(&notes, HF_NOTE_LOSS, "%s, because %s", what, why);
    hf_report_notes(&series->options->report.view.common, &notes);
    hf_notes_done(&notes);
}

/* *out_is_done: false if the worker died of it, which is said, or none could be started. */
static enum hf_status series_order(struct series *series, struct series_reader *reader,
    enum hf_series_order_kind kind, const struct hf_series_order *what,
    struct hf_series_reply *out_reply, bool *out_is_done, struct hf_error *err)
{
    struct hf_standby_ending ending;
    char cause[160], why[200];
    struct hf_common *common = &series->options->report.view.common;
    const struct hf_standby_order order = {(uint32_t)kind,
        {(const char *)(const void *)what, sizeof *what}, series->recording->table_fd};
    *out_is_done = false;
    if (reader->deaths == READER_DEATHS)
        return HF_OK;
    reader->outputs[0] = what->output[0] != '\0' ? what->output : NULL;
    while (!(*out_is_done = hf_standby_do(
                 &reader->standby, &order, out_reply, sizeof *out_reply, &ending)) &&
           hf_sandbox_may_repeat(&reader->standby.sandbox, &ending.worker))
        hf_reader_say_lost(common, &ending.worker);
    reader->outputs[0] = NULL;
    if (*out_is_done) {
        out_reply->told.what[sizeof out_reply->told.what - 1] = '\0';
        common->is_partial = common->is_partial || out_reply->is_partial != 0;
        return hf_error_received(err, &out_reply->error, out_reply->status);
    }
    reader->deaths += !ending.was_not_started;
    hf_standby_put_cause(&ending, cause, sizeof cause);
    (void)snprintf(why, sizeof why, "the reader of the recording %s", cause);
    series_lost(series,
        kind == HF_SERIES_ORDER_SAVE       ? "a profile"
        : kind == HF_SERIES_ORDER_VERDICTS ? "the verdicts"
                                           : "everything seen so far (the search starts again)",
        why);
    return HF_OK;
}

/* Who was taken over may say anything: it is a number at least. */
static double series_weight(struct series *series)
{
    const struct hf_recording *recording = series->recording;
    const struct hf_duty_part part = {.on_ns = series->how->on_ns,
        .period_ns = series->how->on_period_ns,
        .all_ns = recording->end_ns - recording->begin_ns,
        .followed_ns = recording->followed_ns,
        .windows = recording->windows,
        .windows_ns = recording->windows_ns};
    series->weight = hf_duty_weight(&part, series->weight);
    return series->weight;
}

static enum hf_status series_path(
    const struct series *series, uint64_t number, char out_path[PATH_MAX], struct hf_error *err)
{
    const struct hf_file_name name = {
        series->how->pid, series->program, series->first_number + number};
    return hf_file_pattern_expand(series->pattern, &name, out_path, err);
}

static enum hf_status series_write(void *context, uint64_t number, enum hf_dump_reason reason,
    const struct hf_dump_source *source, struct hf_dump_taken *out_taken, struct hf_error *err)
{
    (void)reason;
    (void)source;
    struct hf_series_reply reply;
    struct series *series = context;
    enum hf_status status = series_path(series, number, series->order->output, err);
    if (status == HF_OK)
        status = series_order(series, &series->saver, HF_SERIES_ORDER_SAVE, series->order, &reply,
            &out_taken->is_there, err);
    hf_standby_rest(&series->saver.standby); /* with all that it took to name */
    series->order->output[0] = '\0';
    if (status == HF_OK && out_taken->is_there)
        out_taken->in_use_bytes = reply.in_use_bytes;
    return status;
}

static void series_drop(void *context, uint64_t number)
{
    char path[PATH_MAX];
    const struct series *series = context;
    if (hf_file_pattern_has(series->pattern, 'n') &&
        series_path(series, number, path, NULL) == HF_OK)
        (void)unlink(path);
}

/* One that cannot be written costs that file, and is said once; the series goes on. */
static void series_save(struct series *series, struct hf_series_order *order)
{
    bool is_there;
    struct hf_error err = {0};
    const struct hf_dump_source source = {.fd = -1}; /* the order has it */
    series->order = order;
    enum hf_status status =
        hf_dump_keeper_take(&series->files, HF_DUMP_TIME, &source, &is_there, &err);
    if (status != HF_OK && !series->cannot_save)
        series_lost(series, "a profile, and perhaps later ones", err.text);
    series->cannot_save |= status != HF_OK;
}

static enum hf_status series_judge(
    struct series *series, const struct hf_series_order *order, struct hf_error *err)
{
    bool is_done;
    struct hf_series_reply reply;
    struct hf_out line = {0};
    enum hf_status status =
        series_order(series, &series->judge, HF_SERIES_ORDER_LOOK, order, &reply, &is_done, err);
    if (status != HF_OK || !is_done || reply.told.what[0] == '\0' ||
        series->options->report.view.common.quiet)
        return status;
    hf_leak_options_line(&reply.told, &line);
    status = hf_out_finish(&line, err);
    if (series->has_shown)
        hf_say_status_end();
    series->has_shown = false;
    if (status == HF_OK)
        hf_say("%.*s", (int)line.size, line.data);
    hf_out_done(&line);
    return status;
}

static uint64_t judged_every_ns(const struct hf_session_options *how, uint64_t every_ns)
{
    uint64_t least_ns = how->on_period_ns * JUDGED_PERIODS;
    return every_ns > least_ns ? every_ns : least_ns;
}

/* What is in the table now. */
static enum hf_status series_take(struct series *series, uint64_t now_ns, struct hf_error *err)
{
    struct hf_series_order order;
    uint64_t judged_ns = judged_every_ns(series->how, series->options->every_ns);
    memset(&order, 0, sizeof order);
    order.weight = series_weight(series);
    order.look_ns = judged_ns;
    series->looks++;
    if (series->options->report.view.output != NULL)
        series_save(series, &order);
    if (now_ns < series->judge_due_ns)
        return HF_OK;
    series->judge_due_ns = now_ns + judged_ns - judged_ns / 8; /* looks come when they can */
    return series_judge(series, &order, err);
}

static void series_reap(struct series *series, int options)
{
    int how;
    if (series->recorder == 0)
        return;
    pid_t ended = waitpid(series->recorder, &how, options);
    while (ended < 0 && errno == EINTR)
        ended = waitpid(series->recorder, &how, options);
    if (ended == 0)
        return;
    series->recorder = 0;
    series->recorder_code =
        ended > 0 && WIFEXITED(how) ? WEXITSTATUS(how) : HF_EXIT_FAILED; /* it was killed */
}

static bool series_waits_for_signal(uint64_t wait_ns)
{
    sigset_t ending;
    struct timespec wait = {(time_t)(wait_ns / 1000000000), (long)(wait_ns % 1000000000)};
    hf_shielded_worker_signals(&ending);
    return sigtimedwait(&ending, NULL, &wait) > 0;
}

static enum hf_status series_look(struct series *series, struct hf_error *err)
{
    struct hf_recording *recording = series->recording;
    uint64_t every_ns = series->options->every_ns, now_ns = series_now_ns();
    recording->looks_wanted++;
    while (series->recorder != 0 && recording->looks_done != recording->looks_wanted) {
        series->is_told |= series_waits_for_signal(WAIT_NS);
        series_reap(series, WNOHANG);
    }
    if (series->recorder == 0)
        return HF_OK; /* the last look comes */
    enum hf_status status = series_take(series, now_ns, err);
    now_ns = series_now_ns();
    series->due_ns += every_ns;
    while (series->due_ns <= now_ns) {
        series->due_ns += every_ns;
        series->skipped++;
    }
    return status;
}

static void series_show(struct series *series)
{
    struct hf_out line = {0};
    double seconds = (double)(series_now_ns() - series->begin_ns) / 1e9;
    hf_out_printf(&line, "%4.1f", seconds);
    if (series->how->duration_ns != UINT64_MAX)
        hf_out_printf(&line, " of %.1f", (double)series->how->duration_ns / 1e9);
    hf_out_printf(
        &line, " s: %" PRIu64 " %s ", series->looks, hf_plural(series->looks, "look", "looks"));
    hf_say_status(hf_out_view(&line));
    hf_out_done(&line);
    series->has_shown = true;
}

static enum hf_status series_step(struct series *series, struct hf_error *err)
{
    bool is_quiet = series->options->report.view.common.quiet;
    if (series->begin_ns == 0 && series->recording->stage >= HF_RECORDING_BEGUN) {
        series->begin_ns = series->due_ns = series_now_ns();
        if (!is_quiet)
            hf_say("attached; press Ctrl-C for the verdicts so far");
    }
    if (series->begin_ns == 0)
        return HF_OK;
    if (!is_quiet && isatty(STDERR_FILENO))
        series_show(series);
    return series_now_ns() >= series->due_ns ? series_look(series, err) : HF_OK;
}

/* Until who records has ended, of itself or because a signal has come. */
static enum hf_status series_follow(struct series *series, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    while (status == HF_OK && series->recorder != 0 && !series->is_told) {
        series->is_told = series_waits_for_signal(STEP_NS);
        series_reap(series, WNOHANG);
        if (series->recorder != 0 && !series->is_told)
            status = series_step(series, err);
    }
    series->recording->shall_end = true;
    series_reap(series, 0);
    if (series->has_shown)
        hf_say_status_end();
    series->has_shown = false;
    return status;
}

/* The probes are out: what is in use at the end, and the verdicts. */
static enum hf_status series_conclude(struct series *series, struct hf_error *err)
{
    bool is_done;
    struct hf_series_reply reply;
    struct hf_series_order order;
    uint64_t now_ns = series_now_ns(), every_ns = series->options->every_ns;
    struct hf_common *common = &series->options->report.view.common;
    hf_shielded_worker_end(); /* nothing is in the process any more */
    if (series->begin_ns == 0 || !series->recording->is_complete) {
        common->code = series->recorder_code != HF_EXIT_OK ? series->recorder_code : HF_EXIT_FAILED;
        common->has_code = true; /* who recorded has said why */
        return HF_OK;
    }
    enum hf_status status = HF_OK;
    common->is_partial |= series->recorder_code != HF_EXIT_OK;
    if (series->due_ns - now_ns < every_ns / 2 || now_ns >= series->due_ns)
        status = series_take(series, now_ns, err);
    memset(&order, 0, sizeof order);
    order.weight = series_weight(series);
    order.looks = series->looks;
    order.skipped = series->skipped;
    if (status == HF_OK)
        status = series_order(
            series, &series->judge, HF_SERIES_ORDER_VERDICTS, &order, &reply, &is_done, err);
    return status;
}

/* Files of an earlier series stay. */
static void series_number(struct series *series)
{
    char path[PATH_MAX];
    struct hf_file_name name = {series->how->pid, series->program, 0};
    while (hf_file_pattern_has(series->pattern, 'n') &&
           hf_file_pattern_expand(series->pattern, &name, path, NULL) == HF_OK &&
           access(path, F_OK) == 0)
        name.number++;
    series->first_number = name.number;
}

static enum hf_status series_init(struct series *series, struct hf_error *err)
{
    char link[64], target[PATH_MAX];
    (void)snprintf(series->pid, sizeof series->pid, "%" PRIu32, series->how->pid);
    (void)snprintf(link, sizeof link, "/proc/%s/exe", series->pid);
    if (!hf_path_link(link, target))
        (void)snprintf(target, sizeof target, "program");
    (void)snprintf(
        series->program, sizeof series->program, "%s", hf_text_basename(hf_text_of(target)).data);
    enum hf_status status = HF_OK;
    if (series->options->report.view.output != NULL)
        status = series_pattern(series->options, series->pattern, err);
    if (status == HF_OK && series->pattern[0] != '\0')
        series_number(series);
    series->files = (struct hf_dump_keeper){
        .sink = {series_write, series_drop, series}, .last = (size_t)series->options->keep};
    if (status == HF_OK)
        status = series_reader_init(&series->saver, series, err);
    return status == HF_OK ? series_reader_init(&series->judge, series, err) : status;
}

enum hf_status hf_attach_in_series(struct hf_attach_options *options,
    struct hf_session_options *how, char **words, struct hf_error *err)
{
    struct series *series = calloc(1, sizeof *series);
    if (series == NULL)
        return hf_error_memory(err);
    hf_session_prepare();
    enum hf_status status = hf_recording_new(&how->recording, true, err);
    series->options = options;
    series->how = how;
    series->recording = how->recording;
    if (status == HF_OK)
        status = series_init(series, err);
    if (status == HF_OK)
        status = hf_shielded_worker_start(&series->recorder, err);
    if (status == HF_OK && series->recorder == 0) {
        free(series);
        return hf_attach_to_one(options, how, words, err); /* and this process ends */
    }
    if (status == HF_OK)
        status = series_follow(series, err);
    if (status == HF_OK)
        status = series_conclude(series, err);
    series_reader_done(&series->saver);
    series_reader_done(&series->judge);
    hf_dump_keeper_done(&series->files);
    hf_recording_free(series->recording);
    free(series);
    return status;
}
