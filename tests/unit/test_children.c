/* What is said of the processes that a process started, by numbers that are made up and of real
 * ones. */
#include "attach/session/children.h"

#include "check.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define OWN 4000000 /* above the most that there may be: no such process has a name */

struct note_case {
    const char *what;
    struct hf_children before, after;
    uint64_t calls;
    const char *notes; /* one a line */
};

#define CHILD(n, start, computed_ms)                                                               \
    {                                                                                              \
        OWN + (n), start, (computed_ms)*MS                                                         \
    }

static const struct note_case cases[] = {
    {"nothing to say", {{CHILD(0, 7, 100)}, 1, 0}, {{CHILD(0, 7, 900)}, 1, 0}, 1, ""},
    {"no calls: by what it computed itself", {{CHILD(0, 7, 100)}, 1, 0}, {{CHILD(0, 7, 900)}, 1, 0},
        0, "no calls were seen in 1.5 s, during which the process used 0.8 s of processor time\n"},
    {"a child that computes more", {{CHILD(0, 7, 0), CHILD(1, 8, 500)}, 2, 0},
        {{CHILD(0, 7, 300), CHILD(1, 8, 900)}, 2, 0}, 1,
        "1 child process is not followed, but used 0.4 s of processor time: attach to the busiest, "
        "4000001 (, 0.4 s), or to all with --tree\n"},
    {"one that computes as much is not less", {{CHILD(0, 7, 0), CHILD(1, 8, 500)}, 2, 0},
        {{CHILD(0, 7, 400), CHILD(1, 8, 900)}, 2, 0}, 1,
        "1 child process is not followed, but used 0.4 s of processor time: attach to the busiest, "
        "4000001 (, 0.4 s), or to all with --tree\n"},
    {"a child that computes less", {{CHILD(0, 7, 0), CHILD(1, 8, 500)}, 2, 0},
        {{CHILD(0, 7, 401), CHILD(1, 8, 900)}, 2, 0}, 1, ""},
    {"less, but no calls were seen", {{CHILD(0, 7, 0), CHILD(1, 8, 500)}, 2, 0},
        {{CHILD(0, 7, 500), CHILD(1, 8, 900)}, 2, 0}, 0,
        "no calls were seen in 1.5 s, during which the process used 0.5 s of processor time\n"
        "1 child process is not followed, but used 0.4 s of processor time: attach to the busiest, "
        "4000001 (, 0.4 s), or to all with --tree\n"},
    {"too little to speak of", {{CHILD(0, 7, 0)}, 1, 0},
        {{CHILD(0, 7, 0), CHILD(1, 8, 50), CHILD(2, 8, 49)}, 3, 0}, 1, ""},
    {"just enough; one that did nothing is not counted", {{CHILD(0, 7, 0), CHILD(3, 9, 77)}, 2, 0},
        {{CHILD(0, 7, 0), CHILD(1, 8, 40), CHILD(2, 8, 60), CHILD(3, 9, 77)}, 4, 0}, 1,
        "2 child processes are not followed, but used 0.1 s of processor time: attach to the "
        "busiest, 4000002 (, 0.1 s), or to all with --tree\n"},
    {"the first of two that are as busy", {{CHILD(0, 7, 0)}, 1, 0},
        {{CHILD(0, 7, 0), CHILD(1, 8, 200), CHILD(2, 8, 200)}, 3, 0}, 1,
        "2 child processes are not followed, but used 0.4 s of processor time: attach to the "
        "busiest, 4000001 (, 0.2 s), or to all with --tree\n"},
    {"a number that was given again: all of it is new", {{CHILD(0, 7, 0), CHILD(1, 8, 1000)}, 2, 0},
        {{CHILD(0, 7, 0), CHILD(1, 9, 1300)}, 2, 0}, 1,
        "1 child process is not followed, but used 1.3 s of processor time: attach to the busiest, "
        "4000001 (, 1.3 s), or to all with --tree\n"},
    {"parallel workers, most at the start", {{CHILD(0, 7, 0)}, 1, 3}, {{CHILD(0, 7, 0)}, 1, 2}, 1,
        "3 parallel workers of process 4000000 are not followed: attach to the postmaster with "
        "--tree\n"},
    {"most at the end", {{CHILD(0, 7, 0)}, 1, 0}, {{CHILD(0, 7, 0)}, 1, 1}, 1,
        "1 parallel worker of process 4000000 is not followed: attach to the postmaster with "
        "--tree\n"},
    {"it had ended at the first look", {{{0}}, 0, 1}, {{{0}}, 0, 0}, 1,
        "1 parallel worker of process 0 is not followed: attach to the postmaster with --tree\n"},
};

static void test_notes(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_notes notes = {0};
        struct hf_out out = {0};
        check_case = cases[i].what;
        hf_children_note(&cases[i].before, &cases[i].after, cases[i].calls, 1500 * MS, &notes);
        for (size_t n = 0; n < notes.count; n++) {
            assert_int_equal(notes.items[n].kind, HF_NOTE_INFO);
            hf_out_printf(&out, "%s\n", notes.items[n].text);
        }
        check_out(&out, cases[i].notes);
        hf_out_done(&out);
        hf_notes_done(&notes);
    }
    check_case = "";
}

/* A child that computes until it is ended, and is called `name`. */
static pid_t start_busy(const char *name)
{
    int begun[2];
    char byte;
    assert_int_equal(pipe(begun), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NAME, name);
        (void)!write(begun[1], "", 1);
        for (volatile unsigned turns = 0;; turns++)
            continue;
    }
    assert_int_equal(read(begun[0], &byte, 1), 1);
    close(begun[0]);
    close(begun[1]);
    return child;
}

/* This test, which hardly computes, has a child that does. */
static void test_look(void **state)
{
    (void)state;
    static struct hf_children before, after;
    struct hf_notes notes = {0};
    char expected[64];
    uint32_t own = (uint32_t)getpid();
    hf_children_look(&before, own);
    assert_int_equal(before.count, 1);
    assert_int_equal(before.items[0].pid, own);
    assert_int_equal(before.parallel_workers, 0);
    pid_t child = start_busy("toiler");
    do {
        usleep(20000);
        hf_children_look(&after, own);
        assert_int_equal(after.count, 2);
        assert_int_equal(after.items[0].pid, own);
        assert_int_equal(after.items[1].pid, child);
    } while (after.items[1].computed_ns < 200 * MS);
    hf_children_note(&before, &after, 0, 1000 * MS, &notes);
    assert_int_equal(notes.count, 2);
    (void)snprintf(expected, sizeof expected, "attach to the busiest, %d (toiler, ", (int)child);
    assert_non_null(strstr(notes.items[1].text, expected));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    hf_children_look(&after, own);
    assert_int_equal(after.count, 1);
    hf_children_look(&after, OWN);
    assert_int_equal(after.count, 0);
    hf_notes_done(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
