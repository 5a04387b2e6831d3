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

/* As systemd makes them: systemd.slice(5), systemd.unit(5) and its cg_needs_escape(). */
static void test_names_of_systemd(void **state)
{
    (void)state;
    char mount[] = "/tmp/hf-cgroup-XXXXXX";
    static const char *const units[][2] = {
        {"php8.2-fpm", "system.slice/php8.2-fpm.service"},
        {"getty@tty1", "system.slice/system-getty.slice/getty@tty1.service"},
        {"serial-getty@ttyS0.service",
            "system.slice/system-serial\\x2dgetty.slice/serial-getty@ttyS0.service"},
        {"worker@a\\x20b", "a.slice/a-b.slice/a-b-c.slice/worker@a\\x20b.service"},
        {"memory", "system.slice/_memory.service"},
        {"cpu.slice", "_cpu.slice"},
        {"_own", "system.slice/__own.service"},
        {"app-editor-1.scope",
            "user.slice/user-1000.slice/user@1000.service/app.slice/app-editor-1.scope"},
        {"pipewire", "user.slice/user-1000.slice/user@1000.service/session.slice/pipewire.service"},
    };
    char path[PATH_MAX], line[16], numbers[16];
    assert_non_null(mkdtemp(mount));
    for (size_t i = 0; i < HF_COUNT(units); i++) {
        (void)snprintf(path, sizeof path, "%s/cgroup.procs", units[i][1]);
        (void)snprintf(line, sizeof line, "%zu\n", i + 1);
        plant(mount, path, line);
    }
    plant(mount, "a.slice/a-b.slice/a-b-c.slice/cgroup.procs", "10\n");
    plant(mount, "user.slice/user-1000.slice/user@1000.service/cgroup.procs", "11\n");
    plant(mount, "system.slice/system-serial\\x2dgetty.slice/cgroup.procs", "12\n");
    for (size_t i = 0; i < HF_COUNT(units); i++) {
        (void)snprintf(numbers, sizeof numbers, "%zu ", i + 1);
        expect_unit(mount, units[i][0], units[i][1], numbers);
    }
    expect_unit(mount, "a-b-c.slice", "a.slice/a-b.slice/a-b-c.slice", "10 4 ");
    expect_unit(mount, "user@1000", "user.slice/user-1000.slice/user@1000.service", "11 8 9 ");
    expect_unit(mount, "system-serial\\x2dgetty.slice",
        "system.slice/system-serial\\x2dgetty.slice", "12 3 ");
}

/* A container with a systemd of its own is further in, and comes first by its name. */
static void test_the_outermost_of_a_name(void **state)
{
    (void)state;
    char mount[] = "/tmp/hf-cgroup-XXXXXX", folder[PATH_MAX];
    struct hf_error error;
    assert_non_null(mkdtemp(mount));
    plant(
        mount, "machine.slice/web.service/payload/system.slice/nginx.service/cgroup.procs", "1\n");
    plant(mount, "system.slice/nginx.service/cgroup.procs", "2\n");
    expect_unit(mount, "nginx", "system.slice/nginx.service", "2 ");
    plant(
        mount, "user.slice/user-1.slice/user@1.service/app.slice/sync.service/cgroup.procs", "3\n");
    plant(
        mount, "user.slice/user-2.slice/user@2.service/app.slice/sync.service/cgroup.procs", "4\n");
    assert_int_equal(hf_cgroup_of_unit(mount, "sync", folder, &error), HF_ERR_INPUT);
    assert_non_null(strstr(error.text, "user@1.service/app.slice/sync.service"));
    assert_non_null(strstr(error.text, "user@2.service/app.slice/sync.service"));
    assert_non_null(strstr(error.text, "--cgroup"));
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
        cmocka_unit_test(test_names_of_systemd),
        cmocka_unit_test(test_the_outermost_of_a_name),
        cmocka_unit_test(test_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
