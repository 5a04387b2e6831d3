/* The buffered writer, base64, and regular expressions with their limits. */
#include "base/limits.h"
#include "base/strings/base64.h"
#include "base/strings/decimal.h"
#include "base/strings/out.h"
#include "base/strings/regex.h"

#include "check.h"

#include <inttypes.h>
#include <stdio.h>

static void collects_in_memory(void **state)
{
    (void)state;
    struct hf_out out = {0};
    struct hf_error err;
    hf_out_string(&out, "a");
    hf_out_char(&out, ' ');
    hf_out_u64(&out, 0);
    hf_out_char(&out, ' ');
    hf_out_u64(&out, UINT64_MAX);
    hf_out_char(&out, ' ');
    hf_out_hex(&out, UINT64_MAX);
    hf_out_printf(&out, " %s%d", "x", 7);
    hf_out_text(&out, HF_TEXT("!"));
    hf_out_bytes(&out, NULL, 0);
    check_ok(hf_out_finish(&out, &err), &err);
    check_out(&out, "a 0 18446744073709551615 ffffffffffffffff x7!");
    hf_out_printf(&out, "%*s", 3000, "");
    assert_int_equal(out.size, 3000);
    hf_out_done(&out);
}

/* At each number of digits, in a writer that has room for them and in one that has not. */
static void writes_numbers_of_each_size(void **state)
{
    (void)state;
    char expected[32];
    for (uint64_t power = 1; power != 0; power = power <= UINT64_MAX / 10 ? power * 10 : 0) {
        const uint64_t values[] = {power - 1, power, power + 1, power * 9 / 10 + 7};
        for (size_t i = 0; i < HF_COUNT(values); i++) {
            struct hf_out out = {0};
            for (int times = 0; times < 2; times++) {
                out.size = 0;
                hf_out_u64(&out, values[i]);
                (void)snprintf(expected, sizeof expected, "%" PRIu64, values[i]);
                check_out(&out, expected);
            }
            hf_out_done(&out);
        }
    }
}

/* Room that is there, room that is made, and none where the writer has failed. */
static void makes_room(void **state)
{
    (void)state;
    struct hf_out out = {0};
    char *to = hf_out_room(&out, 3);
    memcpy(to, "abc", 3);
    hf_out_end(&out, to + 2); /* what is not said to count does not */
    to = hf_out_room(&out, 100000);
    memset(to, 'x', 100000);
    hf_out_end(&out, to + 100000);
    assert_int_equal(out.size, 100002);
    assert_memory_equal(out.data, "abx", 3);
    hf_error_memory(&out.error);
    assert_null(hf_out_room(&out, 1));
    hf_out_done(&out);
}

/* As printf's, and in groups of three. */
static void puts_digits(void **state)
{
    (void)state;
    char digits[HF_DECIMAL_MAX + 1], grouped[HF_DECIMAL_GROUPED_MAX + 1], expected[32];
    uint64_t value = UINT64_MAX, seed = 1;
    for (int i = 0; i < 20000; i++) {
        *hf_decimal_put(digits, value) = '\0';
        (void)snprintf(expected, sizeof expected, "%" PRIu64, value);
        assert_string_equal(digits, expected);
        *hf_decimal_put_grouped(grouped, value) = '\0';
        size_t size = strlen(expected), at = 0;
        for (size_t k = 0; k < size; k++) {
            if (k != 0 && (size - k) % 3 == 0)
                assert_int_equal(grouped[at++], ',');
            assert_int_equal(grouped[at++], expected[k]);
        }
        assert_int_equal(grouped[at], '\0');
        seed = seed * UINT64_C(6364136223846793005) + 1;
        value = i < 11000 ? (uint64_t)i : seed >> i % 60;
    }
}

struct sink {
    struct hf_out got;
    size_t calls, fail_at;
};

static enum hf_status take(void *context, const char *data, size_t size, struct hf_error *err)
{
    struct sink *sink = context;
    sink->calls++;
    if (sink->calls == sink->fail_at)
        return hf_error_set(err, HF_ERR_SYSTEM, "the disk is full");
    hf_out_bytes(&sink->got, data, size);
    return HF_OK;
}

static void hands_on_everything_in_order(void **state)
{
    (void)state;
    struct sink sink = {0};
    struct hf_out out = {.flush = take, .context = &sink};
    struct hf_out expected = {0};
    struct hf_error err;
    uint64_t random = 3;
    for (unsigned i = 0; i < 300; i++) {
        size_t size = check_random(&random) % (i % 50 == 0 ? 200000 : 900);
        char *bytes = malloc(size + 1);
        assert_non_null(bytes);
        memset(bytes, 'a' + (int)(i % 26), size);
        hf_out_bytes(&out, bytes, size);
        hf_out_bytes(&expected, bytes, size);
        assert_true(out.size <= HF_OUT_BLOCK);
        free(bytes);
    }
    check_ok(hf_out_finish(&out, &err), &err);
    assert_int_equal(sink.got.size, expected.size);
    assert_memory_equal(sink.got.data, expected.data, expected.size);
    hf_out_done(&sink.got);
    hf_out_done(&expected);
    hf_out_done(&out);
}

static void latches_the_first_failure(void **state)
{
    (void)state;
    struct sink sink = {.fail_at = 2};
    struct hf_out out = {.flush = take, .context = &sink};
    struct hf_error err;
    for (unsigned i = 0; i < 100; i++)
        hf_out_printf(&out, "%*s", 40000, "");
    assert_int_equal(hf_out_finish(&out, &err), HF_ERR_SYSTEM);
    check_error(&err, "the disk is full");
    assert_int_equal(sink.calls, 2);
    hf_out_done(&sink.got);
    hf_out_done(&out);
}

static struct hf_regex *regex_of(const char *pattern)
{
    struct hf_error err;
    struct hf_regex *regex;
    check_ok(hf_regex_new(pattern, &regex, &err), &err);
    return regex;
}

/* RFC 4648, section 10; and bytes that come in pieces. */
static void writes_base64(void **state)
{
    (void)state;
    static const char *const vectors[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"},
        {"\xff\xfe\xfb", "//77"}};
    for (size_t i = 0; i < HF_COUNT(vectors); i++) {
        struct hf_out out = {0};
        struct hf_base64 base64;
        struct hf_error err;
        hf_base64_init(&base64, &out);
        for (const char *at = vectors[i][0]; *at != '\0'; at++)
            hf_out_char(&base64.bytes, *at);
        check_ok(hf_base64_finish(&base64, &err), &err);
        hf_base64_done(&base64);
        assert_true(hf_text_is(hf_out_view(&out), vectors[i][1]));
        hf_out_done(&out);
    }
}

static void matches_anywhere(void **state)
{
    (void)state;
    struct hf_regex *regex = regex_of("le(a|e)k$");
    assert_true(hf_regex_matches(regex, HF_TEXT("process_leak")));
    assert_false(hf_regex_matches(regex, HF_TEXT("leaks")));
    assert_false(hf_regex_matches(regex, (struct hf_text){NULL, 0}));
    hf_regex_free(regex);
    regex = regex_of("a.b");
    assert_true(hf_regex_matches(regex, (struct hf_text){"a\xff"
                                                         "b",
                                            3}));
    assert_true(hf_regex_matches(regex, (struct hf_text){"a\0b", 3}));
    assert_int_equal(hf_regex_given_up(regex), 0);
    hf_regex_free(regex);
    hf_regex_free(NULL);
}

static void names_the_column_of_a_mistake(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_regex *regex;
    assert_int_equal(hf_regex_new("ab(c", &regex, &err), HF_ERR_USAGE);
    check_error(&err, "regular expression 'ab(c', column 5: missing closing parenthesis");
}

/* A pattern that would take 2^n steps gives up, counts, and says no. */
static void gives_up_at_the_limit(void **state)
{
    (void)state;
    struct hf_regex *regex = regex_of("^(a+)+$");
    char *name = malloc(60);
    assert_non_null(name);
    memset(name, 'a', 59);
    name[59] = '!';
    assert_false(hf_regex_matches(regex, (struct hf_text){name, 60}));
    assert_int_equal(hf_regex_given_up(regex), 1);
    free(name);
    hf_regex_free(regex);
}

/* Each step keeps the places of 300 groups, 5 KB, and there are more of them than letters. */
static void gives_up_without_memory(void **state)
{
    (void)state;
    struct hf_out pattern = {0};
    hf_out_string(&pattern, "(*NO_JIT)(*NO_START_OPT)^");
    for (int i = 0; i < 300; i++)
        hf_out_string(&pattern, "()");
    hf_out_string(&pattern, "(?:a|b)*c");
    hf_out_char(&pattern, '\0');
    struct hf_regex *regex = regex_of(pattern.data);
    char *name = malloc(8000);
    assert_non_null(name);
    memset(name, 'a', 8000);
    assert_false(hf_regex_matches(regex, (struct hf_text){name, HF_LIMIT_REGEX_HEAP_KIB / 40}));
    assert_int_equal(hf_regex_given_up(regex), 0);
    assert_false(hf_regex_matches(regex, (struct hf_text){name, 8000}));
    assert_int_equal(hf_regex_given_up(regex), 1);
    free(name);
    hf_regex_free(regex);
    hf_out_done(&pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collects_in_memory),
        cmocka_unit_test(writes_numbers_of_each_size),
        cmocka_unit_test(makes_room),
        cmocka_unit_test(puts_digits),
        cmocka_unit_test(hands_on_everything_in_order),
        cmocka_unit_test(latches_the_first_failure),
        cmocka_unit_test(writes_base64),
        cmocka_unit_test(matches_anywhere),
        cmocka_unit_test(names_the_column_of_a_mistake),
        cmocka_unit_test(gives_up_at_the_limit),
        cmocka_unit_test(gives_up_without_memory),
    };
    return cmocka_run_group_tests_name("out", tests, NULL, NULL);
}
