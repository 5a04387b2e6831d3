#include "attach/keeper/tracefs.h"

#include "base/strings/num.h"
#include "os/input.h"
#include "os/process/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define GROUP "heapflame_"
#define EVENTS "uprobe_events"
#define BUSY_TRIES 500
#define NAMES_MOST 100000u
#define LIST_BYTES_MAX ((size_t)16 << 20)

static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* 0, or what errno says. */
static int write_line(const struct hf_tracefs *tracefs, const char *line)
{
    /* Without O_APPEND the kernel would remove everybody's events first. */
    int fd = openat(tracefs->folder, EVENTS, O_WRONLY | O_APPEND | O_CLOEXEC);
    ssize_t size = (ssize_t)strlen(line);
    int error = fd < 0 || write(fd, line, (size_t)size) != size ? errno : 0;
    if (fd >= 0)
        close(fd);
    return error;
}

/* Linux 5.2. The numbers are those of linux/mount.h, beside which sys/mount.h may not stand. */
#ifndef SYS_fsopen
#define SYS_fsopen 430
#define SYS_fsconfig 431
#define SYS_fsmount 432
#endif
enum {
    OPEN_CLOEXEC = 1,
    CREATE = 6,
    MOUNT_CLOEXEC = 1,
    NO_SUID = 2,
    NO_DEVICES = 4,
    NO_PROGRAMS = 8
};

/* A mount without a place, which is there as long as its descriptor. Negative: it cannot be. */
static int mount_nowhere(void)
{
    int context = (int)syscall(SYS_fsopen, "tracefs", OPEN_CLOEXEC), folder = -1;
    if (context >= 0 && syscall(SYS_fsconfig, context, CREATE, NULL, NULL, 0) == 0)
        folder =
            (int)syscall(SYS_fsmount, context, MOUNT_CLOEXEC, NO_SUID | NO_DEVICES | NO_PROGRAMS);
    if (context >= 0)
        close(context);
    return folder;
}

/* Opens tracefs at `place`, NULL: at none; false if it is not there, or has no such probes. */
static bool tracefs_open_at(struct hf_tracefs *tracefs, const char *place)
{
    tracefs->folder =
        place != NULL ? open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : mount_nowhere();
    if (tracefs->folder >= 0 && faccessat(tracefs->folder, EVENTS, F_OK, 0) == 0)
        return true;
    if (tracefs->folder >= 0)
        close(tracefs->folder);
    tracefs->folder = -1;
    return false;
}

/*
 * For older kernels. Nobody else sees it, because /sys, in which it is, is private; "/" need not be
 * a mount. From a mount namespace of its own, who lives in a chroot sees others' paths as they are
 * outside of it, and finds no files there.
 */
static enum hf_status mount_privately(struct hf_error *err)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/sys", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tracefs", places[0], "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        return hf_error_system(err, errno,
            "tracefs is not mounted, and cannot be mounted at %s: run as root, or 'mount -t "
            "tracefs tracefs %s'",
            places[0], places[0]);
    return HF_OK;
}

/* The pid in "p:heapflame_PID/NAME ..."; `out_event` is "heapflame_PID/NAME". */
static bool parse_ours(struct hf_text line, struct hf_text *out_event, uint64_t *out_pid)
{
    if (!hf_text_take(&line, "p:") && !hf_text_take(&line, "r:"))
        return false;
    *out_event = hf_text_first(line, hf_text_find(line, ' '));
    return hf_text_take(&line, GROUP) && hf_num_take_u64(&line, out_pid) &&
           hf_text_starts(line, "/");
}

static bool tracefs_is_dead(uint64_t pid)
{
    return pid <= INT_MAX && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static bool remove_event(const struct hf_tracefs *tracefs, struct hf_text event)
{
    char line[256];
    struct timespec pause = {.tv_nsec = 1000000};
    int size = snprintf(line, sizeof line, "-:%.*s\n", (int)event.size, event.data);
    for (int i = 0; size < (int)sizeof line && i < BUSY_TRIES; i++) {
        int error = write_line(tracefs, line);
        if (error != EBUSY)
            return error == 0;
        nanosleep(&pause, NULL); /* its watchers are closed, but not yet forgotten */
    }
    return false;
}

/* Removes the events of this process, or those of dead ones. Returns how many. */
static size_t remove_events(const struct hf_tracefs *tracefs, bool own)
{
    struct hf_input input;
    struct hf_text rest, event;
    size_t removed = 0;
    int fd = openat(tracefs->folder, EVENTS, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    hf_input_open_descriptor(&input, fd, EVENTS);
    /* All of it first: the list is another one after each removal. */
    enum hf_status status = hf_input_peek(&input, LIST_BYTES_MAX, &rest, NULL);
    while (status == HF_OK && rest.size != 0) {
        struct hf_text line = hf_text_first(rest, hf_text_find(rest, '\n'));
        uint64_t pid;
        if (parse_ours(line, &event, &pid) &&
            (own ? pid == (uint64_t)getpid() : tracefs_is_dead(pid)))
            removed += remove_event(tracefs, event);
        rest = hf_text_from(rest, line.size + 1);
    }
    hf_input_close(&input);
    close(fd);
    return removed;
}

enum hf_status hf_tracefs_open(struct hf_tracefs *tracefs, struct hf_error *err)
{
    *tracefs = (struct hf_tracefs){.folder = -1};
    if (!tracefs_open_at(tracefs, places[0]) && !tracefs_open_at(tracefs, places[1]) &&
        !tracefs_open_at(tracefs, NULL)) {
        enum hf_status status = mount_privately(err);
        if (status != HF_OK)
            return status;
        if (!tracefs_open_at(tracefs, places[0]))
            return hf_error_set(err, HF_ERR_SYSTEM,
                "the kernel has no user-space probes (CONFIG_UPROBE_EVENTS), or tracefs is not "
                "readable: there is no %s",
                EVENTS);
    }
    if (faccessat(tracefs->folder, EVENTS, R_OK | W_OK, AT_EACCESS) != 0) {
        enum hf_status status = hf_error_system(
            err, errno, "no permission to write the kernel's %s: run as root", EVENTS);
        hf_tracefs_close(tracefs);
        return status;
    }
    tracefs->stale_events = remove_events(tracefs, false);
    return HF_OK;
}

void hf_tracefs_close(struct hf_tracefs *tracefs)
{
    if (tracefs->folder < 0)
        return;
    if (tracefs->names != 0)
        (void)remove_events(tracefs, true);
    close(tracefs->folder);
    tracefs->folder = -1;
}

static enum hf_status tracefs_read_number(
    const struct hf_tracefs *tracefs, const char *path, uint64_t *out_event, struct hf_error *err)
{
    char digits[32];
    int fd = openat(tracefs->folder, path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, digits, sizeof digits) : -1;
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (size < 0)
        return hf_error_system(err, error, "tracefs: cannot read %s", path);
    struct hf_text text = hf_text_trim_end((struct hf_text){digits, (size_t)size}, "\n");
    return hf_num_u64(text, out_event)
               ? HF_OK
               : hf_error_set(err, HF_ERR_SYSTEM, "tracefs: expected a number in %s", path);
}

enum hf_status hf_tracefs_add(struct hf_tracefs *tracefs, const char *path, uint64_t offset,
    bool is_return, const char *fields, uint64_t *out_event, struct hf_error *err)
{
    char name[32], number[128], line[PATH_MAX + 256];
    int error, size;
    do { /* an earlier event of ours may have been too busy to be removed */
        (void)snprintf(name, sizeof name, "e%" PRIu32, tracefs->names++);
        size = snprintf(line, sizeof line, "%c:" GROUP "%d/%s %s:0x%" PRIx64 " %s\n",
            is_return ? 'r' : 'p', (int)getpid(), name, path, offset, fields);
        error = write_line(tracefs, line);
    } while (error == EEXIST && tracefs->names < NAMES_MOST);
    if (error != 0)
        return hf_error_system(err, error, "tracefs rejects '%.*s'", size - 1, line);
    (void)snprintf(number, sizeof number, "events/" GROUP "%d/%s/id", (int)getpid(), name);
    return tracefs_read_number(tracefs, number, out_event, err);
}

enum hf_status hf_tracefs_system_call(const struct hf_tracefs *tracefs, const char *name,
    bool is_return, uint64_t *out_event, struct hf_error *err)
{
    char number[128];
    (void)snprintf(
        number, sizeof number, "events/syscalls/sys_%s_%s/id", is_return ? "exit" : "enter", name);
    if (faccessat(tracefs->folder, number, F_OK, 0) != 0)
        return hf_error_set(err, HF_ERR_SYSTEM,
            "the kernel has no trace events of system calls (CONFIG_FTRACE_SYSCALLS): tracefs has "
            "no %s",
            number);
    return tracefs_read_number(tracefs, number, out_event, err);
}
