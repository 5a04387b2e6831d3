#include "capture/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sets a variable to `first`, then `second` behind `separator`, either of which may be "". */
static bool set_joined(
    const char *name, const char *first, const char *separator, const char *second)
{
    char *joined;
    bool is_both = first[0] != '\0' && second[0] != '\0';
    if (asprintf(&joined, "%s%s%s", first, is_both ? separator : "", second) < 0)
        return false;
    bool is_set = setenv(name, joined, 1) == 0;
    free(joined);
    return is_set;
}

static const char *old_value(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

static bool set_environment(const struct hf_launch *launch)
{
    char pid[32] = "";
    const char *variable = launch->variable;
    if (launch->names_process)
        (void)snprintf(pid, sizeof pid, "pid:%d", (int)getpid());
    return (launch->agent == NULL ||
               set_joined("LD_PRELOAD", launch->agent, ":", old_value("LD_PRELOAD"))) &&
           set_joined(variable, old_value(variable), ",", launch->settings) &&
           set_joined(variable, old_value(variable), ",", pid);
}

/* In the child: never returns. What goes wrong is written to `report`, which a success closes. */
static void launch_become(const struct hf_launch *launch, int report)
{
    int error = ENOMEM;
    (void)sigprocmask(SIG_SETMASK, launch->signals, NULL);
    if (set_environment(launch)) {
        /* execvp takes char *const * for history's sake; it changes nothing. */
        execvp(launch->argv[0], (char *const *)(uintptr_t)launch->argv);
        error = errno;
    }
    (void)!write(report, &error, sizeof error);
    _exit(125);
}

enum hf_status hf_launch_start(
    const struct hf_launch *launch, pid_t *out_pid, int *out_pidfd, struct hf_error *err)
{
    int report[2], error;
    if (launch->agent != NULL && strpbrk(launch->agent, ": ") != NULL)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "the agent is at '%s', but LD_PRELOAD cannot contain a path with a blank or colon: "
            "install heapflame elsewhere",
            launch->agent);
    if (pipe2(report, O_CLOEXEC) != 0)
        return hf_error_system(err, errno, "cannot make a pipe");
    pid_t pid = fork();
    if (pid == 0)
        launch_become(launch, report[1]);
    close(report[1]);
    ssize_t got = pid > 0 ? read(report[0], &error, sizeof error) : 0;
    close(report[0]);
    if (pid < 0)
        return hf_error_system(err, errno, "cannot start a process");
    *out_pidfd = got == 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (*out_pidfd >= 0) {
        *out_pid = pid;
        return HF_OK;
    }
    int why = got != 0 ? error : errno;
    if (got == 0)
        (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    return hf_error_system(err, why, "cannot run %s", launch->argv[0]);
}
