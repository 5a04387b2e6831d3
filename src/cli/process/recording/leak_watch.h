/*
 * leak_watch.h: what `run` and `watch` do about leaks while the program runs (--alarm): one line
 * when one is found (answer/history/leak_alarm.h), a profile that is kept, and a command of the
 * user's.
 *
 * The command runs by sh, beside the program and the watch, one at a time; its output goes to
 * standard error. It has in its environment
 *
 *     HEAPFLAME_LEAK      "open_session keeps 3.1 MiB/min (...), ..."
 *     HEAPFLAME_PROFILE   the file that was written; empty: it was lost
 *     HEAPFLAME_PID       the process
 */
#ifndef HF_CLI_LEAK_WATCH_H
#define HF_CLI_LEAK_WATCH_H

#include "capture/watcher.h"
#include "cli/leak_options.h"
#include "cli/process/recording/table_reader.h"

/* One process. Stays where it is. */
struct hf_leak_watch {
    const struct hf_leak_options *options;
    const char *profile; /* the caller's: where the last profile is */
    /* Its own. */
    struct hf_table_reader reader;
    struct hf_leak_told told;
    pid_t command; /* 0: none runs */
    uint32_t pid;
    bool has_reader;
};

/* For a watcher; it looks at nothing if the alarm is off. Call done in any case. */
struct hf_table_judge hf_leak_watch_judge(struct hf_leak_watch *watch);
HF_MUST_CHECK enum hf_status hf_leak_watch_init(struct hf_leak_watch *watch,
    const struct hf_leak_options *options, struct hf_report_options *report, uint32_t pid,
    struct hf_error *err);

/* A command that still runs goes on. */
void hf_leak_watch_done(struct hf_leak_watch *watch);

#endif
