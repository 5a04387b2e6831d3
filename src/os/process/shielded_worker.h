/*
 * shielded_worker.h: the work of a command in a process of its own, the *worker*, which kill -9 of
 * the command does not reach.
 *
 * The kernel cannot take a breakpoint out of a process in the name of a task that is being killed:
 * it says "failed to unregister, leaking uprobe", and the breakpoint stays (Linux 6.18,
 * kernel/events/uprobes.c). So whoever has breakpoints in another process must not die while it
 * puts them there or takes them away.
 *
 * The command waits for the worker and passes on the signals that end it. When the command dies, of
 * whatever, the worker gets SIGTERM. The worker is in a session of its own, so neither a terminal
 * nor a signal to the command's group reaches it otherwise; a kill -9 of its own number does.
 *
 * Example:
 *
 *     #include <stdlib.h>
 *
 *     bool is_worker = false;
 *     int code = 0;
 *     status = hf_shielded_worker_begin(&is_worker, &code, err);
 *     if (status == HF_OK && is_worker)
 *         exit(0);
 */
#ifndef HF_OS_SHIELDED_WORKER_H
#define HF_OS_SHIELDED_WORKER_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>

/* SIGINT, SIGTERM and SIGHUP: a worker has them blocked, to take them when it can. */
void hf_shielded_worker_signals(sigset_t *out_signals);

/*
 * Call it with one thread, before anything is written. In the worker: *out_is_worker, and the rest
 * of the work is its own. In the command: the worker has ended, with exit status *out_code.
 * HF_ERR_SYSTEM: there is no worker, or it was killed.
 */
HF_MUST_CHECK enum hf_status hf_shielded_worker_begin(
    bool *out_is_worker, int *out_code, struct hf_error *err);

/*
 * The same, for who has more to do meanwhile and passes nothing on: in the worker *out_worker is 0.
 * It gets SIGTERM when this process dies.
 */
HF_MUST_CHECK enum hf_status hf_shielded_worker_start(pid_t *out_worker, struct hf_error *err);

/* In the worker: one of those signals has come, and waits. */
bool hf_shielded_worker_is_told(void);

/* In the worker: nothing is left to be taken away, so those signals may end it. */
void hf_shielded_worker_end(void);

#endif
