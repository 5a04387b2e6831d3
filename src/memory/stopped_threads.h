/*
 * stopped_threads.h: all threads of a process, held still by ptrace(2), with their registers.
 *
 * A thread is stopped wherever it is: in its own code, or in a system call, which goes on
 * afterwards as if nothing had been. First all are taken hold of while they run, then all are told
 * to stop, and then each is waited for, so that the stop is short. Whoever stops them must let them
 * go; if it dies, the kernel does. Only the thread that stopped them may ask anything of them.
 *
 * A first thread that has ended before the others is none of them.
 *
 * What cannot be stopped is refused, and nothing is stopped then: a process that another debugger
 * has, one that a job control signal stopped, one of 32 bits, and threads that the kernel does not
 * let go within HF_STOP_PATIENCE_NS (a dead network's file, a parent in vfork(2)).
 *
 * Example:
 *
 *     struct hf_stopped stopped = {0};
 *     status = hf_stop_threads(&stopped, 4711, err);
 *     if (status == HF_OK)
 *         hf_out_u64(out, stopped.count);
 *     hf_stopped_release(&stopped);
 */
#ifndef HF_MEMORY_STOPPED_THREADS_H
#define HF_MEMORY_STOPPED_THREADS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/user.h>

#define HF_STOP_PATIENCE_NS                                                                        \
    UINT64_C(1000000000) /* so long the threads that stopped stand still                           \
                          */

struct hf_stopped_thread {
    pid_t tid;
    struct user_regs_struct registers;
    int signal; /* on its way when it was stopped; delivered when it goes on. 0: none */
};

struct hf_stopped {
    pid_t pid;
    struct hf_stopped_thread *threads;
    size_t count, capacity;
    uint64_t began_ns; /* when the first was told to stop; of the monotonic clock */
};

/* Stops all threads of `pid`, also those that are made meanwhile. HF_ERR_SYSTEM: not possible. */
HF_MUST_CHECK enum hf_status hf_stop_threads(
    struct hf_stopped *stopped, pid_t pid, struct hf_error *err);

/* Only one of them. */
HF_MUST_CHECK enum hf_status hf_stop_thread(
    struct hf_stopped *stopped, pid_t pid, pid_t tid, struct hf_error *err);

/* Lets them go on, each with the registers that it has by now. Also of all-zero. */
void hf_stopped_release(struct hf_stopped *stopped);

/*
 * Waits until a traced thread changes its state, at most until `deadline_ns` of the monotonic
 * clock: *out_status is waitpid(2)'s. False: it did not, or it is nobody's to wait for.
 */
HF_MUST_CHECK bool hf_stopped_wait(pid_t tid, uint64_t deadline_ns, int *out_status);

/* The monotonic clock. */
uint64_t hf_stopped_now_ns(void);

#endif
