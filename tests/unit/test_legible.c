/* Whatever is written and however it is cut, what comes out has lines and tabs, and no control
 * else. */
#include "base/strings/escape.h"
#include "base/strings/legible_text.h"
#include "base/strings/utf8.h"

#include "check.h"

static const char hostile[] = "a\033]0;PWNED\007\tb\n\xc2\x9b"
                              "31m gr\xc3\xb6\xc3\x9f\xe2\x82\xac\xf0\x9f\x94\xa5 \xff\xc3\n"
                              "\xe2\x80\xae end \xf0\x9f\x94";
static const char legible[] = "a\\x1b]0;PWNED\\x07\tb\n\\u{9b}31m größ€🔥 \\xff\\xc3\n"
                              "\\u{202e} end \\xf0\\x9f\\x94";

static void keeps_lines_and_tabs_alone(void **state)
{
    (void)state;
    struct hf_out out = {0};
    hf_legible_text_put(&out, HF_TEXT(hostile));
    check_out(&out, legible);
    hf_legible_text_put(&out, HF_TEXT(""));
    check_out(&out, "");
    hf_out_done(&out);
}

static void leaves_what_was_escaped(void **state)
{
    (void)state;
    struct hf_out once = {0}, twice = {0};
    hf_escape_terminal(&once, HF_TEXT(hostile));
    hf_legible_text_put(&twice, hf_out_view(&once));
    assert_int_equal(once.size, twice.size);
    assert_memory_equal(once.data, twice.data, once.size);
    hf_out_done(&once);
    hf_out_done(&twice);
}

static enum hf_status take(void *context, const char *data, size_t size, struct hf_error *err)
{
    (void)err;
    hf_out_bytes(context, data, size);
    return HF_OK;
}

/* A whole character waits for nothing; one that is begun waits for its end. */
static void gives_what_is_whole_at_once(void **state)
{
    static const struct {
        const char *text, *at_once;
    } rows[] = {{"a", "a"}, {"\xc3\xb6", "\xc3\xb6"}, {"\xe2\x82\xac", "\xe2\x82\xac"},
        {"\xf0\x9f\x94\xa5", "\xf0\x9f\x94\xa5"}, {"a\xc3", "a"}, {"a\xe2\x82", "a"},
        {"a\xf0\x9f\x94", "a"}};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_error err;
        struct hf_out got = {0};
        struct hf_out raw = {.flush = take, .context = &got};
        struct hf_legible_text before = {.to = &raw};
        struct hf_out out = hf_legible_text_out(&before);
        check_case = rows[i].text;
        hf_out_string(&out, rows[i].text);
        check_ok(hf_out_finish(&out, &err), &err);
        check_ok(hf_out_finish(&raw, &err), &err);
        check_out(&got, rows[i].at_once);
        check_ok(hf_legible_text_finish(&before, &err), &err);
        hf_out_done(&out);
        hf_out_done(&raw);
        hf_out_done(&got);
    }
}

static void is_the_same_however_it_is_cut(void **state)
{
    (void)state;
    struct hf_error err;
    for (size_t piece = 1; piece < sizeof hostile; piece++) {
        struct hf_out got = {0};
        struct hf_out raw = {.flush = take, .context = &got};
        struct hf_legible_text before = {.to = &raw};
        struct hf_out out = hf_legible_text_out(&before);
        for (size_t at = 0; at < sizeof hostile - 1; at += piece) {
            struct hf_text rest = hf_text_from(HF_TEXT(hostile), at);
            hf_out_text(&out, hf_text_first(rest, piece));
            check_ok(hf_out_finish(&out, &err), &err);
        }
        check_ok(hf_legible_text_finish(&before, &err), &err);
        hf_out_done(&out);
        hf_out_done(&raw);
        check_out(&got, legible);
        hf_out_done(&got);
    }
}

static enum hf_status refuse(void *context, const char *data, size_t size, struct hf_error *err)
{
    (void)context, (void)data, (void)size;
    return hf_error_set(err, HF_ERR_SYSTEM, "the disk is full");
}

static void hands_on_what_went_wrong(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_out raw = {.flush = refuse};
    struct hf_legible_text before = {.to = &raw};
    struct hf_out out = hf_legible_text_out(&before);
    hf_out_string(&out, "x");
    assert_int_equal(hf_out_finish(&out, &err), HF_ERR_SYSTEM);
    assert_string_equal(err.text, "the disk is full");
    hf_out_done(&out);
    hf_out_done(&raw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_lines_and_tabs_alone),
        cmocka_unit_test(leaves_what_was_escaped),
        cmocka_unit_test(gives_what_is_whole_at_once),
        cmocka_unit_test(is_the_same_however_it_is_cut),
        cmocka_unit_test(hands_on_what_went_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
