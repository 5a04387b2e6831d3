#include "os/process/rights.h"

#include "base/attr.h"
#include "base/limits.h"
#include "os/process/page_map.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define SIGNAL_SECONDS 5 /* from SIGXCPU, which says why, to SIGKILL */

#define NOBODY 65534u /* the overflow id of user_namespaces(7), which owns nothing by custom */

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#else
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

/* Allowed whatever their arguments: on descriptors, memory, time and the caller itself. */
static const uint16_t plain_calls[] = {
    SYS_read,
    SYS_readv,
    SYS_pread64,
    SYS_write,
    SYS_writev,
    SYS_pwrite64,
    SYS_lseek,
    SYS_close,
    SYS_fstat,
    SYS_getdents64,
    SYS_fadvise64,
    SYS_ftruncate,
    SYS_dup,
    SYS_dup3,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
    SYS_mincore,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_rt_sigtimedwait,
    SYS_rt_sigpending,
    SYS_sigaltstack,
    SYS_futex,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_exit,
    SYS_exit_group,
    SYS_gettid,
    SYS_getpid,
    SYS_getppid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getcwd,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_getrusage,
    SYS_sysinfo,
    SYS_uname,
    SYS_times,
    SYS_ppoll,
    SYS_pselect6,
    SYS_signalfd4,
    SYS_timerfd_create,
    SYS_timerfd_settime,
    SYS_eventfd2,
    SYS_pipe2,
    SYS_memfd_create,
    SYS_membarrier,
    SYS_restart_syscall,
    SYS_pidfd_open,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_poll
    SYS_poll,
    SYS_select,
    SYS_dup2,
    SYS_time,
#endif
};

/* The lower half of an argument: both machines are little endian. */
#define LOW(n) ((uint32_t)offsetof(struct seccomp_data, args[n]))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define GIVE(action) BPF_STMT(BPF_RET | BPF_K, (action))
#define REFUSE(number) GIVE(SECCOMP_RET_ERRNO | (number))
#define JUMP_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define JUMP_SET(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (value), (yes), (no))

#define FILTER_MAX (HF_COUNT(plain_calls) * 2 + 160)

struct filter {
    struct sock_filter code[FILTER_MAX];
    unsigned short size;
};

static void rights_put(struct filter *f, const struct sock_filter *code, size_t count)
{
    for (size_t i = 0; i < count && f->size < FILTER_MAX; i++)
        f->code[f->size++] = code[i];
}

#define PUT(f, ...)                                                                                \
    rights_put(f, (const struct sock_filter[]){__VA_ARGS__},                                       \
        sizeof((const struct sock_filter[]){__VA_ARGS__}) / sizeof(struct sock_filter))

/* A call that is allowed if one of its arguments is one of a few values. */
static void put_if_one_of(
    struct filter *f, uint32_t call, unsigned argument, const uint32_t *values, size_t count)
{
    uint8_t rest = (uint8_t)(2 + 2 * count); /* instructions behind the first jump */
    PUT(f, JUMP_EQUAL(call, 0, rest), LOAD(LOW(argument)));
    for (size_t i = 0; i < count; i++)
        PUT(f, JUMP_EQUAL(values[i], 0, 1), GIVE(SECCOMP_RET_ALLOW));
    PUT(f, REFUSE(EPERM));
}

/* A call that is allowed if one of its arguments has a bit. */
static void put_if_set(struct filter *f, uint32_t call, unsigned argument, uint32_t bit)
{
    PUT(f, JUMP_EQUAL(call, 0, 4), LOAD(LOW(argument)), JUMP_SET(bit, 0, 1),
        GIVE(SECCOMP_RET_ALLOW), REFUSE(EPERM));
}

/* A call that is allowed if one of its arguments is no pointer: both halves of it are zero. */
static void put_if_null(struct filter *f, uint32_t call, unsigned argument)
{
    PUT(f, JUMP_EQUAL(call, 0, 6), LOAD(LOW(argument)), JUMP_EQUAL(0, 0, 3),
        LOAD(LOW(argument) + sizeof(uint32_t)), JUMP_EQUAL(0, 0, 1), GIVE(SECCOMP_RET_ALLOW),
        REFUSE(EPERM));
}

/* Of bpf(2) what is done to a map that one has: from Linux 5.19 on that asks for no capability. */
static void put_following(struct filter *f)
{
    static const uint16_t calls[] = {
        SYS_epoll_create1,
        SYS_epoll_ctl,
        SYS_epoll_pwait,
#ifdef SYS_epoll_wait
        SYS_epoll_wait,
#endif
    };
    static const uint32_t of_maps[] = {BPF_MAP_LOOKUP_ELEM, BPF_MAP_UPDATE_ELEM,
        BPF_MAP_DELETE_ELEM, BPF_MAP_LOOKUP_BATCH, BPF_OBJ_GET_INFO_BY_FD};
    for (size_t i = 0; i < HF_COUNT(calls); i++)
        PUT(f, JUMP_EQUAL(calls[i], 0, 1), GIVE(SECCOMP_RET_ALLOW));
    put_if_one_of(f, SYS_bpf, 0, of_maps, HF_COUNT(of_maps));
}

static void make_filter(struct filter *f, int channel, const struct hf_rights_kept *kept)
{
    /* The terminal is asked whether it is one, and how big: TIOCSTI would type into the shell. And
     * the page map of a process, if the broker has opened it, where pages are. */
    const uint32_t ioctls[] = {TCGETS, TIOCGWINSZ, (uint32_t)HF_PAGE_MAP_SCAN};
    const uint32_t fcntls[] = {F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC};
    const uint32_t own_pid = (uint32_t)getpid(), own_channel = (uint32_t)channel;
    f->size = 0;
    PUT(f, LOAD((uint32_t)offsetof(struct seccomp_data, arch)), JUMP_EQUAL(OWN_ARCH, 1, 0),
        GIVE(SECCOMP_RET_KILL_PROCESS), LOAD((uint32_t)offsetof(struct seccomp_data, nr)));
    for (size_t i = 0; i < HF_COUNT(plain_calls); i++)
        PUT(f, JUMP_EQUAL(plain_calls[i], 0, 1), GIVE(SECCOMP_RET_ALLOW));
    put_if_set(f, SYS_clone, 0, CLONE_THREAD);
    PUT(f, JUMP_EQUAL(SYS_clone3, 0, 1), REFUSE(ENOSYS)); /* its flags are in memory: use clone */
    put_if_set(f, SYS_newfstatat, 3, AT_EMPTY_PATH);      /* glibc's fstat() */
    put_if_one_of(f, SYS_sendmsg, 0, &own_channel, 1);
    put_if_one_of(f, SYS_recvmsg, 0, &own_channel, 1);
    put_if_one_of(f, SYS_ioctl, 1, ioctls, HF_COUNT(ioctls));
    put_if_one_of(f, SYS_fcntl, 1, fcntls, HF_COUNT(fcntls));
    put_if_one_of(f, SYS_tgkill, 0, &own_pid, 1); /* abort(3) */
    put_if_null(f, SYS_prlimit64, 2);             /* getrlimit(3) */
    if (kept->follows)
        put_following(f);
    PUT(f, REFUSE(EPERM));
}

static bool stand_seccomp(int channel, const struct hf_rights_kept *kept)
{
    struct filter filter;
    make_filter(&filter, channel, kept);
    const struct sock_fprog program = {filter.size, filter.code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* Every right that the kernel knows is handled, and none is given back by a rule. */
static bool stand_landlock(void)
{
    /* As the kernel has it from its versions 1 to 6 on; an older header lacks the later names. */
    struct {
        uint64_t files, ports, scopes;
    } handled = {0};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return false;
    unsigned file_rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    handled.files = (UINT64_C(1) << file_rights) - 1;
    handled.ports = version >= 4 ? 3 : 0;  /* bind and connect */
    handled.scopes = version >= 6 ? 3 : 0; /* abstract sockets, signals */
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
    if (rules < 0)
        return false;
    bool stands = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return stands;
}

static bool become_nobody(void)
{
    if (geteuid() != 0)
        return false;
    (void)setgroups(0, NULL); /* refused in a user namespace that maps one user */
    return setresgid(NOBODY, NOBODY, NOBODY) == 0 && setresuid(NOBODY, NOBODY, NOBODY) == 0;
}

static bool has_no_capability(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}}, left[2] = {{0}};
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capset, &header, none) != 0 || syscall(SYS_capget, &header, left) != 0)
        return false;
    return (left[0].effective | left[0].permitted | left[1].effective | left[1].permitted) == 0;
}

static bool set_limit(__rlimit_resource_t resource, uint64_t most, uint64_t grace)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return false;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > most + grace)
        limit.rlim_max = most + grace;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most)
        limit.rlim_cur = most;
    return setrlimit(resource, &limit) == 0;
}

/* What is mapped of files does not count, as large as they may be: RLIMIT_DATA, Linux 4.7. */
static bool stand_limits(const struct hf_rights_kept *kept)
{
    struct sysinfo machine;
    if (sysinfo(&machine) != 0)
        return false;
    uint64_t memory = (uint64_t)machine.totalram * machine.mem_unit;
    return set_limit(RLIMIT_CORE, 0, 0) &&
           set_limit(RLIMIT_DATA, memory / 1000 * HF_LIMIT_WORKER_MEMORY_PER_MILLE, 0) &&
           set_limit(RLIMIT_CPU, HF_LIMIT_WORKER_SECONDS + kept->seconds, SIGNAL_SECONDS);
}

static unsigned drop_identity(void)
{
    unsigned walls = become_nobody() ? HF_WALL_USER : 0;
    if (!has_no_capability())
        _exit(HF_RIGHTS_NOT_DROPPED);
    walls |= HF_WALL_CAPABILITIES;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        walls |= HF_WALL_NO_NEW;
    /* Nobody is left to do it for. A change of the user would take that back. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return walls;
}

unsigned hf_rights_drop(int channel, const struct hf_rights_kept *kept)
{
    static const struct hf_rights_kept nothing = {0};
    kept = kept != NULL ? kept : &nothing;
    if (HF_SANITIZED)
        return 0;
    unsigned walls = stand_limits(kept) ? HF_WALL_LIMITS : 0;
    walls |= drop_identity();
    if (stand_landlock())
        walls |= HF_WALL_LANDLOCK;
    if (stand_seccomp(channel, kept))
        walls |= HF_WALL_SECCOMP;
    return walls;
}

void hf_rights_drop_before_exec(void)
{
    (void)drop_identity();
}

const char *hf_right_wall_name(enum hf_right_wall wall)
{
    switch (wall) {
    case HF_WALL_USER: return "a user without rights";
    case HF_WALL_CAPABILITIES: return "no capabilities";
    case HF_WALL_NO_NEW: return "no_new_privs";
    case HF_WALL_LANDLOCK: return "Landlock";
    case HF_WALL_SECCOMP: return "seccomp";
    case HF_WALL_LIMITS: return "limits";
    case HF_WALL_ALL: break;
    }
    return "";
}
