/* Live tables that are found, left behind and removed: files that this test writes, of processes
 * that are made up, of itself and of its children. */
#include "capture/found_table.h"

#include "capture/leftover_tables.h"
#include "check.h"
#include "folder.h"
#include "live/writer.h"
#include "os/process/proc.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY 4000000u /* above the most processes that there may be */

static char top[64], folder[128];
static _Alignas(HF_LIVE_PAGE_BYTES) uint8_t memory[HF_LIVE_TABLE_MIN];

static int begin(void **state)
{
    (void)state;
    (void)snprintf(top, sizeof top, "/tmp/tables-XXXXXX");
    if (mkdtemp(top) == NULL || setenv("XDG_RUNTIME_DIR", top, 1) != 0)
        return -1;
    (void)snprintf(folder, sizeof folder, "%s/heapflame-%u", top, (unsigned)geteuid());
    return mkdir(folder, 0700);
}

static int end(void **state)
{
    (void)state;
    return folder_remove(top);
}

static bool commit(void *at, size_t bytes)
{
    (void)at, (void)bytes;
    return true;
}

static void take_boot_id(uint8_t id[16])
{
    char text[64] = "";
    int digits = 0, fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    memset(id, 0, 16);
    for (const char *at = text; *at != '\0' && digits < 32; at++) {
        int digit = *at >= '0' && *at <= '9'   ? *at - '0'
                    : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
                                               : -1;
        if (digit < 0)
            continue;
        id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | digit);
        digits++;
    }
}

/* A table of this boot and of nobody who runs, to be changed. */
static struct hf_live_head head_of(uint32_t pid)
{
    struct hf_live_head head = {.magic = HF_LIVE_MAGIC,
        .major = HF_LIVE_MAJOR,
        .minor = HF_LIVE_MINOR,
        .pid = pid,
        .start_ticks = 5,
        .period_bytes = 1,
        .realtime_ns = 1000};
    take_boot_id(head.boot_id);
    (void)snprintf(head.command, sizeof head.command, "server --port 80");
    hf_live_plan(&head, sizeof memory);
    return head;
}

static const char *path_of(const char *name)
{
    static char paths[4][256];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    int fd = open(path_of(name), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}

static void write_table(const char *name, const struct hf_live_head *head)
{
    struct hf_live_table table;
    memset(memory, 0, sizeof memory);
    assert_true(hf_live_begin(&table, memory, head, commit));
    write_bytes(name, memory, sizeof memory);
}

static bool exists(const char *name)
{
    return access(path_of(name), F_OK) == 0;
}

static void age(const char *name, time_t seconds)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - seconds}};
    assert_int_equal(utimensat(AT_FDCWD, path_of(name), times, 0), 0);
}

static bool is_left(const char *name, struct hf_leftover_table *out)
{
    return hf_leftover_table_at(path_of(name), out);
}

static void test_dead(void **state)
{
    (void)state;
    struct hf_found_table table;
    struct hf_error err;
    struct hf_live_head head = head_of(NOBODY);
    write_table("4000000-a.live", &head);
    check_ok(hf_found_table_of(&table, NOBODY, NULL, &err), &err);
    assert_string_equal(table.path, path_of("4000000-a.live"));
    assert_string_equal(table.head.command, "server --port 80");
    assert_int_equal(hf_found_table_writer(&table), 0);
    hf_found_table_close(&table);
    head.realtime_ns++; /* the newer one is taken, whatever its name */
    write_table("4000000-b.live", &head);
    head.realtime_ns -= 2;
    write_table("4000000-c.live", &head);
    write_table("4000000.live", &head); /* no name of a table */
    write_table("4000000-d.other", &head);
    write_table("40000001-a.live", &head); /* another's */
    head.realtime_ns += 100;
    head.pid = NOBODY + 1;
    write_table("4000000-e.live", &head); /* as well */
    check_ok(hf_found_table_of(&table, NOBODY, NULL, &err), &err);
    assert_string_equal(table.path, path_of("4000000-b.live"));
    hf_found_table_close(&table);
    assert_int_equal(hf_found_table_of(&table, NOBODY + 7, NULL, &err), HF_ERR_SYSTEM);
    assert_int_equal(table.fd, -1);
    assert_non_null(strstr(err.text, "there is no process 4000007, and no live table of that PID"));
    /* By the folder itself, or the one that it is in. */
    unsetenv("XDG_RUNTIME_DIR");
    assert_int_equal(hf_found_table_of(&table, NOBODY, NULL, &err), HF_ERR_SYSTEM);
    check_ok(hf_found_table_of(&table, NOBODY, top, &err), &err);
    hf_found_table_close(&table);
    check_ok(hf_found_table_of(&table, NOBODY, folder, &err), &err);
    hf_found_table_close(&table);
    setenv("XDG_RUNTIME_DIR", top, 1);
    write_bytes("4000002-a.live", "text", 4);
    assert_int_equal(hf_found_table_open(&table, path_of("4000002-a.live"), &err), HF_ERR_INPUT);
    assert_int_equal(table.fd, -1);
}

static void test_removed(void **state)
{
    (void)state;
    struct hf_found_table table;
    struct hf_error err;
    struct hf_live_head head = head_of(NOBODY + 20);
    char expected[PATH_MAX + 64];
    write_table("4000020-a.live", &head);
    write_table("4000020-b.live", &head);
    head.start_ticks++; /* another process of that number */
    write_table("4000020-c.live", &head);
    head.pid++;
    write_table("4000020-d.live", &head);
    check_ok(hf_found_table_open(&table, path_of("4000020-a.live"), &err), &err);
    hf_found_tables_remove(&table);
    assert_false(exists("4000020-a.live"));
    assert_false(exists("4000020-b.live"));
    assert_true(exists("4000020-c.live"));
    assert_true(exists("4000020-d.live"));
    assert_int_equal(hf_found_table_remove(&table, &err), HF_ERR_SYSTEM);
    (void)snprintf(expected, sizeof expected, "%s was removed or replaced", table.path);
    check_error(&err, expected);
    write_table("4000020-a.live", &head);
    assert_int_equal(hf_found_table_remove(&table, &err), HF_ERR_SYSTEM); /* another file by now */
    assert_true(exists("4000020-a.live"));
    hf_found_table_close(&table);
}

static void test_state(void **state)
{
    static const struct {
        uint32_t number;
        const char *name;
    } calls[] = {{SYS_read, "read"}, {SYS_mmap, "mmap"}, {SYS_unlinkat, "unlinkat"},
        {SYS_openat, "openat"}, {9999, "a system call"}};
    (void)state;
    struct hf_live_head head = head_of(NOBODY + 30);
    struct hf_live_table table;
    struct hf_found_table found;
    char program[HF_LIVE_EXECUTED_BYTES];
    for (size_t i = 0; i < HF_COUNT(calls); i++) {
        memset(memory, 0, sizeof memory);
        assert_true(hf_live_begin(&table, memory, &head, commit));
        atomic_store(&table.state->calls[i % HF_LIVE_CALLS], calls[i].number + 1);
        memset(table.state->executed, 'x', sizeof table.state->executed);
        write_bytes("4000030-a.live", memory, sizeof memory);
        check_ok(hf_found_table_open(&found, path_of("4000030-a.live"), NULL), NULL);
        assert_string_equal(hf_found_table_call(&found), calls[i].name);
        assert_true(hf_found_table_executed(&found, program));
        assert_int_equal(strlen(program), HF_LIVE_EXECUTED_BYTES - 1);
        found.head.minor = 2; /* which had no such thing */
        assert_false(hf_found_table_executed(&found, program));
        hf_found_table_close(&found);
    }
    write_table("4000030-a.live", &head);
    check_ok(hf_found_table_open(&found, path_of("4000030-a.live"), NULL), NULL);
    assert_null(hf_found_table_call(&found));
    assert_false(hf_found_table_executed(&found, program));
    hf_found_table_close(&found);
}

/* Of a process that runs: the table that it has mapped. */
static void test_mapped(void **state)
{
    (void)state;
    struct hf_found_table table;
    struct hf_error err;
    uint32_t own = (uint32_t)getpid();
    uint64_t ticks;
    char name[64];
    assert_true(hf_proc_start_ticks(own, &ticks));
    assert_int_equal(hf_found_table_of(&table, own, NULL, NULL), HF_ERR_SYSTEM);
    assert_int_equal(hf_found_table_of(&table, own, NULL, &err), HF_ERR_SYSTEM);
    assert_non_null(strstr(err.text, " has no live table: start it with heapflame run"));
    struct hf_live_head head = head_of(own);
    head.start_ticks = ticks;
    (void)snprintf(name, sizeof name, "%u-a.live", own);
    write_table(name, &head);
    assert_int_equal(hf_found_table_of(&table, own, NULL, NULL), HF_ERR_SYSTEM);
    int fd = open(path_of(name), O_RDONLY);
    void *mapped = mmap(NULL, sizeof memory, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(mapped != MAP_FAILED);
    close(fd);
    check_ok(hf_found_table_of(&table, own, NULL, &err), &err);
    assert_string_equal(table.path, path_of(name));
    assert_int_equal(hf_found_table_writer(&table), own);
    table.head.start_ticks++;
    assert_int_equal(hf_found_table_writer(&table), 0);
    hf_found_table_close(&table);
    /* Also where its name went, through the process. */
    assert_int_equal(rename(path_of(name), path_of("moved")), 0);
    write_bytes(name, "other", 5);
    if (hf_found_table_of(&table, own, NULL, &err) == HF_OK)
        hf_found_table_close(&table);
    pid_t child = fork();
    if (child == 0) {
        for (;;)
            pause();
    }
    assert_int_equal(rename(path_of("moved"), path_of(name)), 0);
    assert_int_equal(hf_found_table_of(&table, (uint32_t)child, NULL, &err), HF_ERR_SYSTEM);
    char said[200];
    (void)snprintf(said, sizeof said,
        "process %d is a child of the recorded process %u, but not recorded itself: start the "
        "parent with heapflame run --follow-fork",
        (int)child, own);
    check_error(&err, said);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    munmap(mapped, sizeof memory);
}

static void test_left(void **state)
{
    (void)state;
    struct hf_leftover_table left;
    struct stat info;
    struct hf_live_head head = head_of(NOBODY + 40);
    assert_int_equal(stat("/proc/self/ns/pid", &info), 0);
    head.pid_namespace = info.st_ino;
    write_table("4000040-a.live", &head);
    age("4000040-a.live", 100);
    assert_true(is_left("4000040-a.live", &left));
    assert_int_equal(left.pid, NOBODY + 40);
    assert_string_equal(left.command, "server --port 80");
    assert_false(left.is_unborn);
    assert_true(left.age_ns >= UINT64_C(100000000000) && left.age_ns < UINT64_C(200000000000));
    assert_int_equal(stat(path_of("4000040-a.live"), &info), 0);
    assert_int_equal(left.bytes, (uint64_t)info.st_blocks * 512);
    head.pid_namespace++; /* whether its process runs cannot be seen */
    write_table("4000040-a.live", &head);
    assert_false(is_left("4000040-a.live", &left));
    head.boot_id[15]++; /* but of another boot nobody does */
    write_table("4000040-a.live", &head);
    assert_true(is_left("4000040-a.live", &left));
    static const char *const names[] = {
        "a-4000040.live", "0-a.live", "4000040.live", "4294967296-a.live", "-a.live"};
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        write_table(names[i], &head);
        assert_false(is_left(names[i], &left));
    }
}

/* A process that runs, its family, and who watches keep it. */
static void test_kept(void **state)
{
    (void)state;
    struct hf_leftover_table left;
    struct hf_live_table table;
    struct timespec now;
    char name[64];
    uint64_t ticks;
    uint32_t own = (uint32_t)getpid();
    assert_true(hf_proc_start_ticks(own, &ticks));
    struct hf_live_head head = head_of(own);
    head.start_ticks = ticks;
    (void)snprintf(name, sizeof name, "%u-k.live", own);
    write_table(name, &head);
    assert_false(is_left(name, &left));
    head.start_ticks++;
    write_table(name, &head);
    assert_true(is_left(name, &left));
    head = head_of(NOBODY + 50);
    (void)snprintf(name, sizeof name, "4000050-%u-a.live", own);
    write_table(name, &head);
    assert_false(is_left(name, &left)); /* the family goes on */
    write_table("4000050-4000051-a.live", &head);
    assert_true(is_left("4000050-4000051-a.live", &left));
    (void)snprintf(name, sizeof name, "4000050-%u.live", own); /* no family: a number by chance */
    write_table(name, &head);
    assert_true(is_left(name, &left));
    memset(memory, 0, sizeof memory);
    assert_true(hf_live_begin(&table, memory, &head, commit));
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct hf_live_control *control = (void *)(memory + 2 * (size_t)HF_LIVE_PAGE_BYTES);
    uint64_t ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    atomic_store(&control->watched_until_ns, ns + UINT64_C(100000000000));
    write_bytes("4000050-w.live", memory, sizeof memory);
    assert_false(is_left("4000050-w.live", &left));
    atomic_store(&control->watched_until_ns, ns - 1);
    write_bytes("4000050-w.live", memory, sizeof memory);
    assert_true(is_left("4000050-w.live", &left));
}

/* Files that never became tables. */
static void test_unborn(void **state)
{
    (void)state;
    static const char zeros[100];
    struct hf_leftover_table left;
    struct hf_error err;
    char own[64];
    write_bytes("4000060-a.live", zeros, sizeof zeros);
    age("4000060-a.live", 5);
    assert_false(is_left("4000060-a.live", &left)); /* it may be about to be born */
    age("4000060-a.live", 20);
    assert_true(is_left("4000060-a.live", &left));
    assert_true(left.is_unborn);
    assert_string_equal(left.command, "");
    write_bytes("4000060-b.live", "HEAPFLAM", 8);
    age("4000060-b.live", 20);
    assert_false(is_left("4000060-b.live", &left));
    (void)snprintf(own, sizeof own, "%d-u.live", (int)getpid());
    write_bytes(own, zeros, sizeof zeros);
    age(own, 20);
    assert_false(is_left(own, &left));
    check_ok(hf_leftover_table_remove(path_of("4000060-a.live"), &err), &err);
    assert_false(exists("4000060-a.live"));
    assert_int_equal(hf_leftover_table_remove(path_of("4000060-a.live"), &err), HF_ERR_SYSTEM);
    assert_non_null(strstr(err.text, " is in use again, or was removed"));
    struct hf_live_head head = head_of(NOBODY + 61);
    write_table("4000061-a.live", &head);
    check_ok(hf_leftover_table_remove(path_of("4000061-a.live"), &err), &err);
    assert_false(exists("4000061-a.live"));
    /* Of a process that is known to be dead, at once. */
    assert_false(hf_found_tables_unborn(NOBODY + 62, NULL));
    write_bytes("4000062-a.live", zeros, sizeof zeros);
    write_bytes("4000062-b.live", "HEAPFLAM", 8);
    write_bytes("4000063-a.live", zeros, sizeof zeros);
    assert_true(hf_found_tables_unborn(NOBODY + 62, NULL));
    assert_false(exists("4000062-a.live"));
    assert_true(exists("4000062-b.live"));
    assert_true(exists("4000063-a.live"));
    assert_false(hf_found_tables_unborn(NOBODY + 62, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dead),
        cmocka_unit_test(test_removed),
        cmocka_unit_test(test_state),
        cmocka_unit_test(test_mapped),
        cmocka_unit_test(test_left),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_unborn),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
