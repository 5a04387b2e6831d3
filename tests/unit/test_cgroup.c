/*
 * Units and their processes in fake folders, as both versions of cgroups lay them out.
 */
#include "check.h"
#include "os/process/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file below a folder, with the folders on its path. */
static void plant(const char *folder, const char *name, const char *text)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder); (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void add_number(void *context, uint32_t pid)
{
    char *numbers = context;
    size_t size = strlen(numbers);
    (void)snprintf(numbers + size, 128 - size, "%u ", pid);
}

static void expect_unit(
    const char *mount, const char *unit, const char *folder, const char *numbers)
{
    char found[PATH_MAX], expected[PATH_MAX], got[128] = "";
    struct hf_error error;
    assert_int_equal(hf_cgroup_of_unit(mount, unit, found, &error), HF_OK);
    (void)snprintf(expected, sizeof expected, "%s/%s", mount, folder);
    assert_string_equal(found, expected);
    assert_int_equal(hf_cgroup_processes(found, add_number, got, &error), HF_OK);
    assert_string_equal(got, numbers);
}

static void test_version_2(void **state)
{
    (void)state;
    char mount[] = "/tmp/hf-cgroup-XXXXXX";
    assert_non_null(mkdtemp(mount));
    plant(mount, "cgroup.procs", "1\n");
    plant(mount, "system.slice/cgroup.procs", "");
    plant(mount, "system.slice/nginx.service/cgroup.procs", "4711\n4712\n0\n");
    plant(mount, "system.slice/nginx.service/inner/cgroup.procs", "4713\n");
    plant(mount, "system.slice/system-postgresql.slice/postgresql@15-main.service/cgroup.procs",
        "17\n");
    plant(mount, "machine.slice/docker-abc.scope/cgroup.procs", "18\n");
    expect_unit(mount, "nginx", "system.slice/nginx.service", "4711 4712 4713 ");
    expect_unit(mount, "nginx.service", "system.slice/nginx.service", "4711 4712 4713 ");
    expect_unit(mount, "postgresql@15-main",
        "system.slice/system-postgresql.slice/postgresql@15-main.service", "17 ");
    expect_unit(mount, "docker-abc.scope", "machine.slice/docker-abc.scope", "18 ");
    expect_unit(mount, "system.slice", "system.slice", "4711 4712 4713 17 ");
}

/* Controllers have hierarchies, too, in which systemd has made folders: its own is taken. */
static void test_version_1(void **state)
{
    (void)state;
    char mount[] = "/tmp/hf-cgroup-XXXXXX";
    assert_non_null(mkdtemp(mount));
    plant(mount, "memory/system.slice/nginx.service/cgroup.procs", "1\n");
    plant(mount, "systemd/system.slice/nginx.service/cgroup.procs", "4711\n");
    plant(mount, "memory/system.slice/only.service/cgroup.procs", "2\n");
    expect_unit(mount, "nginx", "systemd/system.slice/nginx.service", "4711 ");
    expect_unit(mount, "only", "memory/system.slice/only.service", "2 ");
}

static void test_what_is_not_there(void **state)
{
    (void)state;
    char mount[] = "/tmp/hf-cgroup-XXXXXX", folder[PATH_MAX], numbers[128] = "";
    struct hf_error error;
    assert_non_null(mkdtemp(mount));
    plant(mount, "system.slice/cgroup.procs", "1\n");
    plant(mount, "nginx.service", "a file of this name is no unit\n");
    static const char *const names[] = {"nginx", "no-such", "", "../etc", "a/b"};
    for (size_t i = 0; i < HF_COUNT(names); i++)
        assert_int_equal(hf_cgroup_of_unit(mount, names[i], folder, &error), HF_ERR_INPUT);
    assert_int_equal(hf_cgroup_processes(mount, add_number, numbers, &error), HF_ERR_INPUT);
    assert_non_null(strstr(error.text, "cgroup.procs"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_2),
        cmocka_unit_test(test_version_1),
        cmocka_unit_test(test_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
