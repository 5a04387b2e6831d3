/* Which processes belong together: those that a process of this test starts, in a session of their
 * own. */
#include "attach/session/members.h"

#include "base/limits.h"
#include "check.h"
#include "os/process/proc.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* first -> second -> third; a thread of the first that is not its main one started `other`. */
struct family {
    pid_t first, second, third, other;
};

static struct hf_members members;

/* Tells the process's number, and its children's through it, and waits for the end. */
static _Noreturn void live_on(int tell)
{
    pid_t own = getpid();
    if (write(tell, &own, sizeof own) != sizeof own)
        _exit(1);
    for (;;)
        pause();
}

static void *start_other(void *context)
{
    if (fork() == 0)
        live_on(*(int *)context);
    pause(); /* whose child it is ends with the thread */
    return NULL;
}

static pid_t told(int from)
{
    pid_t pid = 0;
    assert_int_equal(read(from, &pid, sizeof pid), sizeof pid);
    return pid;
}

static struct family begin_family(void)
{
    int own[2], second[2], third[2], other[2];
    struct family f;
    assert_int_equal(pipe(own) | pipe(second) | pipe(third) | pipe(other), 0);
    if (fork() == 0) {
        pthread_t thread;
        setsid();
        if (fork() == 0) {
            if (fork() == 0)
                live_on(third[1]);
            live_on(second[1]);
        }
        pthread_create(&thread, NULL, start_other, &other[1]);
        live_on(own[1]);
    }
    f = (struct family){told(own[0]), told(second[0]), told(third[0]), told(other[0])};
    for (int i = 0; i < 2; i++) {
        close(own[i]);
        close(second[i]);
        close(third[i]);
        close(other[i]);
    }
    return f;
}

/* Ends one, and waits until the system knows it. */
static void end_one(pid_t pid)
{
    uint64_t ticks;
    kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0); /* if it is a child of this one */
    while (hf_proc_start_ticks((uint32_t)pid, &ticks))
        usleep(1000);
}

static void look(void)
{
    struct hf_error err;
    check_ok(hf_members_look(&members, &err), &err);
}

static size_t count_of(pid_t pid)
{
    size_t count = 0;
    for (size_t i = 0; i < members.count; i++)
        count += members.items[i].pid == (uint32_t)pid;
    return count;
}

static void test_tree(void **state)
{
    (void)state;
    struct family f = begin_family();
    uint64_t ticks;
    members = (struct hf_members){.tree = (uint32_t)f.first};
    for (int times = 0; times < 2; times++) { /* who is known is not added again */
        look();
        assert_int_equal(members.count, 4);
        assert_int_equal(members.items[0].pid, f.first);
        assert_true(hf_proc_start_ticks((uint32_t)f.first, &ticks));
        assert_int_equal(members.items[0].start_ticks, ticks);
        assert_int_equal(count_of(f.second) + count_of(f.third) + count_of(f.other), 3);
        assert_int_equal(count_of(f.second), 1);
        assert_int_equal(count_of(f.third), 1);
        assert_false(members.are_more);
    }
    members.items[0].is_known = true;
    end_one(f.third); /* its parent does not ask: it has ended all the same */
    look();
    assert_int_equal(members.count, 3);
    assert_true(members.items[0].is_known);
    assert_int_equal(count_of(f.third), 0);
    end_one(f.first); /* those below it stay, although nobody is above them */
    look();
    assert_int_equal(members.count, 2);
    assert_int_equal(count_of(f.second) + count_of(f.other), 2);
    /* The number was given to another process. */
    for (size_t i = 0; i < members.count; i++)
        members.items[i].start_ticks += members.items[i].pid == (uint32_t)f.second;
    look();
    assert_int_equal(members.count, 1);
    assert_int_equal(count_of(f.other), 1);
    end_one(f.second);
    end_one(f.other);
    look();
    assert_int_equal(members.count, 0);
}

/* Of this test's own session nobody is followed, nor whoever started it. */
static void test_own(void **state)
{
    (void)state;
    members = (struct hf_members){.tree = (uint32_t)getpid()};
    look();
    assert_int_equal(members.count, 0);
    members = (struct hf_members){.tree = (uint32_t)getppid()};
    look();
    assert_int_equal(members.count, 0);
}

static void write_list(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void test_cgroup(void **state)
{
    (void)state;
    struct family f = begin_family();
    struct hf_error err;
    char text[128], list[96], folder[] = "/tmp/members-XXXXXX";
    assert_non_null(mkdtemp(folder));
    members = (struct hf_members){.cgroup = folder};
    assert_int_equal(hf_members_look(&members, &err), HF_ERR_INPUT); /* it lists nobody */
    (void)snprintf(list, sizeof list, "%s/cgroup.procs", folder);
    (void)snprintf(text, sizeof text, "%d\n%d\n%d\n", (int)f.first, (int)getpid(), (int)f.third);
    write_list(list, text);
    look();
    assert_int_equal(members.count, 2); /* without those below them, and without this one */
    assert_int_equal(count_of(f.first) + count_of(f.third), 2);
    write_list(list, "");
    look();
    assert_int_equal(members.count, 2); /* who was seen stays */
    (void)snprintf(text, sizeof text, "%d\n", (int)f.second);
    write_list(list, text);
    members.count = HF_LIMIT_MEMBERS; /* no room: those that are there are no processes */
    for (size_t i = 0; i < members.count; i++)
        members.items[i] = members.items[0];
    look();
    assert_int_equal(members.count, HF_LIMIT_MEMBERS);
    assert_int_equal(count_of(f.second), 0);
    assert_true(members.are_more);
    members.are_more = false;
    members.count = HF_LIMIT_MEMBERS - 1;
    look();
    assert_int_equal(members.count, HF_LIMIT_MEMBERS);
    assert_int_equal(count_of(f.second), 1);
    assert_false(members.are_more);
    end_one(f.third);
    end_one(f.second);
    end_one(f.other);
    end_one(f.first);
    assert_int_equal(unlink(list) | rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_cgroup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
