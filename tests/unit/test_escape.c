/* Every destination's escapes, against hostile names. */
#include "base/strings/escape.h"
#include "base/strings/utf8.h"

#include "check.h"

static const struct {
    const char *name;
    struct hf_text text;
    const char *xml, *json, *dot, *terminal, *folded;
} cases[] = {
    {"plain", {"main", 4}, "main", "main", "main", "main", "main"},
    {"empty", {NULL, 0}, "", "", "", "", ""},
    {"markup", {"</title><script>a&\"'", 20}, "&lt;/title&gt;&lt;script&gt;a&amp;&quot;&#39;",
        "\\u003c/title\\u003e\\u003cscript\\u003ea\\u0026\\\"'", "</title><script>a&\\\"'",
        "</title><script>a&\"'", "</title><script>a&\"'"},
    {"backslash", {"a\\nb", 4}, "a\\nb", "a\\\\nb", "a\\\\nb", "a\\nb", "a\\nb"},
    {"semicolon", {"a;b", 3}, "a;b", "a;b", "a;b", "a;b", "a\\x3bb"},
    {"controls", {"\x1b[2J\r\n\t\0\x7f", 9}, "\\x1b[2J\\x0d\\x0a\\x09\\x00\\x7f",
        "\\\\x1b[2J\\\\x0d\\\\x0a\\\\x09\\\\x00\\\\x7f",
        "\\\\x1b[2J\\\\x0d\\\\x0a\\\\x09\\\\x00\\\\x7f", "\\x1b[2J\\x0d\\x0a\\x09\\x00\\x7f",
        "\\x1b[2J\\x0d\\x0a\\x09\\x00\\x7f"},
    {"C1 control", {"\xc2\x9b", 2}, "\\u{9b}", "\\\\u{9b}", "\\\\u{9b}", "\\u{9b}", "\\u{9b}"},
    {"bidi override",
        {"a\xe2\x80\xae"
         "b",
            5},
        "a\\u{202e}b", "a\\\\u{202e}b", "a\\\\u{202e}b", "a\\u{202e}b", "a\\u{202e}b"},
    {"no UTF-8", {"\xff\xc3", 2}, "\\xff\\xc3", "\\\\xff\\\\xc3", "\\\\xff\\\\xc3", "\\xff\\xc3",
        "\\xff\\xc3"},
    {"overlong slash", {"\xc0\xaf", 2}, "\\xc0\\xaf", "\\\\xc0\\\\xaf", "\\\\xc0\\\\xaf",
        "\\xc0\\xaf", "\\xc0\\xaf"},
    {"surrogate", {"\xed\xa0\x80", 3}, "\\xed\\xa0\\x80", "\\\\xed\\\\xa0\\\\x80",
        "\\\\xed\\\\xa0\\\\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"},
    {"noncharacter", {"\xef\xbf\xbf", 3}, "\\u{ffff}", "\\\\u{ffff}", "\\\\u{ffff}", "\\u{ffff}",
        "\\u{ffff}"},
    {"letters", {"gr\xc3\xb6\xc3\x9f\xe2\x82\xac\xf0\x9f\x94\xa5", 13}, "größ€🔥", "größ€🔥",
        "größ€🔥", "größ€🔥", "größ€🔥"},
};

static void escapes_for_each_destination(void **state)
{
    (void)state;
    struct hf_out out = {0};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].name;
        hf_escape_xml(&out, cases[i].text);
        check_out(&out, cases[i].xml);
        hf_escape_json(&out, cases[i].text);
        check_out(&out, cases[i].json);
        hf_escape_dot(&out, cases[i].text);
        check_out(&out, cases[i].dot);
        hf_escape_terminal(&out, cases[i].text);
        check_out(&out, cases[i].terminal);
        hf_escape_folded(&out, cases[i].text);
        check_out(&out, cases[i].folded);
    }
    hf_out_done(&out);
}

/* Any bytes at all: what comes out is valid, visible UTF-8 without the destination's specials. */
static void output_is_always_sound(void **state)
{
    (void)state;
    static void (*const escapers[])(struct hf_out *, struct hf_text) = {
        hf_escape_xml, hf_escape_json, hf_escape_dot, hf_escape_terminal, hf_escape_folded};
    static const char *const forbidden[] = {"<>\"'", "<>&", "", "", ";"};
    uint64_t random = 1;
    struct hf_out out = {0};
    for (unsigned round = 0; round < 20000; round++) {
        char bytes[24];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (char)check_random(&random);
        size_t which = round % HF_COUNT(escapers);
        escapers[which](&out, (struct hf_text){bytes, check_random(&random) % sizeof bytes});
        struct hf_text left = hf_out_view(&out);
        while (left.size != 0) {
            uint32_t point;
            size_t size = hf_utf8_next(left, &point);
            assert_true(point != HF_UTF8_INVALID && hf_utf8_is_visible(point));
            assert_true(point >= 0x80 || strchr(forbidden[which], (int)point) == NULL);
            left = hf_text_from(left, size);
        }
        out.size = 0;
    }
    hf_out_done(&out);
}

/* An escaper borrows what it is given: nothing past its end is read, even inside a sequence. */
static void stays_inside_the_text(void **state)
{
    (void)state;
    static const char bytes[] = "\xf0\x9f\x94\xa5";
    struct hf_out out = {0};
    for (size_t size = 0; size < 4; size++) {
        char *copy = malloc(size + 1);
        assert_non_null(copy);
        char *exact = realloc(copy, size != 0 ? size : 1);
        assert_non_null(exact);
        memcpy(exact, bytes, size);
        hf_escape_terminal(&out, (struct hf_text){exact, size});
        assert_int_equal(out.size, 4 * size);
        out.size = 0;
        free(exact);
    }
    hf_out_done(&out);
}

static void reads_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size, taken;
        uint32_t point;
    } rows[] = {
        {"a", 1, 1, 'a'},
        {"\xc2\x80", 2, 2, 0x80},
        {"\xdf\xbf", 2, 2, 0x7ff},
        {"\xe0\xa0\x80", 3, 3, 0x800},
        {"\xed\x9f\xbf", 3, 3, 0xd7ff},
        {"\xee\x80\x80", 3, 3, 0xe000},
        {"\xf0\x90\x80\x80", 4, 4, 0x10000},
        {"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
        {"\xf4\x90\x80\x80", 4, 1, HF_UTF8_INVALID},
        {"\xf0\x8f\xbf\xbf", 4, 1, HF_UTF8_INVALID},
        {"\xe0\x9f\xbf", 3, 1, HF_UTF8_INVALID},
        {"\xc1\xbf", 2, 1, HF_UTF8_INVALID},
        {"\xed\xa0\x80", 3, 1, HF_UTF8_INVALID},
        {"\xf5\x80\x80\x80", 4, 1, HF_UTF8_INVALID},
        {"\x80", 1, 1, HF_UTF8_INVALID},
        {"\xe2\x82", 2, 1, HF_UTF8_INVALID},
        {"\xe2(\xac", 3, 1, HF_UTF8_INVALID},
    };
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        uint32_t point;
        size_t taken = hf_utf8_next((struct hf_text){rows[i].bytes, rows[i].size}, &point);
        assert_int_equal(taken, rows[i].taken);
        assert_int_equal(point, rows[i].point);
    }
}

static void hides_what_misleads(void **state)
{
    (void)state;
    static const uint32_t hidden[] = {0, 0x1f, 0x7f, 0x80, 0x9f, 0xad, 0x200b, 0x200e, 0x2028,
        0x202a, 0x202e, 0x2066, 0x2069, 0xfeff, 0xfdd0, 0xfffe, 0x1ffff, 0x10ffff, 0xe0001};
    static const uint32_t visible[] = {' ', '~', 0xa0, 0xe9, 0x20ac, 0x4e2d, 0x1f525, 0xfffd};
    for (size_t i = 0; i < HF_COUNT(hidden); i++)
        assert_false(hf_utf8_is_visible(hidden[i]));
    for (size_t i = 0; i < HF_COUNT(visible); i++)
        assert_true(hf_utf8_is_visible(visible[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_for_each_destination),
        cmocka_unit_test(output_is_always_sound),
        cmocka_unit_test(stays_inside_the_text),
        cmocka_unit_test(reads_utf8),
        cmocka_unit_test(hides_what_misleads),
    };
    return cmocka_run_group_tests_name("escape", tests, NULL, NULL);
}
