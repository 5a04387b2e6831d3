#include "capture/memory_notice.h"

#include "base/attr.h"
#include "os/path.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { CHANGES, PRESSURE }; /* of sources */

/* A tenth, as policy.h has it; the window of those without CAP_SYS_RESOURCE is 2 s or more. */
#define TRIGGER "some 200000 2000000"

static int memory_notice_open_file(const struct hf_memory_group *group, const char *name, int flags)
{
    char path[PATH_MAX];
    return hf_path_format(path, "%s/%s", group->folder, name) ? open(path, flags | O_CLOEXEC) : -1;
}

/* `argument`: of a threshold, its bytes. */
static void ask_v1(
    const struct hf_memory_group *group, int event, const char *name, const char *argument)
{
    char line[64];
    int file = memory_notice_open_file(group, name, O_RDONLY);
    int control = memory_notice_open_file(group, "cgroup.event_control", O_WRONLY);
    int size = snprintf(line, sizeof line, "%d %d %s", event, file, argument);
    if (file >= 0 && control >= 0)
        (void)!write(control, line, (size_t)size);
    if (control >= 0)
        close(control);
    if (file >= 0)
        close(file);
}

static int open_v1(const struct hf_memory_group *group)
{
    char threshold[32];
    uint64_t limit = hf_memory_read(group).limit_bytes;
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (event < 0)
        return -1;
    ask_v1(group, event, "memory.oom_control", "");
    for (size_t i = 0; limit != 0 && i < HF_COUNT(hf_memory_levels); i++) {
        (void)snprintf(threshold, sizeof threshold, "%llu",
            (unsigned long long)(limit / 100 * hf_memory_levels[i]));
        ask_v1(group, event, "memory.usage_in_bytes", threshold);
    }
    return event;
}

static int open_v2(const struct hf_memory_group *group)
{
    char path[PATH_MAX];
    int changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (changes < 0 || (hf_path_format(path, "%s/memory.events", group->folder) &&
                           inotify_add_watch(changes, path, IN_MODIFY) >= 0))
        return changes;
    close(changes);
    return -1;
}

/* Writing to it means something to the kernel's own file alone. */
static int open_pressure(const struct hf_memory_group *group)
{
    struct statfs system;
    int file = memory_notice_open_file(group, "memory.pressure", O_RDWR | O_NONBLOCK);
    if (file < 0 || (fstatfs(file, &system) == 0 && system.f_type == CGROUP2_SUPER_MAGIC &&
                        write(file, TRIGGER, sizeof TRIGGER) == sizeof TRIGGER))
        return file;
    close(file);
    return -1;
}

static enum hf_status take_change(void *context, struct hf_error *err)
{
    (void)err;
    struct hf_memory_notice *notice = context;
    char events[4096];
    while (read(notice->sources[CHANGES].fd, events, sizeof events) == sizeof events)
        continue;
    notice->take(notice->context);
    return HF_OK;
}

static enum hf_status take_pressure(void *context, struct hf_error *err)
{
    (void)err;
    struct hf_memory_notice *notice = context;
    struct pollfd again = {.fd = notice->sources[PRESSURE].fd, .events = POLLPRI};
    if (poll(&again, 1, 0) > 0 && (again.revents & POLLERR) != 0) {
        close(again.fd); /* the group is gone, and the file would be ready for ever */
        notice->sources[PRESSURE].fd = -1;
    }
    notice->take(notice->context);
    return HF_OK;
}

static struct hf_loop_source source_of(
    int fd, short events, enum hf_status (*wake)(void *, struct hf_error *), void *context)
{
    return (struct hf_loop_source){
        .fd = fd, .events = events, .due_ns = HF_LOOP_NEVER, .wake = wake, .context = context};
}

void hf_memory_notice_begin(struct hf_memory_notice *notice, const struct hf_memory_group *group,
    struct hf_loop *loop, void (*take)(void *context), void *context)
{
    bool is_v2 = group->is_known && !group->is_v1;
    int changes = group->is_v1 ? open_v1(group) : is_v2 ? open_v2(group) : -1;
    notice->take = take;
    notice->context = context;
    notice->sources[CHANGES] = source_of(changes, POLLIN, take_change, notice);
    notice->sources[PRESSURE] =
        source_of(is_v2 ? open_pressure(group) : -1, POLLPRI, take_pressure, notice);
    for (size_t i = 0; i < HF_COUNT(notice->sources); i++)
        hf_loop_add(loop, &notice->sources[i]);
}

void hf_memory_notice_end(struct hf_memory_notice *notice, struct hf_loop *loop)
{
    for (size_t i = 0; notice->take != NULL && i < HF_COUNT(notice->sources); i++) {
        hf_loop_remove(loop, &notice->sources[i]);
        if (notice->sources[i].fd >= 0)
            close(notice->sources[i].fd);
    }
    notice->take = NULL;
}
