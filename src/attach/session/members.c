#include "attach/session/members.h"

#include "base/limits.h"
#include "base/strings/num.h"
#include "os/path.h"
#include "os/process/cgroup.h"
#include "os/process/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

_Static_assert(HF_LIMIT_MEMBERS <= HF_MEMBERS_MOST, "there is room for them");

static bool is_the_same(const struct hf_member *member)
{
    uint64_t ticks;
    return hf_proc_start_ticks(member->pid, &ticks) && ticks == member->start_ticks;
}

/* This process, those that it started, and the command that started it. */
static bool members_is_own(uint32_t pid)
{
    return getsid((pid_t)pid) == getsid(0) || (pid_t)pid == getppid();
}

static void members_add(void *context, uint32_t pid)
{
    struct hf_members *members = context;
    struct hf_member member = {.pid = pid};
    for (size_t i = 0; i < members->count; i++) {
        if (members->items[i].pid == pid)
            return;
    }
    if (members_is_own(pid) || !hf_proc_start_ticks(pid, &member.start_ticks))
        return;
    if (members->count == HF_LIMIT_MEMBERS)
        members->are_more = true;
    else
        members->items[members->count++] = member;
}

/* Those that each of its threads started. */
static void add_children(struct hf_members *members, uint32_t pid)
{
    char path[64];
    uint64_t tid;
    struct hf_folder_names threads;
    (void)snprintf(path, sizeof path, "/proc/%u/task", pid);
    int fd = hf_path_open(path, O_DIRECTORY);
    bool is_read = fd >= 0 && hf_folder_names_read(&threads, fd);
    if (fd >= 0)
        close(fd);
    for (size_t i = 0; is_read && i < threads.count; i++) {
        if (hf_num_u64(hf_text_of(threads.items[i]), &tid) && tid <= INT32_MAX)
            hf_proc_children(pid, (uint32_t)tid, members_add, members);
    }
    if (is_read)
        hf_folder_names_done(&threads);
}

enum hf_status hf_members_look(struct hf_members *members, struct hf_error *err)
{
    size_t count = members->count;
    members->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_the_same(&members->items[i]))
            members->items[members->count++] = members->items[i];
    }
    if (members->cgroup != NULL)
        return hf_cgroup_processes(members->cgroup, members_add, members, err);
    if (!members->has_begun)
        members_add(members, members->tree);
    members->has_begun = true;
    for (size_t i = 0; i < members->count; i++)
        add_children(members, members->items[i].pid);
    return HF_OK;
}
