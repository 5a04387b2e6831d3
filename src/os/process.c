#include "os/process.h"

#include <errno.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The input as a file in memory: a pipe could fill up while the program waits for its output. */
static enum hf_status make_input(struct hf_text input, int *out_fd, struct hf_error *err)
{
    int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0)
        return hf_error_system(err, errno, "cannot make a file in memory");
    while (input.size != 0) {
        ssize_t written = write(fd, input.data, input.size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            close(fd);
            return hf_error_system(err, errno, "cannot write a file in memory");
        }
        input = hf_text_from(input, (size_t)written);
    }
    (void)lseek(fd, 0, SEEK_SET);
    *out_fd = fd;
    return HF_OK;
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

enum hf_status hf_process_run(
    const char *const *argv, struct hf_text input, int output_fd, struct hf_error *err)
{
    extern char **environ;
    int input_fd = -1;
    enum hf_status status = make_input(input, &input_fd, err);
    if (status != HF_OK)
        return status;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input_fd, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output_fd, STDOUT_FILENO);
    pid_t pid;
    /* posix_spawnp takes char *const * for history's sake; it changes nothing. */
    int failure =
        posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(input_fd);
    if (failure != 0)
        return hf_error_system(err, failure, "cannot run %s", argv[0]);
    return wait_for(pid, argv[0], err);
}
