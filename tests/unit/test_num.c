/* Text to numbers and back, human units. */
#include "base/plural.h"
#include "base/strings/num.h"
#include "base/strings/units.h"

#include "check.h"

static void reads_decimal(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_number;
        uint64_t value;
    } cases[] = {
        {"0", true, 0},
        {"007", true, 7},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"99999999999999999999999", false, 0},
        {"", false, 0},
        {"-1", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1.0", false, 0},
        {"0x10", false, 0},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        uint64_t value = 42;
        if (hf_num_u64(hf_text_of(cases[i].text), &value) != cases[i].is_number ||
            value != (cases[i].is_number ? cases[i].value : 42))
            fail_msg("%s", cases[i].text);
    }
}

static void reads_hexadecimal(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_number;
        uint64_t value;
    } cases[] = {
        {"0x7fA", true, 0x7fa},
        {"dEaD", true, 0xdead},
        {"0Xffffffffffffffff", true, UINT64_MAX},
        {"00000000000000000001", true, 1},
        {"10000000000000000", false, 0},
        {"0x", false, 0},
        {"", false, 0},
        {"0x0x1", false, 0},
        {"g", false, 0},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        uint64_t value = 42;
        if (hf_num_hex(hf_text_of(cases[i].text), &value) != cases[i].is_number ||
            value != (cases[i].is_number ? cases[i].value : 42))
            fail_msg("%s", cases[i].text);
    }
}

static void takes_numbers_off_the_front(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_hex, is_number;
        uint64_t value;
        const char *rest;
    } cases[] = {
        {"12: 7", false, true, 12, ": 7"},
        {"18446744073709551615]", false, true, UINT64_MAX, "]"},
        {"18446744073709551616]", false, false, 42, "18446744073709551616]"},
        {"00000000000000000000009 ", false, true, 9, " "},
        {": 7", false, false, 42, ": 7"},
        {"", false, false, 42, ""},
        {"7fAg", true, true, 0x7fa, "g"},
        {"ffffffffffffffff ", true, true, UINT64_MAX, " "},
        {"10000000000000000", true, false, 42, "10000000000000000"},
        {"x1", true, false, 42, "x1"},
        {"", true, false, 42, ""},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].text;
        struct hf_text text = hf_text_of(cases[i].text);
        uint64_t value = 42;
        bool is_number =
            cases[i].is_hex ? hf_num_take_hex(&text, &value) : hf_num_take_u64(&text, &value);
        assert_int_equal(is_number, cases[i].is_number);
        assert_true(value == cases[i].value);
        check_text(text, cases[i].rest);
    }
}

static void reads_reals(void **state)
{
    (void)state;
    static const char *const good[] = {"12", ".5", "1e3", "0.005", "1.", "2E-3"};
    static const double values[] = {12, .5, 1000, .005, 1, .002};
    static const char *const bad[] = {
        "", "-1", "+1", "inf", "nan", "0x1p3", "1e999", "1,5", " 1", "1 ", ".", "e5", "1e", "1-2"};
    double value;
    for (size_t i = 0; i < HF_COUNT(good); i++) {
        assert_true(hf_num_real(hf_text_of(good[i]), &value));
        assert_true(value >= values[i] && value <= values[i]);
    }
    for (size_t i = 0; i < HF_COUNT(bad); i++) {
        if (hf_num_real(hf_text_of(bad[i]), &value))
            fail_msg("%s", bad[i]);
    }
}

static void writes_units(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text, *grouped;
    } cases[] = {
        {0, "0 B", "0"},
        {999, "999 B", "999"},
        {1023, "1023 B", "1,023"},
        {1024, "1.0 KiB", "1,024"},
        {1536, "1.5 KiB", "1,536"},
        {1048524, "1023.9 KiB", "1,048,524"},
        {1048525, "1.0 MiB", "1,048,525"},
        {1048576, "1.0 MiB", "1,048,576"},
        {65604133, "62.6 MiB", "65,604,133"},
        {UINT64_C(1) << 30, "1.0 GiB", "1,073,741,824"},
        {UINT64_MAX, "16.0 EiB", "18,446,744,073,709,551,615"},
    };
    char text[HF_UNITS_MAX];
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        assert_string_equal(hf_units_bytes(cases[i].bytes, text), cases[i].text);
        assert_string_equal(hf_units_grouped(cases[i].bytes, text), cases[i].grouped);
    }
    assert_true(hf_units_percent(1, 0) <= 0);
    assert_true(hf_units_percent(1, 4) >= 25 && hf_units_percent(1, 4) <= 25);
}

static void reads_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_size;
        uint64_t bytes;
    } cases[] = {
        {"100", true, 100},
        {"100B", true, 100},
        {"512KiB", true, 524288},
        {"1MiB", true, 1048576},
        {"2G", true, UINT64_C(2) << 30},
        {"16777215T", true, UINT64_C(16777215) << 40},
        {"16777216T", false, 0},
        {"", false, 0},
        {"K", false, 0},
        {"1 K", false, 0},
        {"1KB", false, 0},
        {"1.5M", true, 1572864},
        {"1.5GiB", true, UINT64_C(3) << 29},
        {"0.0001KiB", true, 0},
        {"0.0006KiB", true, 1},
        {"1.5", false, 0},
        {"1.5B", false, 0},
        {"1.", false, 0},
        {".5M", false, 0},
        {"1.2.3M", false, 0},
        {"1e3M", false, 0},
        {"-1.5M", false, 0},
        {"16777215.5T", true, (UINT64_C(16777215) << 40) + (UINT64_C(1) << 39)},
        {"16777216.0T", false, 0},
        {"-1", false, 0},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        uint64_t bytes = 0;
        if (hf_units_parse_bytes(hf_text_of(cases[i].text), &bytes) != cases[i].is_size ||
            (cases[i].is_size && bytes != cases[i].bytes))
            fail_msg("%s", cases[i].text);
    }
}

static void reads_times(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool is_time;
        uint64_t ns;
    } cases[] = {
        {"13s", true, 13000000000},
        {"13", true, 13000000000},
        {"250ms", true, 250000000},
        {"1.5h", true, 5400000000000},
        {"5m", true, 300000000000},
        {"7d", true, 604800000000000},
        {"0", true, 0},
        {"1e12", false, 0},
        {"", false, 0},
        {"s", false, 0},
        {"-1s", false, 0},
        {"5 s", false, 0},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        uint64_t ns = 0;
        if (hf_units_parse_time(hf_text_of(cases[i].text), &ns) != cases[i].is_time ||
            ns != cases[i].ns)
            fail_msg("%s", cases[i].text);
    }
}

static void agrees_with_a_number(void **state)
{
    (void)state;
    const struct {
        uint64_t count;
        const char *text;
    } cases[] = {
        {0, "blocks were"}, {1, "block was"}, {2, "blocks were"}, {UINT64_MAX, "blocks were"}};
    for (size_t i = 0; i < HF_COUNT(cases); i++)
        assert_string_equal(hf_plural(cases[i].count, "block was", "blocks were"), cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_decimal),
        cmocka_unit_test(reads_hexadecimal),
        cmocka_unit_test(takes_numbers_off_the_front),
        cmocka_unit_test(reads_reals),
        cmocka_unit_test(writes_units),
        cmocka_unit_test(reads_units),
        cmocka_unit_test(reads_times),
        cmocka_unit_test(agrees_with_a_number),
    };
    return cmocka_run_group_tests_name("num", tests, NULL, NULL);
}
