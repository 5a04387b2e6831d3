/*
 * cmd_run.c: starts a program under the agent or the profiler that it has itself, watches it, and
 * ends as it ended.
 */
#include "base/attr.h"
#include "base/units.h"
#include "capture/jemalloc_dumps.h"
#include "capture/launch.h"
#include "capture/signals.h"
#include "capture/target.h"
#include "capture/watcher.h"
#include "cli/agent_path.h"
#include "cli/watch_set.h"
#include "symbol/jemalloc_build.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct run_options {
    struct hf_watching_options watching;
    const char *period, *budget, *engine;
    bool is_exact, follows_fork;
};

#define AT(field) offsetof(struct run_options, field)

static const struct hf_option record_options[] = {
    {"period", 0, HF_OPTION_TEXT, 0, AT(period), "BYTES",
        "mean bytes from one sampled allocation to the next (512KiB)"},
    {"exact", 0, HF_OPTION_FLAG, 0, AT(is_exact), NULL, "record every allocation"},
    {"budget", 0, HF_OPTION_TEXT, 0, AT(budget), "BYTES",
        "most that the live table may take (16MiB; exact: 1GiB)"},
    {"follow-fork", 0, HF_OPTION_FLAG, 0, AT(follows_fork), NULL,
        "record what the program starts or forks, too; each has its files, by %p"},
    {"engine", 0, HF_OPTION_TEXT, 0, AT(engine), "NAME",
        "who records: agent, or jemalloc, if the program has one that can (agent)"},
    {0},
};

static const struct hf_option_group groups[] = {
    {"Recording", record_options},
    {"Dumps on the way", hf_watching_rule_options},
    {"Files", hf_watching_output_options},
    {"", hf_watching_place_options},
    {"Names", hf_binary_options},
    {"Help", hf_common_options},
    HF_OPTIONS_END_AT_OPERAND,
    {0},
};

/* Signals that are meant for the program. */
static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

struct running {
    struct run_options *options;
    struct hf_dump_rules rules;
    const char *const *command;
    uint64_t period_bytes, budget_bytes; /* 0: not given */
    struct hf_target target;
    struct hf_jemalloc_build own; /* the jemalloc that the program brings along */
    bool uses_own;
    pid_t pid;
    struct hf_loop loop;
    struct hf_signals signals;
    struct hf_loop_source process;
    struct hf_watching watching;
    struct hf_watcher watcher;
    struct hf_watch_set children;   /* with --follow-fork */
    struct hf_jemalloc_dumps dumps; /* if it uses its own */
};

static bool is_quiet(const struct running *running)
{
    return running->options->watching.report.view.common.quiet;
}

static enum hf_status check_options(struct running *running, struct hf_error *err)
{
    const struct run_options *options = running->options;
    enum hf_status status = hf_watching_check(&options->watching, &running->rules, err);
    if (status == HF_OK)
        status = hf_watching_parse_bytes("--period", options->period, &running->period_bytes, err);
    if (status == HF_OK)
        status = hf_watching_parse_bytes("--budget", options->budget, &running->budget_bytes, err);
    if (status != HF_OK)
        return status;
    if (options->follows_fork)
        status = hf_watch_set_check(&options->watching, "--follow-fork", err);
    if (status != HF_OK)
        return status;
    if (options->is_exact && options->period != NULL)
        return hf_error_set(err, HF_ERR_USAGE, "--exact and --period exclude each other");
    if (options->is_exact)
        running->period_bytes = 1;
    running->uses_own = options->engine != NULL && strcmp(options->engine, "jemalloc") == 0;
    if (!running->uses_own && options->engine != NULL && strcmp(options->engine, "agent") != 0)
        return hf_error_set(err, HF_ERR_USAGE,
            "--engine: expected 'agent' or 'jemalloc', found '%s'", options->engine);
    if (running->uses_own &&
        (options->follows_fork || options->budget != NULL || running->rules.every_ns != 0 ||
            running->rules.high_water_bytes != 0))
        return hf_error_set(err, HF_ERR_USAGE,
            "--engine jemalloc: jemalloc dumps by --interval and at the end, and knows nothing of "
            "--every, --high-water, --budget and --follow-fork");
    const char *folder = options->watching.folder;
    if (!running->uses_own && folder != NULL && strpbrk(folder, ",:") != NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "--dir: a path with a comma or a colon cannot be a setting: '%s'", folder);
    return HF_OK;
}

/* The program, and who can record it. */
static enum hf_status look_at_target(struct running *running, struct hf_error *err)
{
    enum hf_status status = hf_target_find(running->command[0], &running->target, err);
    if (status == HF_OK)
        status = hf_jemalloc_build_find(&running->own, running->target.path, err);
    if (status != HF_OK)
        return status;
    const struct hf_jemalloc_build *own = &running->own;
    bool is_inside = own->place == HF_JEMALLOC_INSIDE;
    if (running->uses_own)
        return own->has_profiling
                   ? HF_OK
                   : hf_error_set(err, HF_ERR_USAGE,
                         "--engine jemalloc: %s has no jemalloc with a heap profiler; heapflame "
                         "conf check says more",
                         running->target.path);
    status = hf_target_check(&running->target, err);
    if (!own->has_profiling)
        return status;
    /* Within a static program it aborts before main if it is asked to profile, but for one with a
     * prefix, which libc does not call. */
    if (status != HF_OK && !(is_inside && strcmp(own->variable, "MALLOC_CONF") == 0))
        hf_error_context(err, "its own jemalloc can record it (--engine jemalloc), the agent not");
    if (status == HF_OK && !is_quiet(running))
        fprintf(stderr,
            "heapflame: the jemalloc of %s has a heap profiler itself%s: --engine jemalloc uses "
            "it\n",
            running->command[0],
            is_inside ? ", and the agent may see nothing of what it allocates" : "");
    return status;
}

/* The agent's settings, as HEAPFLAME_CONF has them. */
static void put_settings(struct hf_out *out, const struct running *running)
{
    const struct run_options *options = running->options;
    if (options->is_exact)
        hf_out_string(out, "exact:true,");
    else if (running->period_bytes != 0)
        hf_out_printf(out, "period:%" PRIu64 ",", running->period_bytes);
    if (running->budget_bytes != 0)
        hf_out_printf(out, "budget:%" PRIu64 ",", running->budget_bytes);
    if (options->follows_fork)
        hf_out_printf(out, "follow_fork:true,family:%d,", (int)getpid());
    if (options->watching.folder != NULL)
        hf_out_printf(out, "dir:%s,", options->watching.folder);
    hf_out_string(out, "prof:true");
}

static enum hf_status prepare_own(
    struct running *running, struct hf_out *settings, struct hf_error *err)
{
    const struct hf_watching_options *options = &running->options->watching;
    const char *temporary = getenv("TMPDIR");
    const char *place = options->folder != NULL ? options->folder
                        : temporary != NULL     ? temporary
                                                : "/tmp";
    enum hf_status status = hf_jemalloc_dumps_open(&running->dumps, place, err);
    if (status == HF_OK)
        hf_jemalloc_dumps_put_settings(&running->dumps, running->period_bytes,
            running->rules.interval_bytes, options->writes_last != 0, settings);
    return status;
}

static enum hf_status launch(struct running *running, struct hf_error *err)
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
    const struct running *running = context;
    if (!is_of_kernel)
        (void)kill(running->pid, signal);
}

static enum hf_status notice_end(void *context, struct hf_error *err)
{
    (void)err;
    struct running *running = context;
    running->loop.is_over = true;
    return HF_OK;
}

/* The program runs: who looks at it meanwhile. */
static void begin(struct running *running)
{
    struct hf_watching_options *options = &running->options->watching;
    uint32_t pid = (uint32_t)running->pid;
    hf_watching_init(&running->watching, options, pid, running->command[0]);
    running->watcher = hf_watching_watcher(&running->watching, &running->rules);
    running->process.events = POLLIN;
    running->process.due_ns = HF_LOOP_NEVER;
    running->process.wake = notice_end;
    running->process.context = running;
    hf_loop_add(&running->loop, &running->signals.source);
    hf_loop_add(&running->loop, &running->process);
    if (running->uses_own) {
        running->dumps.pid = pid;
        running->dumps.program = running->command[0];
        running->dumps.keeping = hf_watching_keeping(&running->watching);
        hf_jemalloc_dumps_begin(&running->dumps, &running->loop);
    } else {
        hf_watcher_begin(&running->watcher, &running->loop);
    }
    if (running->options->follows_fork) {
        running->children = (struct hf_watch_set){
            .options = options,
            .rules = running->rules,
            .loop = &running->loop,
            .folder = options->folder,
            .family = (uint32_t)getpid(),
            .leader = pid,
            .has_said = true, /* by the watcher of the program */
        };
        hf_watch_set_begin(&running->children);
    }
}

/* Until the program ends, whatever goes wrong meanwhile: of that the first is reported. */
static enum hf_status watch(struct running *running, struct hf_error *err)
{
    struct hf_error later;
    enum hf_status status = HF_OK;
    while (!running->loop.is_over) {
        enum hf_status now = hf_loop_run(&running->loop, status == HF_OK ? err : &later);
        status = status == HF_OK ? now : status;
    }
    return status;
}

static void say_how_it_ended(const struct running *running, int how)
{
    const struct hf_watcher *watcher = &running->watcher;
    const char *program = running->watching.program;
    char limit[HF_UNITS_MAX];
    if (!WIFSIGNALED(how))
        return;
    if (WTERMSIG(how) == SIGKILL && hf_watcher_saw_kill(watcher))
        fprintf(stderr, "heapflame: the kernel killed %s: its memory cgroup was at its limit%s%s\n",
            program, watcher->last.memory.limit_bytes != 0 ? " of " : "",
            watcher->last.memory.limit_bytes != 0
                ? hf_units_bytes(watcher->last.memory.limit_bytes, limit)
                : "");
    else
        fprintf(stderr, "heapflame: %s was killed by signal %d (%s)\n", program, WTERMSIG(how),
            strsignal(WTERMSIG(how)));
}

static void say_why_none(const struct running *running)
{
    fprintf(stderr, "heapflame: %s kept no live table, so there is no profile: %s\n",
        running->watching.program,
        running->target.has_own_malloc
            ? "it exports a malloc of its own, which the agent cannot stand before"
            : "it was gone too soon, dropped LD_PRELOAD, or found no room for one");
}

/* jemalloc writes the last one in exit(3). */
static void say_what_is_missing(const struct running *running)
{
    const char *last = running->watching.last_path;
    if (running->dumps.has_last)
        hf_watching_conclude(&running->watching);
    else if (!is_quiet(running))
        fprintf(stderr,
            "heapflame: the jemalloc of %s wrote no last profile, as it does in exit(3) alone; "
            "%s%s\n",
            running->watching.program,
            last[0] != '\0' ? "the last on the way is " : "--interval has some written on the way",
            last);
}

/* The last profile; the table goes when that is written. */
static enum hf_status finish(struct running *running, struct hf_error *err)
{
    bool writes_last = running->options->watching.writes_last != 0, was_found = true;
    enum hf_status status = HF_OK;
    if (running->uses_own) {
        status = hf_jemalloc_dumps_finish(&running->dumps, err);
        if (status == HF_OK && writes_last)
            say_what_is_missing(running);
        return status;
    }
    status = hf_watching_finish(&running->watching, &running->watcher, &was_found, err);
    if (status == HF_OK && !was_found && !is_quiet(running))
        say_why_none(running);
    return status;
}

/* Of what the program started: those that have ended, and a word about the others. */
static enum hf_status finish_children(struct running *running, struct hf_error *err)
{
    size_t count = 0;
    enum hf_status status = hf_watch_set_finish(&running->children, &count, err);
    if (count != 0 && !is_quiet(running))
        fprintf(stderr,
            "heapflame: %zu %s that %s started still %s: heapflame watch goes on with %s\n", count,
            count == 1 ? "process" : "processes", running->watching.program,
            count == 1 ? "runs" : "run", count == 1 ? "it" : "them");
    hf_watch_set_done(&running->children);
    return status;
}

/* From the start of the program to its end. */
static enum hf_status accompany(struct running *running, struct hf_error *err)
{
    int how = 0;
    struct hf_error late;
    struct hf_common *common = &running->options->watching.report.view.common;
    begin(running);
    enum hf_status status = watch(running, err);
    while (waitpid(running->pid, &how, 0) < 0 && errno == EINTR)
        continue;
    if (!common->quiet)
        say_how_it_ended(running, how);
    enum hf_status last = finish(running, status == HF_OK ? err : &late);
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

static enum hf_status run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct running running = {
        .options = all,
        .command = operands->items,
        .process.fd = -1,
        .signals.source.fd = -1,
        .dumps.folder_changes.fd = -1,
    };
    if (operands->count == 0)
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a command, as 'heapflame run -- ./server'");
    enum hf_status status = check_options(&running, err);
    if (status == HF_OK)
        status = look_at_target(&running, err);
    if (status == HF_OK)
        status = hf_signals_open(
            &running.signals, forwarded, HF_COUNT(forwarded), forward, &running, err);
    if (status == HF_OK)
        status = launch(&running, err);
    if (status == HF_OK)
        status = accompany(&running, err);
    if (running.process.fd >= 0)
        close(running.process.fd);
    hf_signals_close(&running.signals);
    hf_jemalloc_dumps_close(&running.dumps);
    hf_jemalloc_build_done(&running.own);
    return status;
}

const struct hf_command hf_cmd_run = {
    .name = "run",
    .summary = "Start a program, record where its memory goes, and say what leaks.",
    .operands = "[--] COMMAND [ARGUMENT]...",
    .details =
        "The program runs as ever and heapflame exits as it does. When it has ended, also by\n"
        "kill -9 or for lack of memory, the last profile is written; meanwhile dump, top and\n"
        "flame take its process number.",
    .groups = groups,
    .options_size = sizeof(struct run_options),
    .runs_another = true,
    .defaults = hf_watching_defaults,
    .run = run,
};
