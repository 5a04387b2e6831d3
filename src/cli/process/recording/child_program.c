#include "cli/process/recording/child_program.h"

#include "answer/timeline.h"
#include "base/plural.h"
#include "base/strings/units.h"
#include "capture/launch.h"
#include "cli/file_pattern.h"
#include "cli/process/recording/agent_path.h"
#include "cli/say.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals that are meant for the program. */
static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

static bool is_quiet(const struct hf_child_program *child)
{
    return child->options->writer.report.view.common.quiet;
}

/* The agent's settings, as HEAPFLAME_CONF has them. */
static void put_settings(struct hf_out *out, const struct hf_child_program *child)
{
    const struct hf_run_options *options = child->options;
    if (options->is_exact)
        hf_out_string(out, "exact:true,");
    else if (options->period_bytes != 0)
        hf_out_printf(out, "period:%" PRIu64 ",", options->period_bytes);
    if (options->budget_bytes != 0)
        hf_out_printf(out, "budget:%" PRIu64 ",", options->budget_bytes);
    if (options->follows_fork)
        hf_out_printf(out, "follow_fork:true,family:%d,", (int)getpid());
    if (options->writer.folder != NULL)
        hf_out_printf(out, "dir:%s,", options->writer.folder);
    hf_out_string(out, "prof:true");
}

static enum hf_status prepare_own(
    struct hf_child_program *child, struct hf_out *settings, struct hf_error *err)
{
    const struct hf_dump_writer_options *options = &child->options->writer;
    const char *temporary = getenv("TMPDIR");
    const char *place = options->folder != NULL ? options->folder
                        : temporary != NULL     ? temporary
                                                : "/tmp";
    enum hf_status status = hf_jemalloc_dumps_open(&child->dumps, place, err);
    if (status == HF_OK)
        hf_jemalloc_dumps_put_settings(&child->dumps,
            child->options->is_exact ? 1 : child->options->period_bytes,
            options->rules.interval_bytes, options->writes_last != 0, settings);
    return status;
}

static enum hf_status launch(struct hf_child_program *child, struct hf_error *err)
{
    char agent[PATH_MAX];
    struct hf_out settings = {0};
    struct hf_launch launch = {.argv = child->command, .signals = &child->signals.before};
    enum hf_status status = HF_OK;
    if (child->uses_own) {
        launch.variable = child->own.variable;
        status = prepare_own(child, &settings, err);
    } else {
        launch.variable = "HEAPFLAME_CONF";
        launch.agent = agent;
        launch.names_process = !child->options->follows_fork;
        status = hf_agent_path(agent, err);
        put_settings(&settings, child);
    }
    hf_out_char(&settings, '\0');
    if (status == HF_OK)
        status = hf_out_finish(&settings, err);
    launch.settings = settings.data;
    if (status == HF_OK)
        status = hf_launch_start(&launch, &child->pid, &child->process.fd, err);
    hf_out_done(&settings);
    return status;
}

/* What a terminal sends goes to all of its processes anyway. */
static void forward(void *context, int signal, bool is_of_kernel)
{
    const struct hf_child_program *child = context;
    if (!is_of_kernel && !child->has_ended)
        (void)kill(child->pid, signal);
}

static enum hf_status child_program_notice_end(void *context, struct hf_error *err)
{
    (void)err;
    struct hf_child_program *child = context;
    child->loop.is_over = true;
    return HF_OK;
}

/* "make.4711.heapflame", which holds the files of all of them. */
static enum hf_status child_program_make_folder(
    struct hf_child_program *child, struct hf_error *err)
{
    struct hf_file_name name = {(uint32_t)child->pid, child->family.program, 0};
    enum hf_status status = hf_file_pattern_expand("%e.%p.heapflame", &name, child->folder, err);
    if (status != HF_OK)
        return status;
    if (mkdir(child->folder, 0700) != 0 && errno != EEXIST)
        return hf_error_system(err, errno, "cannot create the folder %s", child->folder);
    struct hf_out pattern = {0};
    for (const char *at = child->folder; *at != '\0'; at++)
        hf_out_printf(&pattern, *at == '%' ? "%%%%" : "%c", *at);
    hf_out_printf(&pattern, "/%s%c", HF_DUMP_WRITER_PATTERN, '\0');
    status = hf_out_finish(&pattern, err);
    if (status == HF_OK)
        (void)snprintf(child->pattern, sizeof child->pattern, "%s", pattern.data);
    hf_out_done(&pattern);
    return status;
}

/* What the program and all that it starts leave. */
static enum hf_status child_program_begin_family(
    struct hf_child_program *child, struct hf_error *err)
{
    struct hf_view_options *view = &child->options->writer.report.view;
    if (!child->options->follows_fork)
        return HF_OK;
    child->family.leader = (uint32_t)child->pid;
    child->family.program = hf_text_basename(hf_text_of(child->command[0])).data;
    enum hf_status status = HF_OK;
    if (view->output == NULL)
        status = child_program_make_folder(child, err);
    if (child->pattern[0] != '\0')
        view->output = child->pattern;
    return status;
}

/* The program runs: who looks at it meanwhile. */
static enum hf_status child_program_begin(struct hf_child_program *child, struct hf_error *err)
{
    struct hf_dump_writer_options *options = &child->options->writer;
    uint32_t pid = (uint32_t)child->pid;
    enum hf_status status = child_program_begin_family(child, err);
    struct hf_error *later = status == HF_OK ? err : NULL;
    enum hf_status begun = hf_dump_writer_init(
        &child->writer, options, pid, child->command[0], &child->signals.source, later);
    status = status == HF_OK ? begun : status;
    child->writer.family = child->options->follows_fork ? &child->family : NULL;
    child->watcher = hf_dump_writer_watcher(&child->writer);
    child->process.events = POLLIN;
    child->process.due_ns = HF_LOOP_NEVER;
    child->process.wake = child_program_notice_end;
    child->process.context = child;
    hf_loop_add(&child->loop, &child->signals.source);
    hf_loop_add(&child->loop, &child->process);
    if (child->uses_own) {
        child->dumps.pid = pid;
        child->dumps.program = child->command[0];
        child->dumps.keeper = hf_dump_writer_keeper(&child->writer);
        hf_jemalloc_dumps_begin(&child->dumps, &child->loop);
    } else {
        hf_watcher_begin(&child->watcher, &child->loop);
    }
    if (child->options->follows_fork) {
        child->children = (struct hf_watched_processes){
            .options = options,
            .loop = &child->loop,
            .folder = options->folder,
            .family = (uint32_t)getpid(),
            .leader = pid,
            .signals = &child->signals.source,
            .has_said = true, /* by the watcher of the program */
            .records = &child->family,
        };
        hf_watched_processes_begin(&child->children);
    }
    return status;
}

/* Until the program ends, whatever goes wrong meanwhile: of that the first is reported. */
static enum hf_status child_program_watch(struct hf_child_program *child, struct hf_error *err)
{
    struct hf_error later;
    enum hf_status status = HF_OK;
    while (!child->loop.is_over) {
        enum hf_status now = hf_loop_run(&child->loop, status == HF_OK ? err : &later);
        status = status == HF_OK ? now : status;
    }
    return status;
}

static void say_how_it_ended(const struct hf_child_program *child, int how)
{
    const struct hf_watcher *watcher = &child->watcher;
    const char *program = child->writer.program;
    char limit[HF_UNITS_MAX];
    if (!WIFSIGNALED(how))
        return;
    if (WTERMSIG(how) == SIGKILL && hf_watcher_saw_kill(watcher))
        hf_say("the kernel killed %s: its memory cgroup was at its limit%s%s", program,
            watcher->last.memory.limit_bytes != 0 ? " of " : "",
            watcher->last.memory.limit_bytes != 0
                ? hf_units_bytes(watcher->last.memory.limit_bytes, limit)
                : "");
    else
        hf_say("%s was killed by signal %d (%s)", program, WTERMSIG(how), strsignal(WTERMSIG(how)));
}

/* Whose call it was that a seccomp filter killed the program for. */
static void say_what_was_forbidden(const struct hf_child_program *child)
{
    const char *call = hf_found_table_call(&child->watcher.table);
    if (call != NULL)
        hf_say("its seccomp filter forbids the agent's system call %s: the agent did not see the "
               "filter being installed (docs/agent.md says when it does)",
            call);
    else
        hf_say("its seccomp filter forbids a system call of the program itself; the agent was not "
               "making one");
}

static void say_why_none(const struct hf_child_program *child)
{
    if (child->is_killed &&
        hf_found_tables_unborn((uint32_t)child->pid, child->writer.options->folder)) {
        hf_say("%s was killed before anything was recorded, so there is no profile",
            child->writer.program);
        return;
    }
    hf_say("%s kept no live table, so there is no profile: %s", child->writer.program,
        child->target.has_own_malloc ? "it exports its own malloc, which the agent cannot replace"
        : child->is_killed ? "it was killed before anything was recorded, dropped LD_PRELOAD, or "
                             "had no room for the table"
                           : "it ended too soon, dropped LD_PRELOAD, had no room for the table, or "
                             "started under a seccomp filter (docs/agent.md)");
}

/* jemalloc writes the last one in exit(3). */
static void child_program_say_what_is_missing(const struct hf_child_program *child)
{
    const char *last = child->writer.last_path;
    if (child->writer.has_lost)
        return; /* that was said */
    if (child->dumps.has_last)
        hf_dump_writer_conclude(&child->writer);
    else if (!is_quiet(child))
        hf_say("the jemalloc of %s wrote no last profile, because it does so only in exit(3); %s%s",
            child->writer.program,
            last[0] != '\0' ? "the last profile that it wrote while it ran is "
                            : "with --interval it writes profiles while the program runs",
            last);
}

/* The last profile; the table goes when that is written. */
static enum hf_status child_program_finish(struct hf_child_program *child, struct hf_error *err)
{
    bool writes_last = child->options->writer.writes_last != 0, was_found = true;
    enum hf_status status = HF_OK;
    if (child->uses_own) {
        status = hf_jemalloc_dumps_finish(&child->dumps, err);
        if (status == HF_OK && writes_last)
            child_program_say_what_is_missing(child);
        return status;
    }
    status = hf_dump_writer_finish(&child->writer, &child->watcher, &was_found, err);
    if (status == HF_OK && !was_found && !is_quiet(child))
        say_why_none(child);
    else if (status == HF_OK && writes_last && !is_quiet(child) && !child->options->follows_fork &&
             hf_launcher_is_one(&child->launcher, child->writer.peak_bytes))
        hf_launcher_say(&child->launcher, child->command[0]);
    if (was_found && child->is_bad_call && !is_quiet(child))
        say_what_was_forbidden(child);
    return status;
}

/* Beside the files of the program: "make.4711.heapflame/make.4711.run.json". */
static enum hf_status child_program_write_family(
    struct hf_child_program *child, struct hf_error *err)
{
    struct hf_out pattern = {0};
    char path[PATH_MAX];
    const char *output = child->options->writer.report.view.output;
    struct hf_file_name name = {child->family.leader, child->family.program, 0};
    struct hf_text folder = hf_text_of(output);
    folder = hf_text_first(folder, folder.size - hf_text_basename(folder).size);
    hf_out_printf(
        &pattern, "%.*s%%e.%%p%s%c", (int)folder.size, folder.data, HF_TIMELINE_RUN_ENDING, '\0');
    enum hf_status status = hf_out_finish(&pattern, err);
    if (status == HF_OK)
        status = hf_file_pattern_expand(pattern.data, &name, path, err);
    hf_out_done(&pattern);
    hf_family_sort(&child->family);
    if (status == HF_OK)
        status = hf_family_write(&child->family, path, err);
    if (status == HF_OK && !is_quiet(child))
        hf_family_say(&child->family, path);
    return status;
}

/* Of what the program started: those that have ended, and a word about the others. */
static enum hf_status finish_family(struct hf_child_program *child, struct hf_error *err)
{
    size_t count = 0;
    struct hf_error late;
    enum hf_status status = hf_watched_processes_finish(&child->children, &count, err), written;
    if (child->options->writer.writes_last) {
        written = child_program_write_family(child, status == HF_OK ? err : &late);
        status = status == HF_OK ? written : status;
    }
    if (count != 0 && !is_quiet(child))
        hf_say("%zu %s started by %s still %s: heapflame watch continues with %s", count,
            hf_plural(count, "process", "processes"), child->writer.program,
            hf_plural(count, "runs", "run"), hf_plural(count, "it", "them"));
    hf_watched_processes_done(&child->children);
    return status;
}

enum hf_status hf_child_program_accompany(struct hf_child_program *child, struct hf_error *err)
{
    int how = 0;
    struct hf_error late;
    struct hf_common *common = &child->options->writer.report.view.common;
    enum hf_status status = child_program_begin(child, err);
    enum hf_status watched = child_program_watch(child, status == HF_OK ? err : &late);
    status = status == HF_OK ? watched : status;
    struct rusage usage = {0};
    hf_launcher_look(&child->launcher, (uint32_t)child->pid);
    while (wait4(child->pid, &how, 0, &usage) < 0 && errno == EINTR)
        continue;
    hf_launcher_ended(&child->launcher, &usage);
    child->has_ended = true;
    child->is_killed = WIFSIGNALED(how);
    child->is_bad_call = WIFSIGNALED(how) && WTERMSIG(how) == SIGSYS;
    if (!common->quiet)
        say_how_it_ended(child, how);
    enum hf_status last = child_program_finish(child, status == HF_OK ? err : &late);
    status = status == HF_OK ? last : status;
    if (child->options->follows_fork) {
        last = finish_family(child, status == HF_OK ? err : &late);
        status = status == HF_OK ? last : status;
    }
    common->has_code = true;
    common->code = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    hf_watcher_done(&child->watcher);
    return status;
}

struct hf_child_program hf_child_program_of(
    struct hf_run_options *options, const char *const *command)
{
    return (struct hf_child_program){
        .options = options,
        .command = command,
        .process.fd = -1,
        .signals.source.fd = -1,
        .dumps.folder_changes.fd = -1,
    };
}

enum hf_status hf_child_program_start(struct hf_child_program *child, struct hf_error *err)
{
    enum hf_status status =
        hf_signals_open(&child->signals, forwarded, HF_COUNT(forwarded), forward, child, err);
    return status == HF_OK ? launch(child, err) : status;
}

void hf_child_program_done(struct hf_child_program *child)
{
    if (child->process.fd >= 0)
        close(child->process.fd);
    hf_dump_writer_done(&child->writer);
    hf_family_done(&child->family);
    hf_signals_close(&child->signals);
    hf_jemalloc_dumps_close(&child->dumps);
    hf_jemalloc_build_done(&child->own);
}
