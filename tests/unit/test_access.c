/* Whose requests a server answers, and where it listens. */
#include "server/access.h"

#include "check.h"
#include "server/listen_address.h"

#include <sys/stat.h>
#include <unistd.h>

static void knows_its_names(void **state)
{
    (void)state;
    static const struct hf_access access = {.names = {{"db7.example", "fd00::7"}, 2}};
    static const struct {
        const char *host, *address;
        bool is_allowed;
    } cases[] = {{"localhost", "127.0.0.1", true}, {"LOCALHOST:80", "127.0.0.1", true},
        {"127.0.0.1:9464", "127.0.0.1", true}, {"127.9.9.9", "127.0.0.1", true},
        {"[::1]", "127.0.0.1", true}, {"[0:0:0:0:0:0:0:1]:9464", "::1", true},
        {"[::ffff:127.0.0.1]", "::1", true}, {"db7.example", "192.0.2.7", true},
        {"DB7.Example:443", "192.0.2.7", true}, {"[fd00::7]:1", "192.0.2.7", true},
        {"192.0.2.7", "192.0.2.7", true}, {"192.0.2.7:9464", "::ffff:192.0.2.7", true},
        {"[::ffff:192.0.2.7]", "192.0.2.7", true}, {"[2001:DB8::1]", "2001:db8::1", true},
        {"192.0.2.8", "192.0.2.7", false}, {"0.0.0.0", "192.0.2.7", false},
        {"attacker.example", "127.0.0.1", false},
        {"127.0.0.1.attacker.example", "127.0.0.1", false},
        {"localhost.attacker.example", "127.0.0.1", false}, {"localhost.", "127.0.0.1", false},
        {"db7.example.", "127.0.0.1", false}, {"db7.exampl", "127.0.0.1", false},
        {"localhost:", "127.0.0.1", false}, {"localhost:x", "127.0.0.1", false},
        {"localhost:65536", "127.0.0.1", false}, {"localhost:80:80", "127.0.0.1", false},
        {"", "127.0.0.1", false}, {":80", "127.0.0.1", false}, {"[::1", "::1", false},
        {"[::1]x", "::1", false}, {"::1", "::1", false}, {"[]", "::1", false},
        {"127.1", "127.0.0.1", false}, {"2130706433", "127.0.0.1", false},
        {"0177.0.0.1", "127.0.0.1", false}, {" localhost", "127.0.0.1", false},
        {"user@localhost", "127.0.0.1", false}, {"192.0.2.7", "", false}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        bool is_allowed =
            hf_access_allows_host(&access, hf_text_of(cases[i].host), hf_text_of(cases[i].address));
        if (is_allowed != cases[i].is_allowed)
            fail_msg("'%s' at %s", cases[i].host, cases[i].address);
    }
    assert_false(hf_access_allows_host(&access, (struct hf_text){"localhost\0", 10}, HF_TEXT("")));
    assert_false(hf_access_allows_host(&access, (struct hf_text){"127.0.0.1\0x", 11}, HF_TEXT("")));
}

static const char *write_token(const char *text, mode_t mode)
{
    static char path[] = "token";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    (void)fclose(file);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

static void compares_the_token(void **state)
{
    (void)state;
    struct hf_access access = {0};
    struct hf_error err;
    assert_true(hf_access_allows(&access, HF_TEXT("")));
    assert_int_equal(
        hf_access_read_token(&access, write_token("0123456789abcdef\nrest\n", 0640), &err), HF_OK);
    assert_true(hf_access_allows(&access, HF_TEXT("Bearer 0123456789abcdef")));
    /* printf 'heapflame:0123456789abcdef' | base64 */
    assert_true(hf_access_allows(&access, HF_TEXT("Basic aGVhcGZsYW1lOjAxMjM0NTY3ODlhYmNkZWY=")));
    static const char *const others[] = {"", "Bearer", "Bearer ", "Bearer 0123456789abcdeF",
        "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "bearer 0123456789abcdef",
        "Bearer  0123456789abcdef", "0123456789abcdef", "Basic 0123456789abcdef",
        "Basic aGVhcGZsYW1lOjAxMjM0NTY3ODlhYmNkZWY"};
    for (size_t i = 0; i < HF_COUNT(others); i++) {
        if (hf_access_allows(&access, hf_text_of(others[i])))
            fail_msg("'%s' is taken for the token", others[i]);
    }
    assert_false(hf_access_allows(&access, (struct hf_text){"Bearer 0123456789abcdef\0", 24}));
    hf_access_done(&access);
}

static void refuses_no_token(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mode_t mode;
        const char *sentence;
    } cases[] = {{"", 0600, "no token in its first line"},
        {"0123456789abcde\n", 0600, "no token in its first line"},
        {"\n0123456789abcdef\n", 0600, "no token in its first line"},
        {"0123456789 abcdef\n", 0600, "no token in its first line"},
        {"0123456789\377abcdef\n", 0600, "no token in its first line"},
        {"0123456789abcdef\n", 0644, "every user"}, {"0123456789abcdef\n", 0602, "every user"}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_access access = {0};
        struct hf_error err;
        const char *path = write_token(cases[i].text, cases[i].mode);
        if (hf_access_read_token(&access, path, &err) != HF_ERR_INPUT ||
            strstr(err.text, cases[i].sentence) == NULL)
            fail_msg("case %zu: %s", i, err.text);
        assert_false(access.has_token);
        hf_access_done(&access);
    }
    struct hf_access access = {0};
    struct hf_error err;
    assert_int_equal(hf_access_read_token(&access, "/dev/zero", &err), HF_ERR_SYSTEM);
    assert_int_equal(hf_access_read_token(&access, "none", &err), HF_ERR_SYSTEM);
    char longest[HF_ACCESS_TOKEN_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[HF_ACCESS_TOKEN_MAX] = '\0';
    assert_int_equal(hf_access_read_token(&access, write_token(longest, 0600), &err), HF_OK);
    hf_access_done(&access);
    longest[HF_ACCESS_TOKEN_MAX] = 'x';
    longest[HF_ACCESS_TOKEN_MAX + 1] = '\0';
    access = (struct hf_access){0};
    assert_int_equal(hf_access_read_token(&access, write_token(longest, 0600), &err), HF_ERR_INPUT);
    hf_access_done(&access);
}

static void reads_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown; /* NULL: refused */
        bool is_loopback;
    } cases[] = {{"127.0.0.1:9464", "127.0.0.1:9464", true}, {"127.3.0.1:0", "127.3.0.1:0", true},
        {"[::1]:80", "[::1]:80", true}, {"0.0.0.0:9464", "0.0.0.0:9464", false},
        {"[::]:65535", "[::]:65535", false}, {"[2001:DB8::7]:1", "[2001:db8::7]:1", false},
        {"[::ffff:127.0.0.1]:1", "[::ffff:127.0.0.1]:1", false},
        {"128.0.0.1:1", "128.0.0.1:1", false}, {"localhost:1", NULL, false},
        {"127.0.0.1", NULL, false}, {":1", NULL, false}, {"127.0.0.1:65536", NULL, false},
        {"127.0.0.1:-1", NULL, false}, {"::1:80", NULL, false}, {"[::1:80", NULL, false},
        {"[127.0.0.1]:80", NULL, false}, {"", NULL, false}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_listen_address address;
        struct hf_error err;
        char shown[HF_LISTEN_ADDRESS_MAX];
        enum hf_status status = hf_listen_address_parse(&address, hf_text_of(cases[i].text), &err);
        check_case = cases[i].text;
        if (cases[i].shown == NULL) {
            assert_int_equal(status, HF_ERR_USAGE);
            assert_non_null(strstr(err.text, "--listen: expected an address and a port"));
            continue;
        }
        assert_int_equal(status, HF_OK);
        hf_listen_address_put(&address, shown);
        assert_string_equal(shown, cases[i].shown);
        assert_int_equal(address.is_loopback, cases[i].is_loopback);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_its_names),
        cmocka_unit_test(compares_the_token),
        cmocka_unit_test(refuses_no_token),
        cmocka_unit_test(reads_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
