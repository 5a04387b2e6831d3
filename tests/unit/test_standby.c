/* A worker that waits for orders: its answers, its end, and what is said of that. */
#include "os/process/standby.h"

#include "base/limits.h"
#include "check.h"
#include "os/process/rights.h"

#include <signal.h>
#include <unistd.h>

static void check_cause(struct hf_standby_ending ending, const char *expected)
{
    char text[200];
    hf_standby_put_cause(&ending, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_causes(void **state)
{
    struct hf_standby_ending ending = {.was_not_started = true};
    (void)state;
    hf_error_set(&ending.error, HF_ERR_SYSTEM, "no room");
    check_cause(ending, "could not be started: no room");
    check_cause((struct hf_standby_ending){.is_late = true, .worker.signal = SIGKILL},
        "took more than 600 seconds (HF_LIMIT_ORDER_SECONDS)");
    check_cause(
        (struct hf_standby_ending){.worker.signal = SIGSEGV, .worker.code = HF_RIGHTS_NOT_DROPPED},
        "crashed (signal 11)");
    check_cause((struct hf_standby_ending){.worker.signal = SIGXCPU},
        "exceeded the limit of processor time for a reader (HF_LIMIT_WORKER_SECONDS) (signal 24)");
    check_cause((struct hf_standby_ending){.worker.signal = SIGKILL},
        "was killed, perhaps because memory ran out (signal 9)");
    check_cause((struct hf_standby_ending){.worker.signal = SIGBUS},
        "read a file that shrank or became unreadable (signal 7)");
    check_cause((struct hf_standby_ending){.worker.code = HF_RIGHTS_NOT_DROPPED},
        "cannot give up its rights on this system: use --no-sandbox to read with all rights");
    check_cause((struct hf_standby_ending){.worker.code = 3}, "ended with status 3");
}

enum { ECHO, SHORT, CRASH, LEAVE };

/* Its own number, so that the test sees who answers, and the order's bytes. */
static size_t work(void *context, const struct hf_standby_order *order, char *reply)
{
    int pid = (int)getpid();
    (void)context;
    if (order->kind == CRASH && signal(SIGSEGV, SIG_DFL) != SIG_ERR) /* cmocka catches it */
        (void)raise(SIGSEGV);
    if (order->kind == LEAVE)
        _exit(5);
    memcpy(reply, &pid, sizeof pid);
    memcpy(reply + sizeof pid, order->bytes.data, order->bytes.size);
    return sizeof pid + order->bytes.size - (order->kind == SHORT);
}

struct reply {
    int pid;
    char text[4];
};

static bool ask(struct hf_standby *standby, uint32_t kind, struct reply *reply,
    struct hf_standby_ending *ending)
{
    const struct hf_standby_order order = {.kind = kind, .bytes = HF_TEXT("four"), .fd = -1};
    *reply = (struct reply){0};
    return hf_standby_do(standby, &order, reply, sizeof *reply, ending);
}

static void test_orders(void **state)
{
    static const struct hf_broker_rules rules = {0};
    struct hf_standby standby;
    struct hf_standby_ending ending;
    struct hf_error err;
    struct reply reply;
    (void)state;
    check_ok(hf_standby_init(&standby, &rules, &err), &err);
    standby.work = work;
    assert_true(ask(&standby, ECHO, &reply, &ending));
    int worker = reply.pid;
    assert_memory_equal(reply.text, "four", 4);
    assert_int_equal(worker, standby.worker);
    assert_int_not_equal(worker, getpid());
    assert_true(ask(&standby, ECHO, &reply, &ending)); /* the same one */
    assert_int_equal(reply.pid, worker);
    assert_true(hf_standby_spent_ns(&standby) > 0);
    assert_false(ask(&standby, SHORT, &reply, &ending)); /* an answer of another size is none */
    assert_int_equal(standby.worker, 0);
    assert_true(ask(&standby, ECHO, &reply, &ending)); /* a new one */
    assert_int_not_equal(reply.pid, worker);
    worker = reply.pid;
    assert_false(ask(&standby, CRASH, &reply, &ending));
    assert_int_equal(ending.worker.signal, SIGSEGV);
    assert_false(ending.is_late || ending.was_not_started);
    assert_false(ask(&standby, LEAVE, &reply, &ending));
    assert_int_equal(ending.worker.code, 5);
    assert_int_equal(ending.worker.signal, 0);
    assert_true(ask(&standby, ECHO, &reply, &ending));
    worker = reply.pid;
    hf_standby_rest(&standby);
    assert_int_equal(kill(worker, 0), -1); /* it is gone */
    assert_true(ask(&standby, ECHO, &reply, &ending));
    worker = reply.pid;
    hf_standby_done(&standby);
    assert_int_equal(kill(worker, 0), -1);
}

static void test_inside(void **state)
{
    struct hf_standby standby = {.is_inside = true, .work = work};
    struct hf_standby_ending ending;
    struct reply reply;
    (void)state;
    assert_true(ask(&standby, ECHO, &reply, &ending));
    assert_int_equal(reply.pid, getpid());
    assert_memory_equal(reply.text, "four", 4);
    assert_false(ask(&standby, SHORT, &reply, &ending));
    assert_int_equal(reply.pid, 0); /* nothing is copied */
    assert_int_equal(standby.worker, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_inside),
    };
    return cmocka_run_group_tests_name("standby", tests, NULL, NULL);
}
