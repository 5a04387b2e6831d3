#include "os/process/sandbox.h"

#include "base/attr.h"
#include "os/process/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

enum hf_status hf_sandbox_init(
    struct hf_sandbox *sandbox, const struct hf_broker_rules *rules, struct hf_error *err)
{
    hf_broker_init(&sandbox->broker, rules);
    void *shared = mmap(
        NULL, sizeof *sandbox->trace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sandbox->trace = shared != MAP_FAILED ? shared : NULL;
    return sandbox->trace != NULL ? HF_OK : hf_error_memory(err);
}

void hf_sandbox_done(struct hf_sandbox *sandbox)
{
    hf_broker_done(&sandbox->broker);
    if (sandbox->trace != NULL)
        (void)munmap(sandbox->trace, sizeof *sandbox->trace);
    sandbox->trace = NULL;
}

/* Descriptors that the command inherited for itself, as of bash's <(...): the worker asks. */
static void close_all_but(int kept)
{
    if (kept > 3)
        (void)syscall(SYS_close_range, 3u, (unsigned)kept - 1, 0u);
    if (syscall(SYS_close_range, (unsigned)kept + 1, ~0u, 0u) == 0)
        return;
    long most = sysconf(_SC_OPEN_MAX); /* Linux before 5.9 */
    for (int fd = 3; fd < most; fd++) {
        if (fd != kept)
            close(fd);
    }
}

static void sandbox_begin_work(
    struct hf_sandbox *sandbox, int channel, pid_t command, const sigset_t *mask)
{
    uid_t user = geteuid();
    tzset(); /* reads a file, for the times of day that are shown */
    close_all_but(channel);
    (void)hf_rights_drop(channel, sandbox->broker.rules->kept);
    if (getppid() != command)
        _exit(1);
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    hf_broker_line_begin(channel, user, sandbox->trace);
}

static void block(sigset_t *out_before, sigset_t *out_blocked)
{
    sigemptyset(out_blocked);
    for (size_t i = 0; i < HF_COUNT(passed_on); i++)
        sigaddset(out_blocked, passed_on[i]);
    (void)sigprocmask(SIG_BLOCK, out_blocked, out_before);
}

/* What a terminal sends has gone to the worker as well. `worker` 0: it has ended. */
static void pass_on(int signals, pid_t worker, int *last_signal)
{
    struct signalfd_siginfo came;
    while (read(signals, &came, sizeof came) == sizeof came) {
        *last_signal = (int)came.ssi_signo;
        if (worker > 0 && came.ssi_code != SI_KERNEL)
            (void)kill(worker, (int)came.ssi_signo);
    }
}

/* Until the worker has closed its end, which it does when it ends. */
static void sandbox_serve(
    struct hf_sandbox *sandbox, int channel, int signals, pid_t worker, int *last_signal)
{
    struct pollfd sources[] = {
        {.fd = channel, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    bool is_asked = true;
    while (is_asked) {
        if (poll(sources, HF_COUNT(sources), -1) < 0)
            continue;
        if ((sources[1].revents & POLLIN) != 0)
            pass_on(signals, worker, last_signal);
        if (sources[0].revents != 0)
            is_asked = hf_broker_answer_one(&sandbox->broker, channel);
    }
}

void hf_sandbox_wait(struct hf_sandbox *sandbox, pid_t worker, struct hf_worker_ending *out_ending)
{
    int how = 0;
    while (waitpid(worker, &how, 0) < 0 && errno == EINTR)
        continue;
    out_ending->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    out_ending->code = WIFEXITED(how) ? WEXITSTATUS(how) : 0;
    out_ending->was_told = false;
    out_ending->trace = *sandbox->trace; /* whatever the worker wrote */
    out_ending->trace.reading[sizeof out_ending->trace.reading - 1] = '\0';
    hf_broker_abandon_outputs(&sandbox->broker);
}

static enum hf_status accompany(struct hf_sandbox *sandbox, int channel, pid_t worker,
    const sigset_t *blocked, struct hf_worker_ending *ending, struct hf_error *err)
{
    int last_signal = 0;
    int signals = signalfd(-1, blocked, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0) {
        (void)kill(worker, SIGKILL);
        (void)waitpid(worker, NULL, 0);
        return hf_error_system(err, errno, "cannot wait for signals");
    }
    sandbox_serve(sandbox, channel, signals, worker, &last_signal);
    hf_sandbox_wait(sandbox, worker, ending);
    pass_on(signals, 0, &last_signal);
    ending->was_told = ending->signal != 0 && ending->signal == last_signal;
    close(signals);
    return HF_OK;
}

/* `mask`: of signals, in the worker. */
static enum hf_status sandbox_start(struct hf_sandbox *sandbox, const sigset_t *mask,
    int *out_channel, pid_t *out_worker, struct hf_error *err)
{
    int ends[2];
    pid_t command = getpid();
    *sandbox->trace = (struct hf_worker_trace){0};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return hf_error_system(err, errno, "cannot make a pair of sockets");
    *out_channel = ends[0];
    *out_worker = fork();
    if (*out_worker == 0) {
        sandbox_begin_work(sandbox, ends[1], command, mask);
        return HF_OK;
    }
    int reason = errno;
    close(ends[1]);
    if (*out_worker > 0)
        return HF_OK;
    close(ends[0]);
    return hf_error_system(err, reason, "cannot start a process");
}

enum hf_status hf_sandbox_start(
    struct hf_sandbox *sandbox, int *out_channel, pid_t *out_worker, struct hf_error *err)
{
    sigset_t mask;
    (void)sigprocmask(SIG_BLOCK, NULL, &mask);
    return sandbox_start(sandbox, &mask, out_channel, out_worker, err);
}

enum hf_status hf_sandbox_run(struct hf_sandbox *sandbox, bool *out_is_worker,
    struct hf_worker_ending *out_ending, struct hf_error *err)
{
    int channel;
    pid_t worker;
    sigset_t before, blocked;
    *out_is_worker = false;
    block(&before, &blocked);
    enum hf_status status = sandbox_start(sandbox, &before, &channel, &worker, err);
    if (status == HF_OK && worker == 0) {
        *out_is_worker = true;
        return HF_OK;
    }
    if (status == HF_OK) {
        sandbox->broker.impatient = &before;
        sandbox->broker.worker = worker;
        status = accompany(sandbox, channel, worker, &blocked, out_ending, err);
        sandbox->broker.impatient = NULL;
        close(channel);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

bool hf_sandbox_may_repeat(struct hf_sandbox *sandbox, const struct hf_worker_ending *ending)
{
    const struct hf_worker_trace *trace = &ending->trace;
    return ending->signal != 0 && !ending->was_told && !trace->has_input && !trace->has_output &&
           trace->reading[0] != '\0' && !hf_broker_is_operand(&sandbox->broker, trace->reading) &&
           hf_broker_refuse(&sandbox->broker, trace->reading);
}

/* What a process without rights answers, which it ends with. */
static enum hf_status ask_without_rights(
    int (*answer)(int channel, void *context), void *context, int *out_answer, struct hf_error *err)
{
    int ends[2], how = 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return hf_error_system(err, errno, "cannot make a pair of sockets");
    pid_t worker = fork();
    if (worker == 0)
        _exit(answer(ends[1], context));
    int reason = errno;
    close(ends[0]);
    close(ends[1]);
    if (worker < 0)
        return hf_error_system(err, reason, "cannot start a process");
    while (waitpid(worker, &how, 0) < 0 && errno == EINTR)
        continue;
    if (!WIFEXITED(how) || WEXITSTATUS(how) > HF_WALL_ALL)
        return hf_error_set(err, HF_ERR_SYSTEM, "cannot start a process without rights");
    *out_answer = WEXITSTATUS(how);
    return HF_OK;
}

static int walls_of(int channel, void *unused)
{
    (void)unused;
    return (int)hf_rights_drop(channel, NULL);
}

enum hf_status hf_sandbox_walls(unsigned *out_walls, struct hf_error *err)
{
    int walls = 0;
    enum hf_status status = ask_without_rights(walls_of, NULL, &walls, err);
    *out_walls = (unsigned)walls;
    return status;
}

struct deed {
    bool (*does)(void *context);
    void *context;
};

static int follow_and_do(int channel, void *context)
{
    const struct hf_rights_kept kept = {.follows = true};
    const struct deed *deed = context;
    (void)hf_rights_drop(channel, &kept);
    return deed->does(deed->context);
}

bool hf_sandbox_lets(bool (*does)(void *context), void *context)
{
    int answer = 0;
    struct deed deed = {does, context};
    return ask_without_rights(follow_and_do, &deed, &answer, NULL) == HF_OK && answer == 1;
}

const char *hf_worker_cause(int signal)
{
    switch (signal) {
    case SIGXCPU:
        return "exceeded the limit of processor time for a reader (HF_LIMIT_WORKER_SECONDS)";
    case SIGKILL: return "was killed, perhaps because memory ran out";
    case SIGBUS: return "read a file that shrank or became unreadable";
    default: return "crashed";
    }
}
