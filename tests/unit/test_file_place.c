/* Where an output may go: paths that cannot be one, and what stands there. */
#include "check.h"
#include "os/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static void refuses_what_is_no_path(void **state)
{
    static char long_path[PATH_MAX + 1], long_name[NAME_MAX + 8];
    memset(long_path, 'x', PATH_MAX);
    for (size_t i = 0; i < PATH_MAX; i += 2)
        long_path[i] = '/';
    memset(long_name, 'x', NAME_MAX + 1);
    static const struct {
        const char *path;
        int error; /* 0: the path alone fills the sentence */
    } rows[] = {{"", ENOENT}, {long_path, 0}, {long_name, ENAMETOOLONG},
        {"/proc/version/file", ENOTDIR}, {"/nowhere/file", ENOENT}, {"/proc", EISDIR},
        {"/", EISDIR}, {".", EISDIR}, {"/proc/", EISDIR}};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_file_place place;
        struct hf_error err = {0};
        char text[HF_ERROR_TEXT_MAX + HF_ERROR_INPUT_MAX + 64];
        check_case = rows[i].path;
        assert_int_equal(hf_file_place_find(&place, rows[i].path, false, &err), HF_ERR_SYSTEM);
        hf_error_format(&err, text, sizeof text);
        if (rows[i].error != 0 && strstr(text, strerror(rows[i].error)) == NULL)
            fail_msg("%.40s: '%s', not '%s'", rows[i].path, text, strerror(rows[i].error));
        assert_int_equal(place.folder, -1);
        hf_file_place_close(&place);
    }
}

static void finds_what_stands_there(void **state)
{
    (void)state;
    struct hf_file_place place;
    struct hf_error err;
    char folder[] = "/tmp/heapflame-test-XXXXXX", path[PATH_MAX], link[PATH_MAX];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    check_ok(hf_file_place_find(&place, path, true, &err), &err);
    assert_string_equal(place.name, "file");
    assert_true(!place.is_there && !place.is_link && place.descriptor == -1);
    int fd = openat(place.folder, place.name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    hf_file_place_close(&place);
    assert_int_equal(place.folder, -1);
    check_ok(hf_file_place_find(&place, path, false, &err), &err);
    assert_true(place.is_there && S_ISREG(place.info.st_mode));
    hf_file_place_close(&place);
    assert_int_equal(hf_file_place_find(&place, path, true, &err), HF_ERR_SYSTEM);
    assert_int_equal(symlink("file", link), 0);
    check_ok(hf_file_place_find(&place, link, false, &err), &err);
    assert_string_equal(place.name, "file");
    assert_true(place.is_there && !place.is_link);
    hf_file_place_close(&place);
    assert_int_equal(hf_file_place_find(&place, link, true, &err), HF_ERR_SYSTEM);
    unlink(path);
    check_ok(hf_file_place_find(&place, link, false, &err), &err);
    assert_true(!place.is_there);
    hf_file_place_close(&place);
    unlink(link);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_no_path),
        cmocka_unit_test(finds_what_stands_there),
    };
    return cmocka_run_group_tests_name("file_place", tests, NULL, NULL);
}
