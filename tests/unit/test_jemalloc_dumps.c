/* Dumps that jemalloc writes into a folder: this test writes them in its place. */
#include "capture/jemalloc_dumps.h"

#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct taken {
    enum hf_dump_reason reasons[8];
    uint64_t numbers[8];
    char bytes[8][16];
    size_t count, dropped;
    enum hf_status status; /* what is said of each */
    bool are_lost;
};

static enum hf_status take(void *context, uint64_t number, enum hf_dump_reason reason,
    const struct hf_dump_source *source, struct hf_dump_taken *out_taken, struct hf_error *err)
{
    struct taken *t = context;
    assert_true(t->count < 8);
    assert_int_equal(source->pid, 4711);
    assert_string_equal(source->program, "server");
    ssize_t size = read(source->fd, t->bytes[t->count], sizeof t->bytes[0] - 1);
    assert_true(size >= 0);
    t->bytes[t->count][size] = '\0';
    t->numbers[t->count] = number;
    t->reasons[t->count++] = reason;
    *out_taken = (struct hf_dump_taken){.is_there = !t->are_lost, .in_use_bytes = 100};
    return t->status == HF_OK ? HF_OK : hf_error_set(err, t->status, "no");
}

static void drop(void *context, uint64_t number)
{
    (void)number;
    ((struct taken *)context)->dropped++;
}

static struct hf_jemalloc_dumps dumps;
static struct taken taken;

static int begin(void **state)
{
    (void)state;
    memset(&taken, 0, sizeof taken);
    dumps = (struct hf_jemalloc_dumps){.pid = 4711,
        .program = "server",
        .keeper = {.sink = {.take = take, .drop = drop, .context = &taken}}};
    return hf_jemalloc_dumps_open(&dumps, "/tmp", NULL) == HF_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    hf_jemalloc_dumps_close(&dumps);
    return access(dumps.folder, F_OK) == 0 ? -1 : 0;
}

static void write_dump(const char *name, const char *text)
{
    char path[PATH_MAX + 64];
    (void)snprintf(path, sizeof path, "%s/%s", dumps.folder, name);
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static bool is_there(const char *name)
{
    char path[PATH_MAX + 64];
    (void)snprintf(path, sizeof path, "%s/%s", dumps.folder, name);
    return access(path, F_OK) == 0;
}

static void test_folder(void **state)
{
    (void)state;
    struct stat info;
    struct hf_jemalloc_dumps other = {.pid = 1};
    struct hf_error err;
    assert_int_equal(stat(dumps.folder, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0700);
    assert_int_equal(strncmp(dumps.folder, "/tmp/heapflame-jemalloc-", 24), 0);
    assert_int_equal(hf_jemalloc_dumps_open(&other, "/tmp/none/there", &err), HF_ERR_SYSTEM);
    check_error(&err, "cannot make a folder in /tmp/none/there: No such file or directory");
    hf_jemalloc_dumps_close(&other);
    char place[] = "/tmp/with,comma-XXXXXX", expected[PATH_MAX + 128];
    assert_non_null(mkdtemp(place));
    assert_int_equal(hf_jemalloc_dumps_open(&other, place, &err), HF_ERR_USAGE);
    (void)snprintf(expected, sizeof expected,
        "expected a path without a comma, as a setting of jemalloc, found '%s'", other.folder);
    check_error(&err, expected);
    hf_jemalloc_dumps_close(&other);
    assert_int_equal(rmdir(place), 0); /* nothing is left in it */
    char longer[PATH_MAX];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    other = (struct hf_jemalloc_dumps){.pid = 1};
    assert_int_equal(hf_jemalloc_dumps_open(&other, longer, &err), HF_ERR_USAGE);
    hf_jemalloc_dumps_close(&other);
}

static void test_settings(void **state)
{
    static const struct {
        uint64_t period, interval;
        bool with_last;
        const char *before, *after;
    } cases[] = {
        {0, 0, true, "true", ""},
        {524288, 0, false, "false", ",lg_prof_sample:19"},
        {524287, 1, true, "true", ",lg_prof_sample:18,lg_prof_interval:0"},
        {1, UINT64_MAX, true, "true", ",lg_prof_sample:0,lg_prof_interval:63"},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_out out = {0};
        char expected[PATH_MAX + 256];
        hf_jemalloc_dumps_put_settings(
            &dumps, cases[i].period, cases[i].interval, cases[i].with_last, &out);
        (void)snprintf(expected, sizeof expected,
            "prof:true,prof_active:true,prof_thread_active_init:true,prof_accum:true,prof_final:%s,"
            "prof_prefix:%s/heap%s",
            cases[i].before, dumps.folder, cases[i].after);
        check_out(&out, expected);
        hf_out_done(&out);
    }
}

static void test_dumps(void **state)
{
    (void)state;
    struct hf_error err;
    check_ok(hf_jemalloc_dumps_finish(&dumps, &err), &err);
    assert_int_equal(taken.count, 0);
    write_dump("heap.4711.0.i0.heap", "first");
    write_dump("heap.4712.1.i1.heap", "a child's");
    write_dump("heap.4711.x.i1.heap", "no number");
    write_dump("heap.4711.1.", "no kind");
    write_dump("other.4711.2.i2.heap", "other");
    write_dump("heap.4711.7.i7.heap", "second");
    check_ok(hf_jemalloc_dumps_finish(&dumps, &err), &err);
    assert_int_equal(taken.count, 2);
    assert_string_equal(taken.bytes[0], "first");
    assert_string_equal(taken.bytes[1], "second");
    assert_int_equal(taken.reasons[0], HF_DUMP_INTERVAL);
    assert_int_equal(taken.numbers[1], taken.numbers[0] + 1);
    assert_false(is_there("heap.4711.0.i0.heap")); /* it is handed on, and gone */
    assert_true(is_there("heap.4712.1.i1.heap"));
    assert_false(dumps.has_last);
    write_dump("heap.4711.8.f.heap", "last");
    check_ok(hf_jemalloc_dumps_finish(&dumps, &err), &err);
    assert_int_equal(taken.count, 3);
    assert_int_equal(taken.reasons[2], HF_DUMP_FINAL);
    assert_true(dumps.has_last);
    write_dump("heap.4711.9.i9.heap", "late");
    check_ok(hf_jemalloc_dumps_finish(&dumps, &err), &err);
    assert_false(dumps.has_last);
}

static void test_lost_dumps(void **state)
{
    (void)state;
    struct hf_error err;
    taken.are_lost = true;
    write_dump("heap.4711.1.f.heap", "last");
    check_ok(hf_jemalloc_dumps_finish(&dumps, &err), &err);
    assert_false(dumps.has_last);
    taken.status = HF_ERR_SYSTEM;
    write_dump("heap.4711.2.f.heap", "last");
    write_dump("heap.4711.3.i.heap", "not read any more");
    assert_int_equal(hf_jemalloc_dumps_finish(&dumps, &err), HF_ERR_SYSTEM);
    check_error(&err, "no");
    assert_true(dumps.has_last); /* it was, but for the error */
    assert_int_equal(taken.count, 2);
}

static void test_loop(void **state)
{
    (void)state;
    struct hf_loop loop = {0};
    struct hf_error err;
    hf_jemalloc_dumps_begin(&dumps, &loop);
    assert_true(dumps.folder_changes.fd >= 0);
    assert_int_equal(dumps.folder_changes.due_ns, HF_LOOP_NEVER);
    write_dump("heap.4711.0.i0.heap", "first");
    check_ok(dumps.folder_changes.wake(dumps.folder_changes.context, &err), &err);
    assert_int_equal(taken.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_folder, begin, end),
        cmocka_unit_test_setup_teardown(test_settings, begin, end),
        cmocka_unit_test_setup_teardown(test_dumps, begin, end),
        cmocka_unit_test_setup_teardown(test_lost_dumps, begin, end),
        cmocka_unit_test_setup_teardown(test_loop, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
