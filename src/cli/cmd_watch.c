/*
 * cmd_watch.c: the watcher of `run` for a process that was started with the environment alone
 * (cmd_env.c). It may be killed and started again: the process does not notice.
 */
#include "capture/signals.h"
#include "capture/watcher.h"
#include "cli/load.h"
#include "cli/watching.h"
#include "os/proc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
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

struct watch {
    struct hf_loop loop;
    struct hf_signals signals;
    struct hf_loop_source process;
    struct hf_watching watching;
    struct hf_watcher watcher;
    bool has_ended; /* the process; else the watcher was stopped */
};

static void stop(void *context, int signal, bool is_of_kernel)
{
    (void)signal;
    (void)is_of_kernel;
    struct watch *watch = context;
    watch->loop.is_over = true;
}

static enum hf_status notice_end(void *context, struct hf_error *err)
{
    (void)err;
    struct watch *watch = context;
    watch->has_ended = watch->loop.is_over = true;
    return HF_OK;
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

static enum hf_status finish(struct watch *watch, struct hf_error *err)
{
    bool was_found, writes_last = watch->watching.options->writes_last != 0;
    enum hf_status status = hf_watcher_finish(&watch->watcher, writes_last, &was_found, err);
    if (status == HF_OK && was_found && writes_last)
        hf_watching_conclude(&watch->watching);
    if (status == HF_OK && was_found)
        hf_found_tables_remove(&watch->watcher.table);
    return status;
}

static enum hf_status accompany(struct watch *watch, struct hf_error *err)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    enum hf_status status =
        hf_signals_open(&watch->signals, stopping, HF_COUNT(stopping), stop, watch, err);
    if (status == HF_OK) {
        hf_loop_add(&watch->loop, &watch->signals.source);
        hf_loop_add(&watch->loop, &watch->process);
        hf_watcher_begin(&watch->watcher, &watch->loop);
        status = hf_loop_run(&watch->loop, err);
    }
    if (status == HF_OK && watch->has_ended)
        status = finish(watch, err);
    hf_signals_close(&watch->signals);
    return status;
}

static enum hf_status run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    struct hf_watching_options *options = all;
    struct watch watch = {
        .process = {.events = POLLIN, .due_ns = HF_LOOP_NEVER, .wake = notice_end},
    };
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
    watch.process.context = &watch;
    watch.process.fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (watch.process.fd < 0)
        return hf_error_system(err, errno, "cannot watch process %u", pid);
    (void)snprintf(link, sizeof link, "/proc/%u/exe", pid);
    if (!hf_file_link_target(link, program))
        (void)snprintf(program, sizeof program, "program");
    hf_watching_init(&watch.watching, options, pid, program);
    watch.watcher = hf_watching_watcher(&watch.watching, &rules);
    status = accompany(&watch, err);
    hf_watcher_done(&watch.watcher);
    close(watch.process.fd);
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
