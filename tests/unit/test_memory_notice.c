/*
 * That a watcher is told when memory runs out: of cgroup v1 by a group of the test's own where one
 * can be made, of v2 by a fake folder.
 */
#include "capture/watcher.h"
#include "check.h"
#include "os/path.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define MIB ((size_t)1 << 20)

static void put(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    assert_true(hf_path_format(path, "%s/%s", folder, name));
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
}

static void make_v2(char *folder)
{
    assert_non_null(mkdtemp(folder));
    put(folder, "memory.current", "1000\n");
    put(folder, "memory.max", "10000\n");
    put(folder, "memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n");
    put(folder, "memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=17\n");
}

static void remove_v2(const char *folder)
{
    static const char *const names[] = {
        "memory.current", "memory.max", "memory.events", "memory.pressure"};
    char path[PATH_MAX];
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        assert_true(hf_path_format(path, "%s/%s", folder, names[i]));
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

struct waiting {
    struct hf_loop loop;
    struct hf_loop_source patience;
    struct hf_memory_group group;
    struct hf_memory_notice notice;
    unsigned told; /* how often */
};

static void take(void *context)
{
    struct waiting *w = context;
    w->told++;
    w->loop.is_over = true;
}

static enum hf_status give_up(void *context, struct hf_error *err)
{
    (void)context;
    return hf_error_set(err, HF_ERR_SYSTEM, "nobody said anything");
}

/* Nothing that is waited for here takes as long. */
static struct hf_loop_source end_of_patience(void)
{
    return (struct hf_loop_source){
        .fd = -1, .due_ns = hf_loop_now_ns() + 20 * SECOND, .wake = give_up};
}

static void begin(struct waiting *w, const char *folder)
{
    *w = (struct waiting){.group = hf_memory_group_of(1, folder), .patience = end_of_patience()};
    hf_loop_add(&w->loop, &w->patience);
    hf_memory_notice_begin(&w->notice, &w->group, &w->loop, take, w);
}

static void test_v2_is_told_of_events(void **state)
{
    (void)state;
    char folder[] = "/tmp/heapflame-test-XXXXXX", line[64] = "";
    make_v2(folder);
    struct waiting w;
    begin(&w, folder);
    put(folder, "memory.events", "low 0\nhigh 3\nmax 0\noom 0\noom_kill 0\n");
    assert_int_equal(hf_loop_run(&w.loop, NULL), HF_OK);
    assert_int_equal(w.told, 1);
    hf_memory_notice_end(&w.notice, &w.loop);
    assert_ptr_equal(w.loop.first, &w.patience);
    /* No trigger was written to what is no file of the kernel's. */
    char path[PATH_MAX];
    assert_true(hf_path_format(path, "%s/memory.pressure", folder));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_true(strncmp(line, "some avg10", 10) == 0);
    remove_v2(folder);
}

/* A watcher that has an hour to wait looks at once. */
static void test_a_watcher_hurries(void **state)
{
    (void)state;
    char folder[] = "/tmp/heapflame-test-XXXXXX";
    make_v2(folder);
    struct hf_loop loop = {0};
    struct hf_watcher watcher = {0};
    struct hf_loop_source patience = end_of_patience();
    hf_watcher_init(&watcher, INT32_MAX, folder);
    watcher.wait_ns = 3600 * SECOND;
    hf_loop_add(&loop, &patience);
    hf_watcher_begin(&watcher, &loop);
    put(folder, "memory.events", "low 0\nhigh 3\nmax 0\noom 0\noom_kill 0\n");
    patience.due_ns = hf_loop_now_ns() + SECOND; /* there is no table, so the look is a short one */
    assert_int_equal(hf_loop_run(&loop, NULL), HF_ERR_SYSTEM);
    assert_true(watcher.wait_ns < 3600 * SECOND);
    hf_watcher_done(&watcher);
    assert_ptr_equal(loop.first, &patience);
    remove_v2(folder);
}

/* What the kernel killed in the group before is none of the program's. */
static void test_a_watcher_counts_kills_from_its_start(void **state)
{
    (void)state;
    char folder[] = "/tmp/heapflame-test-XXXXXX";
    make_v2(folder);
    put(folder, "memory.events", "low 0\nhigh 0\nmax 0\noom 2\noom_kill 2\n");
    struct hf_watcher watcher = {0};
    hf_watcher_init(&watcher, INT32_MAX, folder);
    assert_false(hf_watcher_saw_kill(&watcher));
    put(folder, "memory.events", "low 0\nhigh 0\nmax 0\noom 3\noom_kill 3\n");
    assert_true(hf_watcher_saw_kill(&watcher));
    hf_watcher_done(&watcher);
    remove_v2(folder);
}

/* The kernel's own file takes the trigger; version 2 may be mounted beside a memory of version 1.
 */
static void test_v2_is_told_of_pressure(void **state)
{
    (void)state;
    static const char *const mounts[] = {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"};
    for (size_t i = 0; i < HF_COUNT(mounts); i++) {
        char path[PATH_MAX];
        struct hf_loop loop = {0};
        struct hf_memory_notice notice = {0};
        struct hf_memory_group group = {.is_known = true};
        assert_true(hf_path_format(group.folder, "%s", mounts[i]));
        assert_true(hf_path_format(path, "%s/memory.pressure", mounts[i]));
        if (access(path, R_OK | W_OK) != 0)
            continue;
        hf_memory_notice_begin(&notice, &group, &loop, take, NULL);
        assert_true(notice.sources[1].fd >= 0);
        hf_memory_notice_end(&notice, &loop);
        assert_null(loop.first);
    }
}

/* In the group `folder` from its start, with so many bytes of memory in use until it is killed. */
static pid_t start_user(const char *folder, size_t bytes)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        char own[32];
        (void)snprintf(own, sizeof own, "%d", (int)getpid());
        put(folder, "cgroup.procs", own);
        void *memory = mmap(
            NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        pause();
        _exit(memory == MAP_FAILED);
    }
    return pid;
}

static void test_v1_is_told_of_levels(void **state)
{
    (void)state;
    char folder[PATH_MAX];
    struct hf_memory_group own = hf_memory_group_of((uint32_t)getpid(), NULL);
    assert_true(hf_path_format(folder, "%s/heapflame-test-%d", own.folder, (int)getpid()));
    if (!own.is_v1 || mkdir(folder, 0755) != 0) {
        print_message("no memory cgroup of version 1 can be made here\n");
        return;
    }
    put(folder, "memory.limit_in_bytes", "67108864");
    struct waiting w;
    begin(&w, folder);
    pid_t user = start_user(folder, 56 * MIB);
    assert_int_equal(hf_loop_run(&w.loop, NULL), HF_OK);
    assert_true(w.told == 1 && hf_memory_read(&w.group).current_bytes > 51 * MIB);
    kill(user, SIGKILL);
    waitpid(user, NULL, 0);
    hf_memory_notice_end(&w.notice, &w.loop);
    for (int i = 0; rmdir(folder) != 0 && i < 100; i++)
        usleep(20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_v2_is_told_of_events),
        cmocka_unit_test(test_v2_is_told_of_pressure),
        cmocka_unit_test(test_a_watcher_hurries),
        cmocka_unit_test(test_a_watcher_counts_kills_from_its_start),
        cmocka_unit_test(test_v1_is_told_of_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
