/*
 * child_program.h: a program that `run` starts, from its start to its end.
 *
 * It runs under the agent, or under the profiler of the jemalloc that it has itself. Signals that
 * come meanwhile are meant for it. When it has ended, the last profile is written, one sentence
 * says why there is none, and heapflame ends as it did.
 */
#ifndef HF_CLI_CHILD_PROGRAM_H
#define HF_CLI_CHILD_PROGRAM_H

#include "capture/jemalloc_dumps.h"
#include "capture/signals.h"
#include "capture/target.h"
#include "capture/watcher.h"
#include "cli/process/recording/family.h"
#include "cli/process/recording/launcher.h"
#include "cli/process/recording/watched_processes.h"
#include "symbol/jemalloc_build.h"

#include <sys/types.h>

struct hf_run_options {
    struct hf_dump_writer_options writer;
    const char *engine;
    uint64_t period_bytes, budget_bytes; /* 0: not given */
    bool is_exact, follows_fork;
};

struct hf_child_program {
    struct hf_run_options *options;
    const char *const *command;
    /* Set by who has checked the options and the program. */
    struct hf_target target;
    struct hf_jemalloc_build own; /* the jemalloc that the program brings along */
    bool uses_own;
    /* Its own. */
    pid_t pid;
    bool has_ended, is_killed, is_bad_call; /* by a signal; by SIGSYS, for a system call */
    struct hf_loop loop;
    struct hf_signals signals;
    struct hf_loop_source process;
    struct hf_dump_writer writer;
    struct hf_watcher watcher;
    struct hf_watched_processes children; /* with --follow-fork */
    struct hf_launcher launcher;          /* if it is one */
    struct hf_family family;
    char folder[PATH_MAX], pattern[PATH_MAX]; /* of its files, unless -o says */
    struct hf_jemalloc_dumps dumps;           /* if it uses its own */
};

/* Of a command that was not started yet. Free with done, whatever comes of it. */
struct hf_child_program hf_child_program_of(
    struct hf_run_options *options, const char *const *command);
void hf_child_program_done(struct hf_child_program *child);

/* HF_ERR_SYSTEM: it cannot be started. Must stay where it is from now on. */
HF_MUST_CHECK enum hf_status hf_child_program_start(
    struct hf_child_program *child, struct hf_error *err);

/*
 * Watches it until it ends, writes the last profile, and sets the exit status of the command. An
 * error is the first thing that went wrong with the profiles; the program ran on.
 */
HF_MUST_CHECK enum hf_status hf_child_program_accompany(
    struct hf_child_program *child, struct hf_error *err);

#endif
