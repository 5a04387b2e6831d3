/* Errors as values: what they say, and what the first one keeps. */
#include "base/error.h"

#include "check.h"

#include <errno.h>

static void formats_position_and_context(void **state)
{
    (void)state;
    struct hf_error err;
    assert_int_equal(
        hf_error_set(&err, HF_ERR_INPUT, "expected %d, found %s", 7, "x"), HF_ERR_INPUT);
    check_error(&err, "expected 7, found x");
    hf_error_at_line(&err, "a.heap", 12);
    check_error(&err, "a.heap: line 12: expected 7, found x");
    hf_error_context(&err, "while reading %s", "stacks");
    check_error(&err, "a.heap: line 12: while reading stacks: expected 7, found x");
}

/* Where it happened is known best by who saw it first. */
static void keeps_the_innermost_place(void **state)
{
    (void)state;
    struct hf_error err;
    (void)hf_error_set(&err, HF_ERR_INPUT, "bad");
    hf_error_at_offset(&err, ".debug_line", 0x1f2e);
    hf_error_at_line(&err, "outer", 3);
    hf_error_in(&err, "outermost");
    check_error(&err, ".debug_line: offset 0x1f2e: bad");
    (void)hf_error_set(&err, HF_ERR_INPUT, "bad");
    hf_error_in(&err, "lib.so");
    hf_error_at_line(&err, "outer", 3);
    check_error(&err, "lib.so: bad");
}

static void cuts_what_is_too_long(void **state)
{
    (void)state;
    struct hf_error err;
    char *large = malloc(5000);
    assert_non_null(large);
    memset(large, 'x', 4999);
    large[4999] = '\0';
    (void)hf_error_set(&err, HF_ERR_INPUT, "%s", large);
    hf_error_in(&err, large);
    assert_int_equal(strlen(err.text), HF_ERROR_TEXT_MAX - 1);
    assert_int_equal(strlen(err.input), HF_ERROR_INPUT_MAX - 1);
    hf_error_context(&err, "%s", large);
    assert_int_equal(strlen(err.text), HF_ERROR_TEXT_MAX - 1);
    char small[8];
    hf_error_format(&err, small, sizeof small);
    assert_string_equal(small, "xxxxxxx");
    free(large);
}

static void hides_passwords(void **state)
{
    (void)state;
    static const struct {
        const char *text, *left;
    } cases[] = {
        {"no answer from http://me:secret@a:1/x?y@z", "no answer from http://a:1/x?y@z"},
        {"'http://me:secret@a'", "'http://a'"},
        {"http://secret@a and https://b:secret@c", "http://a and https://c"},
        {"http://me:sec@ret@a/", "http://a/"},
        {"http://a/me:secret@b", "http://a/me:secret@b"},
        {"http://a?me@b http://a#me@b", "http://a?me@b http://a#me@b"},
        {"file:///me@b, ://@://x@", "file:///me@b, ://://"},
        {"mail me@b or http:/me@b", "mail me@b or http:/me@b"},
        {"://", "://"},
        {"", ""},
    };
    struct hf_error err;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        (void)hf_error_set(&err, HF_ERR_INPUT, "%s", cases[i].text);
        check_error(&err, cases[i].left);
        err = (struct hf_error){0};
        hf_error_in(&err, cases[i].text);
        hf_error_context(&err, "%s", cases[i].text);
        check_text(hf_text_of(err.input), cases[i].left);
        assert_true(hf_text_starts(hf_text_of(err.text), cases[i].left));
    }
    /* Wherever the text is cut. */
    static const char tail[] = " http://me:secret@a/ and what else there is, which is long enough";
    char text[HF_ERROR_TEXT_MAX + 100];
    for (size_t before = HF_ERROR_TEXT_MAX - 60; before < HF_ERROR_TEXT_MAX + 2; before++) {
        memset(text, 'x', before);
        memcpy(text + before, tail, sizeof tail);
        (void)hf_error_set(&err, HF_ERR_INPUT, "%s", text);
        assert_null(strstr(err.text, ":s"));
    }
}

static void names_the_systems_refusal(void **state)
{
    (void)state;
    struct hf_error err;
    assert_int_equal(hf_error_system(&err, ENOENT, "cannot open %s", "x.heap"), HF_ERR_SYSTEM);
    check_error(&err, "cannot open x.heap: No such file or directory");
    assert_int_equal(hf_error_memory(&err), HF_ERR_MEMORY);
    check_error(&err, "out of memory");
}

static void works_without_an_error_to_fill(void **state)
{
    (void)state;
    assert_int_equal(hf_error_set(NULL, HF_ERR_LIMIT, "x"), HF_ERR_LIMIT);
    assert_int_equal(hf_error_system(NULL, EIO, "x"), HF_ERR_SYSTEM);
    hf_error_context(NULL, "x");
    hf_error_at_line(NULL, "x", 1);
    hf_error_in(NULL, "x");
}

/* Of another process nothing is believed. */
static void takes_what_another_sent(void **state)
{
    (void)state;
    struct hf_error err, sent;
    (void)hf_error_set(&sent, HF_ERR_LIMIT, "too large");
    assert_int_equal(hf_error_received(&err, &sent, HF_ERR_LIMIT), HF_ERR_LIMIT);
    check_error(&err, "too large");
    memset(&sent, 0xff, sizeof sent);
    memset(sent.text, 'x', sizeof sent.text);
    assert_int_equal(hf_error_received(&err, &sent, 99), HF_ERR_SYSTEM);
    assert_int_equal(err.status, HF_ERR_SYSTEM);
    assert_int_equal(err.position_kind, HF_AT_NOTHING);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(strlen(err.input), sizeof err.input - 1);
    assert_int_equal(hf_error_received(NULL, &sent, HF_ERR_INPUT), HF_ERR_INPUT);
    assert_int_equal(hf_error_received(&err, &sent, HF_OK), HF_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_position_and_context),
        cmocka_unit_test(keeps_the_innermost_place),
        cmocka_unit_test(cuts_what_is_too_long),
        cmocka_unit_test(hides_passwords),
        cmocka_unit_test(names_the_systems_refusal),
        cmocka_unit_test(works_without_an_error_to_fill),
        cmocka_unit_test(takes_what_another_sent),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
