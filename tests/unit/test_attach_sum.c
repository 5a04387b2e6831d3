/* One profile of several processes, of recordings that are made up: each process is a frame
 * outermost, and it is said who was not followed and why. */
#include "attach/session/recording.h"
#include "cli/process/attach/attach_sum.h"
#include "stacks.h"

#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define NOBODY 4194305u /* above every pid there is */

static struct hf_looks looks;
static const struct hf_session_options how = {.duration_ns = 10 * SECOND};

/* A process and what was recorded of it: one block of `bytes`, unless that is 0. */
static struct hf_look *add(uint32_t pid, const char *name, uint64_t bytes)
{
    struct hf_error err;
    struct hf_look *look = &looks.items[looks.count++];
    *look = (struct hf_look){.process = {.pid = pid}};
    snprintf(look->name, sizeof look->name, "%s", name);
    check_ok(hf_recording_new(&look->recording, false, &err), &err);
    struct hf_tracker_options options = {.pid = pid,
        .period_bytes = 1,
        .table_bytes = HF_RECORDING_TABLE_BYTES,
        .table = look->recording->table,
        .command = HF_TEXT("program")};
    struct hf_session session = {.options = {.pid = pid, .recording = look->recording},
        .backend = &hf_backend_perf,
        .begin_ns = (100 + pid) * SECOND,
        .end_ns = (104 + pid) * SECOND,
        .period_bytes = pid,
        .has_contexts = pid == 1,
        .added_per_mille = 1000 * pid,
        .end = pid == 2 ? HF_SESSION_PROCESS_ENDED : HF_SESSION_TIME_OVER};
    check_ok(hf_tracker_new(&options, &session.tracker, &err), &err);
    struct hf_traced_call call = {.role = HF_ROLE_ALLOC,
        .address = 0x5000,
        .size = bytes,
        .time_ns = pid == 1 ? session.end_ns - 1 : session.begin_ns, /* the first is young */
        .stack = HF_TRACKER_NO_STACK};
    const uint64_t frame = 0x1000;
    assert_true(hf_tracker_stack(session.tracker, &frame, 1, 0, &call.stack));
    if (bytes != 0) {
        hf_tracker_put(session.tracker, &call);
        hf_notes_add(&session.notes, HF_NOTE_INFO, "worth knowing");
        hf_recording_put(look->recording, &session);
    }
    hf_tracker_free(session.tracker);
    hf_notes_done(&session.notes);
    return look;
}

static void forget(void)
{
    for (size_t i = 0; i < looks.count; i++)
        hf_recording_free(looks.items[i].recording);
    memset(&looks, 0, sizeof looks);
}

static void fail_with(struct hf_look *look, enum hf_status status, const char *why)
{
    struct hf_error err;
    hf_recording_put_failure(look->recording, hf_error_set(&err, status, "%s", why), &err);
}

static void check_notes_of(const struct hf_profile *profile, const char *expected)
{
    struct hf_out out = {0};
    for (size_t i = 0; i < profile->notes.count; i++) /* those on names are of files */
        if (strstr(profile->notes.items[i].text, "name") == NULL)
            hf_out_printf(&out, "%s%s\n",
                profile->notes.items[i].kind == HF_NOTE_LOSS ? "LOSS " : "",
                profile->notes.items[i].text);
    check_out(&out, expected);
    hf_out_done(&out);
}

static struct hf_profile *sum_of(struct hf_session *session, struct hf_live_ages *ages)
{
    const struct hf_request_names names = {.no_cache = true};
    struct hf_profile *profile = NULL;
    struct hf_error err;
    *ages = (struct hf_live_ages){0};
    check_ok(hf_attach_sum(&looks, &how, &names, session, &profile, ages, &err), &err);
    return profile;
}

static void test_sum(void **state)
{
    (void)state;
    struct hf_session session;
    struct hf_live_ages ages;
    struct hf_out roots = {0};
    add(2, "second", 300);
    add(1, "first", 40);
    struct hf_profile *profile = sum_of(&session, &ages);
    size_t type;
    assert_true(hf_profile_find_type(profile, HF_TEXT("inuse_space"), &type));
    assert_int_equal(hf_profile_total(profile, type, HF_THREAD_ALL).value, 300);
    assert_int_equal(session.young_objects, 1);
    assert_int_equal(session.young_bytes, 40);
    assert_int_equal(session.begin_ns, 101 * SECOND);
    assert_int_equal(session.end_ns, 106 * SECOND);
    assert_int_equal(session.period_bytes, 2);
    assert_true(session.has_contexts);
    assert_int_equal(session.options.duration_ns, 10 * SECOND);
    assert_int_equal(ages.count, 1);
    assert_int_equal(ages.items[0].node, profile->samples[0].node);
    uint32_t root = profile->samples[0].node;
    while (profile->stacks.nodes[root].parent != HF_STACK_ROOT)
        root = profile->stacks.nodes[root].parent;
    stacks_write(profile, root, &roots);
    check_out(&roots, "[second 2]");
    check_notes_of(profile, "process 2: worth knowing\nprocess 1: worth knowing\n"
                            "process 1: 1 block in use (40 B) is younger than 1.2 s and left out; "
                            "--older 0s shows it, a longer --duration leaves out a smaller part\n"
                            "2 processes were followed; 1 ended earlier, and the profile has what "
                            "it had in use then\n"
                            "while attached, process 2 (second), which was slowed most, ran at "
                            "about 1/3 of its speed\n");
    hf_profile_free(profile);
    free(ages.items);
    hf_out_done(&roots);
    forget();
}

/* Who was not followed: for a reason of his own, for none that is known, or because he ended. */
static void test_failed(void **state)
{
    (void)state;
    struct hf_session session;
    struct hf_live_ages ages;
    pid_t self = getpid(); /* one that runs */
    add(3, "first", 40)->recording->added_per_mille = 10;
    fail_with(add(NOBODY, "quiet", 0), HF_ERR_INPUT, "nothing to watch");
    fail_with(add(NOBODY, "gone", 0), HF_ERR_SYSTEM, "no such process");
    struct hf_look *locked = add((uint32_t)self, "locked", 0);
    fail_with(locked, HF_ERR_SYSTEM, "not allowed");
    assert_true(hf_proc_start_ticks(locked->process.pid, &locked->process.start_ticks));
    add(NOBODY, "dead", 0);
    struct hf_look *none = add(NOBODY, "none", 0);
    hf_recording_free(none->recording);
    none->recording = NULL;
    looks.left_out = 1;
    char expected[1000];
    snprintf(expected, sizeof expected,
        "process 3: worth knowing\n"
        "process 4194305 (quiet) was not followed: nothing to watch\n"
        "LOSS process %d (locked) was not followed: not allowed\n"
        "LOSS process 4194305 (dead) was not followed: the process that followed it died or had "
        "no memory\n"
        "LOSS process 4194305 (none) was not followed: the process that followed it died or had "
        "no memory\n"
        "1 process ended before it could be followed\n"
        "LOSS 1 process was not followed, because 32 are (HF_LIMIT_FOLLOWED)\n",
        (int)self);
    struct hf_profile *profile = sum_of(&session, &ages);
    check_notes_of(profile, expected);
    hf_profile_free(profile);
    free(ages.items);
    locked->process.start_ticks++; /* another process has its number by now */
    profile = sum_of(&session, &ages);
    size_t said = 0;
    for (size_t i = 0; i < profile->notes.count; i++)
        said += strcmp(profile->notes.items[i].text,
                    "2 processes ended before they could be followed") == 0;
    assert_int_equal(said, 1);
    hf_profile_free(profile);
    free(ages.items);
    forget();
}

static void test_none(void **state)
{
    (void)state;
    struct hf_session session;
    struct hf_profile *profile = NULL;
    struct hf_live_ages ages = {0};
    const struct hf_request_names names = {.no_cache = true};
    struct hf_error err;
    struct hf_look *dead = add(NOBODY, "dead", 0);
    add(NOBODY, "dead", 0);
    assert_int_equal(
        hf_attach_sum(&looks, &how, &names, &session, &profile, &ages, &err), HF_ERR_SYSTEM);
    check_error(&err, "none of 2 processes was followed");
    fail_with(&looks.items[1], HF_ERR_INPUT, "nothing to watch");
    assert_int_equal(
        hf_attach_sum(&looks, &how, &names, &session, &profile, &ages, &err), HF_ERR_INPUT);
    check_error(&err, "process 4194305 (dead): nothing to watch");
    dead->recording->failed = HF_ERR_NETWORK + 1; /* it is shared memory: no status there is */
    assert_int_equal(
        hf_attach_sum(&looks, &how, &names, &session, &profile, &ages, &err), HF_ERR_INPUT);
    assert_null(profile);
    forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_failed),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests_name("attach_sum", tests, NULL, NULL);
}
