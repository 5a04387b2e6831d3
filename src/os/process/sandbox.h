/*
 * sandbox.h: work on bytes of strangers in a process of its own, the *worker*, which has no rights
 * (os/process/rights.h), while the command that keeps them only answers its questions
 * (os/process/broker.h).
 *
 * In the worker hf_sandbox_run returns with *is_worker: the rest of the work is its own, up to
 * exit(3). It reads the operands, names, folds, draws and writes the answer, so no profile crosses
 * a pipe. In the command it returns when the worker has ended.
 *
 * When the command dies, of whatever, the worker is killed. Signals sent to the command alone are
 * passed on; what a terminal sends, both get.
 *
 * Example:
 *
 *     #include <stdlib.h>
 *
 *     static const struct hf_broker_rules rules = {0};
 *     struct hf_sandbox sandbox;
 *     struct hf_worker_ending ending;
 *     bool is_worker = false;
 *     status = hf_sandbox_init(&sandbox, &rules, err);
 *     if (status != HF_OK)
 *         return status;
 *     do
 *         status = hf_sandbox_run(&sandbox, &is_worker, &ending, err);
 *     while (status == HF_OK && !is_worker && hf_sandbox_may_repeat(&sandbox, &ending));
 *     if (status == HF_OK && is_worker)
 *         exit(0);
 *     hf_sandbox_done(&sandbox);
 */
#ifndef HF_OS_SANDBOX_H
#define HF_OS_SANDBOX_H

#include "base/error.h"
#include "os/process/broker.h"

#include <stdbool.h>
#include <sys/types.h>

/* How a worker ended. */
struct hf_worker_ending {
    int code;      /* its exit status, if signal is 0 */
    int signal;    /* that killed it; 0: none */
    bool was_told; /* the same signal was sent to the command, too */
    struct hf_worker_trace trace;
};

/* What the signal that killed a worker says, as in "its reader crashed". */
const char *hf_worker_cause(int signal);

struct hf_sandbox {
    struct hf_broker broker;
    struct hf_worker_trace *trace; /* shared with the worker */
};

HF_MUST_CHECK enum hf_status hf_sandbox_init(
    struct hf_sandbox *sandbox, const struct hf_broker_rules *rules, struct hf_error *err);

/*
 * Call it with one thread, before anything is written or read that the worker shall write or read.
 * HF_ERR_SYSTEM: there is no worker.
 */
HF_MUST_CHECK enum hf_status hf_sandbox_run(struct hf_sandbox *sandbox, bool *out_is_worker,
    struct hf_worker_ending *out_ending, struct hf_error *err);

/*
 * The same in two steps, for who has more to do meanwhile: in the worker *out_worker is 0; in the
 * command *out_channel is where the worker asks (os/broker.h), for the caller to close. Signals are
 * nobody's here. When the worker has ended, or was killed, hf_sandbox_wait says how.
 */
HF_MUST_CHECK enum hf_status hf_sandbox_start(
    struct hf_sandbox *sandbox, int *out_channel, pid_t *out_worker, struct hf_error *err);
void hf_sandbox_wait(struct hf_sandbox *sandbox, pid_t worker, struct hf_worker_ending *out_ending);

/*
 * The worker died of a file that it was reading for the names in it, nothing of its answer is out,
 * and what it has read can be read again: once more, then, and the file is not given out.
 */
HF_MUST_CHECK bool hf_sandbox_may_repeat(
    struct hf_sandbox *sandbox, const struct hf_worker_ending *ending);

void hf_sandbox_done(struct hf_sandbox *sandbox);

/*
 * The walls (enum hf_right_wall) around a worker of this process: from one that is started to see,
 * and ends at once.
 */
HF_MUST_CHECK enum hf_status hf_sandbox_walls(unsigned *out_walls, struct hf_error *err);

/* Whether `does` is true in a process with no rights but those of who follows a process (rights.h).
 */
HF_MUST_CHECK bool hf_sandbox_lets(bool (*does)(void *context), void *context);

#endif
