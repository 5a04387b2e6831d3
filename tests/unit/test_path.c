/* Paths, and what stands at them: links that are followed and that are not. */
#include "os/path.h"

#include "check.h"
#include "folder.h"
#include "os/path_look.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static char top[64];

static int begin(void **state)
{
    (void)state;
    (void)snprintf(top, sizeof top, "/tmp/path-XXXXXX");
    umask(022);
    if (mkdtemp(top) == NULL || chdir(top) != 0)
        return -1;
    return mkdir("folder", 0755) | close(open("folder/file", O_CREAT | O_WRONLY, 0640)) |
           symlink("file", "folder/near") | symlink("../folder", "folder/up") |
           symlink("nowhere", "dangling") | symlink("round", "round") |
           symlink("folder", "to-folder");
}

static int end(void **state)
{
    (void)state;
    return chdir("/") == 0 ? folder_remove(top) : -1;
}

static void test_moments(void **state)
{
    static const struct {
        const char *name, *before, *moment;
    } cases[] = {
        {"server.hfb@peak", "server.hfb", "peak"},
        {"server.hfb@end", "server.hfb", "end"},
        {"server.hfb@start", "server.hfb", "start"},
        {"server.hfb@begin", "server.hfb@begin", ""},
        {"server.hfb@", "server.hfb@", ""},
        {"a@b@end", "a@b", "end"},
        {"a@end@b", "a@end@b", ""},
        {"@peak", "@peak", ""},
        {"x@peak", "x", "peak"},
        {"server.hfb", "server.hfb", ""},
        {"", "", ""},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_text moment, before = hf_path_before_moment(hf_text_of(cases[i].name), &moment);
        check_case = cases[i].name;
        check_text(before, cases[i].before);
        check_text(moment, cases[i].moment);
    }
    check_case = "";
}

static void test_plain(void **state)
{
    (void)state;
    struct stat info;
    char path[PATH_MAX], expected[PATH_MAX], longer[PATH_MAX + 1];
    assert_true(hf_path_exists("folder/file"));
    assert_false(hf_path_exists("folder/other"));
    assert_false(hf_path_exists("dangling"));
    assert_true(hf_path_stat("folder/near", 0, &info));
    assert_true(S_ISREG(info.st_mode));
    assert_true(hf_path_stat("folder/file", R_OK, &info));
    assert_false(hf_path_stat("folder/file", X_OK, &info));
    assert_true(hf_path_link("folder/near", path));
    assert_string_equal(path, "file");
    assert_false(hf_path_link("folder/file", path));
    assert_true(hf_path_real("folder/up/near", path));
    char *whole = realpath("folder/file", expected);
    assert_string_equal(path, whole);
    assert_false(hf_path_real("dangling", path));
    memset(longer, 'x', PATH_MAX);
    longer[PATH_MAX] = '\0';
    assert_false(hf_path_format(path, "%s", longer));
    longer[PATH_MAX - 1] = '\0';
    assert_true(hf_path_format(path, "%s", longer));
    assert_string_equal(path, longer);
    int fd = hf_path_open("folder/file", 0);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    close(fd);
    assert_int_equal(hf_path_open("folder/file", O_DIRECTORY), -1);
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(hf_path_open("folder/other", 0), -1);
    assert_int_equal(errno, ENOENT);
}

static void test_names(void **state)
{
    (void)state;
    struct hf_folder_names names;
    int fd = hf_path_open("folder", O_DIRECTORY);
    for (int times = 0; times < 2; times++) { /* the descriptor is as it was */
        assert_true(hf_folder_names_read(&names, fd));
        assert_int_equal(names.count, 3);
        assert_string_equal(names.items[0], "file");
        assert_string_equal(names.items[1], "near");
        assert_string_equal(names.items[2], "up");
        hf_folder_names_done(&names);
        assert_int_equal(names.count, 0);
    }
    close(fd);
    assert_false(hf_folder_names_read(&names, -1));
    fd = hf_path_open("folder/file", 0);
    assert_false(hf_folder_names_read(&names, fd));
    close(fd);
}

static const struct {
    const char *path, *said; /* NULL: it is found; %s: the path */
    enum hf_path_look_links links;
} looks[] = {
    {"folder/file", NULL, HF_PATH_LOOK_FOLLOWS_LINKS},
    {"folder/file", NULL, HF_PATH_LOOK_REFUSES_LINKS},
    {"folder/near", NULL, HF_PATH_LOOK_FOLLOWS_LINKS},
    {"folder/near", "folder/near is a link, not a file", HF_PATH_LOOK_REFUSES_LINKS},
    {"folder/up/file", NULL, HF_PATH_LOOK_REFUSES_LINKS}, /* only the last name may not be one */
    {"to-folder/up/up/near", NULL, HF_PATH_LOOK_FOLLOWS_LINKS},
    {"to-folder/", NULL, HF_PATH_LOOK_FOLLOWS_LINKS},
    {"/", NULL, HF_PATH_LOOK_FOLLOWS_LINKS},
    {".", NULL, HF_PATH_LOOK_FOLLOWS_LINKS},
    {"folder//./file", NULL, HF_PATH_LOOK_FOLLOWS_LINKS},
    {"to-folder/../to-folder/file", NULL, HF_PATH_LOOK_FOLLOWS_LINKS},
    {"", "cannot open : No such file or directory", HF_PATH_LOOK_FOLLOWS_LINKS},
    {"dangling", "cannot open dangling: No such file or directory", HF_PATH_LOOK_FOLLOWS_LINKS},
    {"dangling/file", "cannot open dangling/file: No such file or directory",
        HF_PATH_LOOK_FOLLOWS_LINKS},
    {"round", "cannot open round: Too many levels of symbolic links", HF_PATH_LOOK_FOLLOWS_LINKS},
    {"folder/near/", "cannot open folder/near/: Not a directory", HF_PATH_LOOK_FOLLOWS_LINKS},
    {"folder/near/more", "cannot open folder/near/more: Not a directory",
        HF_PATH_LOOK_FOLLOWS_LINKS},
    {"to-folder/other", "cannot open to-folder/other: No such file or directory",
        HF_PATH_LOOK_FOLLOWS_LINKS},
};

static void test_looks(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(looks); i++) {
        struct hf_path_look look;
        struct hf_error err;
        struct stat info;
        check_case = looks[i].path;
        enum hf_status status = hf_path_look_at(&look, looks[i].path, looks[i].links, &err);
        if (looks[i].said != NULL) {
            assert_int_equal(status, HF_ERR_SYSTEM);
            check_error(&err, looks[i].said);
            continue;
        }
        check_ok(status, &err);
        assert_int_equal(stat(looks[i].path, &info), 0);
        assert_int_equal(look.info.st_ino, info.st_ino);
        assert_true(look.fd >= 0);
        int fd = look.fd, folder = look.folder;
        hf_path_look_done(&look);
        assert_int_equal(fcntl(fd, F_GETFD), -1);
        assert_int_equal(folder >= 0 ? fcntl(folder, F_GETFD) : -1, -1);
    }
    check_case = "";
}

/* As many links as the kernel follows, and one more; names and paths of every length. */
static void test_limits(void **state)
{
    (void)state;
    struct hf_path_look look;
    struct hf_error err;
    char name[16], before[16] = "folder/file";
    for (int i = 1; i <= 41; i++) {
        (void)snprintf(name, sizeof name, "link%d", i);
        assert_int_equal(symlink(before, name), 0);
        memcpy(before, name, sizeof name);
    }
    check_ok(hf_path_look_at(&look, "link40", HF_PATH_LOOK_FOLLOWS_LINKS, &err), &err);
    hf_path_look_done(&look);
    assert_int_equal(
        hf_path_look_at(&look, "link41", HF_PATH_LOOK_FOLLOWS_LINKS, &err), HF_ERR_SYSTEM);
    check_error(&err, "cannot open link41: Too many levels of symbolic links");
    char longer[PATH_MAX + 1] = "to-folder/"; /* so that the walk is ours */
    memset(longer + 10, 'x', 256);
    longer[10 + 256] = '\0';
    assert_int_equal(
        hf_path_look_at(&look, longer, HF_PATH_LOOK_FOLLOWS_LINKS, &err), HF_ERR_SYSTEM);
    assert_non_null(strstr(err.text, "File name too long"));
    longer[10 + 255] = '\0';
    assert_int_equal(close(open(longer, O_CREAT | O_WRONLY, 0600)), 0);
    check_ok(hf_path_look_at(&look, longer, HF_PATH_LOOK_FOLLOWS_LINKS, &err), &err);
    assert_string_equal(look.name, longer + 10);
    hf_path_look_done(&look);
    memset(longer, '/', PATH_MAX);
    longer[PATH_MAX] = '\0';
    assert_int_equal(
        hf_path_look_at(&look, longer, HF_PATH_LOOK_FOLLOWS_LINKS, &err), HF_ERR_SYSTEM);
}

/* In a folder that all may write to, a link of somebody else is not followed. */
static void test_strangers(void **state)
{
    (void)state;
    struct hf_path_look look;
    struct hf_error err;
    if (geteuid() != 0)
        skip();
    assert_int_equal(mkdir("shared", 0755) | symlink("../folder/file", "shared/link"), 0);
    assert_int_equal(lchown("shared/link", 12345, 12345), 0);
    static const struct {
        mode_t mode;
        uid_t owner;
        bool is_followed;
    } cases[] = {{0755, 0, true}, {01755, 0, true}, {0777, 0, true}, {01777, 0, false},
        {01777, 12345, true}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        assert_int_equal(chown("shared", cases[i].owner, 0), 0);
        assert_int_equal(chmod("shared", cases[i].mode), 0);
        enum hf_status status =
            hf_path_look_at(&look, "shared/link", HF_PATH_LOOK_FOLLOWS_LINKS, &err);
        assert_int_equal(status, cases[i].is_followed ? HF_OK : HF_ERR_SYSTEM);
        if (cases[i].is_followed)
            hf_path_look_done(&look);
        else
            check_error(&err, "cannot open shared/link: Permission denied");
    }
    assert_int_equal(lchown("shared/link", 0, 0), 0); /* one's own is */
    check_ok(hf_path_look_at(&look, "shared/link", HF_PATH_LOOK_FOLLOWS_LINKS, &err), &err);
    hf_path_look_done(&look);
}

static void test_files(void **state)
{
    static const struct {
        const char *path;
        bool is_file;
    } cases[] = {{"folder/file", true}, {"folder", false}, {"/proc/version", false},
        {"/sys/kernel/uevent_seqnum", false}, {"/dev/null", false}, {"/bin/sh", true}};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_path_look look;
        check_case = cases[i].path;
        if (hf_path_look_at(&look, cases[i].path, HF_PATH_LOOK_FOLLOWS_LINKS, NULL) != HF_OK)
            continue;
        assert_int_equal(hf_path_look_is_file(&look), cases[i].is_file);
        assert_true(hf_look_is_readable(&look));
        int fd = hf_path_look_open(&look, cases[i].path);
        assert_true(fd >= 0 || !cases[i].is_file);
        if (fd >= 0)
            close(fd);
        look.info.st_ino++; /* what is opened is another file */
        assert_int_equal(hf_path_look_open(&look, cases[i].path), -1);
        if (cases[i].is_file)
            assert_int_equal(errno, ESTALE);
        hf_path_look_done(&look);
    }
    check_case = "";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_looks),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
