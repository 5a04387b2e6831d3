/* Snapshots of a process at work: it never notices, no copy ever runs, and nothing of them stays.
 */
#include "base/attr.h"
#include "memory/leftovers.h"

#include "base/strings/num.h"
#include "check.h"
#include "memory/remote_call.h"
#include "memory/stopped_threads.h"
#include "os/process/proc.h"
#include "os/process/process_memory.h"
#include "snapshots.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SNAPSHOTS                                                                                  \
    20 /* these two unless the environment has another number: script/soak snapshots has */
#if HF_SANITIZED /* each starts a process of half a second */
#define KILLS 12
#else
#define KILLS 40
#endif
#define WORDS 4096

/* What the program at work tells the test, in memory of both. */
struct told {
    _Atomic pid_t pid;
    atomic_uint copies_ran, wrong_vectors, wrong_calls, signals;
    atomic_ullong mallocs, sums, naps;
    _Atomic uintptr_t pair; /* two words of it that are always equal, seen by who stops it */
    atomic_bool has_no_main, waits_for_child; /* for the program: how it goes on */
    atomic_ullong longest_ns;                 /* that its storm stood still */
};

static struct told *told;
static pid_t program, debugger; /* 0: none */

static void look_who_runs(void)
{
    if (syscall(SYS_getpid) != told->pid)
        atomic_fetch_add(&told->copies_ran, 1);
}

/* Leaves half of a processor to whoever takes the snapshots: else they wait for it. */
static void leave_processor(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
}

static uint64_t snapshot_test_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *storm(void *unused)
{
    void *blocks[64] = {0};
    uint64_t last_ns = snapshot_test_now_ns();
    for (unsigned i = 0;; i++) {
        uint64_t now_ns = snapshot_test_now_ns(), stood_ns = now_ns - last_ns;
        last_ns = now_ns;
        if (stood_ns > told->longest_ns)
            told->longest_ns = stood_ns;
        void **block = &blocks[i * 31 % 64];
        free(*block);
        *block = malloc(16 + i * 97 % 5000);
        if (i % 1024 == 0) {
            look_who_runs();
            leave_processor();
        }
        atomic_fetch_add_explicit(&told->mallocs, 1, memory_order_relaxed);
    }
    return unused;
}

/* In vector registers, their upper halves as well: a sum that comes out the same each time. */
#define VECTOR_ADD(bytes)                                                                          \
    {                                                                                              \
        typedef double vector __attribute__((vector_size(bytes)));                                 \
        vector one = {1}, sum = {0};                                                               \
        one += 1;                                                                                  \
        for (int i = 0; i < 20000; i++) {                                                          \
            sum += one;                                                                            \
            __asm__ volatile("" : "+x"(sum), "+x"(one));                                           \
        }                                                                                          \
        for (size_t i = 0; i < sizeof sum / sizeof(double); i++)                                   \
            atomic_fetch_add(&told->wrong_vectors, sum[i] != (i == 0 ? 40000 : 20000));            \
    }

static void add_vectors(void) VECTOR_ADD(16)

    __attribute__((target("avx"))) static void add_long_vectors(void) VECTOR_ADD(32)

        static void *sum(void *unused)
{
    bool has_long = __builtin_cpu_supports("avx");
    for (;;) {
        add_vectors();
        if (has_long)
            add_long_vectors();
        look_who_runs();
        leave_processor();
        atomic_fetch_add(&told->sums, 1);
    }
    return unused;
}

/* A call that a stop interrupts must go on as if nothing had been. */
static void *nap(void *unused)
{
    int pipes[2];
    if (pipe(pipes) != 0)
        atomic_fetch_add(&told->wrong_calls, 1);
    for (;;) {
        if (nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL) != 0)
            atomic_fetch_add(&told->wrong_calls, 1);
        look_who_runs();
        atomic_fetch_add(&told->naps, 1);
    }
    return unused;
}

static void count_signal(int signal)
{
    (void)signal;
    atomic_fetch_add(&told->signals, 1);
}

/* Until then the kernel lets the thread go for nothing. */
static void wait_in_vfork(void)
{
    if (syscall(SYS_clone, CLONE_VFORK, 0, 0, 0, 0) == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (told->waits_for_child)
            leave_processor();
        _exit(0);
    }
}

static void work(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    pthread_t thread;
    for (size_t i = 0; i < HF_COUNT(faults); i++)
        (void)signal(faults[i], SIG_DFL); /* cmocka would go on with the tests, here */
    static _Atomic uint64_t pair[2];
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGCHLD, count_signal);
    told->pid = getpid();
    told->pair = (uintptr_t)pair;
    (void)pthread_create(&thread, NULL, storm, NULL);
    (void)pthread_create(&thread, NULL, sum, NULL);
    for (int i = 0; i < 5; i++)
        (void)pthread_create(&thread, NULL, nap, NULL);
    if (told->has_no_main)
        pthread_exit(NULL);
    if (told->waits_for_child)
        wait_in_vfork();
    for (;;)
        pause();
}

static pid_t start_work(void)
{
    pid_t pid = fork();
    if (pid == 0)
        work();
    assert_true(pid > 0);
    program = pid;
    while (told->naps < 3 || told->sums < 3)
        usleep(1000);
    return pid;
}

static int finish(void **state)
{
    (void)state;
    if (debugger > 0) { /* it holds a thread, so the program would not end */
        (void)kill(debugger, SIGKILL);
        (void)waitpid(debugger, NULL, 0);
    }
    debugger = 0;
    if (program > 0) {
        (void)kill(program, SIGKILL);
        while (waitpid(program, NULL, WNOHANG) == 0) {
            (void)waitpid(-1, NULL, __WALL | WNOHANG); /* its threads, if a test holds them */
            usleep(1000);
        }
    }
    program = 0;
    return 0;
}

static int begin(void **state)
{
    (void)state;
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    return told == MAP_FAILED;
}

/* The children that the program has, ended or not. */
static unsigned count_children(pid_t pid)
{
    char path[64], text[4096];
    unsigned count = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    for (size_t i = 0; i < size; i++)
        count += text[i] == ' ';
    return count;
}

static void check_unharmed(pid_t pid)
{
    unsigned long long naps = told->naps, sums = told->sums, mallocs = told->mallocs;
    for (int i = 0;
         i < 10000 && (told->naps < naps + 10 || told->sums == sums || told->mallocs == mallocs);
         i++)
        usleep(1000);
    assert_true(told->naps >= naps + 10);
    assert_true(told->sums > sums);
    assert_true(told->mallocs > mallocs);
    assert_int_equal(told->copies_ran, 0);
    assert_int_equal(told->wrong_vectors, 0);
    assert_int_equal(told->wrong_calls, 0);
    assert_int_equal(told->signals, 0);
    assert_int_equal(kill(pid, 0), 0);
}

static void test_memory_of_an_instant(void **state)
{
    uint64_t count = check_count_of("SNAPSHOTS", SNAPSHOTS);
    uint64_t longest_ns = 0;
    pid_t pid = start_work();
    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct hf_snapshot snapshot;
        uint64_t word;
        pid_t seen = 0;
        take_snapshot(&snapshot, pid);
        struct hf_memory memory = hf_memory_of_file(&snapshot.memory);
        assert_int_equal(snapshot.thread_count, 8);
        assert_true(hf_memory_copy(&memory, (uintptr_t)told, &seen, sizeof seen));
        assert_int_equal(seen, pid);
        for (size_t t = 0; t < snapshot.thread_count; t++)
            assert_true(
                hf_memory_copy(&memory, snapshot.threads[t].registers.rsp, &word, sizeof word));
        longest_ns = snapshot.stopped_ns > longest_ns ? snapshot.stopped_ns : longest_ns;
        hf_snapshot_end(&snapshot);
        assert_int_equal(count_children(pid), 0);
    }
    check_unharmed(pid);
    print_message(
        "%" PRIu64 " snapshots, the longest stop %.1f ms\n", count, (double)longest_ns / 1e6);
}

static pid_t another_thread(pid_t pid)
{
    char path[64];
    pid_t tid = pid;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        uint64_t number;
        if (hf_num_u64(hf_text_of(entry->d_name), &number))
            tid = (pid_t)number;
    }
    (void)closedir(folder);
    assert_int_not_equal(tid, pid);
    return tid;
}

/* Holds a thread as a debugger does, until it is killed. */
static void start_debugger(pid_t tid)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    debugger = fork();
    if (debugger == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (ptrace(PTRACE_SEIZE, tid, 0, 0) != 0 || write(ready[1], "", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
}

static void test_refused_stop_holds_nobody(void **state)
{
    struct hf_stopped stopped;
    struct hf_error err;
    pid_t pid = start_work();
    start_debugger(another_thread(pid));
    (void)state;
    assert_int_equal(hf_stop_threads(&stopped, pid, &err), HF_ERR_SYSTEM);
    assert_non_null(strstr(err.text, "is already traced by process"));
    assert_int_equal(hf_proc_tracer((uint32_t)pid), 0);
    (void)kill(debugger, SIGKILL);
    (void)waitpid(debugger, NULL, 0);
    debugger = 0;
    check_unharmed(pid);
}

static void ignore_ends(int signal)
{
    (void)signal;
}

/* Where SIGCHLD is ignored, the kernel does not say when a thread has stopped. */
static void test_stop_where_ends_are_ignored(void **state)
{
    struct hf_stopped stopped;
    sigset_t mask;
    pid_t pid = start_work();
    (void)state;
    for (int i = 0; i < 4; i++) {
        (void)signal(SIGCHLD, i % 2 == 0 ? SIG_IGN : ignore_ends);
        bool is_stopped = hf_stop_threads(&stopped, pid, NULL) == HF_OK;
        size_t count = stopped.count;
        hf_stopped_release(&stopped);
        (void)signal(SIGCHLD, SIG_DFL);
        assert_true(is_stopped);
        assert_int_equal(count, 8);
        assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
        assert_false(sigismember(&mask, SIGCHLD));
    }
    check_unharmed(pid);
}

/* The first letter of what the kernel says of a thread: T is stopped by a signal. */
static char state_of(pid_t pid)
{
    char path[64], text[512], *end;
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[size] = '\0';
    end = strrchr(text, ')');
    assert_non_null(end);
    return end[2];
}

static bool becomes(pid_t pid, char state)
{
    for (int i = 0; i < 3000 && state_of(pid) != state; i++)
        usleep(1000);
    return state_of(pid) == state;
}

/* A system call in place of a snapshot's; meanwhile come these signals. */
static void call_and_signal(pid_t pid, int first, int second)
{
    struct hf_stopped stopped = {0};
    struct hf_remote_call call = {0};
    struct hf_error err;
    int64_t result = 0;
    check_ok(hf_stop_threads(&stopped, pid, &err), &err);
    assert_int_equal(kill(pid, first), 0);
    check_ok(hf_remote_call_begin(&call, &stopped, &err), &err);
    check_ok(hf_remote_call_do(&call, SYS_getpid, NULL, 0, &result, &err), &err);
    assert_int_equal(result, pid);
    if (second != 0)
        assert_int_equal(kill(pid, second), 0);
    hf_remote_call_end(&call);
    hf_stopped_release(&stopped);
}

/* As a shell's ^Z: SIGSTOP is the one signal that a thread cannot hold back. */
static void test_stopped_by_signal_during_call(void **state)
{
    pid_t pid = start_work();
    (void)state;
    call_and_signal(pid, SIGSTOP, 0);
    assert_true(becomes(pid, 'T'));
    assert_int_equal(kill(pid, SIGCONT), 0);
    check_unharmed(pid);
    call_and_signal(pid, SIGSTOP, SIGCONT);
    check_unharmed(pid);
}

/* pthread_exit(3) in main(): the kernel shows no memory by the number of the process then. */
static void test_main_thread_ended(void **state)
{
    told->has_no_main = true;
    pid_t pid = start_work();
    (void)state;
    assert_true(becomes(pid, 'Z'));
    for (int i = 0; i < 5; i++) {
        struct hf_snapshot snapshot;
        pid_t seen = 0;
        take_snapshot(&snapshot, pid);
        struct hf_memory memory = hf_memory_of_file(&snapshot.memory);
        assert_int_equal(snapshot.thread_count, 7);
        assert_true(hf_memory_copy(&memory, (uintptr_t)told, &seen, sizeof seen));
        assert_int_equal(seen, pid);
        hf_snapshot_end(&snapshot);
        struct hf_leftovers left = hf_leftovers_of(pid);
        assert_int_equal(left.zombie_count, 0);
        assert_false(left.has_code);
    }
    check_unharmed(pid);
}

/* One thread that the kernel does not let go is waited for twice: until it is refused, and until it
 * can be let go. The others wait once. */
static void test_refused_stop_is_short(void **state)
{
    struct hf_stopped stopped;
    struct hf_error err;
    told->waits_for_child = true;
    pid_t pid = start_work();
    (void)state;
    assert_true(becomes(pid, 'D'));
    told->longest_ns = 0;
    uint64_t began_ns = snapshot_test_now_ns();
    assert_int_equal(hf_stop_threads(&stopped, pid, &err), HF_ERR_SYSTEM);
    uint64_t took_ns = snapshot_test_now_ns() - began_ns;
    assert_non_null(strstr(err.text, "vfork"));
    check_unharmed(pid);
    assert_true(told->longest_ns >= HF_STOP_PATIENCE_NS / 2);
    assert_true(told->longest_ns < took_ns * 3 / 4);
    told->waits_for_child = false; /* it is still ours, and stops now */
    assert_true(becomes(pid, 't'));
    check_ok(hf_stop_threads(&stopped, pid, &err), &err);
    hf_stopped_release(&stopped);
    assert_true(becomes(pid, 'S'));
}

/* It is first at the processor only while the program stands still. */
static void test_guardian_has_its_pace_back(void **state)
{
    struct hf_snapshot snapshot;
    const struct sched_param none = {0};
    pid_t pid = start_work();
    (void)state;
    assert_int_equal(sched_setscheduler(0, SCHED_BATCH, &none), 0);
    take_snapshot(&snapshot, pid);
    int policy = sched_getscheduler(snapshot.guardian);
    hf_snapshot_end(&snapshot);
    assert_int_equal(sched_setscheduler(0, SCHED_OTHER, &none), 0);
    assert_int_equal(policy, SCHED_BATCH);
    check_unharmed(pid);
}

/* The tool, which may be killed at any time. */
static pid_t start_tool(pid_t pid)
{
    pid_t tool = fork();
    if (tool != 0)
        return tool;
    for (;;) {
        struct hf_snapshot snapshot;
        if (hf_snapshot_take(&snapshot, pid, NULL) == HF_OK)
            hf_snapshot_end(&snapshot);
    }
}

/* The first child of a process but `other`; 0: none. */
static pid_t child_of(pid_t parent, pid_t other)
{
    char path[64];
    int child = 0, next;
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = fopen(path, "r");
    while (file != NULL && child == 0 && fscanf(file, "%d", &next) == 1)
        child = next != other ? next : 0;
    if (file != NULL)
        (void)fclose(file);
    return child;
}

/* Guardians whose tool died are this process's. */
static void wait_for_guardians(pid_t pid)
{
    pid_t guardian;
    while ((guardian = child_of(getpid(), pid)) != 0)
        (void)waitpid(guardian, NULL, 0);
}

enum victim { TOOL = 1, GUARDIAN = 2, BOTH = 3 };

/* Kills the tool, its guardian or both at random instants; returns how long guardians needed at
 * most to clean up. */
static uint64_t kill_some(pid_t pid, enum victim victim)
{
    uint64_t count = check_count_of("KILLS", KILLS), longest_ns = 0;
    for (uint64_t i = 0; i < count; i++) {
        pid_t tool = start_tool(pid), guardian = 0;
        usleep((useconds_t)(2000 + random() % 20000));
        guardian = child_of(tool, 0);
        if ((victim & GUARDIAN) != 0 && guardian > 0)
            (void)kill(guardian, SIGKILL);
        if ((victim & TOOL) == 0)
            usleep(20000); /* it goes on with another */
        (void)kill(tool, SIGKILL);
        uint64_t killed_ns = snapshot_test_now_ns();
        (void)waitpid(tool, NULL, 0);
        wait_for_guardians(pid);
        uint64_t took_ns = snapshot_test_now_ns() - killed_ns;
        longest_ns = took_ns > longest_ns ? took_ns : longest_ns;
        assert_true(victim != TOOL || count_children(pid) == 0);
        assert_true(victim != BOTH || count_children(pid) <= 1);
    }
    return longest_ns;
}

static void check_killed(enum victim victim)
{
    struct hf_error err;
    pid_t pid = start_work();
    uint64_t longest_ns = kill_some(pid, victim);
    check_unharmed(pid);
    struct hf_leftovers left = hf_leftovers_of(pid);
    for (int wait = 0; wait < 10000 && left.zombie_count != count_children(pid); wait++) {
        usleep(1000); /* a copy that is killed has to get a processor to end */
        left = hf_leftovers_of(pid);
    }
    print_message("%s killed %" PRIu64 " times: cleaned up after at most %.0f ms; left behind: %zu "
                  "zombies, code %d\n",
        victim == TOOL       ? "tool"
        : victim == GUARDIAN ? "guardian"
                             : "both",
        check_count_of("KILLS", KILLS), (double)longest_ns / 1e6, left.zombie_count, left.has_code);
    assert_true(victim != TOOL || (left.zombie_count == 0 && !left.has_code));
    /* A copy that a thread made on its way out of a call may still have to get a processor to end.
     */
    for (int wait = 0; wait < 10000 && (wait == 0 || left.zombie_count != 0 || left.has_code ||
                                           count_children(pid) != 0);
         wait++) {
        usleep(1000);
        check_ok(hf_leftovers_remove(pid, &err), &err);
        left = hf_leftovers_of(pid);
    }
    assert_int_equal(left.zombie_count, 0);
    assert_false(left.has_code);
    assert_int_equal(count_children(pid), 0);
    check_unharmed(pid);
}

static void test_tool_killed(void **state)
{
    (void)state;
    check_killed(TOOL);
}

static void test_guardian_killed(void **state)
{
    (void)state;
    check_killed(GUARDIAN);
}

static void test_both_killed(void **state)
{
    (void)state;
    check_killed(BOTH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_memory_of_an_instant, begin, finish),
        cmocka_unit_test_setup_teardown(test_refused_stop_holds_nobody, begin, finish),
        cmocka_unit_test_setup_teardown(test_stop_where_ends_are_ignored, begin, finish),
        cmocka_unit_test_setup_teardown(test_refused_stop_is_short, begin, finish),
        cmocka_unit_test_setup_teardown(test_stopped_by_signal_during_call, begin, finish),
        cmocka_unit_test_setup_teardown(test_main_thread_ended, begin, finish),
        cmocka_unit_test_setup_teardown(test_guardian_has_its_pace_back, begin, finish),
        cmocka_unit_test_setup_teardown(test_tool_killed, begin, finish),
        cmocka_unit_test_setup_teardown(test_guardian_killed, begin, finish),
        cmocka_unit_test_setup_teardown(test_both_killed, begin, finish),
    };
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
