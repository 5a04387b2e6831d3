/* Files that are mapped: what becomes of them while they are read; and what a path leads to. */
#include "os/file.h"

#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 64
#define PAGE ((size_t)4096)

/* A file of PAGES pages of 'x', in the folder that the test runs in. */
static int make(const char *name)
{
    char page[PAGE];
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    assert_true(fd >= 0);
    memset(page, 'x', sizeof page);
    for (int i = 0; i < PAGES; i++)
        assert_int_equal(write(fd, page, sizeof page), sizeof page);
    return fd;
}

static size_t count_of(const struct hf_file_map *map, uint8_t byte)
{
    size_t count = 0;
    for (size_t i = 0; i < map->size; i += PAGE)
        count += ((const volatile uint8_t *)map->data)[i] == byte;
    return count;
}

static void a_file_that_is_cut_reads_as_zeros(void **state)
{
    (void)state;
    struct hf_error err = {0};
    struct hf_file_map map, other;
    int fd = make("cut"), fd_other = make("other");
    check_ok(hf_file_map_open(&map, "cut", &err), &err);
    check_ok(hf_file_map_open(&other, "other", &err), &err);
    assert_int_equal(count_of(&map, 'x'), PAGES);
    assert_true(hf_file_map_is_sound(&map, "cut"));
    assert_int_equal(ftruncate(fd, (off_t)PAGE), 0);
    assert_true(hf_file_map_is_whole(&map)); /* nobody has seen it yet */
    assert_false(hf_file_map_is_sound(&map, "cut"));
    assert_int_equal(map.data[0], 'x');
    assert_int_equal(map.data[PAGE], 0);
    assert_false(hf_file_map_is_whole(&map));
    assert_int_equal(count_of(&map, 0), PAGES); /* all of it, so nothing is half believed */
    assert_int_equal(hf_file_map_check(&map, "cut", HF_OK, &err), HF_ERR_SYSTEM);
    check_text(hf_text_of(err.text),
        "cut was cut short or written to while it was read, so nothing of it "
        "is used; try again when no process writes to it");
    assert_int_equal(count_of(&other, 'x'), PAGES);
    check_ok(hf_file_map_check(&other, "other", HF_OK, &err), &err);
    hf_file_map_close(&map);
    hf_file_map_close(&other);
    close(fd);
    close(fd_other);
}

static void a_file_that_is_written_to_is_not_sound(void **state)
{
    (void)state;
    struct hf_error err = {0};
    struct hf_file_map map;
    const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    int fd = make("written");
    check_ok(hf_file_map_open(&map, "written", &err), &err);
    assert_int_equal(pwrite(fd, "y", 1, 0), 1);
    assert_int_equal(futimens(fd, times), 0); /* clocks of files may tick too slowly */
    assert_false(hf_file_map_is_sound(&map, "written"));
    assert_true(hf_file_map_is_whole(&map));
    hf_file_map_close(&map);
    check_ok(hf_file_map_open(&map, "written", &err), &err);
    assert_int_equal(rename("written", "before"), 0);
    close(make("written")); /* as an upgrade does: the file that is mapped stays as it is */
    assert_true(hf_file_map_is_sound(&map, "written"));
    hf_file_map_close(&map);
    close(fd);
}

/* More than there is room for at first, each broken and closed on its own. */
static void many_files_at_once(void **state)
{
    (void)state;
    static struct hf_file_map maps[300];
    struct hf_error err = {0};
    int fd = make("many"), fd_cut = make("many-cut");
    for (size_t i = 0; i < HF_COUNT(maps); i++)
        check_ok(hf_file_map_open(&maps[i], i % 3 == 0 ? "many-cut" : "many", &err), &err);
    assert_int_equal(ftruncate(fd_cut, 0), 0);
    for (size_t i = 0; i < HF_COUNT(maps); i++) {
        assert_int_equal(count_of(&maps[i], 'x'), i % 3 == 0 ? 0 : PAGES);
        assert_int_equal(hf_file_map_is_whole(&maps[i]), i % 3 != 0);
        if (i % 2 == 0)
            hf_file_map_close(&maps[i]);
    }
    for (size_t i = 0; i < HF_COUNT(maps); i += 2) /* a place that was broken is whole again */
        check_ok(hf_file_map_open(&maps[i], "many", &err), &err);
    for (size_t i = 0; i < HF_COUNT(maps); i++) {
        assert_int_equal(hf_file_map_is_whole(&maps[i]), i % 2 == 0 || i % 3 != 0);
        hf_file_map_close(&maps[i]);
    }
    close(fd);
    close(fd_cut);
}

struct reader {
    const struct hf_file_map *map;
    atomic_bool *stop;
    bool is_honest; /* whoever saw a zero found the mark */
};

static void *read_on(void *context)
{
    struct reader *reader = context;
    while (!*reader->stop) {
        size_t zeros = count_of(reader->map, 0);
        if (zeros != 0 && hf_file_map_is_whole(reader->map))
            reader->is_honest = false;
    }
    return NULL;
}

static void readers_of_several_threads(void **state)
{
    (void)state;
    for (int turn = 0; turn < 30; turn++) {
        struct hf_error err = {0};
        struct hf_file_map map;
        atomic_bool stop = false;
        struct reader readers[4];
        pthread_t threads[HF_COUNT(readers)];
        int fd = make("threads");
        check_ok(hf_file_map_open(&map, "threads", &err), &err);
        for (size_t i = 0; i < HF_COUNT(readers); i++) {
            readers[i] = (struct reader){&map, &stop, true};
            assert_int_equal(pthread_create(&threads[i], NULL, read_on, &readers[i]), 0);
        }
        usleep(500);
        assert_int_equal(ftruncate(fd, 0), 0);
        while (hf_file_map_is_whole(&map))
            usleep(100);
        stop = true;
        for (size_t i = 0; i < HF_COUNT(readers); i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_true(readers[i].is_honest);
        }
        hf_file_map_close(&map);
        close(fd);
    }
}

/* How a child ends that does this after a file was mapped. */
static int end_of(void (*what)(void))
{
    struct hf_file_map map;
    const struct rlimit none = {0, 0};
    close(make("child"));
    pid_t child = fork();
    if (child == 0) {
        (void)setrlimit(RLIMIT_CORE, &none);
        (void)signal(SIGBUS, SIG_DFL); /* what a sanitizer put there */
        if (hf_file_map_open(&map, "child", NULL) == HF_OK)
            what();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void read_what_nobody_guards(void)
{
    int fd = make("mine");
    volatile const uint8_t *data = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    if (ftruncate(fd, 0) == 0)
        (void)data[0];
}

static void send_it(void)
{
    (void)kill(getpid(), SIGBUS);
}

static void nothing(void) {}

/* Once a program has mapped a file, in a child that never did before. */
static void other_faults_end_the_process(void **state)
{
    (void)state;
    assert_int_equal(end_of(nothing), 0);
    assert_int_equal(end_of(read_what_nobody_guards), SIGBUS);
    assert_int_equal(end_of(send_it), SIGBUS);
}

static void only_regular_files_are_opened(void **state)
{
    (void)state;
    int fd = -1;
    struct hf_error err = {0};
    struct hf_file_stamp stamp;
    close(make("plain"));
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(symlink("fifo", "link"), 0);
    assert_int_equal(symlink("plain", "good"), 0);
    check_ok(hf_file_open_regular("good", &fd, &err), &err);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
    close(fd);
    static const char *const refused[] = {"fifo", "link", ".", "none", "plain/", "/proc/self/maps"};
    for (size_t i = 0; i < HF_COUNT(refused); i++) {
        check_case = refused[i];
        assert_int_equal(hf_file_open_regular(refused[i], &fd, &err), HF_ERR_SYSTEM);
        assert_false(hf_file_stamp_of(refused[i], &stamp));
    }
    check_ok(hf_file_open_regular_itself("plain", &fd, &err), &err);
    close(fd);
    assert_int_equal(hf_file_open_regular_itself("good", &fd, &err), HF_ERR_SYSTEM);
    check_text(hf_text_of(err.text), "good is a link, not a file");
}

/* Where a descriptor has no name below /proc, the file is found by its own again. */
static void without_proc(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("skipped: to change the root folder needs root\n");
        return;
    }
    close(make("seen"));
    pid_t child = fork();
    if (child == 0) {
        int fd = -1;
        _exit(chroot(".") == 0 && hf_file_open_regular("seen", &fd, NULL) == HF_OK && fd >= 0 &&
                      hf_file_open_regular("/seen", &fd, NULL) == HF_OK
                  ? 0
                  : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_faults_end_the_process), /* first: no handler is there yet */
        cmocka_unit_test(a_file_that_is_cut_reads_as_zeros),
        cmocka_unit_test(a_file_that_is_written_to_is_not_sound),
        cmocka_unit_test(many_files_at_once),
        cmocka_unit_test(readers_of_several_threads),
        cmocka_unit_test(only_regular_files_are_opened),
        cmocka_unit_test(without_proc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
