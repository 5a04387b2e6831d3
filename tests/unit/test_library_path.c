/* Where a library is looked for: the run path with $ORIGIN, paths as names, and lengths. */
#include "check.h"
#include "folder.h"
#include "os/process/library_path.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[] = "/tmp/heapflame-library-XXXXXX";

struct find_row {
    const char *name, *run_path, *needed_by; /* behind "~": in the folder of this test */
    const char *found;                       /* "": nowhere */
};

static const struct find_row find_rows[] = {
    {"libheapflame-x.so", "~/lib", "/bin/true", "~/lib/libheapflame-x.so"},
    {"libheapflame-x.so", "/nowhere:~/lib", "/bin/true", "~/lib/libheapflame-x.so"},
    {"libheapflame-x.so", "::~/lib:", "/bin/true", "~/lib/libheapflame-x.so"},
    {"libheapflame-x.so", "~/none:/nowhere", "/bin/true", ""},
    {"libheapflame-x.so", "", "/bin/true", ""},
    {"libheapflame-x.so", "$ORIGIN/../lib", "~/bin/program", "~/bin/../lib/libheapflame-x.so"},
    {"libheapflame-x.so", "${ORIGIN}/lib", "~/program", "~/lib/libheapflame-x.so"},
    {"libheapflame-x.so", "$ORIGIN/lib", "program", "./lib/libheapflame-x.so"},
    {"~/lib/libheapflame-x.so", "", "/bin/true", "~/lib/libheapflame-x.so"},
    {"~/lib/libheapflame-y.so", "~/lib", "/bin/true", ""},
    {"", "~/lib", "/bin/true", ""}, /* the folder itself is no library */
};

static void in_home(const char *path, char out[PATH_MAX])
{
    const char *mark = strchr(path, '~');
    size_t before = mark != NULL ? (size_t)(mark - path) : strlen(path);
    (void)snprintf(out, PATH_MAX, "%.*s%s%s", (int)before, path, mark != NULL ? home : "",
        mark != NULL ? mark + 1 : "");
}

static void looks_where_the_linker_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(find_rows); i++) {
        const struct find_row *row = &find_rows[i];
        char name[PATH_MAX], run_path[PATH_MAX], needed_by[PATH_MAX], found[PATH_MAX];
        char path[PATH_MAX];
        in_home(row->name, name);
        in_home(row->run_path, run_path);
        in_home(row->needed_by, needed_by);
        in_home(row->found, found);
        check_case = row->run_path;
        assert_int_equal(hf_library_path_find(
                             hf_text_of(name), EM_X86_64, hf_text_of(run_path), needed_by, path),
            found[0] != '\0');
        if (found[0] != '\0')
            assert_string_equal(path, found);
    }
    check_case = "";
}

/* As long a name, and as long a run path, as there may be. */
static void bounds_what_it_is_given(void **state)
{
    (void)state;
    static char name[PATH_MAX], run_path[64 * PATH_MAX + 2];
    char path[PATH_MAX];
    const char *file = "lib/libheapflame-x.so";
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = i % 2 == 0 ? '.' : '/'; /* "./././" */
    char *end = name + PATH_MAX - 1 - strlen(file);
    if (end[-1] != '/') {
        end[-1] = '/';
        end[-2] = '/';
    }
    memcpy(end, file, strlen(file));
    struct hf_text longest = {name, PATH_MAX - 1};
    assert_true(hf_library_path_find(longest, EM_X86_64, HF_TEXT(""), "", path));
    assert_int_equal(strlen(path), PATH_MAX - 1);
    longest.size = PATH_MAX;
    assert_false(hf_library_path_find(longest, EM_X86_64, HF_TEXT(""), "", path));

    struct hf_text endless = {file, (size_t)UINT32_MAX + 1 + strlen(file)}; /* not cut to `file` */
    assert_false(hf_library_path_find(endless, EM_X86_64, HF_TEXT(""), "", path));

    memset(run_path, ':', sizeof run_path);
    memcpy(run_path, "lib", 3);
    struct hf_text folders = {run_path, 64 * PATH_MAX};
    assert_true(
        hf_library_path_find(HF_TEXT("libheapflame-x.so"), EM_X86_64, folders, "/bin/true", path));
    assert_string_equal(path, "lib/libheapflame-x.so");
    folders.size++;
    assert_false(
        hf_library_path_find(HF_TEXT("libheapflame-x.so"), EM_X86_64, folders, "/bin/true", path));
}

static int begin_folder(void **state)
{
    (void)state;
    if (mkdtemp(home) == NULL || chdir(home) != 0 || mkdir("lib", 0700) != 0 ||
        mkdir("bin", 0700) != 0)
        return -1;
    FILE *file = fopen("lib/libheapflame-x.so", "w");
    return file != NULL ? fclose(file) : -1;
}

static int end_folder(void **state)
{
    (void)state;
    return folder_remove(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_where_the_linker_does),
        cmocka_unit_test(bounds_what_it_is_given),
    };
    return cmocka_run_group_tests(tests, begin_folder, end_folder);
}
