#include "trial.h"

#include "base/gate.h"
#include "base/strings/num.h"
#include "base/text.h"
#include "digits.h"
#include "message.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* What /proc/PID/status says of a process. */
struct filtered {
    uint64_t mode;  /* 2: by filters */
    uint64_t count; /* Linux 5.9; 0: not said */
    uint64_t parent;
};

static uint64_t trial_value_of(struct hf_text status, const char *key)
{
    uint64_t value = 0;
    struct hf_text rest = hf_text_from(status, hf_text_find_string(status, key));
    if (!hf_text_take(&rest, key))
        return 0;
    rest = hf_text_trim_start(rest, " \t");
    return hf_num_take_u64(&rest, &value) ? value : 0;
}

static struct filtered status_of(const char *path)
{
    static char bytes[4096];
    struct hf_text status = {bytes, 0};
    long file = HF_CALL(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    long got = file >= 0 ? HF_CALL(SYS_read, file, bytes, sizeof bytes) : 0;
    if (file >= 0)
        (void)HF_CALL(SYS_close, file);
    status.size = got > 0 ? (size_t)got : 0;
    return (struct filtered){
        .mode = trial_value_of(status, "\nSeccomp:"),
        .count = trial_value_of(status, "\nSeccomp_filters:"),
        .parent = trial_value_of(status, "\nPPid:"),
    };
}

/* The parent made this process by clone(2), and under the same filters. */
static bool may_clone(const struct filtered *own)
{
    char path[64] = "/proc/", digits[HF_DIGITS_MAX];
    if (own->parent <= 1)
        return true;
    struct hf_text number = hf_digits(own->parent, 10, digits);
    memcpy(path + 6, number.data, number.size);
    memcpy(path + 6 + number.size, "/status", sizeof "/status");
    struct filtered parent = status_of(path);
    return parent.mode == own->mode && parent.count == own->count;
}

/* All that the agent calls; none does anything with these. */
static const struct {
    long number, arguments[4];
    const char *name;
} calls[] = {
    {SYS_write, {-1}, "write"},
    {SYS_gettid, {0}, "gettid"},
    {SYS_getpid, {0}, "getpid"},
    {SYS_geteuid, {0}, "geteuid"},
    {SYS_read, {-1}, "read"},
    {SYS_close, {-1}, "close"},
    {SYS_openat, {-1, (long)(uintptr_t)0, O_RDWR | O_CREAT | O_EXCL, 0600}, "openat"},
    {SYS_mkdirat, {-1, 0, 0700}, "mkdirat"},
    {SYS_unlinkat, {-1}, "unlinkat"},
    {SYS_fstat, {-1}, "fstat"},
    {SYS_newfstatat, {-1}, "newfstatat"},
    {SYS_lseek, {-1}, "lseek"},
    {SYS_fstatfs, {-1}, "fstatfs"},
    {SYS_ftruncate, {-1}, "ftruncate"},
    {SYS_fallocate, {-1}, "fallocate"},
    {SYS_getdents64, {-1}, "getdents64"},
    {SYS_getrandom, {0, 0, GRND_NONBLOCK}, "getrandom"},
    {SYS_prlimit64, {0, RLIMIT_STACK}, "prlimit64"},
    {SYS_madvise, {0, 0, MADV_POPULATE_READ}, "madvise"},
    {SYS_mmap, {0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS}, "mmap"},
    {SYS_munmap, {1}, "munmap"},
    {SYS_prctl, {PR_GET_NAME, 0}, "prctl"},
    {SYS_process_vm_readv, {0}, "process_vm_readv"},
    {SYS_sigaltstack, {0}, "sigaltstack"},
    {SYS_sched_yield, {0}, "sched_yield"},
    {SYS_nanosleep, {0}, "nanosleep"},
    {SYS_kill, {0x7fffffff, 0}, "kill"},
    {SYS_clock_gettime, {CLOCK_MONOTONIC, 0}, "clock_gettime"},
    {SYS_wait4, {-1, 0, WNOHANG, 0}, "wait4"},
};

/* How many calls a child survived. */
static uint32_t try_all(_Atomic uint32_t *survived)
{
    long child = HF_CALL(SYS_clone, CLONE_VFORK);
    if (child == 0) {
        struct rlimit no_core = {1, 1}; /* also for those that go into a pipe: core(5) */
        (void)HF_CALL(SYS_prlimit64, 0, RLIMIT_CORE, &no_core, NULL);
        for (uint32_t i = 0; i < HF_COUNT(calls); i++) {
            const long *a = calls[i].arguments;
            (void)HF_CALL(calls[i].number, a[0], a[1], a[2], a[3]);
            atomic_store(survived, i + 1);
        }
        for (;;)
            (void)HF_CALL(SYS_exit_group, 0);
    }
    uint32_t count = atomic_load(survived);
    if (child > 0 && count == HF_COUNT(calls))
        (void)HF_CALL(SYS_wait4, child, NULL, __WALL, NULL);
    return count;
}

static bool trial_passes(void)
{
    long page =
        HF_CALL(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == -1)
        return false;
    uint32_t count = try_all((_Atomic uint32_t *)(uintptr_t)page);
    if (count == HF_COUNT(calls)) {
        (void)HF_CALL(SYS_munmap, page, 4096);
        return true;
    }
    if (count != 0) /* it may write */
        HF_MESSAGE(HF_TEXT("this program was started under a seccomp filter that forbids the "
                           "agent's system call "),
            hf_text_of(calls[count].name), HF_TEXT(": the program runs unprofiled"));
    return false;
}

bool hf_trial_passes(bool trusts)
{
    struct filtered own = status_of("/proc/self/status");
    if (own.mode != 2 || trusts)
        return true;
    return may_clone(&own) && trial_passes();
}
