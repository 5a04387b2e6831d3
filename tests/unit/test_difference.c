/* A + grew - released = B, for every stack and every sum. */
#include "analysis/difference.h"

#include "analysis/series.h"
#include "stacks.h"

#define MIB UINT64_C(1048576)

static struct hf_profile *difference_of(struct hf_profile *base, struct hf_profile *current)
{
    struct hf_error err;
    struct hf_profile *difference;
    check_ok(hf_difference(base, current, &difference, &err), &err);
    return difference;
}

static void finds_the_golden_difference(void **state)
{
    (void)state;
    const struct stacks_row before[] = {{"main;cache_fill", 200 * MIB, 0}, {"main;same", 7, 0}};
    const struct stacks_row after[] = {
        {"main;same", 7, 0}, {"main;process_leak", 100 * MIB, 0}, {"main;cache_fill", 50 * MIB, 0}};
    struct hf_profile *base = stacks_profile("bytes", before);
    struct hf_profile *current = stacks_profile("bytes", after);
    struct hf_profile *difference = difference_of(base, current);
    assert_true(difference->is_difference);
    assert_int_equal(difference->sample_count, 2);
    assert_int_equal(stacks_value(difference, "main;process_leak", 0).value, 100 * MIB);
    assert_int_equal(stacks_value(difference, "main;process_leak", 0).released, 0);
    assert_int_equal(stacks_value(difference, "main;cache_fill", 0).value, 0);
    assert_int_equal(stacks_value(difference, "main;cache_fill", 0).released, 150 * MIB);
    struct hf_total total = hf_profile_total(difference, 0, HF_THREAD_ALL);
    assert_int_equal(total.value, 100 * MIB);
    assert_int_equal(total.released, 150 * MIB);
    hf_difference_drop_released(difference);
    total = hf_profile_total(difference, 0, HF_THREAD_ALL);
    assert_int_equal(total.value, 100 * MIB);
    assert_int_equal(total.released, 0);
    hf_profile_free(difference);
    hf_profile_free(current);
    hf_profile_free(base);
}

/* One stack; beside its bytes in use a value of another type before them, or behind, or both. */
static struct hf_profile *typed_profile(const char *before, const char *behind, uint64_t bytes)
{
    struct hf_error err;
    struct hf_profile *profile;
    check_ok(hf_profile_new(&profile, &err), &err);
    uint64_t row[3];
    if (before != NULL) {
        row[profile->type_count] = 1;
        check_ok(hf_profile_add_type(profile, before, "objects", &err), &err);
    }
    profile->default_type = profile->type_count;
    row[profile->type_count] = bytes;
    check_ok(hf_profile_add_type(profile, "inuse_space", "bytes", &err), &err);
    if (behind != NULL) {
        row[profile->type_count] = 1;
        check_ok(hf_profile_add_type(profile, behind, "objects", &err), &err);
    }
    check_ok(
        hf_profile_add_sample(profile, stacks_node(profile, "main;a"), HF_THREAD_ALL, row, &err),
        &err);
    return profile;
}

/* As of a live table, which counts its samples, and a heap dump, which does not. */
static void compares_what_both_hold(void **state)
{
    (void)state;
    const struct {
        struct hf_profile *base, *current;
        uint64_t grew, released;
        size_t types, notes;
    } rows[] = {
        {typed_profile(NULL, "inuse_samples", 100), typed_profile(NULL, NULL, 30), 0, 70, 1, 0},
        {typed_profile(NULL, NULL, 30), typed_profile(NULL, "inuse_samples", 100), 70, 0, 1, 0},
        {typed_profile("peak", NULL, 30), typed_profile("other", NULL, 100), 70, 0, 1, 1},
        {typed_profile("x", "y", 100), typed_profile("y", "x", 30), 0, 70, 3, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hf_profile *difference = difference_of(rows[i].base, rows[i].current);
        assert_int_equal(difference->type_count, rows[i].types);
        assert_int_equal(difference->notes.count, rows[i].notes);
        struct hf_total total = stacks_value(difference, "main;a", difference->default_type);
        assert_int_equal(total.value, rows[i].grew);
        assert_int_equal(total.released, rows[i].released);
        hf_profile_free(difference);
        hf_profile_free(rows[i].base);
        hf_profile_free(rows[i].current);
    }
}

static struct hf_profile *random_profile(uint64_t *random)
{
    struct hf_profile *profile = stacks_new("bytes", false);
    struct hf_error err;
    check_ok(hf_profile_add_type(profile, "inuse_objects", "objects", &err), &err);
    for (unsigned count = check_random(random) % 60; count != 0; count--) {
        char stack[32];
        uint64_t values[2] = {check_random(random) % 1000, check_random(random) % 10};
        snprintf(stack, sizeof stack, "f%u;f%u;f%u", check_random(random) % 2,
            check_random(random) % 4, check_random(random) % 4);
        check_ok(hf_profile_add_sample(
                     profile, stacks_node(profile, stack), HF_THREAD_ALL, values, &err),
            &err);
    }
    return profile;
}

/* Checks every stack of `stacks`, which may be A, B or the difference. */
static void check_balance(const struct hf_profile *stacks, const struct hf_profile *base,
    const struct hf_profile *current, const struct hf_profile *difference)
{
    struct hf_out stack = {0};
    for (size_t i = 0; i < stacks->sample_count; i++) {
        stack.size = 0;
        stacks_write(stacks, stacks->samples[i].node, &stack);
        hf_out_char(&stack, '\0');
        for (size_t type = 0; type < 2; type++) {
            uint64_t a = stacks_value(base, stack.data, type).value;
            uint64_t b = stacks_value(current, stack.data, type).value;
            struct hf_total change = stacks_value(difference, stack.data, type);
            assert_int_equal(a + change.value - change.released, b);
            assert_true(change.value == 0 || change.released == 0);
        }
    }
    hf_out_done(&stack);
}

static void balances_on_random_profiles(void **state)
{
    (void)state;
    uint64_t random = 2026;
    for (unsigned round = 0; round < 200; round++) {
        struct hf_profile *base = random_profile(&random);
        struct hf_profile *current = random_profile(&random);
        struct hf_profile *difference = difference_of(base, current);
        check_balance(base, base, current, difference);
        check_balance(current, base, current, difference);
        check_balance(difference, base, current, difference);
        for (size_t type = 0; type < 2; type++) {
            uint64_t a = hf_profile_total(base, type, HF_THREAD_ALL).value;
            uint64_t b = hf_profile_total(current, type, HF_THREAD_ALL).value;
            struct hf_total change = hf_profile_total(difference, type, HF_THREAD_ALL);
            assert_int_equal(a + change.value - change.released, b);
        }
        hf_profile_free(difference);
        hf_profile_free(current);
        hf_profile_free(base);
    }
}

static void equal_profiles_differ_in_nothing(void **state)
{
    (void)state;
    uint64_t random = 4;
    struct hf_profile *profile = random_profile(&random);
    struct hf_profile *difference = difference_of(profile, profile);
    assert_int_equal(difference->sample_count, 0);
    hf_profile_free(difference);
    hf_profile_free(profile);
}

static void refuses_what_cannot_be_compared(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_profile *difference = NULL;
    struct hf_profile *bytes = stacks_new("bytes", false);
    struct hf_profile *objects = stacks_new("objects", false);
    struct hf_profile *changes = stacks_new("bytes", true);
    assert_int_equal(hf_difference(bytes, objects, &difference, &err), HF_ERR_INPUT);
    assert_int_equal(hf_difference(changes, bytes, &difference, &err), HF_ERR_USAGE);
    check_error(&err, "a difference cannot be compared again: give the two plain profiles");
    assert_null(difference);
    hf_profile_free(changes);
    hf_profile_free(objects);
    hf_profile_free(bytes);
}

/* What each profile of a series notes is said once, however many profiles there are. */
static void notes_of_a_series_are_said_once(void **state)
{
    (void)state;
    static const char *const names[] = {"first", "middle", "last"};
    const struct stacks_row rows[] = {{"main;keep", 8, 0}};
    struct hf_series series = {0};
    struct hf_profile *change, *points[HF_COUNT(names)];
    struct hf_error err;
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        points[i] = stacks_profile("bytes", rows);
        hf_notes_add(&points[i]->notes, HF_NOTE_INFO, "%s", names[i]);
        check_ok(hf_series_add(&series, points[i], names[i], (int64_t)i, &err), &err);
    }
    check_ok(hf_series_change(&series, &change, &err), &err);
    assert_int_equal(change->notes.count, HF_COUNT(names));
    for (size_t i = 0; i < change->notes.count; i++)
        assert_int_equal(change->notes.items[i].times, 1);
    hf_profile_free(change);
    hf_series_done(&series);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_golden_difference),
        cmocka_unit_test(compares_what_both_hold),
        cmocka_unit_test(balances_on_random_profiles),
        cmocka_unit_test(equal_profiles_differ_in_nothing),
        cmocka_unit_test(refuses_what_cannot_be_compared),
        cmocka_unit_test(notes_of_a_series_are_said_once),
    };
    return cmocka_run_group_tests_name("difference", tests, NULL, NULL);
}
