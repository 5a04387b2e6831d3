/* A lock on which no thread waits without end, but long enough for a holder that is not running. */
#include "check.h"

#include "base/spinlock.h"

#include <pthread.h>
#include <time.h>

/* As long as a thread may wait for a processor where hundreds want one. */
#define DESCHEDULED_MS 250

static struct hf_spinlock lock;

struct holder {
    pthread_barrier_t held, let_go;
    unsigned held_for_ms; /* 0: until `let_go` */
};

static void *hold(void *argument)
{
    struct holder *holder = argument;
    const struct timespec wait = {0, holder->held_for_ms * 1000000L};
    assert_true(hf_spinlock_take(&lock));
    (void)pthread_barrier_wait(&holder->held);
    if (holder->held_for_ms != 0)
        (void)nanosleep(&wait, NULL);
    else
        (void)pthread_barrier_wait(&holder->let_go);
    hf_spinlock_release(&lock);
    return NULL;
}

static pthread_t begin(struct holder *holder)
{
    pthread_t thread;
    assert_int_equal(pthread_barrier_init(&holder->held, NULL, 2), 0);
    assert_int_equal(pthread_barrier_init(&holder->let_go, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, hold, holder), 0);
    (void)pthread_barrier_wait(&holder->held);
    return thread;
}

static void end(struct holder *holder, pthread_t thread)
{
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_barrier_destroy(&holder->held), 0);
    assert_int_equal(pthread_barrier_destroy(&holder->let_go), 0);
}

static void test_waits_for_a_holder_without_a_processor(void **state)
{
    (void)state;
    struct holder holder = {.held_for_ms = DESCHEDULED_MS};
    pthread_t thread = begin(&holder);
    assert_true(hf_spinlock_take(&lock));
    hf_spinlock_release(&lock);
    end(&holder, thread);
}

static void test_gives_up(void **state)
{
    (void)state;
    struct holder holder = {0};
    pthread_t thread = begin(&holder);
    assert_false(hf_spinlock_take(&lock));
    assert_int_not_equal(atomic_load(&lock.holder) & HF_SPINLOCK_ABANDONED, 0);
    assert_false(hf_spinlock_take(&lock));
    (void)pthread_barrier_wait(&holder.let_go);
    end(&holder, thread);
    assert_true(hf_spinlock_take(&lock));
    assert_true(hf_spinlock_is_mine(&lock));
    hf_spinlock_release(&lock);
}

static void test_refuses_its_holder(void **state)
{
    (void)state;
    assert_true(hf_spinlock_take(&lock));
    assert_false(hf_spinlock_take(&lock));
    assert_int_equal(atomic_load(&lock.holder) & HF_SPINLOCK_ABANDONED, 0);
    hf_spinlock_release(&lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waits_for_a_holder_without_a_processor),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_refuses_its_holder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
