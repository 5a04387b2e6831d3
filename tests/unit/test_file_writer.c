/* How outputs appear: whole, with the mode of what they replace, and not at all after an error. */
#include "os/file_writer.h"

#include "check.h"
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char top[64];

static int begin(void **state)
{
    (void)state;
    (void)snprintf(top, sizeof top, "/tmp/writer-XXXXXX");
    umask(022);
    return mkdtemp(top) != NULL ? chdir(top) : -1;
}

static int end(void **state)
{
    (void)state;
    return chdir("/") == 0 ? folder_remove(top) : -1;
}

static void check_file(const char *path, const char *expected)
{
    char bytes[256];
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    ssize_t size = read(fd, bytes, sizeof bytes);
    close(fd);
    struct hf_text text = {bytes, (size_t)size};
    check_text(text, expected);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode & 07777;
}

static size_t count_files(void)
{
    size_t count = 0;
    DIR *entries = opendir(".");
    while (readdir(entries) != NULL)
        count++;
    closedir(entries);
    return count - 2;
}

static enum hf_status begin_file(
    struct hf_file_writer *writer, const char *path, bool is_private, const char *text)
{
    struct hf_error err;
    check_ok(hf_file_writer_open(writer, path, is_private, &err), &err);
    struct hf_out out = hf_file_writer_out(writer);
    hf_out_string(&out, text);
    enum hf_status status = hf_out_finish(&out, &err);
    hf_out_done(&out);
    return status;
}

static void write_file(const char *path, bool is_private, const char *text)
{
    struct hf_file_writer writer;
    struct hf_error err;
    assert_int_equal(begin_file(&writer, path, is_private, text), HF_OK);
    check_ok(hf_file_writer_commit(&writer, &err), &err);
    hf_file_writer_close(&writer);
    assert_int_equal(writer.fd, -1);
    assert_null(writer.path);
    hf_file_writer_close(&writer);
}

static void test_new_files(void **state)
{
    (void)state;
    struct hf_file_writer writer;
    write_file("common", false, "text");
    check_file("common", "text");
    assert_int_equal(mode_of("common"), 0644);
    write_file("private", true, "secret");
    check_file("private", "secret");
    assert_int_equal(mode_of("private"), 0600);
    size_t before = count_files();
    assert_int_equal(begin_file(&writer, "dropped", false, "text"), HF_OK);
    assert_int_equal(count_files(), before);
    hf_file_writer_close(&writer);
    assert_int_equal(count_files(), before);
}

static void test_replaced_files(void **state)
{
    (void)state;
    struct hf_file_writer writer;
    write_file("old", false, "what was there");
    assert_int_equal(chmod("old", 0751), 0);
    if (geteuid() == 0)
        assert_int_equal(chown("old", 12345, 23456), 0);
    write_file("old", true, "new");
    check_file("old", "new");
    assert_int_equal(mode_of("old"), 0751);
    struct stat info;
    assert_int_equal(stat("old", &info), 0);
    if (geteuid() == 0)
        assert_true(info.st_uid == 12345 && info.st_gid == 23456);
    assert_int_equal(chmod("old", 04755), 0);
    write_file("old", true, "newer");
    assert_int_equal(mode_of("old"), 0755); /* never more than a file's */
    size_t before = count_files();
    assert_int_equal(begin_file(&writer, "old", false, "dropped"), HF_OK);
    check_file("old", "newer");
    hf_file_writer_close(&writer);
    check_file("old", "newer");
    assert_int_equal(count_files(), before);
    assert_int_equal(symlink("old", "link"), 0);
    write_file("link", false, "through the link");
    check_file("old", "through the link");
    assert_int_equal(count_files(), before + 1);
}

static void test_of_its_own(void **state)
{
    (void)state;
    struct hf_file_writer writer;
    struct hf_error err;
    check_ok(hf_file_writer_open_new(&writer, "fresh", &err), &err);
    check_ok(hf_file_writer_commit(&writer, &err), &err);
    hf_file_writer_close(&writer);
    assert_int_equal(mode_of("fresh"), 0600);
    assert_int_equal(hf_file_writer_open_new(&writer, "fresh", &err), HF_ERR_SYSTEM);
    check_error(&err, "cannot write fresh: File exists");
    assert_int_equal(writer.fd, -1);
    /* Somebody is faster. */
    check_ok(hf_file_writer_open_new(&writer, "raced", &err), &err);
    write_file("raced", false, "theirs");
    size_t before = count_files();
    assert_int_equal(hf_file_writer_commit(&writer, &err), HF_ERR_SYSTEM);
    check_error(&err, "cannot write raced: File exists");
    hf_file_writer_close(&writer);
    check_file("raced", "theirs");
    assert_int_equal(count_files(), before);
    /* Who replaces does it whoever was faster, but for what is no file. */
    assert_int_equal(begin_file(&writer, "raced2", false, "ours"), HF_OK);
    write_file("raced2", false, "theirs");
    check_ok(hf_file_writer_commit(&writer, &err), &err);
    hf_file_writer_close(&writer);
    check_file("raced2", "ours");
    assert_int_equal(begin_file(&writer, "raced3", false, "ours"), HF_OK);
    assert_int_equal(mkfifo("raced3", 0600), 0);
    before = count_files();
    assert_int_equal(hf_file_writer_commit(&writer, &err), HF_ERR_SYSTEM);
    check_error(&err, "cannot write raced3: File exists");
    hf_file_writer_close(&writer);
    assert_int_equal(count_files(), before);
}

static void test_refused(void **state)
{
    (void)state;
    struct hf_file_writer writer;
    struct hf_error err;
    assert_int_equal(mkdir("folder", 0755), 0);
    static const struct {
        const char *path, *said;
    } cases[] = {
        {"", "cannot write : No such file or directory"},
        {"missing/file", "cannot write missing/file: No such file or directory"},
        {"folder", "cannot write folder: Is a directory"},
        {"folder/", "cannot write folder/: Is a directory"},
        {"/", "cannot write /: Is a directory"},
        {"common/file", "cannot write common/file: Not a directory"},
    };
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        assert_int_equal(hf_file_writer_open(&writer, cases[i].path, false, &err), HF_ERR_SYSTEM);
        check_error(&err, cases[i].said);
        assert_int_equal(writer.fd, -1);
    }
}

/* What is no file is written through: a FIFO, and what this process has open. */
static void test_through(void **state)
{
    (void)state;
    struct hf_file_writer writer;
    struct hf_error err;
    char bytes[16];
    assert_int_equal(mkfifo("fifo", 0600), 0);
    int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    write_file("fifo", false, "text");
    assert_int_equal(read(reader, bytes, sizeof bytes), 4);
    close(reader);
    int fd = open("open", O_CREAT | O_RDWR, 0600);
    assert_int_equal(write(fd, "before ", 7), 7);
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_int_equal(begin_file(&writer, path, false, "after"), HF_OK);
    assert_true(writer.fd > STDERR_FILENO && writer.fd != fd);
    int own = writer.fd;
    check_ok(hf_file_writer_commit(&writer, &err), &err);
    assert_int_equal(fcntl(own, F_GETFD), -1);
    hf_file_writer_close(&writer);
    check_file("open", "before after"); /* it has its position */
    assert_true(fcntl(fd, F_GETFD) >= 0);
    close(fd);
    check_ok(hf_file_writer_open(&writer, "-", false, &err), &err);
    assert_int_equal(writer.fd, STDOUT_FILENO);
    check_ok(hf_file_writer_commit(&writer, &err), &err);
    hf_file_writer_close(&writer);
    assert_true(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
}

static void test_full_disk(void **state)
{
    (void)state;
    struct hf_file_writer writer;
    struct hf_error err;
    check_ok(hf_file_writer_open(&writer, "/dev/full", false, &err), &err);
    struct hf_out out = hf_file_writer_out(&writer);
    hf_out_string(&out, "text");
    assert_int_equal(hf_out_finish(&out, &err), HF_ERR_SYSTEM);
    check_error(&err, "cannot write /dev/full: No space left on device");
    hf_out_done(&out);
    hf_file_writer_close(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_files),
        cmocka_unit_test(test_replaced_files),
        cmocka_unit_test(test_of_its_own),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_through),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
