#include "memory/leftovers.h"

#include "base/strings/num.h"
#include "memory/guardian.h"
#include "memory/remote_call.h"
#include "os/input.h"
#include "os/path.h"
#include "os/process/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* proc(5), /proc/PID/stat: fields 3, the state, and 38. */

#define ROUNDS_MAX 8
#define ENDING_PATIENCE_NS UINT64_C(5000000000)
#define ENDING_EVERY_NS 1000000

enum copy_state { COPY_NONE, COPY_ENDING, COPY_ENDED };

/* The code was copied with the rest; it is gone when the end has begun, so that is asked last. A
 * copy that somebody traces belongs to a snapshot. */
static bool is_copy_ending(uint32_t pid)
{
    return hf_proc_tracer(pid) == 0 &&
           (hf_remote_call_is_left((pid_t)pid) || hf_proc_is_ending(pid));
}

/* A child that sends its parent no signal when it ends: only our copies do that. */
static enum copy_state copy_state_of(uint32_t pid)
{
    bool has_ended;
    if (!hf_proc_has_no_signal(pid, &has_ended))
        return COPY_NONE;
    return has_ended ? COPY_ENDED : is_copy_ending(pid) ? COPY_ENDING : COPY_NONE;
}

static void leftovers_take(void *context, uint32_t child)
{
    struct hf_leftovers *left = context;
    enum copy_state state = copy_state_of(child);
    left->is_ending = left->is_ending || state == COPY_ENDING;
    if (state == COPY_ENDED && left->zombie_count != HF_LEFTOVERS_MAX)
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

/* What is left when all copies have ended. */
static struct hf_leftovers await_ends(pid_t pid)
{
    uint64_t give_up_ns = hf_stopped_now_ns() + ENDING_PATIENCE_NS;
    struct hf_leftovers left = hf_leftovers_of(pid);
    while (left.is_ending && hf_stopped_now_ns() < give_up_ns) {
        (void)nanosleep(&(struct timespec){.tv_nsec = ENDING_EVERY_NS}, NULL);
        left = hf_leftovers_of(pid);
    }
    return left;
}

/* A thread that was in the middle of the call may have made its copy since: so once more. */
enum hf_status hf_leftovers_remove(pid_t pid, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    struct hf_leftovers left = await_ends(pid);
    for (int round = 0;
         round < ROUNDS_MAX && status == HF_OK && (left.zombie_count != 0 || left.has_code);
         round++) {
        status = remove_these(pid, &left, err);
        left = await_ends(pid);
    }
    return status;
}
