/* The bounded cursor: reads, latching, LEB128. */
#include "base/cursor.h"

#include "check.h"

static struct hf_cursor over(const char *bytes, size_t size)
{
    return hf_cursor_of(bytes, size, "test");
}

static void reads_little_endian(void **state)
{
    (void)state;
    struct hf_cursor c =
        over("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12", 18);
    assert_int_equal(hf_cursor_u8(&c), 0x01);
    assert_int_equal(hf_cursor_u16(&c), 0x0302);
    assert_int_equal(hf_cursor_u24(&c), 0x060504);
    assert_int_equal(hf_cursor_u32(&c), 0x0a090807);
    assert_int_equal(hf_cursor_u64(&c), UINT64_C(0x1211100f0e0d0c0b));
    assert_false(hf_cursor_failed(&c));
    assert_int_equal(hf_cursor_left(&c), 0);
    assert_int_equal(hf_cursor_offset(&c), 18);
}

static void latches_the_first_overrun(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_cursor c = over("\x01\x02\x03\x04\x05", 5);
    assert_int_equal(hf_cursor_u16(&c), 0x0201);
    check_ok(hf_cursor_check(&c, "a thing", &err), &err);
    assert_int_equal(hf_cursor_u32(&c), 0);
    assert_true(hf_cursor_failed(&c));
    /* There were three bytes left, but nothing is read any more. */
    assert_int_equal(hf_cursor_u8(&c), 0);
    assert_int_equal(hf_cursor_uleb(&c), 0);
    assert_int_equal(hf_cursor_sleb(&c), 0);
    assert_int_equal(hf_cursor_left(&c), 0);
    hf_cursor_seek(&c, 0);
    assert_int_equal(hf_cursor_u8(&c), 0);
    assert_int_equal(hf_cursor_check(&c, "a thing", &err), HF_ERR_INPUT);
    check_error(&err, "test: offset 0x2: ends or is damaged in the middle of a thing");
}

static void latches_without_any_bytes(void **state)
{
    (void)state;
    struct hf_cursor c = hf_cursor_of(NULL, 0, "test");
    assert_int_equal(hf_cursor_u32(&c), 0);
    assert_true(hf_cursor_failed(&c));
}

static void reads_uleb128(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *bytes;
        size_t size;
        uint64_t value;
        bool fails;
    } cases[] = {
        {"0", "\x00", 1, 0, false},
        {"127", "\x7f", 1, 127, false},
        {"128", "\x80\x01", 2, 128, false},
        {"DWARF 5, table 7.7", "\xb9\x64", 2, 12857, false},
        {"padded", "\x81\x80\x80\x00", 4, 1, false},
        {"2^64-1", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX, false},
        {"eleven bytes", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, 0, true},
        {"ten bytes without end", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10, 0, true},
        {"cut", "\xff\xff", 2, 0, true},
        {"empty", "", 0, 0, true},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].name;
        struct hf_cursor c = over(cases[i].bytes, cases[i].size);
        uint64_t value = hf_cursor_uleb(&c);
        struct hf_cursor skipped = over(cases[i].bytes, cases[i].size);
        hf_cursor_skip_leb(&skipped);
        if (value != cases[i].value || hf_cursor_failed(&c) != cases[i].fails ||
            hf_cursor_failed(&skipped) != cases[i].fails || c.at != skipped.at)
            fail_msg("%s: %llu", cases[i].name, (unsigned long long)value);
    }
}

static void reads_sleb128(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *bytes;
        size_t size;
        int64_t value;
        bool fails;
    } cases[] = {
        {"2", "\x02", 1, 2, false},
        {"-2", "\x7e", 1, -2, false},
        {"127", "\xff\x00", 2, 127, false},
        {"-127", "\x81\x7f", 2, -127, false},
        {"-129", "\xff\x7e", 2, -129, false},
        {"smallest", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, INT64_MIN, false},
        {"largest", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, INT64_MAX, false},
        {"eleven bytes", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, 0, true},
        {"16384", "\x80\x80\x01", 3, 16384, false},
        {"the sign alone", "\x80\x80\x40", 3, -1048576, false},
        {"all but the sign", "\xff\xff\x3f", 3, 1048575, false},
        {"cut", "\xff\xff", 2, 0, true},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_cursor c = over(cases[i].bytes, cases[i].size);
        int64_t value = hf_cursor_sleb(&c);
        if (value != cases[i].value || hf_cursor_failed(&c) != cases[i].fails)
            fail_msg("%s: %lld", cases[i].name, (long long)value);
    }
}

static void takes_strings_and_parts(void **state)
{
    (void)state;
    struct hf_cursor c = over("abc\0de\0rest", 11);
    check_text(hf_cursor_string(&c), "abc");
    check_text(hf_cursor_bytes(&c, 2), "de");
    hf_cursor_skip(&c, 1);
    struct hf_cursor part = hf_cursor_sub(&c, 3, "part");
    assert_int_equal(hf_cursor_size(&part), 3);
    assert_int_equal(hf_cursor_u8(&part), 'r');
    assert_int_equal(hf_cursor_u8(&c), 't');
    assert_int_equal(hf_cursor_u32(&part), 0);
    assert_true(hf_cursor_failed(&part));
    assert_false(hf_cursor_failed(&c));
}

static void refuses_what_is_not_there(void **state)
{
    (void)state;
    struct hf_cursor c = over("abc", 3);
    assert_null(hf_cursor_string(&c).data);
    assert_true(hf_cursor_failed(&c));
    c = over("abc", 3);
    assert_null(hf_cursor_bytes(&c, UINT64_MAX).data);
    assert_true(hf_cursor_failed(&c));
    c = over("abc", 3);
    struct hf_cursor part = hf_cursor_sub(&c, 4, "part");
    assert_true(hf_cursor_failed(&c));
    assert_true(hf_cursor_failed(&part));
    c = over("abc", 3);
    hf_cursor_seek(&c, 3);
    assert_false(hf_cursor_failed(&c));
    hf_cursor_seek(&c, 4);
    assert_true(hf_cursor_failed(&c));
    c = over("abc", 3);
    hf_cursor_skip(&c, UINT64_MAX);
    assert_true(hf_cursor_failed(&c));
    c = hf_cursor_of(NULL, 0, "nothing");
    assert_int_equal(hf_cursor_u64(&c), 0);
    assert_null(hf_cursor_string(&c).data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_little_endian),
        cmocka_unit_test(latches_the_first_overrun),
        cmocka_unit_test(latches_without_any_bytes),
        cmocka_unit_test(reads_uleb128),
        cmocka_unit_test(reads_sleb128),
        cmocka_unit_test(takes_strings_and_parts),
        cmocka_unit_test(refuses_what_is_not_there),
    };
    return cmocka_run_group_tests_name("cursor", tests, NULL, NULL);
}
