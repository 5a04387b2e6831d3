#include "os/process.h"

#include <errno.h>
#include <spawn.h>
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
        return hf_error_system(err, errno, "cannot make a file in memory");
    return HF_OK;
}

static enum hf_status fill(int fd, struct hf_text input, struct hf_error *err)
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

static enum hf_status wait_for(pid_t pid, const char *name, struct hf_error *err)
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

static enum hf_status spawn_and_wait(
    const char *const *argv, int input_fd, int output_fd, struct hf_error *err)
{
    extern char **environ;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input_fd, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
    /* posix_spawnp takes char *const * for history's sake; it changes nothing. */
    int failure =
        posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0)
        return hf_error_system(err, failure, "cannot run %s", argv[0]);
    return wait_for(pid, argv[0], err);
}

enum hf_status hf_process_run(
    const char *const *argv, struct hf_text input, struct hf_out *out, struct hf_error *err)
{
    int input_fd = -1, output_fd = -1;
    enum hf_status status = make_file("input", &input_fd, err);
    if (status == HF_OK)
        status = make_file("output", &output_fd, err);
    if (status == HF_OK)
        status = fill(input_fd, input, err);
    if (status == HF_OK)
        status = spawn_and_wait(argv, input_fd, output_fd, err);
    if (status == HF_OK)
        status = drain(output_fd, out, err);
    if (input_fd >= 0)
        close(input_fd);
    if (output_fd >= 0)
        close(output_fd);
    return status;
}
