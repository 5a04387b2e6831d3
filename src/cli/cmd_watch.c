/*
 * cmd_watch.c: the watcher of `run` for a process that was started with the environment alone
 * (cmd_env.c). It may be killed and started again: the process does not notice.
 */
#include "cli/load.h"
#include "cli/watching.h"
#include "os/proc.h"

#include <errno.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct hf_option_group groups[] = {
    {"Dumps on the way", hf_watching_rule_options},
    {"Files", hf_watching_output_options},
    {"", hf_watching_place_options},
    {"Names", hf_binary_options},
    {"Help", hf_common_options},
    {0},
};

static bool stop(void *context, int signal, bool is_of_kernel)
{
    (void)context;
    (void)signal;
    (void)is_of_kernel;
    return false;
}

static int open_signals(void)
{
    sigset_t taken;
    sigemptyset(&taken);
    sigaddset(&taken, SIGINT);
    sigaddset(&taken, SIGTERM);
    sigaddset(&taken, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &taken, NULL);
    return signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The process that has the newest table of a folder. */
struct choice {
    uint32_t pid;
    uint64_t realtime_ns;
};

static bool choose(void *context, const char *path)
{
    struct choice *choice = context;
    struct hf_found_table table;
    if (hf_found_table_open(&table, path, NULL) != HF_OK)
        return true;
    uint32_t pid = hf_found_table_writer(&table);
    if (pid != 0 && table.head.realtime_ns >= choice->realtime_ns)
        *choice = (struct choice){pid, table.head.realtime_ns};
    hf_found_table_close(&table);
    return true;
}

static enum hf_status find_process(const char *name, uint32_t *out_pid, struct hf_error *err)
{
    struct choice choice = {0};
    struct hf_found_table table;
    if (!hf_load_is_process(name, out_pid)) {
        hf_found_tables_in(name, choose, &choice);
        *out_pid = choice.pid;
        return choice.pid != 0 ? HF_OK
                               : hf_error_set(err, HF_ERR_SYSTEM,
                                     "no process that runs has a live table in %s", name);
    }
    enum hf_status status = hf_found_table_of(&table, *out_pid, NULL, err);
    if (status == HF_OK)
        hf_found_table_close(&table);
    return status;
}

static enum hf_status watch(struct hf_watching *watching, int pidfd, struct hf_error *err)
{
    bool has_ended, was_found;
    int signal_fd = open_signals();
    if (signal_fd < 0)
        return hf_error_system(err, errno, "cannot wait for signals");
    enum hf_status status =
        hf_watcher_loop(&watching->watcher, pidfd, signal_fd, stop, NULL, &has_ended, err);
    if (status == HF_OK && has_ended) {
        status = hf_watching_finish(watching, &was_found, err);
        if (status == HF_OK && was_found)
            hf_found_tables_remove(&watching->watcher.table);
    }
    close(signal_fd);
    return status;
}

static enum hf_status run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_watching_options *options = all;
    struct hf_watching watching;
    struct hf_dump_rules rules;
    uint32_t pid = 0;
    char program[PATH_MAX], link[64];
    if (operands->count != 1)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected one process, or the folder of its live table; found %zu operands",
            operands->count);
    enum hf_status status = hf_watching_check(options, &rules, err);
    if (status == HF_OK)
        status = find_process(operands->items[0], &pid, err);
    if (status != HF_OK)
        return status;
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0)
        return hf_error_system(err, errno, "cannot watch process %u", pid);
    (void)snprintf(link, sizeof link, "/proc/%u/exe", pid);
    if (!hf_file_link_target(link, program))
        (void)snprintf(program, sizeof program, "program");
    hf_watching_init(&watching, options, &rules, pid, program);
    status = watch(&watching, pidfd, err);
    hf_watching_done(&watching);
    close(pidfd);
    return status;
}

const struct hf_command hf_cmd_watch = {
    .name = "watch",
    .summary = "Watch a program that records itself: dumps on the way, and the last one.",
    .operands = "PID|DIR",
    .details =
        "For a program that was started as heapflame env says. The watcher may be stopped and\n"
        "started again at any time. DIR: the newest process with a live table in that folder.",
    .groups = groups,
    .options_size = sizeof(struct hf_watching_options),
    .defaults = hf_watching_defaults,
    .run = run,
};
