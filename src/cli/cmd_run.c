/*
 * cmd_run.c: starts a program under the agent, watches it, and ends as it ended.
 */
#include "base/units.h"
#include "capture/launch.h"
#include "capture/target.h"
#include "cli/agent_path.h"
#include "cli/watching.h"

#include <errno.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

struct run_options {
    struct hf_watching_options watching;
    const char *period, *budget;
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
        "what the program starts or forks keeps live tables, too"},
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

static enum hf_status put_bytes(
    struct hf_out *out, const char *option, const char *text, struct hf_error *err)
{
    uint64_t bytes;
    if (text == NULL)
        return HF_OK;
    if (!hf_units_parse_bytes(hf_text_of(text), &bytes) || bytes == 0)
        return hf_error_set(
            err, HF_ERR_USAGE, "--%s: expected bytes, as '64KiB', found '%s'", option, text);
    hf_out_printf(out, "%s:", option);
    hf_out_u64(out, bytes);
    hf_out_char(out, ',');
    return HF_OK;
}

/* The agent's settings, as HEAPFLAME_CONF has them. */
static enum hf_status put_settings(
    struct hf_out *out, const struct run_options *options, struct hf_error *err)
{
    if (options->is_exact && options->period != NULL)
        return hf_error_set(err, HF_ERR_USAGE, "--exact and --period exclude each other");
    if (options->watching.folder != NULL && strpbrk(options->watching.folder, ",:") != NULL)
        return hf_error_set(err, HF_ERR_USAGE,
            "--dir: a path with a comma or a colon cannot be a setting: '%s'",
            options->watching.folder);
    enum hf_status status = put_bytes(out, "period", options->period, err);
    if (status == HF_OK)
        status = put_bytes(out, "budget", options->budget, err);
    hf_out_printf(out, "%s%s", options->is_exact ? "exact:true," : "",
        options->follows_fork ? "follow_fork:true," : "");
    if (options->watching.folder != NULL)
        hf_out_printf(out, "dir:%s,", options->watching.folder);
    hf_out_string(out, "prof:true");
    hf_out_char(out, '\0');
    return status == HF_OK ? hf_out_finish(out, err) : status;
}

struct running {
    pid_t pid;
    int pidfd, signal_fd;
    struct hf_watching watching;
};

/* What a terminal sends goes to all of its processes anyway. */
static bool forward(void *context, int signal, bool is_of_kernel)
{
    const struct running *running = context;
    if (!is_of_kernel)
        (void)kill(running->pid, signal);
    return true;
}

static enum hf_status start(struct running *running, const struct run_options *options,
    const struct hf_operands *operands, struct hf_error *err)
{
    char agent[PATH_MAX];
    sigset_t taken, before;
    struct hf_out settings = {0};
    enum hf_status status = hf_agent_path(agent, err);
    if (status == HF_OK)
        status = put_settings(&settings, options, err);
    sigemptyset(&taken);
    for (size_t i = 0; i < HF_COUNT(forwarded); i++)
        sigaddset(&taken, forwarded[i]);
    (void)sigprocmask(SIG_BLOCK, &taken, &before);
    running->signal_fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    if (status == HF_OK && running->signal_fd < 0)
        status = hf_error_system(err, errno, "cannot wait for signals");
    if (status == HF_OK) {
        struct hf_launch launch = {
            .argv = operands->items,
            .agent = agent,
            .settings = settings.data,
            .children_too = options->follows_fork,
            .signals = &before,
        };
        status = hf_launch_start(&launch, &running->pid, &running->pidfd, err);
    }
    hf_out_done(&settings);
    return status;
}

/* Until the program ends, whatever goes wrong meanwhile: of that the first is reported. */
static enum hf_status watch(struct running *running, struct hf_error *err)
{
    struct hf_error later;
    bool has_ended = false;
    enum hf_status status = HF_OK;
    while (!has_ended) {
        enum hf_status now = hf_watcher_loop(&running->watching.watcher, running->pidfd,
            running->signal_fd, forward, running, &has_ended, status == HF_OK ? err : &later);
        status = status == HF_OK ? now : status;
    }
    return status;
}

static void say_how_it_ended(const struct running *running, int how)
{
    const struct hf_watcher *watcher = &running->watching.watcher;
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

/* The last profile; the table goes when that is written. */
static enum hf_status finish(
    struct running *running, const struct hf_target *target, struct hf_error *err)
{
    bool was_found;
    enum hf_status status = hf_watching_finish(&running->watching, &was_found, err);
    if (status == HF_OK && was_found)
        hf_found_tables_remove(&running->watching.watcher.table);
    if (status == HF_OK && !was_found && !running->watching.options->report.view.common.quiet)
        fprintf(stderr, "heapflame: %s kept no live table, so there is no profile: %s\n",
            running->watching.program,
            target->has_own_malloc
                ? "it exports a malloc of its own, which the agent cannot stand before"
                : "it was gone too soon, dropped LD_PRELOAD, or found no room for one");
    return status;
}

static enum hf_status run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct run_options *options = all;
    struct hf_common *common = &options->watching.report.view.common;
    struct hf_dump_rules rules;
    struct hf_target target;
    struct running running = {.pidfd = -1, .signal_fd = -1};
    if (operands->count == 0)
        return hf_error_set(
            err, HF_ERR_USAGE, "expected a command, as 'heapflame run -- ./server'");
    enum hf_status status = hf_watching_check(&options->watching, &rules, err);
    if (status == HF_OK)
        status = hf_target_check(operands->items[0], &target, err);
    if (status == HF_OK)
        status = start(&running, options, operands, err);
    if (status == HF_OK) {
        int how = 0;
        struct hf_error late;
        hf_watching_init(&running.watching, &options->watching, &rules, (uint32_t)running.pid,
            operands->items[0]);
        status = watch(&running, err);
        while (waitpid(running.pid, &how, 0) < 0 && errno == EINTR)
            continue;
        if (!common->quiet)
            say_how_it_ended(&running, how);
        enum hf_status last = finish(&running, &target, status == HF_OK ? err : &late);
        status = status == HF_OK ? last : status;
        common->has_code = true;
        common->code = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
        hf_watching_done(&running.watching);
    }
    if (running.pidfd >= 0)
        close(running.pidfd);
    if (running.signal_fd >= 0)
        close(running.signal_fd);
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
