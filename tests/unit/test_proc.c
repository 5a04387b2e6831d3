/* What the system says of processes: of this one, of its children, and of numbers that nobody has.
 */
#include "os/process/proc.h"

#include "base/strings/num.h"
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY 4000000u /* above the most that there may be */

static uint32_t own(void)
{
    return (uint32_t)getpid();
}

/* A child that waits; it tells through the pipe that it has begun. */
static pid_t start_child(const char *name)
{
    int begun[2];
    char byte;
    assert_int_equal(pipe(begun), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NAME, name);
        (void)!write(begun[1], "", 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(begun[0], &byte, 1), 1);
    close(begun[0]);
    close(begun[1]);
    return child;
}

static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void test_start(void **state)
{
    (void)state;
    uint64_t ticks = 0, later = 0;
    char line[1024], *at;
    FILE *file = fopen("/proc/self/stat", "r");
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    at = strrchr(line, ')');
    for (int field = 2; field < 22; field++)
        at = strchr(at + 1, ' ');
    assert_true(hf_proc_start_ticks(own(), &ticks));
    struct hf_text field22 = hf_text_from(hf_text_of(at), 1);
    assert_true(hf_num_take_u64(&field22, &later));
    assert_int_equal(ticks, later);
    usleep(30000);
    pid_t child = start_child("a) S 1\n2 (");
    assert_true(hf_proc_start_ticks((uint32_t)child, &later));
    assert_true(later >= ticks);
    kill(child, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_false(hf_proc_start_ticks((uint32_t)child, &later)); /* it has ended: nobody asked */
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(hf_proc_start_ticks((uint32_t)child, &later));
    assert_false(hf_proc_start_ticks(NOBODY, &later));
}

static void test_program(void **state)
{
    (void)state;
    uint64_t here, there;
    pid_t child = start_child("child");
    assert_true(hf_proc_program(own(), &here));
    assert_true(hf_proc_program((uint32_t)child, &there));
    assert_true(here == there); /* fork(2) makes no program anew */
    end_child(child);
    assert_false(hf_proc_program((uint32_t)child, &there));
    child = fork();
    if (child == 0) {
        execl("/bin/sleep", "sleep", "60", (char *)NULL);
        _exit(1);
    }
    do
        usleep(1000);
    while (hf_proc_program((uint32_t)child, &there) && there == here);
    assert_true(there != here);
    end_child(child);
}

/* From when on nothing can be read of it, which is before it is told as one that has ended. */
static void test_ending(void **state)
{
    (void)state;
    uint64_t program;
    assert_false(hf_proc_is_ending(own()));
    assert_true(hf_proc_is_ending(NOBODY));
    for (int round = 0; round < 20; round++) {
        pid_t child = start_child("child");
        assert_false(hf_proc_is_ending((uint32_t)child));
        kill(child, SIGKILL);
        while (hf_proc_program((uint32_t)child, &program))
            continue;
        assert_true(hf_proc_is_ending((uint32_t)child));
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_true(hf_proc_is_ending((uint32_t)child));
    }
}

static void test_ids(void **state)
{
    (void)state;
    pid_t child = start_child("child");
    assert_int_equal(hf_proc_inner_id(own()), getpid());
    assert_int_equal(hf_proc_parent((uint32_t)child), getpid());
    assert_int_equal(hf_proc_parent(own()), getppid());
    assert_int_equal(hf_proc_parent(NOBODY), 0);
    assert_int_equal(hf_proc_inner_id(NOBODY), 0);
    assert_int_equal(hf_proc_tracer((uint32_t)child), 0);
    if (ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0)
        assert_int_equal(hf_proc_tracer((uint32_t)child), getpid());
    end_child(child);
}

static void test_times(void **state)
{
    (void)state;
    struct hf_proc_times before, after;
    struct timespec now;
    assert_true(hf_proc_times(own(), &before));
    for (volatile unsigned i = 0; i < 200000000; i++) {
        if (i % 100000 != 0)
            continue;
        assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
        uint64_t ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
        if (ns > before.computed_ns + 60000000)
            break;
    }
    assert_true(hf_proc_times(own(), &after));
    assert_true(after.computed_ns > before.computed_ns + 60000000);
    assert_true(after.user_ns + after.system_ns >= before.user_ns + before.system_ns + 10000000);
    assert_int_equal(after.user_ns % 10000000, 0); /* ticks */
    assert_true(after.user_ns + after.system_ns < after.computed_ns + 1000000000);
    assert_false(hf_proc_times(NOBODY, &after));
}

static void *name_itself(void *pipes)
{
    char byte;
    prctl(PR_SET_NAME, "fifteen letters");
    (void)!write(((int *)pipes)[1], &(int){(int)gettid()}, sizeof(int));
    (void)!read(((int *)pipes)[2], &byte, 1);
    return NULL;
}

static void test_names(void **state)
{
    (void)state;
    char name[HF_PROC_NAME_MAX], title[HF_PROC_TITLE_MAX];
    int told[2], ended[2], tid;
    assert_int_equal(pipe(told) | pipe(ended), 0);
    pthread_t thread;
    int pipes[] = {told[0], told[1], ended[0]};
    assert_int_equal(pthread_create(&thread, NULL, name_itself, pipes), 0);
    assert_int_equal(read(told[0], &tid, sizeof tid), sizeof tid);
    struct hf_text text = hf_proc_thread_name(own(), (uint32_t)tid, name);
    check_text(text, "fifteen letters");
    text = hf_proc_thread_name(own(), own(), name);
    check_text(text, "test_proc");
    text = hf_proc_thread_name(own(), NOBODY, name);
    check_text(text, "");
    assert_int_equal(write(ended[1], "", 1), 1);
    pthread_join(thread, NULL);
    text = hf_proc_title(own(), title);
    assert_true(hf_text_ends(text, "test_proc"));
    text = hf_proc_title(NOBODY, title);
    check_text(text, "");
    /* A long first word is cut. */
    char word[400];
    memset(word, 'w', sizeof word);
    word[sizeof word - 1] = '\0';
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sleep", word, "60", (char *)NULL);
        _exit(1);
    }
    do
        text = hf_proc_title((uint32_t)child, title);
    while (!hf_text_starts(text, "ww"));
    assert_int_equal(text.size, HF_PROC_TITLE_MAX);
    end_child(child);
}

struct found {
    uint32_t pids[8];
    size_t count;
};

static void take(void *context, uint32_t pid)
{
    struct found *found = context;
    assert_true(found->count < 8);
    found->pids[found->count++] = pid;
}

static void test_children(void **state)
{
    (void)state;
    struct found found = {.count = 0};
    hf_proc_children(own(), own(), take, &found);
    assert_int_equal(found.count, 0);
    pid_t first = start_child("first"), second = start_child("second");
    hf_proc_children(own(), own(), take, &found);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.pids[0], first);
    assert_int_equal(found.pids[1], second);
    end_child(first);
    end_child(second);
    hf_proc_children(own(), NOBODY, take, &found);
    assert_int_equal(found.count, 2);
}

static void test_memory(void **state)
{
    (void)state;
    struct hf_proc_memory before, after;
    size_t size = 20 << 20;
    assert_true(hf_proc_memory(own(), &before));
    char *block =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    assert_true(block != MAP_FAILED);
    assert_true(hf_proc_memory(own(), &after));
    assert_true(after.resident_bytes >= before.resident_bytes + size / 2);
    assert_true(after.anonymous_bytes >= before.anonymous_bytes + size / 2);
    assert_true(
        after.anonymous_bytes < after.resident_bytes); /* the program's file is there, too */
    assert_int_equal(after.resident_bytes % (size_t)sysconf(_SC_PAGESIZE), 0);
    munmap(block, size);
    assert_false(hf_proc_memory(NOBODY, &after));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_program),
        cmocka_unit_test(test_ending),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_children),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
