/* Profiles as changes: what is written is read again, and damage and wrong bases are refused. */
#include "store/change_coding.h"

#include "base/limits.h"

#include "check.h"

#define STACKS 200u

static void add_level(struct hf_levels *levels, uint64_t stack, uint64_t bytes, uint64_t objects)
{
    struct hf_error err;
    check_ok(hf_levels_add(levels, (struct hf_level){stack, bytes, objects}, &err), &err);
}

static void check_same(const struct hf_levels *a, const struct hf_levels *b)
{
    assert_int_equal(a->count, b->count);
    if (a->count != 0)
        assert_memory_equal(a->items, b->items, a->count * sizeof *a->items);
}

/* Writes `now`, reads it again, and puts it in the place of `before`. */
static size_t turn_levels(struct hf_levels *before, struct hf_levels *now, bool is_keyframe)
{
    struct hf_error err;
    struct hf_out out = {0};
    struct hf_levels read;
    check_ok(hf_change_write(is_keyframe ? NULL : before, now, &out, &err), &err);
    assert_int_equal(hf_change_is_keyframe(hf_out_view(&out)), is_keyframe);
    check_ok(hf_change_read(hf_out_view(&out), is_keyframe ? NULL : before, &read, &err), &err);
    check_same(&read, now);
    hf_levels_done(before);
    hf_levels_done(now);
    *before = read;
    size_t size = out.size;
    hf_out_done(&out);
    return size;
}

static void random_levels_turn(void **state)
{
    uint64_t random = 7;
    struct hf_levels before = {0}, now = {0};
    (void)state;
    for (size_t profile = 0; profile < 300; profile++) {
        for (uint64_t stack = 0; stack < STACKS; stack++) {
            uint32_t dice = check_random(&random) % 8;
            uint64_t bytes = check_random(&random);
            if (dice < 2)
                add_level(&now, stack, bytes << (dice * 31), dice);
            else if (dice == 2)
                add_level(&now, stack, UINT64_MAX - bytes % 3, UINT64_MAX);
            else if (dice == 3)
                add_level(&now, stack, 0, bytes);
        }
        turn_levels(&before, &now, profile % 60 == 0);
    }
    hf_levels_done(&before);
}

static void ends_of_the_numbers(void **state)
{
    struct hf_levels before = {0}, now = {0};
    (void)state;
    turn_levels(&before, &now, true); /* nothing at all */
    turn_levels(&before, &now, false);
    add_level(&now, 0, 1, 0);
    add_level(&now, UINT32_MAX, UINT64_MAX, UINT64_MAX);
    add_level(&now, UINT32_MAX, 0, 0); /* left out */
    turn_levels(&before, &now, false);
    add_level(&now, UINT32_MAX, UINT64_MAX / 2, 1);
    turn_levels(&before, &now, false);
    turn_levels(&before, &now, false); /* all gone */
    hf_levels_done(&before);
}

/* What does not change costs nothing, whatever there is. */
static void size_is_that_of_what_changes(void **state)
{
    struct hf_levels before = {0}, now = {0};
    uint64_t random = 3;
    (void)state;
    for (size_t profile = 0; profile < 3; profile++) {
        for (uint64_t stack = 0; stack < 5000; stack++)
            add_level(&now, stack, 1000 + (check_random(&random) >> 12) * (profile == 0), 1);
        for (size_t i = 0; profile != 0 && i < now.count; i++) {
            now.items[i].bytes = before.items[i].bytes;
            if (i % 500 == profile)
                now.items[i].bytes += 48;
        }
        size_t size = turn_levels(&before, &now, profile == 0);
        assert_true(profile == 0 ? size > 5000 : size < 60);
    }
    hf_levels_done(&before);
}

static void refuse(struct hf_text blob, const struct hf_levels *before, const char *expected)
{
    struct hf_error err;
    struct hf_levels read = {0};
    assert_int_not_equal(hf_change_read(blob, before, &read, &err), HF_OK);
    assert_null(read.items);
    if (expected != NULL)
        check_error(&err, expected);
}

/* What says the same as the bytes that were damaged is no damage. */
static void refuse_or_same(
    struct hf_text blob, const struct hf_levels *before, const struct hf_levels *now)
{
    struct hf_error err;
    struct hf_levels read = {0};
    if (hf_change_read(blob, before, &read, &err) == HF_OK)
        check_same(&read, now);
    hf_levels_done(&read);
}

static void damage_is_refused(void **state)
{
    struct hf_error err;
    struct hf_out out = {0};
    struct hf_levels before = {0}, other = {0}, now = {0};
    (void)state;
    add_level(&before, 1, 100, 1);
    add_level(&other, 1, 101, 1);
    add_level(&now, 1, 200, 2);
    add_level(&now, 9, 300, 3);
    check_ok(hf_change_write(&before, &now, &out, &err), &err);
    refuse(hf_out_view(&out), NULL,
        "a profile in the store is a change of one that is not there; expected a keyframe");
    refuse(hf_out_view(&out), &other,
        "a profile in the store is damaged, or the one before it is not the one it was made from");
    for (size_t size = 0; size < out.size; size++)
        refuse_or_same(hf_text_first(hf_out_view(&out), size), &before, &now);
    for (size_t bit = 8; bit < out.size * 8; bit++) { /* as a keyframe it has another sum */
        out.data[bit / 8] = (char)(out.data[bit / 8] ^ 1 << bit % 8);
        refuse_or_same(hf_out_view(&out), &before, &now);
        out.data[bit / 8] = (char)(out.data[bit / 8] ^ 1 << bit % 8);
    }
    hf_out_done(&out);
    hf_levels_done(&before);
    hf_levels_done(&other);
    hf_levels_done(&now);
}

static void bodies_that_nobody_writes(void **state)
{
    static const struct {
        const char *name, *body;
        size_t size;
    } cases[] = {
        {"empty", "", 0},
        {"more rows than bytes", "\x02\x00\x02\x02", 4},
        {"no change", "\x01\x00\x00\x00", 4},
        {"bytes behind", "\x01\x00\x02\x02\x00", 5},
        {"a stack of 33 bits", "\x01\x80\x80\x80\x80\x10\x02\x02", 8},
        {"the second is", "\x02\xff\xff\xff\xff\x0f\x00\x02\x02\x02\x02", 11},
        {"a gap of 64 bits", "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\x02", 13},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_error err;
        struct hf_levels before = {0}, now = {0};
        check_case = cases[i].name;
        struct hf_text body = {cases[i].body, cases[i].size};
        assert_int_equal(hf_change_apply(body, &before, &now, &err), HF_ERR_INPUT);
        check_error(&err, "a profile in the store is damaged: its changes are");
    }
    check_case = "";
}

static void limit_of_levels(void **state)
{
    struct hf_error err;
    struct hf_levels levels = {0};
    (void)state;
    for (uint64_t stack = 0; stack < HF_LIMIT_LEVELS; stack++)
        add_level(&levels, stack, 1, 1);
    assert_int_equal(
        hf_levels_add(&levels, (struct hf_level){UINT32_MAX, 1, 1}, &err), HF_ERR_LIMIT);
    check_error(&err, "a profile has more than 1000000 stacks that hold memory (HF_LIMIT_LEVELS)");
    hf_levels_done(&levels);
}

static void keyframes_begin_the_hours(void **state)
{
    const int64_t hour = HF_STORE_HOUR_MS;
    (void)state;
    assert_false(hf_change_needs_keyframe(0, 60000));
    assert_false(hf_change_needs_keyframe(5 * hour, 6 * hour - 1));
    assert_true(hf_change_needs_keyframe(6 * hour - 1, 6 * hour));
    assert_true(hf_change_needs_keyframe(0, 25 * hour));
    assert_true(hf_change_needs_keyframe(100, 100));
    assert_true(hf_change_needs_keyframe(100, 99));
    assert_true(hf_change_needs_keyframe(-1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_levels_turn),
        cmocka_unit_test(ends_of_the_numbers),
        cmocka_unit_test(size_is_that_of_what_changes),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(bodies_that_nobody_writes),
        cmocka_unit_test(limit_of_levels),
        cmocka_unit_test(keyframes_begin_the_hours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
