/*
 * stopped_threads.h: all threads of a process, held still by ptrace(2), with their registers.
 *
 * A thread is stopped wherever it is: in its own code, or in a system call, which goes on
 * afterwards as if nothing had happened. First all are seized while they run, then all are told to
 * stop, and then each is waited for, so that the stop is short. The thread of heapflame that
 * stopped them must release them; if it dies, the kernel does. No other thread may use ptrace(2) on
 * them.
 *
 * If the main thread has ended while others run, it is not one of them.
 *
 * A process that cannot be stopped is refused, and goes on as a whole: one that another debugger
 * traces, one that a job control signal stopped, one of 32 bits, and one with a thread that the
 * kernel does not stop within HF_STOP_PATIENCE_NS (it waits for a file of a dead network, for its
 * child after vfork(2), or for a processor).
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

/* How long stopped threads wait for the last one. */
#define HF_STOP_PATIENCE_NS UINT64_C(1000000000)

struct hf_stopped_thread {
    pid_t tid;
    struct user_regs_struct registers;
    int signal;  /* that was pending when it was stopped; delivered when it goes on. 0: none */
    pid_t inner; /* its number in its own namespace; 0: nobody asked (race.h does) */
};

struct hf_stopped {
    pid_t pid;
    struct hf_stopped_thread *threads;
    size_t count, capacity;
    uint64_t began_ns; /* when the first was told to stop; of the monotonic clock */
};

/* Stops all threads of `pid`, including those that are created during the call. HF_ERR_SYSTEM: it
 * is not possible. */
HF_MUST_CHECK enum hf_status hf_stop_threads(
    struct hf_stopped *stopped, pid_t pid, struct hf_error *err);

/* Stops only one of them. */
HF_MUST_CHECK enum hf_status hf_stop_thread(
    struct hf_stopped *stopped, pid_t pid, pid_t tid, struct hf_error *err);

/* Lets them go on, each with the registers that were set last. Accepts all-zero. */
void hf_stopped_release(struct hf_stopped *stopped);

/*
 * Waits until a traced thread changes its state, at most until `deadline_ns` of the monotonic
 * clock: *out_status is waitpid(2)'s. False: it did not, or this process may not wait for it.
 */
HF_MUST_CHECK bool hf_stopped_wait(pid_t tid, uint64_t deadline_ns, int *out_status);

/* The monotonic clock. */
uint64_t hf_stopped_now_ns(void);

#endif
