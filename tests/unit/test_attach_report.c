/* What attach says of a session on standard error, of sessions that are made up. */
#include "attach/session/recording.h"
#include "cli/process/attach/attach_report.h"
#include "formats/heap/live.h"
#include "profile/interval.h"
#include "stacks.h"

#include <sys/mman.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define NOBODY 4194305u /* above every pid there is */

static int own_stderr, said_fd;

static void begin_said(void)
{
    own_stderr = dup(STDERR_FILENO);
    said_fd = memfd_create("said", MFD_CLOEXEC);
    assert_true(own_stderr >= 0 && said_fd >= 0);
    assert_int_equal(dup2(said_fd, STDERR_FILENO), STDERR_FILENO);
}

static void check_said(const char *expected)
{
    char text[4096];
    ssize_t size = pread(said_fd, text, sizeof text, 0);
    assert_int_equal(dup2(own_stderr, STDERR_FILENO), STDERR_FILENO);
    close(own_stderr);
    close(said_fd);
    assert_true(size >= 0);
    const struct hf_text said = {text, (size_t)size};
    check_text(said, expected);
}

static struct hf_session session_of(void)
{
    return (struct hf_session){.options = {.pid = NOBODY, .duration_ns = 4500000000},
        .backend = &hf_backend_perf,
        .period_bytes = 1,
        .begin_ns = 100 * SECOND,
        .end_ns = 112 * SECOND + SECOND / 4};
}

static void check_probes(struct hf_probe *probes, size_t count, bool faults, const char *expected)
{
    struct hf_session session = session_of();
    session.probes.items = probes;
    session.probes.count = count;
    session.options.with_faults = faults;
    begin_said();
    hf_attach_say_probes(&session);
    check_said(expected);
}

/* A function of several probes once, but for those that are dear; each file behind its own. */
static void test_probes(void **state)
{
    struct hf_probe probes[] = {
        {.file = "libc.so.6", .function = "malloc", .is_emulated = true, .returns = true},
        {.file = "libc.so.6", .function = "free", .is_emulated = true},
        {.file = "libc.so.6", .function = "free", .is_emulated = true},
        {.file = "postgres", .function = "AllocSetAlloc"},
        {.file = "postgres", .function = "AllocSetAlloc"},
        {.file = "postgres", .function = "pfree", .is_emulated = true},
    };
    (void)state;
    check_probes(probes, 0, true, "heapflame: process 4194305: page faults\n");
    check_probes(probes, 1, false, "heapflame: process 4194305: malloc of libc.so.6\n");
    check_probes(
        probes, 3, true, "heapflame: process 4194305: malloc free of libc.so.6 page faults\n");
    check_probes(probes, 6, false,
        "heapflame: process 4194305: malloc free of libc.so.6, AllocSetAlloc (stepped) "
        "AllocSetAlloc (stepped) pfree of postgres\n");
}

static void test_cost(void **state)
{
    static const struct {
        bool is_counted;
        uint64_t births_per_mille, added_per_mille, period_bytes;
        const char *expected;
    } cases[] = {
        {false, 1000, 3000, 1,
            "heapflame: its calls cannot be counted in advance; following them with perf for 4.5 "
            "s, within --max-overhead\n"},
        {true, 1000, 0, 1,
            "heapflame: 1,234 calls a second; while perf follows them for 4.5 s, the process will "
            "run at its full speed\n"},
        {true, 1000, 3000, 2,
            "heapflame: 1,234 calls a second; while perf follows them for 4.5 s, the process will "
            "run at about 1/4 of its speed, with one sample every 2 bytes\n"},
        {true, 999, 3000, 1,
            "heapflame: 1,234 calls a second; if perf followed all of them, the process would run "
            "at about 1/4 of its speed, so allocations are followed about 100 % of 4.5 s\n"},
        {true, 90, 250, 524288,
            "heapflame: 1,234 calls a second; if perf followed all of them, the process would run "
            "at about 80 % of its speed, so allocations are followed about 10 % of 4.5 s, with "
            "one sample every 512 KiB\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_session session = session_of();
        session.cost = (struct hf_cost){.births = {1234, 0, 0}, .wall_ns = SECOND};
        session.is_counted = cases[i].is_counted;
        session.births_per_mille = cases[i].births_per_mille;
        session.added_per_mille = cases[i].added_per_mille;
        session.period_bytes = cases[i].period_bytes;
        begin_said();
        hf_attach_say_cost(&session);
        check_said(cases[i].expected);
    }
}

static void test_progress(void **state)
{
    struct hf_error err;
    struct hf_recording *recording;
    struct hf_session session = session_of();
    (void)state;
    check_ok(hf_recording_new(&recording, false, &err), &err);
    struct hf_tracker_options options = {.pid = 7,
        .period_bytes = 1,
        .table_bytes = HF_RECORDING_TABLE_BYTES,
        .table = recording->table,
        .command = HF_TEXT("program")};
    check_ok(hf_tracker_new(&options, &session.tracker, &err), &err);
    const struct hf_tracker_counts counts = {.allocs = 12, .frees = 5};
    hf_tracker_add_counts(session.tracker, &counts);
    session.now_ns = 101 * SECOND + SECOND / 4;
    session.progress.lost = 3;
    begin_said();
    hf_attach_say_progress(&session);
    check_said("\r 1.2 of 4.5 s: 12 allocated, 5 freed, 3 lost ");
    session.backend = &hf_backend_bpf; /* which knows them in the end only */
    begin_said();
    hf_attach_say_progress(&session);
    check_said("\r 1.2 of 4.5 s ");
    hf_tracker_free(session.tracker);
    hf_recording_free(recording);
}

/* Values of one stack, in the order of `types`. */
static struct hf_profile *profile_of(const uint64_t values[5])
{
    static const struct {
        const char *name, *unit;
    } types[] = {{"inuse_objects", "count"}, {"inuse_space", "bytes"}, {"alloc_objects", "count"},
        {HF_HELD_SPACE, "bytes"}, {HF_INUSE_SAMPLES, "count"}};
    uint64_t both[2 * HF_COUNT(types)] = {0};
    struct hf_error err;
    struct hf_profile *profile;
    check_ok(hf_profile_new(&profile, &err), &err);
    for (size_t i = 0; i < HF_COUNT(types); i++) {
        check_ok(hf_profile_add_type(profile, types[i].name, types[i].unit, &err), &err);
        both[i] = values[i];
    }
    check_ok(hf_profile_add_sample(
                 profile, stacks_node(profile, "main;leak"), HF_THREAD_ALL, both, &err),
        &err);
    return profile;
}

static void test_result(void **state)
{
    static const struct {
        uint64_t values[5], young_objects, young_bytes, period_bytes;
        bool has_loss;
        const char *expected;
    } cases[] = {
        {{0}, 0, 0, 1, false,
            "heapflame: 12.2 s: 0 allocated, 0 freed, 0 in use (0 B); nothing was lost\n"},
        {{30, 3000, 1530, 0, 0}, 0, 0, 1, true,
            "heapflame: 12.2 s: 1,530 allocated, 1,500 freed, 30 in use (2.9 KiB); some data was "
            "lost (see the notes)\n"},
        {{30, 3000, 1530, 4096, 0}, 5, 1000, 1, false,
            "heapflame: 12.2 s: 1,530 allocated, 1,495 freed, 35 in use (3.9 KiB), which take "
            "4.0 KiB with their headers; nothing was lost\n"},
        {{30, 3000, 29, 0, 0}, 0, 0, 2, false, /* of estimates the larger */
            "heapflame: 12.2 s: 30 allocated, 0 freed, 30 in use (2.9 KiB), estimated from "
            "samples; nothing was lost\n"},
        {{1024, 1048576, 2048, 0, 100}, 0, 0, 524288, false,
            "heapflame: 12.2 s: 2,048 allocated, 1,024 freed, 1,024 in use (1.0 MiB), estimated "
            "from samples, 95 %: 833.2 KiB to 1.2 MiB; nothing was lost\n"},
        {{1024, 1048576, 2048, 0, 100}, 1, 10, 524288, false, /* the young are not in it */
            "heapflame: 12.2 s: 2,048 allocated, 1,023 freed, 1,025 in use (1.0 MiB), estimated "
            "from samples; nothing was lost\n"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_session session = session_of();
        struct hf_profile *profile = profile_of(cases[i].values);
        session.young_objects = cases[i].young_objects;
        session.young_bytes = cases[i].young_bytes;
        session.period_bytes = cases[i].period_bytes;
        if (cases[i].has_loss)
            hf_notes_add(&profile->notes, HF_NOTE_LOSS, "something");
        begin_said();
        hf_attach_say_result(&session, profile);
        check_said(cases[i].expected);
        hf_profile_free(profile);
    }
}

/* By the innermost frame that tells of one cache: a context's name, or a function's. */
static void test_caches(void **state)
{
    static const struct stacks_row rows[] = {
        {"[TopMemoryContext];[CacheMemoryContext];main;palloc", 1, 0}, /* more than one */
        {"[TopMemoryContext];[CacheMemoryContext];main;SearchCatCacheMiss;palloc", 1000, 0},
        {"[TopMemoryContext];[CacheMemoryContext];[index info];main;palloc", 2048, 0},
        {"main;[CachedPlan];x", 0, 0},
        {"[Relcache by OID];main", 4096, 0},
        {"[];main", 7, 0},
        {"[index info;main", 8, 0},
        {"index info];main", 9, 0},
    };
    struct hf_error err;
    struct hf_profile *profile;
    struct hf_session session = session_of();
    (void)state;
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_profile_add_type(profile, "inuse_objects", "count", &err), &err);
    session.has_contexts = true;
    begin_said();
    hf_attach_say_caches(&session, profile); /* sizes with their headers are not known */
    check_said("");
    check_ok(hf_profile_add_type(profile, HF_HELD_SPACE, "bytes", &err), &err);
    begin_said();
    hf_attach_say_caches(&session, profile); /* nothing is in use */
    check_said("");
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        const uint64_t values[4] = {1, rows[i].grew, 0, 0};
        check_ok(hf_profile_add_sample(
                     profile, stacks_node(profile, rows[i].stack), HF_THREAD_ALL, values, &err),
            &err);
    }
    begin_said();
    hf_attach_say_caches(&session, profile);
    check_said("heapflame: this includes caches that every server process fills and keeps: "
               "catcache 1000 B, relcache 6.0 KiB\n");
    session.has_contexts = false;
    begin_said();
    hf_attach_say_caches(&session, profile);
    check_said("");
    hf_profile_free(profile);
}

static void test_survivors(void **state)
{
    static const struct stacks_row rows[] = {{"main;leak", 4, 0}};
    struct hf_session session = session_of();
    struct hf_survivors none = {0};
    (void)state;
    struct hf_profile *profile = stacks_profile("count", rows);
    begin_said();
    hf_attach_say_survivors(&session, &none, profile);
    check_said("");
    hf_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probes),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_result),
        cmocka_unit_test(test_caches),
        cmocka_unit_test(test_survivors),
    };
    return cmocka_run_group_tests_name("attach_report", tests, NULL, NULL);
}
