/* What attach makes of its options, and what it says of those that make no sense. */
#include "attach/session/backend.h"
#include "check.h"
#include "cli/process/attach/attach_choice.h"

#include <unistd.h>

#define SECOND UINT64_C(1000000000)

static struct hf_attach_options options_of(void)
{
    return (struct hf_attach_options){.overhead = "30%",
        .backend = "auto",
        .duration_ns = 10 * SECOND,
        .older_ns = HF_OLDER_UNSAID,
        .seed = 5,
        .period_bytes = 4096};
}

static void refuses(
    const struct hf_attach_options *options, const struct hf_operands *operands, const char *why)
{
    struct hf_session_options session = {0};
    struct hf_error err;
    check_case = why;
    assert_int_equal(hf_attach_choose(options, operands, &session, &err), HF_ERR_USAGE);
    check_error(&err, why);
}

static struct hf_session_options takes(
    const struct hf_attach_options *options, const struct hf_operands *operands)
{
    struct hf_session_options session = {0};
    struct hf_error err;
    check_ok(hf_attach_choose(options, operands, &session, &err), &err);
    return session;
}

static struct hf_operands one(const char *name)
{
    static const char *items[1];
    items[0] = name;
    return (struct hf_operands){.items = items, .count = 1};
}

static void test_process(void **state)
{
    const char *two[] = {"1", "2"};
    char own[16], why[64];
    const struct hf_operands none = {0}, both = {.items = two, .count = 2};
    (void)state;
    struct hf_attach_options options = options_of();
    struct hf_operands operands = one("1");
    assert_int_equal(takes(&options, &operands).pid, 1);
    static const char expected[] = "expected one PID, e.g. 'heapflame attach 4711 -o leak.svg'";
    refuses(&options, &none, expected);
    refuses(&options, &both, expected);
    operands = one("shell");
    refuses(&options, &operands, "expected a PID, found 'shell'");
    snprintf(own, sizeof own, "%d", (int)getpid());
    snprintf(why, sizeof why, "process %s is heapflame itself", own);
    operands = one(own);
    refuses(&options, &operands, why);
    options.pid = "2";
    assert_int_equal(takes(&options, &none).pid, 2);
    operands = one("1");
    refuses(&options, &operands, expected);
}

static void test_group(void **state)
{
    static const char either[] = "expected either a PID, --cgroup or --unit";
    const struct hf_operands none = {0}, operands = one("1");
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct hf_attach_options options = options_of();
        *(i == 0 ? &options.cgroup : &options.unit) = "x";
        assert_int_equal(takes(&options, &none).pid, 0);
        refuses(&options, &operands, either);
        options.tree = true;
        refuses(&options, &none, either);
        options.tree = false;
        options.pid = "2";
        refuses(&options, &none, either);
        options.pid = NULL;
        options.cgroup = options.unit = "x";
        refuses(&options, &none, either);
    }
}

static void test_times(void **state)
{
    static const struct {
        const char *overhead;
        uint64_t per_mille; /* UINT64_MAX: refused */
    } cases[] = {{"30%", 300}, {"0.5%", 5}, {"12", 120}, {"0", 0}, {"1000000%", 10000000},
        {"1000001%", UINT64_MAX}, {"%", UINT64_MAX}, {"many", UINT64_MAX}};
    const struct hf_operands operands = one("1");
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_attach_options options = options_of();
        char why[200];
        options.overhead = cases[i].overhead;
        snprintf(why, sizeof why,
            "--max-overhead: expected a percentage of the process's own processor time, e.g. "
            "'30%%'; found '%s'",
            cases[i].overhead);
        if (cases[i].per_mille == UINT64_MAX)
            refuses(&options, &operands, why);
        else
            assert_int_equal(takes(&options, &operands).most_per_mille, cases[i].per_mille);
    }
    struct hf_attach_options options = options_of();
    struct hf_session_options session = takes(&options, &operands);
    assert_false(session.has_older);
    assert_int_equal(session.older_ns, 0);
    assert_int_equal(session.duration_ns, 10 * SECOND);
    options.older_ns = 10 * SECOND - 1;
    session = takes(&options, &operands);
    assert_true(session.has_older);
    assert_int_equal(session.older_ns, 10 * SECOND - 1);
    options.older_ns = 10 * SECOND;
    refuses(&options, &operands,
        "--older: expected a time shorter than --duration, which is 10 s; found 10 s");
}

static void test_backend_and_stack(void **state)
{
    static const struct {
        uint64_t bytes;
        uint32_t taken;
    } stacks[] = {{0, 0}, {1023, UINT32_MAX}, {1024, 1024}, {1031, 1024}, {1032, 1032}};
    const struct hf_operands operands = one("1");
    (void)state;
    struct hf_attach_options options = options_of();
    struct hf_session_options session = takes(&options, &operands);
    assert_null(session.backend);
    assert_int_equal(session.seed, 5);
    assert_int_equal(session.period_bytes, 4096);
    options.backend = "perf";
    assert_ptr_equal(takes(&options, &operands).backend, &hf_backend_perf);
    options.backend = "bpf";
    assert_ptr_equal(takes(&options, &operands).backend, &hf_backend_bpf);
    options.backend = "ptrace";
    refuses(&options, &operands, "--backend: expected auto, perf or bpf, found 'ptrace'");
    options = options_of();
    uint32_t most = hf_backend_perf.most_stack_bytes;
    for (size_t i = 0; i < HF_COUNT(stacks); i++) {
        options.stack_bytes = stacks[i].bytes;
        if (stacks[i].taken != UINT32_MAX)
            assert_int_equal(takes(&options, &operands).stack_bytes, stacks[i].taken);
    }
    char why[100];
    for (int i = 0; i < 2; i++) {
        options.stack_bytes = i == 0 ? 1023 : most + 1;
        snprintf(why, sizeof why, "--stack: expected bytes, from 1KiB to %uKiB, found %u",
            most / 1024, (unsigned)options.stack_bytes);
        refuses(&options, &operands, why);
    }
    options.stack_bytes = most;
    assert_int_equal(takes(&options, &operands).stack_bytes, most / 8 * 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_process),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_backend_and_stack),
    };
    return cmocka_run_group_tests_name("attach_choice", tests, NULL, NULL);
}
