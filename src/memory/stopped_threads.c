#include "memory/stopped_threads.h"

#include "base/containers/map.h"
#include "base/containers/vec.h"
#include "base/strings/num.h"
#include "os/path.h"
#include "os/process/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLEEP_MIN_NS 50000
#define SLEEP_MAX_NS 5000000
#define SIGNALS_MAX 8        /* that come to a thread before our stop */
#define SEIZE_ROUNDS 4       /* for a program that keeps making threads */
#define CODE_OF_64_BITS 0x33 /* __USER_CS of the kernel, arch/x86/include/asm/segment.h */

uint64_t hf_stopped_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Looks until the thread has changed its state. Between two looks it sleeps until the kernel
 * reports a change of a traced thread. If SIGCHLD is ignored, the kernel reports nothing, so no
 * sleep is long. */
static bool wait_for_change(pid_t tid, uint64_t deadline_ns, const sigset_t *child, int *out_status)
{
    for (long sleep_ns = SLEEP_MIN_NS;;
         sleep_ns = sleep_ns < SLEEP_MAX_NS ? sleep_ns * 2 : sleep_ns) {
        pid_t changed = waitpid(tid, out_status, __WALL | WNOHANG);
        if (changed == tid)
            return true;
        if ((changed < 0 && errno != EINTR) || hf_stopped_now_ns() > deadline_ns)
            return false;
        (void)sigtimedwait(child, NULL, &(struct timespec){.tv_nsec = sleep_ns});
    }
}

/* Never waits without a limit: a thread in an uninterruptible sleep would block us, too. */
bool hf_stopped_wait(pid_t tid, uint64_t deadline_ns, int *out_status)
{
    sigset_t child, before;
    if (waitpid(tid, out_status, __WALL | WNOHANG) == tid)
        return true; /* most have changed already: one system call for each of 200 threads */
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void)pthread_sigmask(SIG_BLOCK, &child, &before);
    bool is_changed = wait_for_change(tid, deadline_ns, &child, out_status);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_changed;
}

/* The thread goes on running. One that has ended already is left out. */
static enum hf_status seize(struct hf_stopped *stopped, pid_t tid, struct hf_error *err)
{
    uint64_t ticks;
    if (!hf_vec_reserve(
            &stopped->threads, &stopped->capacity, stopped->count + 1, sizeof *stopped->threads))
        return hf_error_memory(err);
    if (ptrace(PTRACE_SEIZE, tid, 0, 0) != 0) {
        int why = errno;
        uint32_t tracer = hf_proc_tracer((uint32_t)tid);
        if (why == ESRCH || !hf_proc_start_ticks((uint32_t)tid, &ticks))
            return HF_OK;
        if (tracer != 0 && tracer != (uint32_t)getpid())
            return hf_error_set(err, HF_ERR_SYSTEM,
                "process %d is already traced by process %" PRIu32 ": end that process first",
                (int)stopped->pid, tracer);
        if (tracer == 0)
            return hf_error_system(
                err, why, "cannot stop thread %d of process %d", (int)tid, (int)stopped->pid);
        /* It is ours already: it did not stop in time before. */
    }
    stopped->threads[stopped->count++] = (struct hf_stopped_thread){.tid = tid};
    return HF_OK;
}

/* Seizes the threads that are not seized yet; *out_more: there were some. */
static enum hf_status seize_new(
    struct hf_stopped *stopped, struct hf_map *seen, bool *out_more, struct hf_error *err)
{
    char path[64];
    struct hf_folder_names names;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)stopped->pid);
    int folder = hf_path_open(path, O_DIRECTORY);
    *out_more = false;
    if (folder < 0 || !hf_folder_names_read(&names, folder)) {
        int why = errno;
        if (folder >= 0)
            (void)close(folder);
        return why == ENOENT || why == ESRCH
                   ? hf_error_set(err, HF_ERR_SYSTEM, "there is no process %d", (int)stopped->pid)
                   : hf_error_system(
                         err, why, "cannot list the threads of process %d", (int)stopped->pid);
    }
    (void)close(folder);
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < names.count && status == HF_OK; i++) {
        uint64_t tid;
        bool is_new;
        if (!hf_num_u64(hf_text_of(names.items[i]), &tid))
            continue;
        if (hf_map_put(seen, tid, 0, &is_new) == NULL)
            status = hf_error_memory(err);
        if (status != HF_OK || !is_new)
            continue;
        size_t before = stopped->count;
        status = seize(stopped, (pid_t)tid, err);
        *out_more = *out_more || stopped->count != before;
    }
    hf_folder_names_done(&names);
    return status;
}

static enum hf_status refuse(
    const struct hf_stopped *stopped, pid_t tid, const char *why, struct hf_error *err)
{
    return hf_error_set(err, HF_ERR_SYSTEM, "cannot stop thread %d of process %d: %s", (int)tid,
        (int)stopped->pid, why);
}

/* A signal that comes before our stop is delivered as it would be without us: the kernel prepares
 * its handler, or ends the thread, and stops it before its next instruction. */
static bool await_stop(pid_t tid, uint64_t deadline_ns, int *out_state)
{
    bool is_there = hf_stopped_wait(tid, deadline_ns, out_state);
    for (int i = 0; i < SIGNALS_MAX && is_there && WIFSTOPPED(*out_state); i++) {
        if (*out_state >> 16 == PTRACE_EVENT_STOP ||
            ptrace(PTRACE_CONT, tid, 0, WSTOPSIG(*out_state)) != 0)
            break;
        is_there = hf_stopped_wait(tid, deadline_ns, out_state);
    }
    return is_there;
}

static const char *why_late(pid_t tid)
{
    return hf_proc_is_running((uint32_t)tid)
               ? "it got no processor for a second: the machine is too busy"
               : "it waits in the kernel and cannot be interrupted (a file on a dead network, or "
                 "vfork)";
}

/* *out_is_there: it did not end. */
static enum hf_status await(struct hf_stopped *stopped, struct hf_stopped_thread *thread,
    uint64_t deadline_ns, bool *out_is_there, struct hf_error *err)
{
    int state;
    *out_is_there = true;
    if (!await_stop(thread->tid, deadline_ns, &state))
        return refuse(stopped, thread->tid, why_late(thread->tid), err);
    if (!WIFSTOPPED(state)) {
        *out_is_there = false;
        return HF_OK;
    }
    bool is_event = state >> 16 == PTRACE_EVENT_STOP;
    if (is_event && WSTOPSIG(state) != SIGTRAP)
        return refuse(stopped, thread->tid,
            "a signal has stopped it already (continue it with fg or kill -CONT)", err);
    if (!is_event)
        thread->signal = WSTOPSIG(state);
    if (ptrace(PTRACE_GETREGS, thread->tid, 0, &thread->registers) != 0) {
        *out_is_there = false; /* killed just now */
        return HF_OK;
    }
    return thread->registers.cs == CODE_OF_64_BITS
               ? HF_OK
               : refuse(stopped, thread->tid, "its code is of 32 bits", err);
}

/* All threads are told to stop before the first is waited for. Those that ended are left out. */
static enum hf_status interrupt_from(struct hf_stopped *stopped, size_t first, struct hf_error *err)
{
    uint64_t began_ns = hf_stopped_now_ns(), deadline_ns = began_ns + HF_STOP_PATIENCE_NS;
    size_t kept = first;
    if (first == 0)
        stopped->began_ns = began_ns;
    for (size_t i = first; i < stopped->count; i++)
        (void)ptrace(PTRACE_INTERRUPT, stopped->threads[i].tid, 0, 0);
    for (size_t i = first; i < stopped->count; i++) {
        bool is_there;
        enum hf_status status = await(stopped, &stopped->threads[i], deadline_ns, &is_there, err);
        if (status != HF_OK)
            return status;
        if (is_there)
            stopped->threads[kept++] = stopped->threads[i];
    }
    stopped->count = kept;
    return HF_OK;
}

enum hf_status hf_stop_threads(struct hf_stopped *stopped, pid_t pid, struct hf_error *err)
{
    struct hf_map seen = {0};
    *stopped = (struct hf_stopped){.pid = pid};
    size_t first = 0;
    bool has_more = true;
    enum hf_status status = HF_OK;
    /* They still run: most of the work is done before the stop. */
    for (int round = 0; round < SEIZE_ROUNDS && has_more && status == HF_OK; round++)
        status = seize_new(stopped, &seen, &has_more, err);
    for (has_more = true; has_more && status == HF_OK;) {
        status = interrupt_from(stopped, first, err);
        first = stopped->count;
        if (status == HF_OK)
            status = seize_new(stopped, &seen, &has_more, err);
    }
    hf_map_done(&seen);
    if (status == HF_OK && stopped->count == 0)
        status = hf_error_set(err, HF_ERR_SYSTEM, "process %d has ended", (int)pid);
    if (status != HF_OK)
        hf_stopped_release(stopped);
    return status;
}

enum hf_status hf_stop_thread(
    struct hf_stopped *stopped, pid_t pid, pid_t tid, struct hf_error *err)
{
    *stopped = (struct hf_stopped){.pid = pid};
    enum hf_status status = seize(stopped, tid, err);
    if (status == HF_OK)
        status = interrupt_from(stopped, 0, err);
    if (status == HF_OK && stopped->count == 0)
        status = hf_error_set(err, HF_ERR_SYSTEM, "thread %d has ended", (int)tid);
    if (status != HF_OK)
        hf_stopped_release(stopped);
    return status;
}

static bool let_go(const struct hf_stopped_thread *thread)
{
    return ptrace(PTRACE_DETACH, thread->tid, 0, thread->signal) == 0;
}

/* A running thread cannot be released: after an error, it may not have reached its stop yet. */
static void let_go_late(const struct hf_stopped_thread *thread, uint64_t deadline_ns)
{
    int state, signal = 0;
    if (ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0) != 0 ||
        !hf_stopped_wait(thread->tid, deadline_ns, &state) || !WIFSTOPPED(state))
        return;
    if (state >> 16 != PTRACE_EVENT_STOP)
        signal = WSTOPSIG(state);
    (void)ptrace(PTRACE_DETACH, thread->tid, 0, signal);
}

void hf_stopped_release(struct hf_stopped *stopped)
{
    uint64_t deadline_ns = hf_stopped_now_ns() + HF_STOP_PATIENCE_NS;
    size_t late = 0;
    /* Those that go at once are released first, and do not wait for the late ones. */
    for (size_t i = 0; i < stopped->count; i++) {
        if (!let_go(&stopped->threads[i]))
            stopped->threads[late++] = stopped->threads[i];
    }
    for (size_t i = 0; i < late; i++)
        let_go_late(&stopped->threads[i], deadline_ns);
    free(stopped->threads);
    *stopped = (struct hf_stopped){0};
}
