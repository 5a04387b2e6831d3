#include "memory/leftovers.h"

#include "base/strings/num.h"
#include "memory/guardian.h"
#include "memory/remote_call.h"
#include "os/input.h"
#include "os/path.h"
#include "os/process/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* proc(5), /proc/PID/stat: fields 3, the state, and 38. */
#define EXIT_SIGNAL_AFTER_STATE 35

#define ROUNDS_MAX 8

/* A child that sent its parent no signal when it ended: only our copies do that. */
static bool is_copy(uint32_t pid)
{
    char path[64];
    struct hf_input stat;
    struct hf_text line;
    enum hf_status status = HF_OK;
    bool is = false;
    (void)snprintf(path, sizeof path, "/proc/%u/stat", pid);
    if (hf_input_open(&stat, path, NULL) != HF_OK)
        return false;
    if (hf_input_next(&stat, &line, &status, NULL)) {
        line = hf_text_from(line, hf_text_find_last(line, ')') + 2);
        is = hf_text_starts(line, "Z");
        for (int i = 0; i < EXIT_SIGNAL_AFTER_STATE; i++)
            line = hf_text_from(line, hf_text_find(line, ' ') + 1);
        is = is && hf_text_starts(line, "0 ");
    }
    hf_input_close(&stat);
    return is;
}

static void leftovers_take(void *context, uint32_t child)
{
    struct hf_leftovers *left = context;
    if (left->zombie_count != HF_LEFTOVERS_MAX && is_copy(child))
        left->zombies[left->zombie_count++] = (pid_t)child;
}

/* The kernel lists children by thread, not by process. */
struct hf_leftovers hf_leftovers_of(pid_t pid)
{
    char path[64];
    struct hf_leftovers left = {.has_code = hf_remote_call_is_left(pid)};
    struct hf_folder_names threads;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    int folder = hf_path_open(path, O_DIRECTORY);
    if (folder < 0)
        return left;
    if (hf_folder_names_read(&threads, folder)) {
        for (size_t i = 0; i < threads.count; i++) {
            uint64_t tid;
            if (hf_num_u64(hf_text_of(threads.items[i]), &tid))
                hf_proc_children((uint32_t)pid, (uint32_t)tid, leftovers_take, &left);
        }
        hf_folder_names_done(&threads);
    }
    (void)close(folder);
    return left;
}

static enum hf_status remove_these(pid_t pid, const struct hf_leftovers *left, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < left->zombie_count && status == HF_OK; i++) {
        uint32_t inner = hf_proc_inner_id((uint32_t)left->zombies[i]);
        status = hf_guardian_clean(pid, (pid_t)inner, err);
    }
    if (status == HF_OK && left->zombie_count == 0)
        status = hf_guardian_clean(pid, 0, err);
    return status;
}

/* A thread that was in the middle of the call may have made its copy since: so once more. */
enum hf_status hf_leftovers_remove(pid_t pid, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    struct hf_leftovers left = hf_leftovers_of(pid);
    for (int round = 0;
         round < ROUNDS_MAX && status == HF_OK && (left.zombie_count != 0 || left.has_code);
         round++) {
        status = remove_these(pid, &left, err);
        left = hf_leftovers_of(pid);
    }
    return status;
}
