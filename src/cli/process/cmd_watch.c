/*
 * cmd_watch.c: the watcher of `run` for processes that were started with the environment alone
 * (cmd_env.c). It may be killed and started again: they do not notice.
 */
#include "answer/operand.h"
#include "base/plural.h"
#include "capture/signals.h"
#include "cli/process/recording/watched_processes.h"
#include "os/file.h"
#include "os/path.h"

#include <stdio.h>

static const struct hf_option_group groups[] = {
    {"Dumps while the program runs", hf_dump_writer_rule_options},
    {"Leaks while the program runs", hf_dump_writer_leak_options},
    {"Files", hf_dump_writer_output_options},
    {"", hf_dump_writer_place_options},
    {"Values", hf_dump_writer_value_options},
    {"Names", hf_binary_options},
    {"", hf_input_budget_options},
    {"", hf_owner_options},
    {"Help", hf_common_options},
    {0},
};

static void watch_stop(void *context, int signal, bool is_of_kernel)
{
    (void)signal;
    (void)is_of_kernel;
    struct hf_loop *loop = context;
    loop->is_over = true;
}

/* The process that is named, or all of a folder. */
static enum hf_status add_processes(
    struct hf_watched_processes *set, const char *name, struct hf_error *err)
{
    uint32_t pid;
    struct hf_found_table table;
    char program[PATH_MAX], link[64];
    if (!hf_operand_is_process(name, &pid)) {
        enum hf_status status = hf_watched_processes_check(set->options, "a folder of tables", err);
        if (status != HF_OK)
            return status;
        set->folder = name;
        hf_watched_processes_begin(set);
        return set->first != NULL ? HF_OK
                                  : hf_error_set(err, HF_ERR_SYSTEM,
                                        "no running process has a live table in %s", name);
    }
    enum hf_status status = hf_table_reader_find(&table, pid, name, &set->options->report, err);
    if (status != HF_OK)
        return status;
    hf_found_table_close(&table);
    (void)snprintf(link, sizeof link, "/proc/%u/exe", pid);
    if (!hf_path_link(link, program))
        (void)snprintf(program, sizeof program, "program");
    return hf_watched_processes_add(set, pid, program, err);
}

/* Until it is over. What goes wrong with one of a folder must not end the watch of the others. */
static enum hf_status watch_all(struct hf_watched_processes *set, struct hf_error *err)
{
    enum hf_status status = hf_loop_run(set->loop, err);
    while (status != HF_OK && set->folder != NULL && !set->loop->is_over) {
        hf_watched_processes_note(set, status, err);
        status = hf_loop_run(set->loop, err);
    }
    return status;
}

static enum hf_status watch_run(void *all, struct hf_operands *operands, struct hf_error *err)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    struct hf_loop loop = {0};
    struct hf_signals signals = {.source.fd = -1};
    struct hf_watched_processes set = {
        .options = all, .loop = &loop, .ends_loop = true, .signals = &signals.source};
    size_t running;
    if (operands->count != 1)
        return hf_error_set(err, HF_ERR_USAGE,
            "expected one PID, or the folder of live tables; found %zu", operands->count);
    enum hf_status status = hf_dump_writer_check(set.options, err);
    if (status == HF_OK)
        status = hf_signals_open(&signals, stopping, HF_COUNT(stopping), watch_stop, &loop, err);
    if (status == HF_OK)
        status = add_processes(&set, operands->items[0], err);
    if (status == HF_OK) {
        hf_loop_add(&loop, &signals.source);
        status = watch_all(&set, err);
    }
    if (status == HF_OK)
        status = hf_watched_processes_finish(&set, &running, err);
    hf_watched_processes_done(&set);
    hf_signals_close(&signals);
    return status;
}

const struct hf_command hf_cmd_watch = {
    .name = "watch",
    .summary = "Watch a program that records itself: write dumps while it runs and at its end.",
    .operands = "PID|DIR",
    .details =
        "Watches a program that was started with the variables of heapflame env. The watcher\n"
        "may be stopped and started again at any time. With DIR, it watches all processes whose\n"
        "live tables are in that folder.",
    .groups = groups,
    .options_size = sizeof(struct hf_dump_writer_options),
    .defaults = hf_dump_writer_defaults,
    .run = watch_run,
};
