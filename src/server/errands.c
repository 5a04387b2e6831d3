#include "server/errands.h"

#include "base/limits.h"
#include "base/strings/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
#define RESULT_KEPT_NS (2 * SECOND_NS)
#define RESULTS_KEPT 4u
#define PATIENCE 10 /* it is what others wait for least: nice(2) */
#define EXIT_WHOLE 0
#define EXIT_PARTIAL 4 /* something was lost, which the profile says */

struct errand {
    struct errand *next;
    uint32_t pid;
    uint64_t start_ticks, program_number;
    char title[HF_RECORDED_PROGRAM_MAX + 32];
    struct hf_visit *visits; /* that wait for it */
    pid_t child;             /* 0: it does not run */
    int said;                /* what the child writes to standard error; -1 */
    bool is_over;
    uint64_t due_ns; /* the child ends then, or what it made is forgotten */
    struct hf_errand_result result;
};

static void set_due(struct hf_errands *errands)
{
    errands->source.due_ns = HF_LOOP_NEVER;
    for (const struct errand *errand = errands->first; errand != NULL; errand = errand->next) {
        if (errand->due_ns < errands->source.due_ns)
            errands->source.due_ns = errand->due_ns;
    }
}

static void errands_forget(struct hf_errands *errands, struct errand *errand)
{
    struct errand **at = &errands->first;
    while (*at != errand)
        at = &(*at)->next;
    *at = errand->next;
    if (errand->result.fd >= 0)
        close(errand->result.fd);
    if (errand->said >= 0)
        close(errand->said);
    free(errand);
}

/* In the child. */
static void become_command(const struct errand *errand, const char *const *argv, int output)
{
    sigset_t none;
    const struct rlimit most = {HF_LIMIT_SERVED_BYTES, HF_LIMIT_SERVED_BYTES};
    int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)sigemptyset(&none);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpriority(PRIO_PROCESS, 0, PATIENCE);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && setrlimit(RLIMIT_FSIZE, &most) == 0 &&
        unsetenv("DEBUGINFOD_URLS") == 0 && dup2(empty, STDIN_FILENO) >= 0 &&
        dup2(output, STDOUT_FILENO) >= 0 && dup2(errand->said, STDERR_FILENO) >= 0)
        (void)execv("/proc/self/exe", (char *const *)(uintptr_t)argv); /* which changes nothing */
    _exit(127);
}

static pid_t start_command(const struct hf_errands *errands, const struct errand *errand)
{
    char pid[16];
    const char *const rights = errands->keeps_rights ? "--no-sandbox" : NULL;
    const char *const flame[] = {"heapflame", "flame", pid, "--quiet", "--no-cache", "--source=0",
        "--to=html", "--title", errand->title, rights, NULL};
    const char *const heap[] = {
        "heapflame", "convert", pid, "--quiet", "--no-cache", "--to=pprof", rights, NULL};
    const char *const allocs[] = {"heapflame", "convert", pid, "--quiet", "--no-cache",
        "--alloc_space", "--to=pprof", rights, NULL};
    (void)snprintf(pid, sizeof pid, "%" PRIu32, errand->pid);
    pid_t child = fork();
    if (child == 0)
        become_command(errand,
            errand->result.kind == HF_ROUTE_FLAME  ? flame
            : errand->result.kind == HF_ROUTE_HEAP ? heap
                                                   : allocs,
            errand->result.fd);
    return child;
}

static void fail(struct errand *errand, const char *why)
{
    (void)snprintf(errand->result.said, sizeof errand->result.said, "%s", why);
}

/* Whoever waits has an answer then. */
static void errands_answer(struct hf_errands *errands, struct errand *errand)
{
    while (errand->visits != NULL) {
        struct hf_visit *visit = errand->visits;
        errand->visits = visit->next;
        errands->reply(errands->context, visit, &errand->result);
    }
}

static void errands_conclude(struct hf_errands *errands, struct errand *errand)
{
    errand->is_over = true;
    errand->due_ns = hf_loop_now_ns() + RESULT_KEPT_NS;
    errands_answer(errands, errand);
}

/* The next one that waits, if none runs. */
static void start_next(struct hf_errands *errands)
{
    struct errand *errand = errands->first;
    while (errand != NULL && errand->is_over)
        errand = errand->next;
    if (errand == NULL || errand->child != 0)
        return;
    errand->result.fd = memfd_create("profile", MFD_CLOEXEC);
    errand->said = memfd_create("said", MFD_CLOEXEC);
    pid_t child = errand->result.fd >= 0 && errand->said >= 0 ? start_command(errands, errand) : -1;
    int pidfd = child > 0 ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
    if (pidfd < 0) {
        if (child > 0) {
            (void)kill(child, SIGKILL);
            (void)waitpid(child, NULL, 0);
        }
        fail(errand, "the profile cannot be made: no process can be started");
        errands_conclude(errands, errand);
        return;
    }
    errand->child = child;
    errand->due_ns = hf_loop_now_ns() + HF_LIMIT_SERVED_SECONDS * SECOND_NS;
    errands->source.fd = pidfd;
}

/* "heapflame: there is no process 4711": the first line, without its beginning. */
static void take_said(struct errand *errand)
{
    char bytes[HF_ERRAND_SAID_MAX];
    ssize_t size = pread(errand->said, bytes, sizeof bytes, 0);
    struct hf_text text = {bytes, size > 0 ? (size_t)size : 0};
    struct hf_out line = {0};
    (void)hf_text_take(&text, "heapflame: ");
    hf_escape_terminal(&line, hf_text_first(text, hf_text_find(text, '\n')));
    hf_out_char(&line, '\0');
    fail(errand, line.size > 1 ? line.data : "the profile could not be made");
    hf_out_done(&line);
}

/* Its process has ended, or has had its time. */
static void end_child(struct hf_errands *errands, struct errand *errand, bool is_late)
{
    int ending = 0;
    struct stat info;
    char why[HF_ERRAND_SAID_MAX];
    if (is_late)
        (void)kill(errand->child, SIGKILL);
    while (waitpid(errand->child, &ending, 0) < 0 && errno == EINTR)
        ;
    close(errands->source.fd);
    errands->source.fd = -1;
    errand->child = 0;
    struct hf_errand_result *result = &errand->result;
    bool has_size = fstat(result->fd, &info) == 0;
    result->size = has_size ? (uint64_t)info.st_size : 0;
    int code = WIFEXITED(ending) ? WEXITSTATUS(ending) : -1;
    result->is_made = !is_late && result->size != 0 && (code == EXIT_WHOLE || code == EXIT_PARTIAL);
    if (result->is_made)
        return;
    (void)snprintf(why, sizeof why,
        is_late ? "the profile took more than %u seconds (HF_LIMIT_SERVED_SECONDS)"
                : "the profile is larger than %u bytes (HF_LIMIT_SERVED_BYTES)",
        is_late ? HF_LIMIT_SERVED_SECONDS : HF_LIMIT_SERVED_BYTES);
    if (is_late || result->size >= HF_LIMIT_SERVED_BYTES)
        fail(errand, why);
    else
        take_said(errand);
}

/* What is made, from the oldest on, is kept a moment, and only the last few. */
static void forget_old(struct hf_errands *errands)
{
    size_t count = 0;
    uint64_t now_ns = hf_loop_now_ns();
    struct errand *next, *oldest = NULL;
    for (struct errand *errand = errands->first; errand != NULL; errand = next) {
        next = errand->next;
        if (errand->is_over && errand->due_ns <= now_ns) {
            errands_forget(errands, errand);
        } else if (errand->is_over) {
            count++;
            oldest = oldest == NULL ? errand : oldest;
        }
    }
    if (count > RESULTS_KEPT)
        errands_forget(errands, oldest);
}

static enum hf_status errands_turn(void *context, struct hf_error *err)
{
    (void)err;
    struct hf_errands *errands = context;
    for (struct errand *errand = errands->first; errand != NULL; errand = errand->next) {
        if (errand->child == 0)
            continue;
        struct pollfd ended = {.fd = errands->source.fd, .events = POLLIN};
        bool has_ended = poll(&ended, 1, 0) == 1;
        if (has_ended || errand->due_ns <= hf_loop_now_ns()) {
            end_child(errands, errand, !has_ended);
            errands_conclude(errands, errand);
        }
    }
    forget_old(errands);
    start_next(errands);
    set_due(errands);
    return HF_OK;
}

void hf_errands_begin(struct hf_errands *errands, struct hf_loop *loop)
{
    errands->loop = loop;
    errands->source = (struct hf_loop_source){.fd = -1,
        .events = POLLIN,
        .due_ns = HF_LOOP_NEVER,
        .wake = errands_turn,
        .context = errands};
    hf_loop_add(loop, &errands->source);
}

void hf_errands_end(struct hf_errands *errands)
{
    if (errands->loop == NULL)
        return;
    hf_loop_remove(errands->loop, &errands->source);
    while (errands->first != NULL) {
        struct errand *errand = errands->first;
        if (errand->child != 0) {
            end_child(errands, errand, true);
            fail(errand, "the server ends");
        }
        errands_answer(errands, errand);
        errands_forget(errands, errand);
    }
}

static struct errand *errands_add(
    struct hf_errands *errands, enum hf_route_kind kind, const struct hf_recorded_process *process)
{
    struct errand **at = &errands->first;
    struct errand *errand = calloc(1, sizeof *errand);
    if (errand == NULL)
        return NULL;
    while (*at != NULL)
        at = &(*at)->next;
    *at = errand;
    errand->pid = process->pid;
    errand->start_ticks = process->start_ticks;
    errand->program_number = process->program_number;
    errand->said = -1;
    errand->due_ns = HF_LOOP_NEVER;
    errand->result = (struct hf_errand_result){.kind = kind, .fd = -1};
    (void)snprintf(errand->title, sizeof errand->title, "%s, process %" PRIu32, process->program,
        process->pid);
    return errand;
}

static bool is_of(
    const struct errand *errand, enum hf_route_kind kind, const struct hf_recorded_process *process)
{
    return errand->result.kind == kind && errand->pid == process->pid &&
           errand->start_ticks == process->start_ticks &&
           errand->program_number == process->program_number &&
           (!errand->is_over || errand->due_ns > hf_loop_now_ns());
}

void hf_errands_ask(struct hf_errands *errands, enum hf_route_kind kind,
    const struct hf_recorded_process *process, struct hf_visit *visit)
{
    static const struct hf_errand_result no_room = {.fd = -1, .said = "out of memory"};
    struct errand *errand = errands->first;
    while (errand != NULL && !is_of(errand, kind, process))
        errand = errand->next;
    if (errand == NULL)
        errand = errands_add(errands, kind, process);
    if (errand == NULL) {
        errands->reply(errands->context, visit, &no_room);
    } else if (errand->is_over) {
        errands->reply(errands->context, visit, &errand->result);
    } else {
        visit->next = errand->visits;
        errand->visits = visit;
        hf_visit_wait(visit);
        errands->source.due_ns = hf_loop_now_ns();
    }
}
