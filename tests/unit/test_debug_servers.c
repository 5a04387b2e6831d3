/* What of debuginfod's environment is understood, and which paths a server may be asked for. */
#include "net/debug_servers.h"

#include "base/limits.h"
#include "check.h"

static void test_paths(void **state)
{
    static const struct {
        const char *path;
        bool is_one;
    } cases[] = {
        {"buildid/0123456789abcdef/debuginfo", true},
        {"buildid/a/debuginfo", true},
        {"buildid/a/section/.debug_info", true},
        {"buildid/a/section/.", true},
        {"buildid//debuginfo", false},
        {"buildid/A/debuginfo", false},
        {"buildid/g/debuginfo", false},
        {"buildid/a/executable", false},
        {"buildid/a/debuginfo/", false},
        {"buildid/a/debuginfo/more", false},
        {"buildid/a/section/debug_info", false},
        {"buildid/a/section/.debug/info", false},
        {"buildid/a/section/.debug info", false},
        {"buildid/a/section/.Debug", false},
        {"buildid/a/source/usr/src/a-1.0~rc/b_c%2B%2B.cc", true},
        {"buildid/a/source/", false},
        {"buildid/a/source/a b", false},
        {"buildid/a/source/a%2", false},
        {"buildid/a/source/a%2b", false},
        {"buildid/a/source/a?b", false},
        {"buildid/a/source/a\nb", false},
        {"buildid/A/source/a", false},
        {"buildid/a/source/..a/b.../.c", true},
        {"buildid/a/source/a/../b", false},
        {"buildid/a/source/a/%2E%2E/b", false},
        {"buildid/a/source/.%2E/b", false},
        {"buildid/a/source/./b", false},
        {"buildid/a/source/a//b", false},
        {"buildid/a/source//b", false},
        {"buildid/a/source/..", false},
        {"buildid/a", false},
        {"buildid/", false},
        {"/buildid/a/debuginfo", false},
        {"", false},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].path;
        assert_int_equal(hf_debug_servers_is_path(hf_text_of(cases[i].path)), cases[i].is_one);
    }
    check_case = "";
}

static void test_long_paths(void **state)
{
    char path[4096];
    (void)state;
    for (int bytes = 128; bytes <= 129; bytes++) {
        (void)snprintf(path, sizeof path, "buildid/%0*d/debuginfo", bytes, 0);
        assert_int_equal(hf_debug_servers_is_path(hf_text_of(path)), bytes == 128);
    }
    (void)snprintf(path, sizeof path, "buildid/a/section/.%065d", 0);
    for (char *digit = strchr(path, '.') + 1; *digit != '\0'; digit++)
        *digit = 'a';
    assert_false(hf_debug_servers_is_path(hf_text_of(path)));
    path[strlen(path) - 1] = '\0';
    assert_true(hf_debug_servers_is_path(hf_text_of(path)));
    assert_false(hf_debug_servers_is_path((struct hf_text){"buildid/a\0b/debuginfo", 21}));
    assert_false(hf_debug_servers_is_path((struct hf_text){"buildid/a/section/.a\0", 21}));
}

static void test_most_bytes(void **state)
{
    static const struct {
        const char *value;
        uint64_t most;
    } cases[] = {
        {NULL, HF_LIMIT_HTTP_BODY},
        {"", HF_LIMIT_HTTP_BODY},
        {"0", HF_LIMIT_HTTP_BODY},
        {"-5", HF_LIMIT_HTTP_BODY},
        {"1", 1},
        {"4096", 4096},
        {"word", HF_LIMIT_HTTP_BODY},
        {"4096x", HF_LIMIT_HTTP_BODY},
        {"18446744073709551615", HF_LIMIT_HTTP_BODY},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        if (cases[i].value != NULL)
            setenv("DEBUGINFOD_MAXSIZE", cases[i].value, 1);
        else
            unsetenv("DEBUGINFOD_MAXSIZE");
        assert_int_equal(hf_debug_servers_most_bytes(), cases[i].most);
        assert_int_equal(hf_debug_servers_has_most_bytes(), cases[i].most != HF_LIMIT_HTTP_BODY);
    }
    unsetenv("DEBUGINFOD_MAXSIZE");
}

static void test_urls(void **state)
{
    (void)state;
    unsetenv("DEBUGINFOD_URLS");
    assert_string_equal(hf_debug_servers_urls(), "");
    setenv("DEBUGINFOD_URLS", "http://localhost:1", 1);
    assert_string_equal(hf_debug_servers_urls(), "http://localhost:1");
    unsetenv("DEBUGINFOD_URLS");
}

/* Who names none, or only what is none, gets an answer at once. */
static void test_no_server(void **state)
{
    static const struct {
        const char *urls, *name, *value;
        enum hf_status status;
        enum hf_debug_servers_outcome outcome;
        const char *said;
    } cases[] = {
        {"", "DEBUGINFOD_TIMEOUT", "5", HF_OK, HF_DEBUG_SERVERS_FAILED, ""},
        {" \t\n", "DEBUGINFOD_TIMEOUT", "", HF_OK, HF_DEBUG_SERVERS_FAILED, ""},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_error err;
        struct hf_debug_servers_answer answer = {.fd = -1};
        const struct hf_debug_servers_question question = {
            .path = "buildid/ab/debuginfo", .what = "the debug file of x"};
        setenv("DEBUGINFOD_URLS", cases[i].urls, 1);
        setenv(cases[i].name, cases[i].value, 1);
        enum hf_status status = hf_debug_servers_ask(&question, &answer, &err);
        assert_int_equal(status, cases[i].status);
        assert_int_equal(answer.outcome, cases[i].outcome);
        assert_string_equal(answer.said, cases[i].said);
        unsetenv(cases[i].name);
    }
    unsetenv("DEBUGINFOD_URLS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_long_paths),
        cmocka_unit_test(test_most_bytes),
        cmocka_unit_test(test_urls),
        cmocka_unit_test(test_no_server),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
