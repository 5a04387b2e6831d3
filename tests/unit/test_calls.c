/* Halves of calls to what is in use: of functions that are made up, whose stacks are a few words of
 * this test. */
#include "attach/session/calls.h"

#include "attach/postgres/contexts.h"
#include "check.h"
#include "formats/heap/live.h"

#include <sys/mman.h>
#include <unistd.h>

#define SP UINT64_C(0x7ffd00001000)

static struct {
    struct hf_specs specs;
    struct hf_probe probes[16];
    struct hf_images images;
    struct hf_tracker *tracker;
    struct hf_calls calls;
    uint64_t now;
} w;

/* A probe for each line; those whose result matters return. */
static void begin(const char *lines)
{
    struct hf_error err;
    char text[1024];
    struct hf_tracker_options options = {
        .pid = (uint32_t)getpid(), .period_bytes = 1, .table_bytes = HF_LIVE_TABLE_MIN};
    int size = snprintf(text, sizeof text, "spec own\nobject exe\n%s", lines);
    memset(&w, 0, sizeof w);
    check_ok(
        hf_specs_parse(&w.specs, (struct hf_text){text, (size_t)size}, "own.spec", &err), &err);
    for (size_t i = 0; i < w.specs.items[0].entry_count; i++) {
        const struct hf_spec_entry *entry = &w.specs.items[0].entries[i];
        w.probes[i] = (struct hf_probe){.entry = entry, .returns = hf_spec_entry_returns(entry)};
    }
    check_ok(hf_images_open(&w.images, (uint32_t)getpid(), &err), &err);
    check_ok(hf_tracker_new(&options, &w.tracker, &err), &err);
    hf_calls_init(&w.calls, (uint32_t)getpid(), w.probes, &w.images, w.tracker);
    w.calls.sees_all = true;
    w.now = 1;
}

static void end(void)
{
    hf_calls_done(&w.calls);
    hf_tracker_free(w.tracker);
    hf_images_close(&w.images);
    hf_specs_done(&w.specs);
}

static void take(struct hf_half half)
{
    struct hf_error err;
    half.time_ns = w.now++;
    check_ok(hf_calls_take(&w.calls, &half, &err), &err);
}

/* `depth`: how many bytes below SP its return address lies. */
static void enter(uint32_t probe, uint32_t tid, uint64_t depth, uint64_t di, uint64_t si)
{
    char stack[64] = {0};
    uint64_t address = 0x1234;
    memcpy(stack, &address, sizeof address);
    take((struct hf_half){.kind = HF_HALF_ENTRY,
        .probe = probe,
        .tid = tid,
        .registers = {.di = di, .si = si, .sp = SP - depth, .ip = 0x1000},
        .stack = stack,
        .stack_size = sizeof stack});
}

static void leave(uint32_t probe, uint32_t tid, uint64_t depth, uint64_t ax)
{
    take((struct hf_half){.kind = HF_HALF_RETURN,
        .probe = probe,
        .tid = tid,
        .registers = {.ax = ax, .sp = SP - depth + 8}});
}

/* What is in use: so many blocks, of so many bytes. */
static void check_in_use(uint64_t objects, uint64_t bytes)
{
    struct hf_error err;
    struct hf_profile *profile;
    size_t type;
    struct hf_text table = {(const char *)hf_tracker_table(w.tracker)->head, HF_LIVE_TABLE_MIN};
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(
        hf_live_profile(hf_live_source_in(&table, "table"), UINT64_MAX, 0, profile, NULL, &err),
        &err);
    assert_true(hf_profile_find_type(profile, HF_TEXT("inuse_objects"), &type));
    assert_int_equal(hf_profile_total(profile, type, HF_THREAD_ALL).value, objects);
    assert_true(hf_profile_find_type(profile, HF_TEXT("inuse_space"), &type));
    assert_int_equal(hf_profile_total(profile, type, HF_THREAD_ALL).value, bytes);
    hf_profile_free(profile);
}

#define ALLOC 0
#define FREE 1

static void test_pairs(void **state)
{
    (void)state;
    begin("alloc sym:a size=arg0 new=ret\nfree sym:f ptr=arg0\n");
    enter(ALLOC, 1, 0, 100, 0);
    check_in_use(0, 0);
    leave(ALLOC, 1, 0, 0x5000);
    check_in_use(1, 100);
    enter(ALLOC, 1, 0, 30, 0);
    enter(ALLOC, 2, 0, 7, 0); /* of another thread, at the same place */
    leave(ALLOC, 1, 0, 0x6000);
    leave(ALLOC, 2, 0, 0x7000);
    check_in_use(3, 137);
    enter(FREE, 2, 0, 0x5000, 0);
    check_in_use(2, 37);
    assert_int_equal(w.calls.progress.calls, 4);
    assert_int_equal(w.calls.thread_count, 2);
    end();
}

/* A call within a call; one that was left by a jump is over when a less deep one comes. */
static void test_depths(void **state)
{
    (void)state;
    begin("alloc sym:a size=arg0 new=ret\nfree sym:f ptr=arg0\n");
    enter(ALLOC, 1, 0, 100, 0);
    enter(ALLOC, 1, 64, 8, 0);
    assert_int_equal(w.calls.threads[0].count, 2);
    leave(ALLOC, 1, 64, 0x5000);
    assert_int_equal(w.calls.threads[0].count, 1);
    leave(ALLOC, 1, 0, 0x6000);
    assert_int_equal(w.calls.threads[0].count, 0);
    check_in_use(1, 100); /* the inner one was a part of it */
    enter(ALLOC, 1, 64, 50, 0);
    enter(ALLOC, 1, 128, 51, 0);
    enter(ALLOC, 1, 64, 52, 0); /* at the same place: what lay deeper is over */
    assert_int_equal(w.calls.threads[0].count, 2);
    enter(ALLOC, 1, 0, 3, 0);
    assert_int_equal(w.calls.threads[0].count, 1);
    leave(ALLOC, 1, 0, 0x7000);
    check_in_use(2, 103);
    enter(ALLOC, 1, 0, 9, 0);
    take((struct hf_half){.kind = HF_HALF_EXIT, .tid = 1});
    assert_int_equal(w.calls.threads[0].count, 0);
    end();
}

static void test_how_many_are_remembered(void **state)
{
    (void)state;
    begin("alloc sym:a size=arg0 new=ret\n");
    for (uint64_t i = 0; i < HF_OPEN_CALLS_MAX + 3; i++)
        enter(ALLOC, 1, i * 64, 1, 0);
    assert_int_equal(w.calls.threads[0].count, HF_OPEN_CALLS_MAX);
    end();
}

/* Success is judged by the arguments that the call had. */
static void test_success(void **state)
{
    (void)state;
    begin("alloc sym:a size=arg1 new=*arg0 ok=ret32==0\n");
    uint64_t result = 0x5000, at = (uint64_t)(uintptr_t)&result;
    enter(ALLOC, 1, 0, at, 100);
    leave(ALLOC, 1, 0, 12); /* it failed */
    check_in_use(0, 0);
    enter(ALLOC, 1, 0, at, 100);
    leave(ALLOC, 1, 0, UINT64_C(0xdead) << 32); /* the upper half is nobody's */
    check_in_use(1, 100);
    end();
}

/* A result that lies on the stack is that of the moment. */
static void test_copied_stack(void **state)
{
    (void)state;
    uint64_t words[3] = {0x11, 0x5000, 0x22};
    begin("alloc sym:a size=arg1 new=*arg0\nfree sym:f ptr=arg0\n");
    for (uint64_t slot = 0; slot < 2; slot++) {
        enter(ALLOC, 1, 0, SP + 8 + 8 * (1 + slot), 100);
        words[1 + slot] = 0x5000 + slot * 0x100;
        take((struct hf_half){.kind = HF_HALF_RETURN,
            .probe = ALLOC,
            .tid = 1,
            .registers = {.sp = SP + 8},
            .stack = (char *)words,
            .stack_size = sizeof words});
    }
    check_in_use(2, 200);
    enter(FREE, 1, 0, 0x5100, 0); /* the last word of the copy was read */
    check_in_use(1, 100);
    /* One behind the copy is read of the process, which has nothing there. */
    enter(ALLOC, 1, 0, SP + 8 + 8 * 3, 100);
    take((struct hf_half){.kind = HF_HALF_RETURN,
        .probe = ALLOC,
        .tid = 1,
        .registers = {.sp = SP + 8},
        .stack = (char *)words,
        .stack_size = sizeof words});
    check_in_use(1, 100);
    end();
}

/* Where entries are dropped before they come here, a return without one means nothing. */
static void test_not_all_seen(void **state)
{
    (void)state;
    begin("alloc sym:a size=arg0 new=ret\n");
    leave(ALLOC, 1, 0, 0x5000);
    assert_int_equal(hf_tracker_counts(w.tracker).unpaired_returns, 1);
    w.calls.sees_all = false;
    leave(ALLOC, 1, 0, 0x5000);
    assert_int_equal(hf_tracker_counts(w.tracker).unpaired_returns, 1);
    enter(ALLOC, 1, 0, 100, 0);
    leave(ALLOC, 1, 0, 0x5000);
    check_in_use(1, 100);
    end();
}

#define MAP 0
#define UNMAP 1

/* As mmap(2), munmap(2), and sbrk(2), which also gives back. */
static void test_ranges(void **state)
{
    (void)state;
    begin("map sym:m size=arg0 new=ret ok=ret!=-1\nunmap sym:u ptr=arg0 size=arg1\n");
    enter(MAP, 1, 0, 0x4000, 0);
    leave(MAP, 1, 0, 0x10000);
    check_in_use(1, 0x4000);
    enter(MAP, 1, 0, 0x4000, 0);
    leave(MAP, 1, 0, UINT64_MAX); /* it failed */
    check_in_use(1, 0x4000);
    enter(MAP, 1, 0, (uint64_t)-0x1000, 0); /* the break was at 0x14000 */
    leave(MAP, 1, 0, 0x14000);
    check_in_use(1, 0x3000);
    enter(MAP, 1, 0, (uint64_t)-0x1000, 0);
    leave(MAP, 1, 0, UINT64_MAX); /* nothing was given back */
    check_in_use(1, 0x3000);
    enter(UNMAP, 1, 0, 0x10000, 0x1000);
    check_in_use(1, 0x2000);
    end();
}

/* Pages that are touched; and those of them that are not there in the end. */
static void test_faults(void **state)
{
    (void)state;
    char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    memset(pages, 1, 3 * 4096);
    begin("alloc sym:a size=arg0 new=ret\n");
    for (int i = 0; i < 3; i++)
        take((struct hf_half){.kind = HF_HALF_FAULT,
            .tid = 1,
            .address = (uint64_t)(uintptr_t)pages + 4096u * (unsigned)i + 123});
    assert_int_equal(w.calls.progress.calls, 3);
    assert_int_equal(madvise(pages + 4096, 4096, MADV_DONTNEED), 0);
    hf_calls_end(&w.calls);
    struct hf_error err;
    struct hf_profile *profile;
    size_t type;
    struct hf_text table = {(const char *)hf_tracker_table(w.tracker)->head, HF_LIVE_TABLE_MIN};
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(
        hf_live_profile(hf_live_source_in(&table, "table"), UINT64_MAX, 0, profile, NULL, &err),
        &err);
    assert_true(hf_profile_find_type(profile, HF_TEXT("inuse_space"), &type));
    assert_int_equal(hf_profile_total(profile, type, HF_THREAD_ALL).value, 2 * 4096);
    hf_profile_free(profile);
    end();
    munmap(pages, 3 * 4096);
}

static void test_other_halves(void **state)
{
    (void)state;
    begin("alloc sym:a size=arg0 new=ret\n");
    take((struct hf_half){.kind = HF_HALF_LOST, .count = 5});
    take((struct hf_half){.kind = HF_HALF_LOST, .count = 2});
    assert_int_equal(w.calls.progress.lost, 7);
    assert_int_equal(hf_tracker_counts(w.tracker).lost[HF_TRACKER_LOST_EVENTS], 7);
    assert_false(w.calls.progress.became_another);
    take((struct hf_half){.kind = HF_HALF_EXEC});
    assert_true(w.calls.progress.became_another);
    take((struct hf_half){.kind = HF_HALF_EXIT, .tid = 99}); /* of whom nothing is known */
    const struct hf_map_line line = {
        .start = 0x100000, .end = 0x101000, .path = HF_TEXT("/of/nobody"), .is_executable = true};
    take((struct hf_half){.kind = HF_HALF_MAP, .mapped = &line});
    assert_non_null(hf_images_at(&w.images, 0x100800));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_depths),
        cmocka_unit_test(test_how_many_are_remembered),
        cmocka_unit_test(test_success),
        cmocka_unit_test(test_copied_stack),
        cmocka_unit_test(test_not_all_seen),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_other_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
