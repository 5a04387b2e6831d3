/* Paths of debug files by build-id, and paths that do not fit. */
#include "os/path.h"
#include "symbol/debug_paths.h"

#include "check.h"

#include <limits.h>

/* Two bytes are the least, 64 the most. */
static void names_files_by_build_id(void **state)
{
    (void)state;
    char path[PATH_MAX], id[65];
    memset(id, 0xab, sizeof id);
    id[0] = 0x01;
    id[1] = (char)0xfe;
    assert_false(hf_build_id_path((struct hf_text){id, 1}, "/d", path));
    assert_true(hf_build_id_path((struct hf_text){id, 2}, "/d", path));
    assert_string_equal(path, "/d/.build-id/01/fe.debug");
    assert_true(hf_build_id_path((struct hf_text){id, 3}, "/usr/lib/debug", path));
    assert_string_equal(path, "/usr/lib/debug/.build-id/01/feab.debug");
    assert_true(hf_build_id_path((struct hf_text){id, 64}, "/d", path));
    assert_int_equal(strlen(path), strlen("/d/.build-id/01/.debug") + 2 * 63);
    assert_false(hf_build_id_path((struct hf_text){id, 65}, "/d", path));
}

static void refuses_paths_that_do_not_fit(void **state)
{
    (void)state;
    char path[PATH_MAX];
    assert_true(hf_path_format(path, "%0*d", PATH_MAX - 1, 0));
    assert_int_equal(strlen(path), PATH_MAX - 1);
    assert_false(hf_path_format(path, "%0*d", PATH_MAX, 0));
}

static void finds_the_folder_of_a_file(void **state)
{
    (void)state;
    char folder[PATH_MAX];
    assert_true(hf_folder_of("/proc/self/../version", folder));
    assert_string_equal(folder, "/proc");
    assert_false(hf_folder_of("/proc/self/nothing", folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_files_by_build_id),
        cmocka_unit_test(refuses_paths_that_do_not_fit),
        cmocka_unit_test(finds_the_folder_of_a_file),
    };
    return cmocka_run_group_tests_name("debug_paths", tests, NULL, NULL);
}
