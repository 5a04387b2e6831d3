#include "os/process/process.h"

#include "os/broker_line.h"
#include "os/process/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Input and output are files in memory: with pipes, either side could wait for the other for ever.
 */
static enum hf_status make_file(const char *name, int *out_fd, struct hf_error *err)
{
    *out_fd = memfd_create(name, MFD_CLOEXEC);
    if (*out_fd < 0)
        return hf_error_system(err, errno, "cannot create a file in memory");
    return HF_OK;
}

static enum hf_status process_fill(int fd, struct hf_text input, struct hf_error *err)
{
    while (input.size != 0) {
        ssize_t written = write(fd, input.data, input.size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return hf_error_system(err, errno, "cannot write a file in memory");
        input = hf_text_from(input, (size_t)written);
    }
    (void)lseek(fd, 0, SEEK_SET);
    return HF_OK;
}

static enum hf_status drain(int fd, struct hf_out *out, struct hf_error *err)
{
    char block[8192];
    (void)lseek(fd, 0, SEEK_SET);
    for (;;) {
        ssize_t got = read(fd, block, sizeof block);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return hf_error_system(err, errno, "cannot read a file in memory");
        if (got == 0)
            return HF_OK;
        hf_out_bytes(out, block, (size_t)got);
    }
}

static enum hf_status process_wait_for(pid_t pid, const char *name, struct hf_error *err)
{
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return hf_error_system(err, errno, "cannot wait for %s", name);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return HF_OK;
    return hf_error_set(err, HF_ERR_SYSTEM, "%s failed with %s %d", name,
        WIFEXITED(status) ? "status" : "signal",
        WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

/* In the child. What goes wrong is written to `report`, which a success closes. */
static void process_become(
    const char *const *argv, bool drops_rights, int input, int output, int report)
{
    if (drops_rights)
        hf_rights_drop_before_exec();
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0)
        /* execvp takes char *const * for history's sake; it changes nothing. */
        execvp(argv[0], (char *const *)(uintptr_t)argv);
    int error = errno;
    (void)!write(report, &error, sizeof error);
    _exit(127);
}

static enum hf_status start_and_wait(
    const char *const *argv, bool drops_rights, int input, int output, struct hf_error *err)
{
    int report[2], error;
    if (pipe2(report, O_CLOEXEC) != 0)
        return hf_error_system(err, errno, "cannot make a pipe");
    pid_t pid = fork();
    if (pid == 0)
        process_become(argv, drops_rights, input, output, report[1]);
    int reason = errno;
    close(report[1]);
    ssize_t got = pid > 0 ? read(report[0], &error, sizeof error) : 0;
    close(report[0]);
    if (pid < 0)
        return hf_error_system(err, reason, "cannot start a process");
    enum hf_status status = process_wait_for(pid, argv[0], got == 0 ? err : NULL);
    return got == 0 ? status : hf_error_system(err, error, "cannot run %s", argv[0]);
}

enum hf_status hf_process_run_files(
    const char *const *argv, bool drops_rights, int input, int *out_output, struct hf_error *err)
{
    int output;
    enum hf_status status = make_file("output", &output, err);
    if (status != HF_OK)
        return status;
    (void)lseek(input, 0, SEEK_SET);
    status = start_and_wait(argv, drops_rights, input, output, err);
    if (status == HF_OK)
        *out_output = output;
    else
        close(output);
    return status;
}

static enum hf_status process_ask_broker(int input, int *out_output, struct hf_error *err)
{
    struct hf_broker_answer answer;
    const struct hf_broker_question question = {.kind = HF_BROKER_DRAW, .fd = input};
    hf_broker_ask(&question, &answer);
    if (answer.error == 0 && answer.fd >= 0) {
        *out_output = answer.fd;
        return HF_OK;
    }
    return answer.size != 0 ? hf_error_set(err, HF_ERR_SYSTEM, "%s", answer.text)
                            : hf_error_system(err, answer.error, "cannot run the program");
}

enum hf_status hf_process_run(
    const char *const *argv, struct hf_text input, struct hf_out *out, struct hf_error *err)
{
    int input_fd = -1, output_fd = -1;
    enum hf_status status = make_file("input", &input_fd, err);
    if (status == HF_OK)
        status = process_fill(input_fd, input, err);
    if (status == HF_OK)
        status = hf_broker_is_there()
                     ? process_ask_broker(input_fd, &output_fd, err)
                     : hf_process_run_files(argv, false, input_fd, &output_fd, err);
    if (status == HF_OK)
        status = drain(output_fd, out, err);
    if (input_fd >= 0)
        close(input_fd);
    if (output_fd >= 0)
        close(output_fd);
    return status;
}

/* In the child. */
static void process_become_shell(const char *command, const struct hf_process_variable *variables)
{
    sigset_t none;
    int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    bool is_ready = dup2(empty, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    for (; is_ready && variables->name != NULL; variables++)
        is_ready = setenv(variables->name, variables->value, 1) == 0;
    if (is_ready)
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

enum hf_status hf_process_start_shell(const char *command,
    const struct hf_process_variable *variables, pid_t *out_pid, struct hf_error *err)
{
    *out_pid = fork();
    if (*out_pid == 0)
        process_become_shell(command, variables);
    return *out_pid > 0 ? HF_OK : hf_error_system(err, errno, "cannot start a process");
}
