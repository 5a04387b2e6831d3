#include "cli/process/running.h"

#include "base/strings/units.h"
#include "capture/launch.h"
#include "cli/process/agent_path.h"
#include "cli/say.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals that are meant for the program. */
static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

static bool is_quiet(const struct hf_running *running)
{
    return running->options->watching.report.view.common.quiet;
}

/* The agent's settings, as HEAPFLAME_CONF has them. */
static void put_settings(struct hf_out *out, const struct hf_running *running)
{
    const struct hf_run_options *options = running->options;
    if (options->is_exact)
        hf_out_string(out, "exact:true,");
    else if (options->period_bytes != 0)
        hf_out_printf(out, "period:%" PRIu64 ",", options->period_bytes);
    if (options->budget_bytes != 0)
        hf_out_printf(out, "budget:%" PRIu64 ",", options->budget_bytes);
    if (options->follows_fork)
        hf_out_printf(out, "follow_fork:true,family:%d,", (int)getpid());
    if (options->watching.folder != NULL)
        hf_out_printf(out, "dir:%s,", options->watching.folder);
    hf_out_string(out, "prof:true");
}

static enum hf_status prepare_own(
    struct hf_running *running, struct hf_out *settings, struct hf_error *err)
{
    const struct hf_watching_options *options = &running->options->watching;
    const char *temporary = getenv("TMPDIR");
    const char *place = options->folder != NULL ? options->folder
                        : temporary != NULL     ? temporary
                                                : "/tmp";
    enum hf_status status = hf_jemalloc_dumps_open(&running->dumps, place, err);
    if (status == HF_OK)
        hf_jemalloc_dumps_put_settings(&running->dumps,
            running->options->is_exact ? 1 : running->options->period_bytes,
            options->rules.interval_bytes, options->writes_last != 0, settings);
    return status;
}

static enum hf_status launch(struct hf_running *running, struct hf_error *err)
{
    char agent[PATH_MAX];
    struct hf_out settings = {0};
    struct hf_launch launch = {.argv = running->command, .signals = &running->signals.before};
    enum hf_status status = HF_OK;
    if (running->uses_own) {
        launch.variable = running->own.variable;
        status = prepare_own(running, &settings, err);
    } else {
        launch.variable = "HEAPFLAME_CONF";
        launch.agent = agent;
        launch.names_process = !running->options->follows_fork;
        status = hf_agent_path(agent, err);
        put_settings(&settings, running);
    }
    hf_out_char(&settings, '\0');
    if (status == HF_OK)
        status = hf_out_finish(&settings, err);
    launch.settings = settings.data;
    if (status == HF_OK)
        status = hf_launch_start(&launch, &running->pid, &running->process.fd, err);
    hf_out_done(&settings);
    return status;
}

/* What a terminal sends goes to all of its processes anyway. */
static void forward(void *context, int signal, bool is_of_kernel)
{
    const struct hf_running *running = context;
    if (!is_of_kernel && !running->has_ended)
        (void)kill(running->pid, signal);
}

static enum hf_status running_notice_end(void *context, struct hf_error *err)
{
    (void)err;
    struct hf_running *running = context;
    running->loop.is_over = true;
    return HF_OK;
}

/* The program runs: who looks at it meanwhile. */
static enum hf_status running_begin(struct hf_running *running, struct hf_error *err)
{
    struct hf_watching_options *options = &running->options->watching;
    uint32_t pid = (uint32_t)running->pid;
    enum hf_status status = hf_watching_init(
        &running->watching, options, pid, running->command[0], &running->signals.source, err);
    running->watcher = hf_watching_watcher(&running->watching);
    running->process.events = POLLIN;
    running->process.due_ns = HF_LOOP_NEVER;
    running->process.wake = running_notice_end;
    running->process.context = running;
    hf_loop_add(&running->loop, &running->signals.source);
    hf_loop_add(&running->loop, &running->process);
    if (running->uses_own) {
        running->dumps.pid = pid;
        running->dumps.program = running->command[0];
        running->dumps.keeper = hf_watching_keeper(&running->watching);
        hf_jemalloc_dumps_begin(&running->dumps, &running->loop);
    } else {
        hf_watcher_begin(&running->watcher, &running->loop);
    }
    if (running->options->follows_fork) {
        running->children = (struct hf_watch_set){
            .options = options,
            .loop = &running->loop,
            .folder = options->folder,
            .family = (uint32_t)getpid(),
            .leader = pid,
            .signals = &running->signals.source,
            .has_said = true, /* by the watcher of the program */
        };
        hf_watch_set_begin(&running->children);
    }
    return status;
}

/* Until the program ends, whatever goes wrong meanwhile: of that the first is reported. */
static enum hf_status running_watch(struct hf_running *running, struct hf_error *err)
{
    struct hf_error later;
    enum hf_status status = HF_OK;
    while (!running->loop.is_over) {
        enum hf_status now = hf_loop_run(&running->loop, status == HF_OK ? err : &later);
        status = status == HF_OK ? now : status;
    }
    return status;
}

static void say_how_it_ended(const struct hf_running *running, int how)
{
    const struct hf_watcher *watcher = &running->watcher;
    const char *program = running->watching.program;
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
static void say_what_was_forbidden(const struct hf_running *running)
{
    const char *call = hf_found_table_call(&running->watcher.table);
    if (call != NULL)
        hf_say("its seccomp filter forbids %s, which the agent was about to call: it did "
               "not see the filter come (docs/agent.md says how it does)",
            call);
    else
        hf_say("the agent was in no system call: the filter forbids one of the program's "
               "own");
}

static void say_why_none(const struct hf_running *running)
{
    if (running->is_killed &&
        hf_found_tables_unborn((uint32_t)running->pid, running->watching.options->folder)) {
        hf_say("%s was killed before anything was recorded, so there is no profile",
            running->watching.program);
        return;
    }
    hf_say("%s kept no live table, so there is no profile: %s", running->watching.program,
        running->target.has_own_malloc
            ? "it exports a malloc of its own, which the agent cannot stand before"
        : running->is_killed
            ? "it was killed before anything was recorded, dropped LD_PRELOAD, or "
              "found no room for one"
            : "it was gone too soon, dropped LD_PRELOAD, found no room for one, or "
              "began under a seccomp filter (docs/agent.md)");
}

/* jemalloc writes the last one in exit(3). */
static void running_say_what_is_missing(const struct hf_running *running)
{
    const char *last = running->watching.last_path;
    if (running->watching.has_lost)
        return; /* that was said */
    if (running->dumps.has_last)
        hf_watching_conclude(&running->watching);
    else if (!is_quiet(running))
        hf_say("the jemalloc of %s wrote no last profile, as it does in exit(3) alone; "
               "%s%s",
            running->watching.program,
            last[0] != '\0' ? "the last on the way is " : "--interval has some written on the way",
            last);
}

/* The last profile; the table goes when that is written. */
static enum hf_status running_finish(struct hf_running *running, struct hf_error *err)
{
    bool writes_last = running->options->watching.writes_last != 0, was_found = true;
    enum hf_status status = HF_OK;
    if (running->uses_own) {
        status = hf_jemalloc_dumps_finish(&running->dumps, err);
        if (status == HF_OK && writes_last)
            running_say_what_is_missing(running);
        return status;
    }
    status = hf_watching_finish(&running->watching, &running->watcher, &was_found, err);
    if (status == HF_OK && !was_found && !is_quiet(running))
        say_why_none(running);
    else if (was_found && running->is_bad_call && !is_quiet(running))
        say_what_was_forbidden(running);
    return status;
}

/* Of what the program started: those that have ended, and a word about the others. */
static enum hf_status finish_children(struct hf_running *running, struct hf_error *err)
{
    size_t count = 0;
    enum hf_status status = hf_watch_set_finish(&running->children, &count, err);
    if (count != 0 && !is_quiet(running))
        hf_say("%zu %s that %s started still %s: heapflame watch goes on with %s", count,
            count == 1 ? "process" : "processes", running->watching.program,
            count == 1 ? "runs" : "run", count == 1 ? "it" : "them");
    hf_watch_set_done(&running->children);
    return status;
}

enum hf_status hf_running_accompany(struct hf_running *running, struct hf_error *err)
{
    int how = 0;
    struct hf_error late;
    struct hf_common *common = &running->options->watching.report.view.common;
    enum hf_status status = running_begin(running, err);
    enum hf_status watched = running_watch(running, status == HF_OK ? err : &late);
    status = status == HF_OK ? watched : status;
    while (waitpid(running->pid, &how, 0) < 0 && errno == EINTR)
        continue;
    running->has_ended = true;
    running->is_killed = WIFSIGNALED(how);
    running->is_bad_call = WIFSIGNALED(how) && WTERMSIG(how) == SIGSYS;
    if (!common->quiet)
        say_how_it_ended(running, how);
    enum hf_status last = running_finish(running, status == HF_OK ? err : &late);
    status = status == HF_OK ? last : status;
    if (running->options->follows_fork) {
        last = finish_children(running, status == HF_OK ? err : &late);
        status = status == HF_OK ? last : status;
    }
    common->has_code = true;
    common->code = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
    hf_watcher_done(&running->watcher);
    return status;
}

struct hf_running hf_running_of(struct hf_run_options *options, const char *const *command)
{
    return (struct hf_running){
        .options = options,
        .command = command,
        .process.fd = -1,
        .signals.source.fd = -1,
        .dumps.folder_changes.fd = -1,
    };
}

enum hf_status hf_running_start(struct hf_running *running, struct hf_error *err)
{
    enum hf_status status =
        hf_signals_open(&running->signals, forwarded, HF_COUNT(forwarded), forward, running, err);
    return status == HF_OK ? launch(running, err) : status;
}

void hf_running_done(struct hf_running *running)
{
    if (running->process.fd >= 0)
        close(running->process.fd);
    hf_watching_done(&running->watching);
    hf_signals_close(&running->signals);
    hf_jemalloc_dumps_close(&running->dumps);
    hf_jemalloc_build_done(&running->own);
}
