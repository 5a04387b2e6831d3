/* A folder for files that can be made again: who may own it, and what is trimmed. */
#include "os/private_folder.h"

#include "check.h"
#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char top[64];
static struct hf_private_folder folder;

static const char *in_top(const char *name)
{
    static char path[2][256];
    static unsigned turn;
    char *out = path[turn++ % 2];
    (void)snprintf(out, sizeof path[0], "%s/%s", top, name);
    return out;
}

static int begin(void **state)
{
    (void)state;
    (void)snprintf(top, sizeof top, "/tmp/private-XXXXXX");
    umask(022);
    return mkdtemp(top) != NULL && hf_private_folder_open(&folder, in_top("own"), 1) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    hf_private_folder_close(&folder);
    return folder_remove(top);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode & 07777;
}

/* As if it had been used so long ago. */
static void age(const char *path, time_t seconds)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - seconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool opens(const char *name, unsigned makes)
{
    struct hf_private_folder other;
    if (!hf_private_folder_open(&other, in_top(name), makes))
        return false;
    assert_true(other.fd >= 0);
    assert_null(other.path);
    int fd = other.fd;
    hf_private_folder_close(&other);
    assert_int_equal(other.fd, -1);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    return true;
}

static void test_what_is_made(void **state)
{
    (void)state;
    assert_int_equal(mode_of(in_top("own")), 0700);
    assert_false(opens("missing", 0));
    assert_false(opens("a/b", 1));
    assert_int_equal(access(in_top("a"), F_OK), -1);
    assert_true(opens("a/b", 2));
    assert_int_equal(mode_of(in_top("a")), 0700);
    assert_int_equal(mode_of(in_top("a/b")), 0700);
    assert_true(opens("a/b/c/d", 5)); /* no more than is missing */
    assert_true(opens("a/b", 0));
    char longer[5000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    assert_false(hf_private_folder_open(&(struct hf_private_folder){.fd = -1}, longer, 3));
}

static void test_whose_it_is(void **state)
{
    (void)state;
    assert_true(opens("shared", 1));
    for (mode_t bit = 1; bit <= 0400; bit *= 2) {
        assert_int_equal(chmod(in_top("shared"), 0700 | bit), 0);
        assert_int_equal(opens("shared", 1), bit != 0020 && bit != 0002);
    }
    assert_int_equal(symlink(in_top("own"), in_top("link")), 0);
    assert_false(opens("link", 1));
    assert_int_equal(close(open(in_top("file"), O_CREAT | O_WRONLY, 0600)), 0);
    assert_false(opens("file", 1));
    if (geteuid() != 0)
        return;
    assert_true(opens("others", 1));
    assert_int_equal(chown(in_top("others"), 12345, 0), 0);
    assert_false(opens("others", 1));
    assert_false(opens("others/a", 1)); /* nothing is made in it */
    assert_int_equal(access(in_top("others/a"), F_OK), -1);
}

static bool has(const char *name, const char *bytes)
{
    struct hf_file_map map;
    if (!hf_private_folder_map(&folder, name, &map))
        return false;
    bool is_same = hf_text_is((struct hf_text){(const char *)map.data, map.size}, bytes);
    hf_file_map_close(&map);
    return is_same;
}

static void test_files(void **state)
{
    (void)state;
    assert_false(has("one", ""));
    assert_int_equal(hf_private_folder_find(&folder, "one"), -1);
    assert_true(hf_private_folder_put(&folder, "one", HF_TEXT("first")));
    assert_int_equal(mode_of(in_top("own/one")), 0600);
    assert_true(has("one", "first"));
    assert_true(hf_private_folder_put(&folder, "one", HF_TEXT("second one")));
    assert_true(has("one", "second one"));
    assert_true(hf_private_folder_put(&folder, "empty", HF_TEXT("")));
    assert_true(has("empty", ""));
    assert_int_equal(chmod(in_top("own/one"), 0620), 0);
    assert_false(has("one", "second one"));
    assert_int_equal(chmod(in_top("own/one"), 0644), 0);
    assert_true(has("one", "second one"));
    assert_int_equal(symlink("one", in_top("own/link")), 0);
    assert_false(has("link", "second one"));
    assert_int_equal(mkfifo(in_top("own/fifo"), 0600), 0);
    assert_false(has("fifo", "")); /* and nobody waits for a writer */
    /* A folder cannot be replaced, and nothing is left of the attempt. */
    assert_int_equal(mkdir(in_top("own/folder"), 0700), 0);
    assert_int_equal(mkdir(in_top("own/folder/a"), 0700), 0);
    assert_false(hf_private_folder_put(&folder, "folder", HF_TEXT("bytes")));
    DIR *entries = opendir(in_top("own"));
    const struct dirent *entry;
    while ((entry = readdir(entries)) != NULL)
        assert_true(entry->d_name[0] != '.' || strspn(entry->d_name, ".") == strlen(entry->d_name));
    closedir(entries);
    char longest[300];
    memset(longest, 'x', sizeof longest);
    longest[299] = '\0';
    assert_false(hf_private_folder_put(&folder, longest, HF_TEXT("bytes")));
}

/* Use is told by the time of change, which is kept by the hour. */
static void test_time_of_use(void **state)
{
    (void)state;
    struct stat info;
    assert_true(hf_private_folder_put(&folder, "used", HF_TEXT("bytes")));
    age(in_top("own/used"), 3500);
    assert_true(has("used", "bytes"));
    assert_int_equal(stat(in_top("own/used"), &info), 0);
    assert_true(time(NULL) - info.st_mtime >= 3500);
    age(in_top("own/used"), 3700);
    assert_true(has("used", "bytes"));
    assert_int_equal(stat(in_top("own/used"), &info), 0);
    assert_true(time(NULL) - info.st_mtime < 1000);
}

static void test_trim(void **state)
{
    (void)state;
    static const char *const names[] = {"c", "a", "b", "d"};
    struct hf_private_folder other;
    assert_true(hf_private_folder_open(&other, in_top("trimmed"), 1));
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        char path[64];
        assert_true(hf_private_folder_put(&other, names[i], HF_TEXT("0123456789")));
        (void)snprintf(path, sizeof path, "trimmed/%s", names[i]);
        age(in_top(path), i < 1 ? 500 : i < 3 ? 300 : 100);
    }
    assert_int_equal(mkdir(in_top("trimmed/folder"), 0700), 0);
    assert_int_equal(close(open(in_top("trimmed/.1.new"), O_CREAT | O_WRONLY, 0600)), 0);
    assert_int_equal(close(open(in_top("trimmed/.2.old"), O_CREAT | O_WRONLY, 0600)), 0);
    age(in_top("trimmed/.1.new"), 3500);
    age(in_top("trimmed/.2.old"), 3700);
    hf_private_folder_trim(&other, 40);
    assert_int_equal(access(in_top("trimmed/c"), F_OK), 0);
    assert_int_equal(access(in_top("trimmed/.1.new"), F_OK), 0);
    assert_int_equal(access(in_top("trimmed/.2.old"), F_OK), -1);
    hf_private_folder_trim(&other, 39);
    assert_int_equal(access(in_top("trimmed/c"), F_OK), -1); /* used longest ago */
    assert_int_equal(access(in_top("trimmed/a"), F_OK), 0);
    hf_private_folder_trim(&other, 20);
    assert_int_equal(access(in_top("trimmed/a"), F_OK), -1); /* of two the first by name */
    assert_int_equal(access(in_top("trimmed/b"), F_OK), 0);
    hf_private_folder_trim(&other, 5);
    assert_int_equal(access(in_top("trimmed/d"), F_OK), -1);
    hf_private_folder_trim(&other, 0);
    assert_int_equal(access(in_top("trimmed/folder"), F_OK), 0);
    hf_private_folder_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_made),
        cmocka_unit_test(test_whose_it_is),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_time_of_use),
        cmocka_unit_test(test_trim),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
