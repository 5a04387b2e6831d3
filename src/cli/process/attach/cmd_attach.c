/*
 * cmd_attach.c: what a running process allocates and does not free, seen from outside for a while.
 */
#include "answer/names.h"
#include "answer/operand.h"
#include "attach/keeper/keeper_line.h"
#include "attach/session/recording.h"
#include "base/strings/num.h"
#include "cli/convert.h"
#include "cli/process/attach/attach_report.h"
#include "cli/process/attach/attach_tree.h"
#include "cli/reader.h"
#include "cli/save.h"
#include "cli/say.h"
#include "os/broker_line.h"
#include "os/input.h"
#include "os/process/cgroup.h"
#include "os/process/shielded_worker.h"
#include "spec/presets.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

extern const struct hf_command hf_cmd_attach;

struct attach_options {
    struct hf_report_options report; /* -o is its view.output */
    struct hf_name_list specs;
    const char *pid, *what, *overhead, *backend, *printed, *cgroup, *unit;
    uint64_t duration_ns, older_ns, period_bytes, stack_bytes; /* older: OLDER_UNSAID; others: 0 */
    uint64_t seed;
    bool all_contexts, parents, tree;
};

#define OLDER_UNSAID UINT64_MAX
#define AT(field) struct attach_options, field

static const struct hf_option probe_options[] = {
    {"what", 0, HF_OPT_TEXT(AT(what), "KIND"),
        "watch this kind of memory: malloc, pool, mmap, brk or fault (default: malloc)"},
    {"spec", 0, HF_OPT_LIST(AT(specs), "NAME|FILE"),
        "watch the functions of this spec instead; may be repeated"},
    {"print-spec", 0, HF_OPT_TEXT(AT(printed), "NAME"), "print a built-in spec"},
    {"all-contexts", 0, HF_OPT_FLAG(AT(all_contexts)), "watch short-lived memory contexts, too"},
    {"parents", 0, HF_OPT_FLAG(AT(parents)), "show the parents of each memory context, too"},
    {"period", 0, HF_OPT_BYTES(AT(period_bytes), "BYTES"),
        "sample an allocation every BYTES on average (default: 1, or 64KiB if calls are frequent)"},
    {"seed", 0, HF_OPT_COUNT(AT(seed), "N"),
        "seed the sampling: the same N draws the same samples"},
    {"stack", 0, HF_OPT_BYTES(AT(stack_bytes), "BYTES"),
        "limit what perf copies of each stack (default: chosen from 2KiB to 24KiB)"},
    {"backend", 0, HF_OPT_TEXT(AT(backend), "NAME"),
        "choose how calls are followed: auto, bpf or perf (default: auto)"},
    {0},
};

static const struct hf_option time_options[] = {
    {"duration", 'd', HF_OPT_WAIT(AT(duration_ns), "TIME"), "watch for TIME (default: 13s)"},
    {"older", 0, HF_OPT_TIME(AT(older_ns), "TIME"),
        "show only what was allocated more than TIME before the end (default: 5s for a pool, else "
        "0s)"},
    {"max-overhead", 0, HF_OPT_TEXT(AT(overhead), "PERCENT"),
        "cost the process at most PERCENT more processor time (default: 30%)"},
    {0},
};

static const struct hf_option process_options[] = {
    {"x", 'x', HF_OPT_TEXT(AT(pid), "PID"), "watch process PID, as stap -x does"},
    {"tree", 0, HF_OPT_FLAG(AT(tree)), "watch the processes that PID started or starts, too"},
    {"cgroup", 0, HF_OPT_TEXT(AT(cgroup), "FOLDER"),
        "watch the processes of this cgroup instead of PID"},
    {"unit", 0, HF_OPT_TEXT(AT(unit), "NAME"),
        "watch the processes of this systemd unit instead of PID"},
    {0},
};

static const struct hf_option output_options[] = {
    {"output", 'o', HF_OPT_OUTPUT(AT(report.view.output), "FILE"),
        "write the profile to FILE; its ending selects the format"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"What", process_options},
    {"", probe_options},
    {"Duration and cost", time_options},
    {"Output", output_options},
    HF_NAMING_GROUPS,
    {0},
};

static void attach_defaults(void *all)
{
    struct attach_options *options = all;
    hf_report_defaults(&options->report);
    options->duration_ns = 13 * UINT64_C(1000000000);
    options->older_ns = OLDER_UNSAID;
    options->overhead = "30%";
    options->backend = "auto";
}

/* Texts of specs that are files. */
struct attach_files {
    char *items[HF_SESSION_SPECS_MAX];
    size_t count;
};

static void files_done(struct attach_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->items[i]);
}

static enum hf_status add_preset(
    struct hf_session_options *session, const char *name, struct hf_error *err)
{
    struct hf_session_spec *spec = &session->specs[session->spec_count];
    spec->name = name;
    if (hf_spec_preset(hf_text_of(name), &spec->text)) {
        session->spec_count++;
        return HF_OK;
    }
    struct hf_out known = {0};
    for (size_t i = 0; hf_spec_preset_names[i] != NULL; i++)
        hf_out_printf(&known, "%s%s", i != 0 ? ", " : "", hf_spec_preset_names[i]);
    hf_error_set(err, HF_ERR_USAGE, "there is no built-in spec '%s'; there are: %.*s", name,
        (int)known.size, known.data);
    hf_out_done(&known);
    return HF_ERR_USAGE;
}

static enum hf_status attach_add_file(struct hf_session_options *session,
    struct attach_files *files, const char *path, struct hf_error *err)
{
    struct hf_input input;
    struct hf_text bytes;
    struct hf_session_spec *spec = &session->specs[session->spec_count];
    enum hf_status status = hf_input_open(&input, path, err);
    if (status != HF_OK)
        return status;
    status = hf_input_peek(&input, HF_SPEC_PEEK_BYTES, &bytes, err);
    char *copy = status == HF_OK ? malloc(bytes.size + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, bytes.data, bytes.size);
        files->items[files->count++] = copy;
        *spec = (struct hf_session_spec){path, {copy, bytes.size}};
        session->spec_count++;
    } else if (status == HF_OK) {
        status = hf_error_memory(err);
    }
    hf_input_close(&input);
    return status;
}

static enum hf_status choose_specs(const struct attach_options *options,
    struct hf_session_options *session, struct attach_files *files, struct hf_error *err)
{
    static const char *const pools[] = {"postgres", "greenplum", NULL};
    const char *what = options->what != NULL ? options->what : "malloc";
    const char *const *presets = hf_spec_malloc_presets;
    enum hf_status status = HF_OK;
    struct hf_text text;
    if (options->what != NULL && options->specs.count != 0)
        return hf_error_set(err, HF_ERR_USAGE, "--what and --spec exclude each other");
    if (options->specs.count > HF_SESSION_SPECS_MAX)
        return hf_error_set(
            err, HF_ERR_USAGE, "--spec: at most %d may be given", HF_SESSION_SPECS_MAX);
    for (size_t i = 0; i < options->specs.count && status == HF_OK; i++) {
        const char *name = options->specs.items[i];
        status = hf_spec_preset(hf_text_of(name), &text) || strpbrk(name, "/.") == NULL
                     ? add_preset(session, name, err)
                     : attach_add_file(session, files, name, err);
    }
    if (options->specs.count != 0)
        return status;
    if (strcmp(what, "fault") == 0) {
        session->with_faults = true;
        return HF_OK;
    }
    if (strcmp(what, "mmap") == 0 || strcmp(what, "brk") == 0)
        return add_preset(session, what, err);
    if (strcmp(what, "pool") == 0)
        presets = pools;
    else if (strcmp(what, "malloc") != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--what: expected malloc, pool, mmap, brk or fault, found '%s'", what);
    session->is_any_spec = true;
    for (size_t i = 0; presets[i] != NULL && status == HF_OK; i++)
        status = add_preset(session, presets[i], err);
    return status;
}

static enum hf_status choose_times(
    const struct attach_options *options, struct hf_session_options *session, struct hf_error *err)
{
    double percent;
    struct hf_text overhead = hf_text_trim_end(hf_text_of(options->overhead), "%");
    session->duration_ns = options->duration_ns;
    session->has_older = options->older_ns != OLDER_UNSAID;
    if (session->has_older) {
        session->older_ns = options->older_ns;
        if (session->older_ns >= session->duration_ns)
            return hf_error_set(err, HF_ERR_USAGE,
                "--older: expected a time shorter than --duration, which is %g s; found %g s",
                (double)session->duration_ns / 1e9, (double)session->older_ns / 1e9);
    }
    if (!hf_num_real(overhead, &percent) || percent > 1e6)
        return hf_error_set(err, HF_ERR_USAGE,
            "--max-overhead: expected a percentage of the process's own processor time, e.g. "
            "'30%%'; found '%s'",
            options->overhead);
    session->most_per_mille = (uint64_t)(percent * 10);
    return HF_OK;
}

static enum hf_status choose_process(const struct attach_options *options,
    const struct hf_operands *operands, struct hf_session_options *session, struct hf_error *err)
{
    uint32_t pid;
    bool is_group = options->cgroup != NULL || options->unit != NULL;
    size_t count = operands->count + (options->pid != NULL);
    if (is_group &&
        (count != 0 || options->tree || (options->cgroup != NULL && options->unit != NULL)))
        return hf_error_set(err, HF_ERR_USAGE, "expected either a PID, --cgroup or --unit");
    if (is_group)
        return HF_OK;
    if (count != 1)
        return hf_error_set(
            err, HF_ERR_USAGE, "expected one PID, e.g. 'heapflame attach 4711 -o leak.svg'");
    const char *name = options->pid != NULL ? options->pid : operands->items[0];
    if (!hf_operand_is_pid(name, &pid))
        return hf_error_set(err, HF_ERR_USAGE, "expected a PID, found '%s'", name);
    if (pid == (uint32_t)getpid())
        return hf_error_set(err, HF_ERR_USAGE, "process %s is heapflame itself", name);
    session->pid = pid;
    return HF_OK;
}

static enum hf_status choose_stack(
    const struct attach_options *options, struct hf_session_options *session, struct hf_error *err)
{
    uint64_t bytes = options->stack_bytes;
    if (bytes != 0 && (bytes < 1024 || bytes > hf_backend_perf.most_stack_bytes))
        return hf_error_set(err, HF_ERR_USAGE,
            "--stack: expected bytes, from 1KiB to %" PRIu32 "KiB, found %" PRIu64,
            hf_backend_perf.most_stack_bytes / 1024, bytes);
    if (bytes != 0)
        session->stack_bytes = (uint32_t)bytes / 8 * 8;
    return HF_OK;
}

static enum hf_status choose_backend(
    const struct attach_options *options, struct hf_session_options *session, struct hf_error *err)
{
    session->backend = hf_backend_named(options->backend);
    if (session->backend == NULL && strcmp(options->backend, "auto") != 0)
        return hf_error_set(err, HF_ERR_USAGE, "--backend: expected auto, perf or bpf, found '%s'",
            options->backend);
    session->seed = options->seed;
    session->period_bytes = options->period_bytes;
    return HF_OK;
}

/* Signals that end the recording, and the line that says how far it is. */
struct looking {
    int signal_fd;
    bool is_quiet, shows, has_begun, has_shown;
    const struct hf_look *look; /* of several; NULL: the only one */
};

/* The head of several looks is told, and ends them. */
static bool goes_on_as_one_of_many(const struct hf_look *look)
{
    look->recording->stage = HF_RECORDING_BEGUN;
    return !look->recording->shall_end && !hf_look_is_outdated(look);
}

static bool attach_look(void *context, const struct hf_session *session)
{
    struct looking *looking = context;
    struct signalfd_siginfo signal;
    if (!looking->has_begun && !looking->is_quiet)
        hf_say("attached; press Ctrl-C to stop earlier");
    looking->has_begun = true;
    if (looking->shows) {
        hf_attach_say_progress(session);
        looking->has_shown = true;
    }
    if (looking->look != NULL && !goes_on_as_one_of_many(looking->look))
        return false;
    return read(looking->signal_fd, &signal, sizeof signal) != sizeof signal;
}

static enum hf_status attach_record(const struct attach_options *options,
    struct hf_session *session, const struct hf_look *look, struct hf_error *err)
{
    sigset_t ending;
    struct looking looking = {
        .is_quiet = options->report.view.common.quiet || look != NULL, .look = look};
    looking.shows = !looking.is_quiet && isatty(STDERR_FILENO);
    hf_broker_trace()->has_input = true; /* what happens now does not happen again */
    hf_shielded_worker_signals(&ending);
    looking.signal_fd = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    enum hf_status status =
        looking.signal_fd >= 0
            ? hf_session_record(session, (struct hf_session_watch){attach_look, &looking}, err)
            : hf_error_system(err, errno, "cannot wait for signals");
    if (looking.has_shown)
        hf_say_status_end();
    if (looking.signal_fd >= 0)
        close(looking.signal_fd);
    hf_shielded_worker_end();
    return status;
}

/* Frees the profile and the ages. */
static enum hf_status write_result(struct attach_options *options, const struct hf_session *session,
    struct hf_profile *profile, struct hf_live_ages *ages, struct hf_error *err)
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
        hf_attach_say_survivors(session, &survivors, profile);
    if (status == HF_OK && !view->common.quiet)
        hf_attach_say_caches(session, profile);
    hf_profile_free(profile);
    return status;
}

static enum hf_status write_profile(
    struct attach_options *options, struct hf_session *session, struct hf_error *err)
{
    struct hf_profile *profile;
    struct hf_live_ages ages;
    enum hf_status status = hf_session_profile(session, &profile, &ages, err);
    return status == HF_OK ? write_result(options, session, profile, &ages, err) : status;
}

/* All but what the keeper does. */
static enum hf_status attach_follow(
    struct attach_options *options, const struct hf_session_options *how, struct hf_error *err)
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
    if (status == HF_OK)
        status = attach_record(options, &session, NULL, err);
    if (status == HF_OK && how->recording != NULL)
        hf_recording_put(how->recording, &session);
    else if (status == HF_OK)
        status = write_profile(options, &session, err);
    hf_session_close(&session);
    return status;
}

static enum hf_status attach_work(
    struct attach_options *options, struct hf_session_options *how, struct hf_error *err)
{
    struct attach_files files = {0};
    enum hf_status status = choose_specs(options, how, &files, err);
    if (status == HF_OK)
        status = attach_follow(options, how, err);
    files_done(&files);
    return status;
}

static bool recording_survives(void *recording, const char *cause)
{
    return hf_recording_cut(recording, cause);
}

static void worker_ended(void *keeper)
{
    hf_keeper_reset(keeper);
}

/* In a worker of its own: it names and writes what was recorded. */
static enum hf_status write_recorded(
    struct attach_options *options, const struct hf_session_options *how, struct hf_error *err)
{
    struct hf_session session;
    enum hf_status status = hf_recording_take(how->recording, how, &session, err);
    if (status == HF_OK)
        status = write_profile(options, &session, err);
    hf_session_close(&session);
    return status;
}

/* A file that kills who names costs its names: who does it next has the recording still. */
static enum hf_status attach_finish(struct attach_options *options,
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

/* In a process of its own (os/process/shielded_worker.h), which has all rights, and another, which
 * has none. */
static enum hf_status attach_split(struct attach_options *options, struct hf_session_options *how,
    struct hf_keeper *keeper, char **words, struct hf_error *err)
{
    struct hf_common *common = &options->report.view.common;
    bool is_worker;
    struct hf_reader_service service = {
        .first = HF_KEEPER_WANT,
        .serve = hf_keeper_serve,
        .worker_ended = worker_ended,
        .context = keeper,
        .kept = {.follows = true, .seconds = how->duration_ns / 1000000000 + 1},
    };
    enum hf_status status = hf_recording_new(&how->recording, err);
    if (status != HF_OK)
        return status;
    service.survives = recording_survives;
    service.survivor = how->recording;
    status =
        hf_reader_begin(&hf_cmd_attach, common, words, &service, &is_worker, &common->code, err);
    common->has_code = !is_worker;
    if (is_worker)
        status = attach_work(options, how, err);
    else if (status == HF_OK)
        status = attach_finish(options, how, words, err);
    hf_recording_free(how->recording);
    return status;
}

static enum hf_status attach_keep(struct attach_options *options, struct hf_session_options *how,
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

static enum hf_status attach(struct attach_options *options, struct hf_session_options *how,
    char **words, struct hf_error *err)
{
    struct hf_common *common = &options->report.view.common;
    bool is_worker;
    enum hf_status status = hf_shielded_worker_begin(&is_worker, &common->code, err);
    if (is_worker)
        return attach_keep(options, how, words, err);
    common->has_code = true;
    return status;
}

/* One process of several: all but what the keeper does. What fails is said by who follows all. */
static enum hf_status look_work(const struct attach_options *options, const struct hf_look *look,
    struct hf_session_options *how)
{
    struct attach_files files = {0};
    struct hf_session session = {0};
    struct hf_error err = {0};
    enum hf_status status = choose_specs(options, how, &files, &err);
    if (status == HF_OK)
        status = hf_session_open(&session, how, &err);
    if (status == HF_OK)
        status = hf_session_count(&session, &err);
    if (status == HF_OK)
        hf_recording_put_cost(look->recording, &session);
    if (status == HF_OK && !look->recording->shall_end)
        status = attach_record(options, &session, look, &err);
    if (status == HF_OK && session.begin_ns != 0)
        hf_recording_put(look->recording, &session);
    else
        hf_recording_put_failure(look->recording, status, &err);
    hf_session_close(&session);
    files_done(&files);
    return HF_OK;
}

/* In a process of its own: looks.h. */
static enum hf_status look_at(struct attach_options *options, struct hf_session_options *how,
    const struct hf_look *look, char **given, struct hf_error *err)
{
    struct hf_common *common = &options->report.view.common;
    struct hf_attach_words words = {0};
    struct hf_session_options one = *how;
    bool is_worker;
    one.pid = look->process.pid;
    one.recording = look->recording;
    one.duration_ns = UINT64_MAX;
    one.is_one_of_many = true;
    one.is_late = look->is_late;
    struct hf_keeper *keeper = hf_keeper_new(one.pid);
    if (keeper == NULL)
        return hf_error_memory(err);
    const struct hf_reader_service service = {
        .first = HF_KEEPER_WANT,
        .serve = hf_keeper_serve,
        .worker_ended = worker_ended,
        .context = keeper,
        .kept = {.follows = true, .seconds = how->duration_ns / 1000000000 + 1},
    };
    if (common->no_sandbox) {
        one.keeper = keeper;
        (void)look_work(options, look, &one);
        hf_keeper_free(keeper);
        return HF_OK;
    }
    enum hf_status status = hf_attach_words_init(&words, given, look, 1, err);
    if (status == HF_OK)
        status = hf_reader_begin(
            &hf_cmd_attach, common, words.items, &service, &is_worker, &common->code, err);
    if (status == HF_OK && is_worker)
        return look_work(options, look, &one);
    common->has_code = true;
    hf_attach_words_done(&words);
    hf_keeper_free(keeper);
    return HF_OK;
}

static enum hf_status write_looks(struct attach_options *options,
    const struct hf_session_options *how, const struct hf_looks *looks, struct hf_error *err)
{
    struct hf_session sum;
    struct hf_profile *profile;
    struct hf_live_ages ages;
    enum hf_status status = hf_attach_tree_profile(
        looks, how, &options->report.view.request.names, &sum, &profile, &ages, err);
    return status == HF_OK ? write_result(options, &sum, profile, &ages, err) : status;
}

/* As attach_finish. */
static enum hf_status finish_looks(struct attach_options *options,
    const struct hf_session_options *how, const struct hf_looks *looks, char **given,
    struct hf_error *err)
{
    struct hf_common *common = &options->report.view.common;
    struct hf_attach_words words = {0};
    bool is_worker = false;
    hf_shielded_worker_end(); /* nothing is in the processes any more */
    if (common->no_sandbox)
        return write_looks(options, how, looks, err);
    enum hf_status status = hf_attach_words_init(&words, given, looks->items, looks->count, err);
    if (status == HF_OK)
        status = hf_reader_begin(
            &hf_cmd_attach, common, words.items, NULL, &is_worker, &common->code, err);
    common->has_code = status == HF_OK && !is_worker;
    if (is_worker)
        status = write_looks(options, how, looks, err);
    hf_attach_words_done(&words);
    return status;
}

/* The head of the looks. */
static enum hf_status follow_looks(struct attach_options *options, struct hf_session_options *how,
    char **words, struct hf_error *err)
{
    char folder[PATH_MAX];
    struct hf_look *look = NULL;
    struct hf_looks *looks = calloc(1, sizeof *looks);
    if (looks == NULL)
        return hf_error_memory(err);
    enum hf_status status = HF_OK;
    looks->members.tree = how->pid;
    looks->members.cgroup = options->cgroup;
    if (options->unit != NULL) {
        status = hf_cgroup_of_unit(HF_CGROUP_MOUNT, options->unit, folder, err);
        looks->members.cgroup = folder;
    }
    hf_session_prepare();
    if (status == HF_OK)
        status = hf_attach_tree_follow(looks, how, options->report.view.common.quiet, &look, err);
    if (status == HF_OK && look != NULL)
        return look_at(options, how, look, words, err);
    if (status == HF_OK)
        status = finish_looks(options, how, looks, words, err);
    hf_looks_done(looks);
    free(looks);
    return status;
}

static enum hf_status attach_to_many(struct attach_options *options, struct hf_session_options *how,
    char **words, struct hf_error *err)
{
    struct hf_common *common = &options->report.view.common;
    bool is_worker;
    enum hf_status status = hf_shielded_worker_begin(&is_worker, &common->code, err);
    if (is_worker)
        return follow_looks(options, how, words, err);
    common->has_code = true;
    return status;
}

static enum hf_status print_spec(const char *name, struct hf_error *err)
{
    struct hf_session_options found = {0};
    struct hf_output output;
    enum hf_status status = add_preset(&found, name, err);
    if (status == HF_OK)
        status = hf_output_open(&output, NULL, false, err);
    if (status != HF_OK)
        return status;
    hf_out_text(&output.out, found.specs[0].text);
    return hf_output_close(&output, status, err);
}

static enum hf_status attach_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct attach_options *options = all;
    struct hf_session_options how = {
        .all_contexts = options->all_contexts, .shows_parents = options->parents};
    if (options->printed != NULL)
        return print_spec(options->printed, err);
    enum hf_status status = choose_process(options, operands, &how, err);
    if (status == HF_OK)
        status = choose_times(options, &how, err);
    if (status == HF_OK)
        status = choose_backend(options, &how, err);
    if (status == HF_OK)
        status = choose_stack(options, &how, err);
    if (status == HF_OK && options->report.view.output != NULL)
        status = hf_save_check(options->report.view.output, err);
    if (status != HF_OK)
        return status;
    bool is_one = !options->tree && options->cgroup == NULL && options->unit == NULL;
    return is_one ? attach(options, &how, operands->words, err)
                  : attach_to_many(options, &how, operands->words, err);
}

const struct hf_command hf_cmd_attach = {
    .name = "attach",
    .summary = "Watch a running process for a while: what it allocates and does not free.",
    .operands = "PID",
    .details =
        "The process is not restarted or stopped, and nothing is loaded into it: the kernel\n"
        "reports its calls of malloc or of a memory pool, or its page faults, each with its\n"
        "stack. The profile is what was allocated in this time and not freed by its end. Before\n"
        "it starts, attach prints what it will watch and what that costs the process.\n\n"
        "Without -o, attach prints the stacks, the heaviest first, in SystemTap's format.",
    .groups = groups,
    .options_size = sizeof(struct attach_options),
    .defaults = attach_defaults,
    .run = attach_run,
};
