/*
 * Programs that put themselves under a seccomp filter which kills, as OpenSSH and others do. What
 * is on the list is what this program and the C library call, and nothing for the agent's sake.
 */
#include "scene.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define FILTER_MAX 256

static struct sock_filter filter[FILTER_MAX];
static unsigned short filter_count;

static void put(unsigned short code, unsigned value, unsigned char yes, unsigned char no)
{
    filter[filter_count++] = (struct sock_filter){code, yes, no, value};
}

static void load_field(size_t at)
{
    put(BPF_LD | BPF_W | BPF_ABS, (unsigned)at, 0, 0);
}

static void allow(long number)
{
    put(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
    put(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

/* The third argument must be `value`; of other calls the number is looked at again. */
static void allow_with_third(long number, unsigned value, unsigned otherwise)
{
    put(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 4);
    load_field(offsetof(struct seccomp_data, args[2]));
    put(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    put(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    put(BPF_RET | BPF_K, otherwise, 0, 0);
}

static const long own_calls[] = {SYS_write, SYS_exit, SYS_exit_group, SYS_brk, SYS_mmap, SYS_munmap,
    SYS_mremap, SYS_mprotect, SYS_futex, SYS_clone, SYS_clone3, SYS_rt_sigprocmask,
    SYS_set_robust_list, SYS_rseq, SYS_wait4, SYS_rt_sigreturn, SYS_rt_sigaction, SYS_getrandom};

static struct sock_fprog make_filter(const long *more, unsigned count, unsigned otherwise)
{
    filter_count = 0;
    load_field(offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < sizeof own_calls / sizeof *own_calls; i++)
        allow(own_calls[i]);
    for (unsigned i = 0; i < count; i++)
        allow(more[i]);
    allow_with_third(SYS_madvise, MADV_DONTNEED, otherwise);
    put(BPF_RET | BPF_K, otherwise, 0, 0);
    return (struct sock_fprog){filter_count, filter};
}

static void by_prctl(void)
{
    struct sock_fprog program = make_filter(NULL, 0, SECCOMP_RET_KILL_PROCESS);
    require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
    require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "prctl");
}

static void by_syscall(unsigned flags)
{
    struct sock_fprog program = make_filter(NULL, 0, SECCOMP_RET_KILL_PROCESS);
    require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
    require(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0, "seccomp");
}

/* As nobody sees it: by an instruction of its own. */
static void unseen(void)
{
    struct sock_fprog program = make_filter(NULL, 0, SECCOMP_RET_KILL_PROCESS);
    long result;
    require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_seccomp), "D"(SECCOMP_SET_MODE_FILTER), "S"(0), "d"(&program)
                     : "rcx", "r11", "memory");
    require(result == 0, "seccomp");
}

/* Each depth is another stack. */
NOT_INLINED static void keep_below(unsigned depth)
{
    volatile char room[2048];
    room[depth % sizeof room] = 1;
    if (depth != 0)
        keep_below(depth - 1);
    else
        keep();
}

static void *work_below(void *argument)
{
    churn(300);
    keep_below((unsigned)(size_t)argument);
    return NULL;
}

/* All that a program may do under its filter. */
static void live(void)
{
    churn(3000);
    for (unsigned depth = 0; depth < 60; depth++)
        keep_below(depth);
    for (unsigned i = 0; i < 2000; i++)
        keep();
    for (unsigned depth = 0; depth < 6; depth++)
        run_threads(4, work_below, (void *)(size_t)(depth * 7));
}

static void scene_prctl(void)
{
    keep();
    by_prctl();
    live();
}

/* The filter is the first thing that the program does. */
static void scene_first(void)
{
    by_prctl();
    live();
}

static void scene_syscall(void)
{
    keep();
    by_syscall(0);
    live();
}

static _Atomic int is_over;

static void *go_on(void *argument)
{
    (void)argument;
    while (!is_over)
        churn(50);
    churn(1000);
    keep_below(9);
    return NULL;
}

/* It comes to threads that are in the midst of allocating. */
static void scene_threads(void)
{
    pthread_t threads[4];
    for (unsigned i = 0; i < 4; i++)
        require(pthread_create(&threads[i], NULL, go_on, NULL) == 0, "pthread_create");
    churn(20000);
    by_syscall(SECCOMP_FILTER_FLAG_TSYNC);
    churn(20000);
    is_over = 1;
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    live();
}

/* A child under the filter. */
static void scene_fork(void)
{
    by_prctl();
    live();
    long child = syscall(SYS_clone, 0x11, 0, 0, 0, 0);
    if (child == 0) {
        churn(3000);
        _exit(7);
    }
    int how = 0;
    require(waitpid((pid_t)child, &how, 0) == child, "waitpid");
    if (!WIFEXITED(how) || WEXITSTATUS(how) != 7)
        _exit(10);
    churn(100);
}

/* A filter that is refused is none. */
static void scene_refused(void)
{
    require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 16) != 0, "a filter at 16");
    require(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, 16) != 0, "a filter at 16");
    live();
}

/* More than there is room for. */
static void scene_much(void)
{
    by_prctl();
    for (unsigned long i = 0; i < amount(400000); i++)
        keep();
}

static void scene_unseen(void)
{
    unseen();
    live();
}

/* What kills it is a call of its own. */
static void scene_own(void)
{
    by_prctl();
    live();
    (void)syscall(SYS_getppid);
}

/* What follows runs under a filter from its start on. */
static void scene_guest(void)
{
    churn(1000);
    live();
}

static void launch(unsigned otherwise, const char *scene, int in_child)
{
    static const long loading[] = {SYS_execve, SYS_openat, SYS_read, SYS_pread64, SYS_close,
        SYS_fstat, SYS_newfstatat, SYS_access, SYS_arch_prctl, SYS_set_tid_address, SYS_prlimit64,
        SYS_getrandom, SYS_readlink};
    struct sock_fprog program = make_filter(loading, sizeof loading / sizeof *loading, otherwise);
    require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
    require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "prctl");
    if (in_child) {
        int how = 0;
        pid_t child = fork();
        if (child != 0) {
            require(waitpid(child, &how, 0) == child, "waitpid");
            _exit(WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how));
        }
    }
    execl("/proc/self/exe", "sandbox", scene, NULL);
    _exit(11);
}

/* Under a filter that kills, of a launcher; of a parent, which is under it itself; and under one
 * that lets all pass but says no to what is not on the list. */
static void scene_launch(void)
{
    launch(SECCOMP_RET_KILL_PROCESS, "guest", 0);
}

static void scene_launch_below(void)
{
    launch(SECCOMP_RET_KILL_PROCESS, "guest", 1);
}

static void scene_launch_open(void)
{
    launch(SECCOMP_RET_ALLOW, "guest", 1);
}

/* The agent makes a file, and dies where it gives it a size. */
static int run_without_ftruncate(char **command)
{
    load_field(offsetof(struct seccomp_data, nr));
    put(BPF_JMP | BPF_JEQ | BPF_K, SYS_ftruncate, 0, 1);
    put(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    put(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    struct sock_fprog program = {filter_count, filter};
    require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
    require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "prctl");
    execvp(command[0], command);
    return 11;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "without-ftruncate") == 0)
        return run_without_ftruncate(argv + 2);
    static const struct scene scenes[] = {
        {"prctl", scene_prctl},
        {"first", scene_first},
        {"syscall", scene_syscall},
        {"threads", scene_threads},
        {"fork", scene_fork},
        {"refused", scene_refused},
        {"much", scene_much},
        {"unseen", scene_unseen},
        {"own", scene_own},
        {"guest", scene_guest},
        {"launch", scene_launch},
        {"launch-below", scene_launch_below},
        {"launch-open", scene_launch_open},
    };
    return play(scenes, sizeof scenes / sizeof *scenes, argc, argv);
}
