/* What is known of the threads of a process that nobody stops: of this one. */
#include "memory/race.h"

#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 5

static struct {
    pid_t tid;
    uint64_t own, on_stack;
} threads[THREADS];
static atomic_uint ready;

/* `here`: in the frame of what waits. */
static void note_thread(size_t i, const int *here)
{
    threads[i].tid = (pid_t)syscall(SYS_gettid);
    threads[i].own = (uintptr_t)__builtin_thread_pointer();
    threads[i].on_stack = (uintptr_t)here;
    atomic_fetch_add(&ready, 1);
}

static void *wait_in_thread(void *number)
{
    int here = 0;
    note_thread((size_t)(uintptr_t)number, &here);
    while (ready <= THREADS)
        usleep(1000);
    return NULL;
}

static void test_threads(void **unused)
{
    struct hf_error err;
    struct hf_snapshot look;
    struct hf_process_image image;
    pthread_t made[THREADS];
    int here = 0;
    (void)unused;
    note_thread(0, &here);
    for (size_t i = 1; i < THREADS; i++)
        assert_int_equal(pthread_create(&made[i], NULL, wait_in_thread, (void *)i), 0);
    while (ready != THREADS)
        usleep(1000);
    check_ok(hf_race_open(&look, getpid(), &err), &err);
    check_ok(hf_process_image_of_snapshot(&image, &look, &err), &err);
    assert_int_equal(look.stopped_ns, 0);
    check_ok(hf_race_find_threads(&image, look.threads, &err), &err);
    size_t found = 0;
    for (size_t i = 0; i < THREADS; i++) {
        for (size_t k = 0; k < look.thread_count; k++) {
            const struct user_regs_struct *r = &look.threads[k].registers;
            if (look.threads[k].tid != threads[i].tid)
                continue;
            assert_int_equal(r->fs_base, threads[i].own);
            const struct hf_process_mapping *stack = hf_process_image_find(&image, r->rsp);
            assert_non_null(stack);
            assert_ptr_equal(stack, hf_process_image_find(&image, threads[i].on_stack));
            assert_true(r->rsp < threads[i].on_stack);
            found++;
        }
    }
    assert_int_equal(found, THREADS);
    hf_process_image_done(&image);
    hf_snapshot_end(&look);
    atomic_fetch_add(&ready, 1);
    for (size_t i = 1; i < THREADS; i++)
        (void)pthread_join(made[i], NULL);
}

/* Without glibc's data there are the numbers of the threads, and no more. */
static void test_unknown(void **unused)
{
    struct hf_error err;
    struct hf_stopped_thread thread = {.tid = 7, .inner = 7};
    struct hf_process_image image = {.threads = &thread, .thread_count = 1};
    (void)unused;
    check_ok(hf_race_find_threads(&image, &thread, &err), &err);
    assert_int_equal(thread.registers.fs_base, 0);
    assert_int_equal(thread.registers.rsp, 0);
}

static void test_none(void **unused)
{
    struct hf_error err;
    struct hf_snapshot look;
    (void)unused;
    assert_int_equal(hf_race_open(&look, 0x3fffffff, &err), HF_ERR_SYSTEM);
    assert_string_equal(err.text, "there is no process 1073741823");
}

static void test_unread_registers(void **unused)
{
    (void)unused;
    const struct hf_stopped_thread made[] = {
        {.registers = {.rip = 5, .rcx = 5}}, /* waits in a call */
        {.registers = {.rip = 5}},           /* waits for something else */
        {.registers = {.rip = 0}},           /* runs */
    };
    assert_int_equal(hf_race_unread_registers(made, 1), 6);
    assert_int_equal(hf_race_unread_registers(made, 3), 6 + 15 + 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_none), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_unread_registers), cmocka_unit_test(test_unknown)};
    return cmocka_run_group_tests_name("race", tests, NULL, NULL);
}
