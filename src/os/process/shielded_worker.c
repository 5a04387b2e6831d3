#include "os/process/shielded_worker.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void hf_shielded_worker_signals(sigset_t *out_signals)
{
    sigemptyset(out_signals);
    sigaddset(out_signals, SIGINT);
    sigaddset(out_signals, SIGTERM);
    sigaddset(out_signals, SIGHUP);
}

/* The command may have died before the worker asked to be told. */
static void shielded_worker_begin_work(pid_t command)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_UNBLOCK, &child, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != command)
        (void)raise(SIGTERM);
}

/* Passes on `signals`, which are blocked, until the worker has ended. */
static enum hf_status shielded_worker_wait_for(
    pid_t worker, const sigset_t *signals, int *out_code, struct hf_error *err)
{
    int status;
    for (;;) {
        pid_t ended = waitpid(worker, &status, WNOHANG);
        if (ended == worker && WIFEXITED(status)) {
            *out_code = WEXITSTATUS(status);
            return HF_OK;
        }
        if (ended == worker)
            return hf_error_set(err, HF_ERR_SYSTEM,
                "the process that did the work was killed by "
                "signal %d",
                WTERMSIG(status));
        if (ended < 0)
            return hf_error_system(err, errno, "cannot wait for process %d", (int)worker);
        int signal = sigwaitinfo(signals, NULL);
        if (signal > 0 && signal != SIGCHLD)
            (void)kill(worker, signal);
    }
}

enum hf_status hf_shielded_worker_start(pid_t *out_worker, struct hf_error *err)
{
    pid_t command = getpid();
    *out_worker = fork();
    if (*out_worker == 0)
        shielded_worker_begin_work(command);
    return *out_worker >= 0 ? HF_OK : hf_error_system(err, errno, "cannot start a process");
}

enum hf_status hf_shielded_worker_begin(bool *out_is_worker, int *out_code, struct hf_error *err)
{
    sigset_t signals;
    pid_t worker;
    hf_shielded_worker_signals(&signals);
    sigaddset(&signals, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &signals, NULL);
    enum hf_status status = hf_shielded_worker_start(&worker, err);
    *out_is_worker = status == HF_OK && worker == 0;
    if (*out_is_worker) {
        (void)setsid();
        return HF_OK;
    }
    if (status == HF_OK)
        status = shielded_worker_wait_for(worker, &signals, out_code, err);
    (void)sigprocmask(SIG_UNBLOCK, &signals, NULL);
    return status;
}

bool hf_shielded_worker_is_told(void)
{
    sigset_t waiting;
    return sigpending(&waiting) == 0 &&
           (sigismember(&waiting, SIGINT) == 1 || sigismember(&waiting, SIGTERM) == 1 ||
               sigismember(&waiting, SIGHUP) == 1);
}

void hf_shielded_worker_end(void)
{
    sigset_t blocked;
    hf_shielded_worker_signals(&blocked);
    (void)sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}
