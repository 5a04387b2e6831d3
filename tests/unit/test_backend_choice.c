/* Which backend follows, and how much of the time, by costs that are made up. */
#include "attach/session/backend_choice.h"

#include "attach/session/pace.h"
#include "check.h"

static enum hf_status refused;

static enum hf_status check_nothing(const struct hf_probe *probes, size_t count, bool with_faults,
    uint64_t period_bytes, struct hf_error *err)
{
    (void)probes, (void)count, (void)with_faults, (void)period_bytes;
    return refused == HF_OK ? HF_OK : hf_error_set(err, refused, "it cannot");
}

static enum hf_status follow(void *backend, bool follows, struct hf_error *err)
{
    (void)backend, (void)follows, (void)err;
    return HF_OK;
}

/* A stop takes 1 us exact, half of that sampled. */
static const struct hf_backend whole = {.name = "whole",
    .most_stack_bytes = 4096,
    .exact = {1000, 1000, 0},
    .sampled = {500, 500, 0},
    .check = check_nothing};
static const struct hf_backend thin = {.name = "thin",
    .most_stack_bytes = 4096,
    .samples = true,
    .exact = {1000, 1000, 0},
    .sampled = {500, 500, 0},
    .check = check_nothing,
    .follow_births = follow};

/* So many calls in a second of wall time, half of it births, in which it computed 100 ms. */
static struct hf_session session_of(uint64_t calls, uint64_t most_per_mille)
{
    return (struct hf_session){
        .options = {.most_per_mille = most_per_mille},
        .cost = {.births = {.emulated = calls / 2},
            .ends = {.emulated = calls - calls / 2},
            .wall_ns = 1000000000,
            .computed_ns = 100000000,
            .machine_ratio = 1000},
    };
}

static void test_period(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_session session = session_of(19999, 1000);
    check_ok(hf_backend_choice_try(&session, &thin, &err), &err);
    assert_int_equal(session.period_bytes, 1);
    assert_ptr_equal(session.backend, &thin);
    assert_ptr_equal(hf_backend_choice_prices(&session), &thin.exact);
    session = session_of(20000, 1000);
    check_ok(hf_backend_choice_try(&session, &thin, &err), &err);
    assert_int_equal(session.period_bytes, 65536);
    assert_ptr_equal(hf_backend_choice_prices(&session), &thin.sampled);
    session = session_of(20000, 1000);
    check_ok(hf_backend_choice_try(&session, &whole, &err), &err); /* it cannot sample */
    assert_int_equal(session.period_bytes, 1);
    session = session_of(20000, 1000);
    session.options.period_bytes = 4096;
    check_ok(hf_backend_choice_try(&session, &thin, &err), &err);
    assert_int_equal(session.period_bytes, 4096);
    uint64_t contexts[1] = {1};
    session = session_of(20000, 1000);
    session.contexts = contexts; /* blocks in contexts are never sampled by themselves */
    check_ok(hf_backend_choice_try(&session, &thin, &err), &err);
    assert_int_equal(session.period_bytes, 1);
}

static void test_refused(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_session session = session_of(10, 1000);
    session.options.stack_bytes = 4096;
    check_ok(hf_backend_choice_try(&session, &whole, &err), &err);
    session.options.stack_bytes = 4097;
    assert_int_equal(hf_backend_choice_try(&session, &whole, &err), HF_ERR_USAGE);
    check_error(&err, "--stack: the whole backend copies at most 4096 bytes of each stack");
    session.options.stack_bytes = 0;
    refused = HF_ERR_INPUT;
    assert_int_equal(hf_backend_choice_try(&session, &whole, &err), HF_ERR_INPUT);
    check_error(&err, "it cannot");
    refused = HF_OK;
}

static void test_price(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_session session = session_of(10000, 100); /* 10 ms of 100 */
    check_ok(hf_backend_choice_try(&session, &whole, &err), &err);
    assert_int_equal(session.added_per_mille, 99);
    assert_int_equal(session.births_per_mille, 1000);
    session.options.most_per_mille = 99; /* as much is allowed */
    check_ok(hf_backend_choice_try(&session, &whole, &err), &err);
    session.options.most_per_mille = 98;
    assert_int_equal(hf_backend_choice_try(&session, &whole, &err), HF_ERR_LIMIT);
    check_error(&err, "nothing was attached: if 10,000 calls a second were followed by whole, the "
                      "process would run at about 90 % of its speed; this would add 9 % to its "
                      "processor time, and --max-overhead allows 9 %; to attach anyway, give "
                      "--max-overhead 19%, perhaps with a shorter time (-d 2s)");
    /* Births for the part of the time that is left when ends took theirs: 49 of 99. */
    check_ok(hf_backend_choice_try(&session, &thin, &err), &err);
    assert_int_equal(session.births_per_mille, (98 - 49) * 1000 / (99 - 49));
    session.options.most_per_mille = 49; /* nothing is left */
    assert_int_equal(hf_backend_choice_try(&session, &thin, &err), HF_ERR_LIMIT);
    session.options.most_per_mille = 50;
    check_ok(hf_backend_choice_try(&session, &thin, &err), &err);
    assert_int_equal(session.births_per_mille, 20);
    assert_int_equal(session.added_per_mille, 99);
}

/* What adds hardly anything to a processor is allowed, however little the process computes. */
static void test_hardly_anything(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_session session = session_of(5000, 1); /* 5 ms of a second, of 1 ms computed */
    session.cost.computed_ns = 1000000;
    assert_int_equal(hf_cost_load(&session.cost, &whole.exact, 1000), HF_PACE_FREE_LOAD - 1);
    check_ok(hf_backend_choice_try(&session, &whole, &err), &err);
    session.cost.ends.emulated += 2;
    assert_int_equal(hf_cost_load(&session.cost, &whole.exact, 1000), HF_PACE_FREE_LOAD);
    assert_int_equal(hf_backend_choice_try(&session, &whole, &err), HF_ERR_LIMIT);
}

static void test_names(void **state)
{
    (void)state;
    assert_ptr_equal(hf_backend_named("bpf"), &hf_backend_bpf);
    assert_ptr_equal(hf_backend_named("perf"), &hf_backend_perf);
    assert_null(hf_backend_named("ftrace"));
    assert_null(hf_backends[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_period),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_price),
        cmocka_unit_test(test_hardly_anything),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
