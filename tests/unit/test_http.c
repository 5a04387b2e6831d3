/* URLs, the client's limits and words, and what is read from a server's answer. */
#include "base/library.h"
#include "net/answer.h"
#include "net/http.h"

#include "check.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static void knows_a_url(void **state)
{
    (void)state;
    assert_true(hf_http_is_url("http://a"));
    assert_true(hf_http_is_url("HTTPS://a"));
    assert_false(hf_http_is_url("http:a"));
    assert_false(hf_http_is_url("file:///etc/passwd"));
    assert_false(hf_http_is_url("ftp://a"));
    assert_false(hf_http_is_url(""));
}

static void takes_a_url_apart(void **state)
{
    (void)state;
    static const struct {
        const char *url, *path, *whole, *shown, *host_port;
        bool has_path, is_loopback, is_https;
    } cases[] = {
        {"http://localhost:4000", NULL, "http://localhost:4000/", "http://localhost:4000/",
            "localhost:4000", false, true, false},
        {"http://localhost:4000/", "/v1/prof/mem", "http://localhost:4000/v1/prof/mem",
            "http://localhost:4000/v1/prof/mem", "localhost:4000", true, true, false},
        {"https://a.b/x?y=z#f", NULL, "https://a.b/x?y=z", "https://a.b/x?y=z", "a.b:443", true,
            false, true},
        {"https://a.b/x?y=z#f", "/q", "https://a.b/q", "https://a.b/q", "a.b:443", true, false,
            true},
        {"http://a/?x", NULL, "http://a/?x", "http://a/?x", "a:80", true, false, false},
        {"http://me:secret@a:1/x", NULL, "http://me:secret@a:1/x", "http://a:1/x", "a:1", true,
            false, false},
        {"http://[::1]:8/", NULL, "http://[::1]:8/", "http://[::1]:8/", "[::1]:8", false, true,
            false},
        {"http://[::2]/", NULL, "http://[::2]/", "http://[::2]/", "[::2]:80", false, false, false},
        {"http://127.9.9.9/", NULL, "http://127.9.9.9/", "http://127.9.9.9/", "127.9.9.9:80", false,
            true, false},
        {"http://127.evil.example/", NULL, "http://127.evil.example/", "http://127.evil.example/",
            "127.evil.example:80", false, false, false},
        {"http://x.localhost/", NULL, "http://x.localhost/", "http://x.localhost/",
            "x.localhost:80", false, true, false},
        {"http://xlocalhost/", NULL, "http://xlocalhost/", "http://xlocalhost/", "xlocalhost:80",
            false, false, false},
        {"http://128.0.0.1/", NULL, "http://128.0.0.1/", "http://128.0.0.1/", "128.0.0.1:80", false,
            false, false},
    };
    struct hf_error err = {0};
    struct hf_http *http;
    check_ok(hf_http_new(&http, &err), &err);
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_http_target target;
        check_case = cases[i].url;
        check_ok(hf_http_target_init(http, &target, cases[i].url, cases[i].path, &err), &err);
        check_text(hf_text_of(target.url), cases[i].whole);
        check_text(hf_text_of(target.shown), cases[i].shown);
        check_text(hf_text_of(target.host_port), cases[i].host_port);
        if (target.has_path != cases[i].has_path || target.is_https != cases[i].is_https ||
            target.is_loopback != cases[i].is_loopback)
            fail_msg("%s", cases[i].url);
        hf_http_target_done(&target);
    }
    hf_http_free(http);
}

static void refuses_what_is_no_url(void **state)
{
    (void)state;
    static const struct {
        const char *url, *error;
    } cases[] = {
        {"file:///etc/passwd", "expected a URL 'http://HOST:PORT', found 'file:///etc/passwd'"},
        {"a.heap", "expected a URL 'http://HOST:PORT', found 'a.heap'"},
        {"http://a:99999", NULL},
        {"http://me:secret@a b/", NULL},
        {"http://", NULL},
    };
    struct hf_error err = {0};
    struct hf_http *http;
    check_ok(hf_http_new(&http, &err), &err);
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_http_target target;
        err = (struct hf_error){0};
        check_case = cases[i].url;
        assert_int_equal(
            hf_http_target_init(http, &target, cases[i].url, NULL, &err), HF_ERR_USAGE);
        assert_null(target.url);
        assert_null(strstr(err.text, "secret"));
        if (cases[i].error != NULL)
            check_error(&err, cases[i].error);
        else
            assert_true(hf_text_starts(hf_text_of(err.text), "the URL is malformed: "));
    }
    hf_http_free(http);
}

static void reads_errors_in_json(void **state)
{
    (void)state;
    static const struct {
        const char *body, *sentence; /* NULL: none */
    } cases[] = {
        {"{\"error\":\"Memory profiling is not enabled\"}", "Memory profiling is not enabled"},
        {" {\"code\":1, \"error\" : \"x\"} \n", "x"},
        {"{\"error\":{\"message\":\"m\"}}", "m"},
        {"{\"message\":\"m\"}", "m"},
        {"{\"error\":7,\"message\":\"m\"}", "m"},
        {"{\"error\":\"a\\\"b\\u00e4\"}", "a\"b\xc3\xa4"},
        {"{\"error\":\"a\\u0000b\"}", NULL},
        {"{\"error\":\"\"}", NULL},
        {"{\"error\":7}", NULL},
        {"{\"error\":\"x\"", NULL},
        {"{\"error\":\"x\"} trailing", NULL},
        {"[\"error\"]", NULL},
        {"\"error\"", NULL},
        {"error", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        char sentence[HF_ANSWER_TEXT_MAX];
        check_case = cases[i].body;
        bool found = hf_answer_json_error(hf_text_of(cases[i].body), sentence);
        assert_int_equal(found, cases[i].sentence != NULL);
        check_text(hf_text_of(sentence), found ? cases[i].sentence : "");
    }
}

static void cuts_a_long_sentence_between_characters(void **state)
{
    (void)state;
    char body[1000], sentence[HF_ANSWER_TEXT_MAX];
    struct hf_text text = {body, 1};
    body[0] = 'x'; /* so that the limit falls into the middle of a two-byte character */
    for (size_t i = 0; i < 300; i++, text.size += 2)
        memcpy(body + text.size, "\xc3\xa4", 2);
    assert_true(hf_answer_line(text, sentence));
    assert_int_equal(strlen(sentence), HF_ANSWER_TEXT_MAX - 1);
    assert_int_equal((unsigned char)sentence[HF_ANSWER_TEXT_MAX - 2], 0xa4);
    text = hf_text_from(text, 1);
    assert_true(hf_answer_line(text, sentence));
    assert_int_equal(strlen(sentence), HF_ANSWER_TEXT_MAX - 2);
}

static void reads_one_line(void **state)
{
    (void)state;
    static const struct {
        const char *body, *sentence;
    } cases[] = {
        {"one\ntwo", "one"},
        {"one\r\ntwo", "one"},
        {"one", "one"},
        {"\none", NULL},
        {"<html>", NULL},
        {"{\"a\":1}", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        char sentence[HF_ANSWER_TEXT_MAX];
        check_case = cases[i].body;
        bool found = hf_answer_line(hf_text_of(cases[i].body), sentence);
        assert_int_equal(found, cases[i].sentence != NULL);
        check_text(hf_text_of(sentence), found ? cases[i].sentence : "");
    }
}

static void reads_the_state_of_a_switch(void **state)
{
    (void)state;
    bool is_active = false;
    assert_true(hf_answer_active(HF_TEXT("{\"active\": true}"), &is_active));
    assert_true(is_active);
    assert_true(hf_answer_active(HF_TEXT("{\"active\": false}"), &is_active));
    assert_false(is_active);
    assert_false(hf_answer_active(HF_TEXT("{\"active\": 1}"), &is_active));
    assert_false(hf_answer_active(HF_TEXT("{}"), &is_active));
    assert_false(hf_answer_active(HF_TEXT("true"), &is_active));
}

static void knows_what_to_do(void **state)
{
    (void)state;
    static const struct {
        const char *sentence;
        enum hf_answer_problem problem;
    } cases[] = {
        {"Memory profiling is not enabled", HF_ANSWER_NOT_ARMED},
        {"The 'mem-prof' feature is disabled", HF_ANSWER_NOT_BUILT},
        {"The 'mem-prof' feature is not enabled", HF_ANSWER_NOT_BUILT},
        {"Memory profiling is not supported", HF_ANSWER_NOT_BUILT},
        {"heap profiling not activated", HF_ANSWER_NOT_ACTIVE},
        {"internal error", HF_ANSWER_UNKNOWN},
        {"", HF_ANSWER_UNKNOWN},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].sentence;
        assert_int_equal(hf_answer_problem(cases[i].sentence), cases[i].problem);
        assert_int_equal(
            hf_answer_remedy(cases[i].problem) == NULL, cases[i].problem == HF_ANSWER_UNKNOWN);
    }
}

/* A server for one connection: reads what comes at once, sends `answer`, closes. */
struct server {
    int listener;
    const char *answer;
    size_t repeat; /* how often it is sent */
    pthread_t thread;
};

static void *serve(void *context)
{
    struct server *server = context;
    char request[4096];
    int fd = accept(server->listener, NULL, NULL);
    if (fd >= 0 && read(fd, request, sizeof request) > 0) {
        size_t size = strlen(server->answer);
        for (size_t i = 0; i < server->repeat; i++) {
            if (send(fd, server->answer, size, MSG_NOSIGNAL) != (ssize_t)size)
                break;
        }
    }
    close(fd);
    return NULL;
}

/* Asks such a server for at most 1000 bytes. */
static enum hf_status ask(
    const char *bytes, size_t repeat, struct hf_http_answer *answer, struct hf_error *err)
{
    struct server server = {.answer = bytes, .repeat = repeat};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    char url[64];
    struct hf_http *http;
    struct hf_http_target target;
    server.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(server.listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(server.listener, 1), 0);
    assert_int_equal(getsockname(server.listener, (struct sockaddr *)&address, &size), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/x", (unsigned)ntohs(address.sin_port));
    assert_int_equal(pthread_create(&server.thread, NULL, serve, &server), 0);
    check_ok(hf_http_new(&http, err), err);
    check_ok(hf_http_target_init(http, &target, url, NULL, err), err);
    struct hf_http_request request = {.target = &target, .body_limit_bytes = 1000};
    enum hf_status status = hf_http_ask(http, &request, answer, err);
    pthread_join(server.thread, NULL);
    close(server.listener);
    hf_http_target_done(&target);
    hf_http_free(http);
    return status;
}

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

static void brings_the_answer(void **state)
{
    (void)state;
    struct hf_error err = {0};
    struct hf_http_answer answer;
    check_ok(ask(HEAD "Content-Length: 2\r\n\r\nab", 1, &answer, &err), &err);
    assert_int_equal(answer.status, 200);
    check_text(hf_text_of(answer.content_type), "text/plain");
    check_text(hf_out_view(&answer.body), "ab");
    hf_http_answer_done(&answer);
}

static void explains_a_broken_answer(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        size_t repeat;
        enum hf_status status;
        const char *words;
    } cases[] = {
        {"", 0, HF_ERR_NETWORK, "closed the connection without an answer"},
        {"no http\n", 1, HF_ERR_NETWORK, "does not speak HTTP"},
        {HEAD "Content-Length: 20\r\n\r\nab", 1, HF_ERR_NETWORK,
            "closed the connection in the middle of its answer"},
        {HEAD "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd", 1, HF_ERR_NETWORK,
            "no answer from 127.0.0.1:"},
        {HEAD "\r\n01234567", 500, HF_ERR_LIMIT, "is longer than 1000 B (HF_LIMIT_HTTP_BODY)"},
        {HEAD "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff0\r\n", 1, HF_ERR_NETWORK,
            "127.0.0.1:"},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_error err = {0};
        struct hf_http_answer answer;
        check_case = cases[i].answer;
        assert_int_equal(ask(cases[i].answer, cases[i].repeat, &answer, &err), cases[i].status);
        if (strstr(err.text, cases[i].words) == NULL)
            fail_msg("'%s' is not in '%s'", cases[i].words, err.text);
    }
}

static void names_the_package_of_a_missing_library(void **state)
{
    (void)state;
    static const struct hf_library_function functions[] = {{"hf_there_is_no_such_function", 0}};
    struct hf_library library = {.file = "libheapflame-none.so.9",
        .package = "libheapflame-none9",
        .purpose = "to test this",
        .functions = functions,
        .function_count = HF_COUNT(functions)};
    void (*table[1])(void);
    struct hf_error err = {0};
    assert_int_equal(hf_library_load(&library, table, &err), HF_ERR_SYSTEM);
    assert_true(hf_text_starts(hf_text_of(err.text),
        "libheapflame-none.so.9 is needed to test this; install the package libheapflame-none9 ("));
    library.file = "libc.so.6";
    assert_int_equal(hf_library_load(&library, table, &err), HF_ERR_SYSTEM);
    check_error(&err, "libc.so.6 is needed to test this, but the installed one has no "
                      "hf_there_is_no_such_function; install a newer package libheapflame-none9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_a_url),
        cmocka_unit_test(takes_a_url_apart),
        cmocka_unit_test(refuses_what_is_no_url),
        cmocka_unit_test(reads_errors_in_json),
        cmocka_unit_test(cuts_a_long_sentence_between_characters),
        cmocka_unit_test(reads_one_line),
        cmocka_unit_test(reads_the_state_of_a_switch),
        cmocka_unit_test(knows_what_to_do),
        cmocka_unit_test(brings_the_answer),
        cmocka_unit_test(explains_a_broken_answer),
        cmocka_unit_test(names_the_package_of_a_missing_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
