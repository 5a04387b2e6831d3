#include "memory/guardian.h"

#include "memory/process_image.h"
#include "memory/remote_call.h"
#include "os/path.h"
#include "os/process/proc.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CLEAN_PATIENCE_NS UINT64_C(10000000000)
#define CLEAN_EVERY_NS 1000000
#define STOPS_MAX 50 /* 1 + 2 + ... 49 ms: 1.2 s */
#define FILES 3

struct guardian {
    pid_t pid, copy, inner;
    struct hf_stopped stopped;
    struct hf_remote_call call;
    int files[FILES];
};

static enum hf_status guardian_open_files(struct guardian *g, struct hf_error *err)
{
    const char *const names[FILES] = {"mem", hf_process_image_maps_file(), "pagemap"};
    for (size_t i = 0; i < FILES; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)g->copy, names[i]);
        g->files[i] = hf_path_open(path, 0);
        if (g->files[i] < 0)
            return hf_error_system(err, errno, "cannot open %s", path);
    }
    return HF_OK;
}

/* Stops all threads at a moment when one of them can make a call. If none can, but one may soon
 * (the program is about to begin, or signals come faster than they are delivered), they go on and
 * are stopped again. */
static enum hf_status stop_all_for_call(struct guardian *g, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (int i = 0; i == 0 || (i < STOPS_MAX && status != HF_OK && g->call.may_soon); i++) {
        if (i != 0)
            (void)nanosleep(&(struct timespec){.tv_nsec = CLEAN_EVERY_NS * i}, NULL);
        g->call = (struct hf_remote_call){0};
        status = hf_stop_threads(&g->stopped, g->pid, err);
        if (status != HF_OK)
            return status;
        status = hf_remote_call_begin(&g->call, &g->stopped, err);
        if (status != HF_OK)
            hf_stopped_release(&g->stopped);
    }
    return status;
}

/* How this process was scheduled when it was started. */
struct guardian_pace {
    int policy; /* perhaps with SCHED_RESET_ON_FORK; negative: it was not changed */
    struct sched_param parameters;
};

/* While all threads stand still, each wait of this process for a processor makes the stop longer,
 * so it asks for a higher priority, and goes on without one if it may not have it. The priority of
 * the program's own threads stays as it is: nobody would restore it if this process died. */
static struct guardian_pace guardian_hurry(void)
{
    static const struct sched_param first = {.sched_priority = 1};
    struct guardian_pace before = {.policy = sched_getscheduler(0)};
    int policy = before.policy & ~SCHED_RESET_ON_FORK, kept = before.policy - policy;
    bool is_first = policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE;
    if (before.policy < 0 || is_first || sched_getparam(0, &before.parameters) != 0 ||
        sched_setscheduler(0, SCHED_RR | kept, &first) != 0)
        before.policy = -1;
    return before;
}

static void guardian_slow_down(const struct guardian_pace *before)
{
    if (before->policy >= 0)
        (void)sched_setscheduler(0, before->policy, &before->parameters);
}

/* The threads' registers are kept; they go on. */
static enum hf_status make_copy(
    struct guardian *g, struct hf_guardian_reply *reply, struct hf_stopped *out_threads)
{
    struct hf_error *err = &reply->error;
    struct guardian_pace pace = guardian_hurry();
    enum hf_status status = stop_all_for_call(g, err);
    uint64_t began_ns = g->stopped.began_ns;
    if (status != HF_OK) {
        guardian_slow_down(&pace);
        return status;
    }
    *out_threads = (struct hf_stopped){.pid = g->pid, .count = g->stopped.count};
    out_threads->threads = malloc(g->stopped.count * sizeof *out_threads->threads);
    if (out_threads->threads != NULL)
        memcpy(out_threads->threads, g->stopped.threads,
            g->stopped.count * sizeof *out_threads->threads);
    else
        status = hf_error_memory(err);
    if (status == HF_OK)
        status = hf_remote_call_copy(&g->call, &g->copy, &g->inner, err);
    hf_remote_call_end(&g->call);
    hf_stopped_release(&g->stopped);
    reply->stopped_ns = hf_stopped_now_ns() - began_ns;
    guardian_slow_down(&pace);
    return status;
}

static bool send_all(int channel, const void *bytes, size_t size)
{
    for (size_t done = 0; done != size;) {
        ssize_t sent = send(channel, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        if (sent > 0)
            done += (size_t)sent;
    }
    return true;
}

static void send_reply(const struct guardian *g, int channel, const struct hf_guardian_reply *reply)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(FILES * sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec part = {(void *)(uintptr_t)reply, sizeof *reply};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (reply->error.status == HF_OK) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(FILES * sizeof(int));
        memcpy(CMSG_DATA(head), g->files, FILES * sizeof(int));
    }
    while (sendmsg(channel, &message, MSG_NOSIGNAL) < 0 && errno == EINTR)
        continue;
}

/* One thread is enough, if it is one that can make a call. */
static enum hf_status stop_for_call(
    struct hf_stopped *stopped, struct hf_remote_call *call, pid_t pid, struct hf_error *err)
{
    enum hf_status status = hf_stop_thread(stopped, pid, pid, err);
    if (status == HF_OK)
        status = hf_remote_call_begin(call, stopped, err);
    if (status == HF_OK)
        return HF_OK;
    hf_stopped_release(stopped);
    status = hf_stop_threads(stopped, pid, err);
    return status == HF_OK ? hf_remote_call_begin(call, stopped, err) : status;
}

static enum hf_status clear_code(pid_t pid, struct hf_error *err)
{
    struct hf_stopped stopped;
    enum hf_status status = hf_stop_threads(&stopped, pid, err);
    if (status == HF_OK)
        status = hf_remote_call_clear(&stopped, err);
    hf_stopped_release(&stopped);
    return status;
}

static enum hf_status guardian_reap(pid_t pid, pid_t inner, struct hf_error *err)
{
    struct hf_stopped stopped = {0};
    struct hf_remote_call call = {0};
    uint64_t arguments[] = {(uint64_t)inner, 0, __WALL | WNOHANG, 0};
    int64_t result = 0;
    enum hf_status status = stop_for_call(&stopped, &call, pid, err);
    if (status == HF_OK)
        status = hf_remote_call_do(&call, SYS_wait4, arguments, 4, &result, err);
    hf_remote_call_end(&call);
    hf_stopped_release(&stopped);
    if (status == HF_OK && result != inner && result != -ECHILD)
        status =
            hf_error_system(err, (int)-result, "process %d did not wait for its copy", (int)pid);
    return status;
}

static enum hf_status clean_once(pid_t pid, pid_t inner, struct hf_error *err)
{
    enum hf_status status = inner != 0 ? guardian_reap(pid, inner, err) : HF_OK;
    return status == HF_OK && hf_remote_call_is_left(pid) ? clear_code(pid, err) : status;
}

enum hf_status hf_guardian_clean(pid_t pid, pid_t inner, struct hf_error *err)
{
    uint64_t give_up_ns = hf_stopped_now_ns() + CLEAN_PATIENCE_NS;
    enum hf_status status;
    while ((status = clean_once(pid, inner, err)) != HF_OK && kill(pid, 0) == 0 &&
           hf_stopped_now_ns() < give_up_ns)
        (void)nanosleep(&(struct timespec){.tv_nsec = CLEAN_EVERY_NS}, NULL);
    return status;
}

/* A signal to the command is not meant for the guardian. */
static void stand_apart(int channel)
{
    sigset_t all;
    sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)setsid();
    (void)prctl(PR_SET_NAME, "heapflame-guard");
    for (int fd = 0; fd < 3; fd++) {
        if (fd != channel)
            (void)close(fd);
    }
}

static void remove_copy(struct guardian *g)
{
    for (size_t i = 0; i < FILES; i++) {
        if (g->files[i] >= 0)
            (void)close(g->files[i]);
    }
    if (g->copy <= 0)
        return;
    if (g->inner == 0) /* an error came after the copy was made */
        g->inner = (pid_t)hf_proc_inner_id((uint32_t)g->copy);
    (void)kill(g->copy, SIGKILL);
    while (waitpid(g->copy, NULL, __WALL) < 0 && errno == EINTR)
        continue;
    enum hf_status status = hf_guardian_clean(g->pid, g->inner, NULL);
    (void)status; /* a zombie without memory stays, until the process ends */
}

void hf_guardian_work(pid_t pid, int channel)
{
    struct guardian g = {.pid = pid, .files = {-1, -1, -1}};
    struct hf_guardian_reply reply = {0};
    struct hf_stopped threads = {0};
    char byte;
    stand_apart(channel);
    enum hf_status status = make_copy(&g, &reply, &threads);
    if (status == HF_OK)
        status = guardian_open_files(&g, &reply.error);
    reply.copy = g.copy;
    reply.thread_count = threads.count;
    send_reply(&g, channel, &reply);
    if (status == HF_OK)
        (void)send_all(channel, threads.threads, threads.count * sizeof *threads.threads);
    free(threads.threads);
    while (status == HF_OK && read(channel, &byte, 1) < 0 && errno == EINTR)
        continue;
    remove_copy(&g);
    (void)close(channel);
}
