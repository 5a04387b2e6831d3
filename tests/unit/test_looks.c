/* Several processes followed at once: looks that only wait, at children of this test. */
#include "attach/session/looks.h"

#include "base/limits.h"
#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct hf_looks looks;

/* A process that waits to be ended. */
static pid_t start_target(void)
{
    pid_t child = fork();
    if (child == 0) {
        for (;;)
            pause();
    }
    assert_true(child > 0);
    return child;
}

static void end_target(pid_t child)
{
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void add_member(pid_t pid)
{
    struct hf_member *member = &looks.members.items[looks.members.count++];
    *member = (struct hf_member){.pid = (uint32_t)pid};
    assert_true(hf_proc_start_ticks(member->pid, &member->start_ticks));
}

/* A look records what it was told to: here how it ends. */
static _Noreturn void be_a_look(struct hf_look *look)
{
    look->recording->stage = HF_RECORDING_BEGUN;
    while (!look->recording->shall_end)
        usleep(1000);
    look->recording->is_complete = true;
    _exit(0);
}

static struct hf_look *step(void)
{
    struct hf_look *started = NULL;
    struct hf_error err;
    bool is_look = true;
    enum hf_status status = hf_looks_step(&looks, &started, &is_look, &err);
    if (is_look)
        be_a_look(started);
    check_ok(status, &err);
    return started;
}

static void wait_for_stage(const struct hf_look *look, enum hf_recording_stage stage)
{
    while (look->recording->stage < stage)
        usleep(1000);
}

static void test_two(void **state)
{
    (void)state;
    pid_t first = start_target(), second = start_target();
    memset(&looks, 0, sizeof looks);
    assert_null(step()); /* nobody is there yet */
    add_member(first);
    struct hf_look *look = step();
    assert_non_null(look);
    assert_ptr_equal(look, &looks.items[0]);
    assert_int_equal(look->process.pid, first);
    assert_string_equal(look->name, "test_looks");
    assert_int_equal(look->tries, 1);
    assert_true(look->worker > 0 && look->program != 0);
    assert_false(look->is_late);
    assert_null(step()); /* it has one */
    wait_for_stage(look, HF_RECORDING_BEGUN);
    assert_true(hf_looks_have_reached(&looks, HF_RECORDING_BEGUN));
    looks.has_begun = true;
    add_member(second);
    look = step();
    assert_ptr_equal(look, &looks.items[1]);
    assert_true(look->is_late);
    assert_int_equal(look->process.pid, second);
    assert_null(step());
    assert_int_equal(hf_looks_running(&looks), 2);
    assert_false(looks.items[0].recording->is_complete);
    hf_looks_end(&looks);
    assert_int_equal(hf_looks_running(&looks), 0);
    assert_true(looks.items[0].recording->is_complete && looks.items[1].recording->is_complete);
    add_member(getppid());
    assert_null(step()); /* nothing is started any more */
    hf_looks_done(&looks);
    assert_int_equal(looks.count, 0);
    end_target(first);
    end_target(second);
}

/* One that could not be followed is tried again, as long as it lives, up to four times. */
static void test_tries(void **state)
{
    (void)state;
    pid_t target = start_target();
    memset(&looks, 0, sizeof looks);
    add_member(target);
    struct hf_look *look = step();
    for (unsigned tries = 1; tries < 4; tries++) {
        assert_int_equal(look->tries, tries);
        look->recording->failed = HF_ERR_INPUT;
        look->recording->shall_end = true;
        while (hf_looks_running(&looks) != 0 && look->tries == tries) {
            usleep(1000);
            look = step() != NULL ? &looks.items[0] : look;
        }
        assert_int_equal(looks.count, 1);
    }
    assert_int_equal(look->tries, 4);
    look->recording->failed = HF_ERR_INPUT;
    look->recording->shall_end = true;
    while (hf_looks_running(&looks) != 0) {
        usleep(1000);
        assert_null(step());
    }
    assert_null(step());
    look->tries = 1;
    look->recording->failed = HF_ERR_SYSTEM; /* that will not be better in a moment */
    assert_null(step());
    look->recording->failed = HF_ERR_INPUT;
    end_target(target);
    assert_null(step());
    hf_looks_done(&looks);
}

/* It runs another program than the one that was looked at: what that was is forgotten. */
static void test_another_program(void **state)
{
    (void)state;
    pid_t target = start_target();
    memset(&looks, 0, sizeof looks);
    add_member(target);
    struct hf_look *look = step();
    assert_false(hf_look_is_outdated(look));
    look->program++;
    assert_true(hf_look_is_outdated(look));
    assert_null(step()); /* the look is not over yet */
    look->process.start_ticks++;
    assert_false(hf_look_is_outdated(look)); /* another process */
    look->process.start_ticks--;
    look->tries = 4;
    look->recording->shall_end = true;
    struct hf_look *started = NULL;
    while (started == NULL) {
        usleep(1000);
        started = step();
    }
    assert_ptr_equal(started, look);
    assert_int_equal(look->tries, 1);
    assert_int_equal(looks.count, 1);
    assert_false(hf_look_is_outdated(look));
    look->program = 0; /* not known */
    assert_false(hf_look_is_outdated(look));
    hf_looks_done(&looks);
    end_target(target);
}

static void test_reached(void **state)
{
    (void)state;
    struct hf_recording *recording = NULL;
    struct hf_error err;
    memset(&looks, 0, sizeof looks);
    assert_true(hf_looks_have_reached(&looks, HF_RECORDING_BEGUN));
    check_ok(hf_recording_new(&recording, false, &err), &err);
    looks.count = 1;
    looks.items[0] = (struct hf_look){.recording = recording, .worker = 1};
    assert_false(hf_looks_have_reached(&looks, HF_RECORDING_COUNTED));
    recording->stage = HF_RECORDING_COUNTED;
    assert_true(hf_looks_have_reached(&looks, HF_RECORDING_COUNTED));
    assert_false(hf_looks_have_reached(&looks, HF_RECORDING_BEGUN));
    looks.items[0].is_late = true; /* for those nobody waits */
    assert_true(hf_looks_have_reached(&looks, HF_RECORDING_BEGUN));
    looks.items[0].is_late = false;
    looks.items[0].worker = 0; /* nor for what is over */
    assert_true(hf_looks_have_reached(&looks, HF_RECORDING_BEGUN));
    assert_int_equal(hf_looks_running(&looks), 0);
    looks.count = 0;
    hf_recording_free(recording);
}

static void test_too_many(void **state)
{
    (void)state;
    struct hf_notes notes = {0};
    char said[160];
    memset(&looks, 0, sizeof looks);
    hf_looks_note(&looks, &notes);
    assert_int_equal(notes.count, 0);
    looks.count = HF_LIMIT_FOLLOWED;
    for (size_t i = 0; i < 2; i++) {
        add_member(getppid());
        assert_null(step());
        assert_null(step()); /* counted once */
        assert_int_equal(looks.left_out, i + 1);
        hf_looks_note(&looks, &notes);
    }
    looks.members.are_more = true;
    hf_looks_note(&looks, &notes);
    assert_int_equal(notes.count, 3);
    (void)snprintf(said, sizeof said,
        "1 process was not followed, because %u are (HF_LIMIT_FOLLOWED)", HF_LIMIT_FOLLOWED);
    assert_string_equal(notes.items[0].text, said);
    (void)snprintf(said, sizeof said,
        "2 processes were not followed, because %u are (HF_LIMIT_FOLLOWED)", HF_LIMIT_FOLLOWED);
    assert_string_equal(notes.items[1].text, said);
    (void)snprintf(said, sizeof said,
        "there are more than %u processes (HF_LIMIT_MEMBERS): the others were not looked at",
        HF_LIMIT_MEMBERS);
    assert_string_equal(notes.items[2].text, said);
    assert_true(notes.has_loss);
    hf_notes_done(&notes);
    looks.count = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two),
        cmocka_unit_test(test_tries),
        cmocka_unit_test(test_another_program),
        cmocka_unit_test(test_reached),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
