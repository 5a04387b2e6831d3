/* A process that ends between the look at its files and the probes. No rights are needed: nothing
 * is asked of the kernel. */
#include "attach/keeper/keeper.h"

#include "attach/keeper/perf_wish.h"
#include "check.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child that has ended, and that this process has not asked for yet. */
static pid_t ended_child(void)
{
    pid_t child = fork();
    siginfo_t info;
    assert_true(child >= 0);
    if (child == 0)
        _exit(0);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    return child;
}

/* What is said of a probe in the program, and of its page faults. */
static void check_said(pid_t pid)
{
    char path[64], said[64];
    struct hf_error err;
    const struct hf_perf_wish probe = {.what = HF_PERF_ENTRY, .period = 1};
    const struct hf_perf_wish faults = {.what = HF_PERF_FAULT, .period = 1};
    const struct hf_bpf_place place = {path, 0, false, false};
    (void)snprintf(path, sizeof path, "/proc/%d/root/bin/sh", (int)pid);
    (void)snprintf(said, sizeof said, "process %d has ended", (int)pid);
    struct hf_keeper *keeper = hf_keeper_new((uint32_t)pid);
    assert_non_null(keeper);
    assert_int_equal(hf_keeper_want(keeper, &probe, path, &err), HF_ERR_SYSTEM);
    assert_string_equal(err.text, said);
    assert_int_equal(hf_keeper_place(keeper, &place, &err), HF_ERR_SYSTEM);
    assert_string_equal(err.text, said);
    assert_int_equal(hf_keeper_want(keeper, &faults, "", &err), HF_OK);
    assert_int_equal(hf_keeper_open(keeper, &err), HF_ERR_SYSTEM);
    assert_string_equal(err.text, said);
    hf_keeper_free(keeper);
}

static void test_a_process_that_has_ended(void **state)
{
    (void)state;
    pid_t child = ended_child();
    check_said(child);
    assert_int_equal(waitpid(child, NULL, 0), child);
    check_said(child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_process_that_has_ended)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
