/* Where debuginfod's clients keep what they fetched: as its manual says of the environment. */
#include "check.h"
#include "folder.h"
#include "symbol/files/debuginfod.h"

#include <sys/stat.h>
#include <unistd.h>

struct folder_row {
    const char *own, *caches, *home; /* NULL: not set */
    bool has_old;                    /* the home has the folder of elder clients */
    const char *folder;              /* "" : there is none; behind "~": in the home of this test */
};

static const struct folder_row folder_rows[] = {
    {NULL, NULL, NULL, false, ""},
    {NULL, NULL, "~", false, "~/.cache/debuginfod_client"},
    {NULL, NULL, "~", true, "~/.debuginfod_client_cache"},
    {NULL, "/caches", "~", true, "~/.debuginfod_client_cache"},
    {NULL, "/caches", "~", false, "/caches/debuginfod_client"},
    {NULL, "/caches", NULL, false, "/caches/debuginfod_client"},
    {NULL, "caches", "~", false, "~/.cache/debuginfod_client"},
    {NULL, "", "~", false, "~/.cache/debuginfod_client"},
    {NULL, NULL, "", false, ""},
    {NULL, NULL, "home", false, ""},
    {"/own", "/caches", "~", true, "/own"},
    {"own", NULL, NULL, false, "own"},
    {"", "/caches", "~", true, "~/.debuginfod_client_cache"},
    {"", "/caches", "~", false, "/caches/debuginfod_client"},
    {"", NULL, NULL, false, ""},
};

static void set_variable(const char *name, const char *value)
{
    assert_int_equal(value != NULL ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void finds_its_folder(void **state)
{
    (void)state;
    char home[] = "/tmp/heapflame-debuginfod-XXXXXX", path[PATH_MAX], old[PATH_MAX];
    assert_non_null(mkdtemp(home));
    (void)snprintf(old, sizeof old, "%s/.debuginfod_client_cache", home);
    for (size_t i = 0; i < HF_COUNT(folder_rows); i++) {
        const struct folder_row *row = &folder_rows[i];
        char expected[PATH_MAX];
        bool is_in_home = row->folder[0] == '~';
        (void)snprintf(expected, sizeof expected, "%s%s", is_in_home ? home : "",
            is_in_home ? row->folder + 1 : row->folder);
        (void)rmdir(old);
        assert_int_equal(row->has_old ? mkdir(old, 0700) : 0, 0);
        set_variable("DEBUGINFOD_CACHE_PATH", row->own);
        set_variable("XDG_CACHE_HOME", row->caches);
        bool is_here = row->home != NULL && row->home[0] == '~';
        set_variable("HOME", is_here ? home : row->home);
        check_case = row->folder;
        assert_int_equal(hf_debuginfod_folder(path), expected[0] != '\0');
        if (expected[0] != '\0')
            assert_string_equal(path, expected);
    }
    check_case = "";
    assert_int_equal(folder_remove(home), 0);
}

static void names_a_file_by_build_id(void **state)
{
    (void)state;
    char path[PATH_MAX], longest[PATH_MAX];
    set_variable("DEBUGINFOD_CACHE_PATH", "/own");
    assert_true(hf_debuginfod_path(HF_TEXT("\x01\xab"), HF_DEBUGINFOD_NAME, path));
    assert_string_equal(path, "/own/01ab/debuginfo");
    assert_false(hf_debuginfod_path(HF_TEXT(""), HF_DEBUGINFOD_NAME, path));
    memset(longest, 'x', sizeof longest);
    longest[0] = '/';
    longest[PATH_MAX - strlen("/01ab/debuginfo")] = '\0'; /* one too many, with the NUL */
    set_variable("DEBUGINFOD_CACHE_PATH", longest);
    assert_false(hf_debuginfod_path(HF_TEXT("\x01\xab"), HF_DEBUGINFOD_NAME, path));
    longest[PATH_MAX - strlen("/01ab/debuginfo") - 1] = '\0';
    set_variable("DEBUGINFOD_CACHE_PATH", longest);
    assert_true(hf_debuginfod_path(HF_TEXT("\x01\xab"), HF_DEBUGINFOD_NAME, path));
    assert_int_equal(strlen(path), PATH_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_its_folder),
        cmocka_unit_test(names_a_file_by_build_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
