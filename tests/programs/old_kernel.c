/*
 * old_kernel.c: loaded before a command (LD_PRELOAD), the kernel under it is older: it lacks what
 * OLD_KERNEL names, and answers as the kernels do that never had it.
 *
 *     sessions   of uprobes (Linux 6.13)
 *     btf        types of the kernel's own: CONFIG_DEBUG_INFO_BTF was not set
 *     ringbuf    a ring buffer for programs (5.8)
 *     users      maps may be used without rights (5.19)
 *     fsopen     mounts without a place (5.2)
 *     pidfd      descriptors of processes (5.3)
 *     perf       it has events, but not for this user: perf_event_paranoid, lockdown, a container
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRACE_UPROBE_SESSION 57 /* newer than the headers */

static const char *const names[] = {
    "sessions", "btf", "ringbuf", "users", "fsopen", "pidfd", "perf"};
enum { SESSIONS, BTF, RINGBUF, USERS, FSOPEN, PIDFD, PERF, COUNT };
static bool lacks[COUNT];

__attribute__((constructor)) static void old_kernel_begin(void)
{
    const char *text = getenv("OLD_KERNEL");
    for (int i = 0; text != NULL && i < COUNT; i++)
        lacks[i] = strstr(text, names[i]) != NULL;
}

static long call(long number, const long a[6])
{
    register long a3 __asm__("r10") = a[3], a4 __asm__("r8") = a[4], a5 __asm__("r9") = a[5];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(a3), "r"(a4), "r"(a5)
                     : "rcx", "r11", "memory");
    return result;
}

/* What bpf(2) says; 0: the kernel is asked. */
static int refused_bpf(long command, const union bpf_attr *attr)
{
    bool is_use = command == BPF_MAP_UPDATE_ELEM || command == BPF_MAP_LOOKUP_ELEM ||
                  command == BPF_MAP_LOOKUP_BATCH;
    if (command == BPF_PROG_LOAD && lacks[SESSIONS] &&
        attr->expected_attach_type == TRACE_UPROBE_SESSION)
        return EINVAL;
    if (command == BPF_MAP_CREATE && lacks[RINGBUF] && attr->map_type == BPF_MAP_TYPE_RINGBUF)
        return EINVAL;
    return is_use && lacks[USERS] && geteuid() != 0 ? EPERM : 0;
}

static int refused(long number, const long a[6])
{
    switch (number) {
    case SYS_bpf: return refused_bpf(a[0], (const union bpf_attr *)a[1]);
    case SYS_fsopen: return lacks[FSOPEN] ? ENOSYS : 0;
    case SYS_pidfd_open: return lacks[PIDFD] ? ENOSYS : 0;
    case SYS_perf_event_open: return lacks[PERF] ? EACCES : 0;
    default: return 0;
    }
}

long syscall(long number, ...)
{
    va_list arguments;
    long a[6];
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    long result = -refused(number, a);
    if (result == 0)
        result = call(number, a);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

/* libbpf looks for the kernel's types so. */
int faccessat(int folder, const char *path, int mode, int flags)
{
    if (lacks[BTF] && strstr(path, "vmlinux") != NULL) {
        errno = ENOENT;
        return -1;
    }
    return (int)syscall(SYS_faccessat2, folder, path, mode, flags);
}
