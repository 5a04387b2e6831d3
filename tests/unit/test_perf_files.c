/* Which event a record is of, and of a thread with files of its own which are to be believed. */
#include "attach/perf/perf_files.h"

#include "check.h"

/* Files with a copy of these items, which it returns and which belongs to them. */
static struct hf_perf_file *init(
    struct hf_perf_files *files, const struct hf_perf_file *made, size_t count)
{
    struct hf_error err;
    struct hf_perf_file *items = malloc(count * sizeof *made);
    assert_non_null(items);
    memcpy(items, made, count * sizeof *made);
    check_ok(hf_perf_files_init(files, items, count, &err), &err);
    return items;
}

static void test_find(void **state)
{
    static const struct hf_perf_file made[] = {{.id = 70, .tid = 0}, {.id = 7, .tid = 5}};
    struct hf_perf_files files;
    struct hf_perf_file *items = init(&files, made, HF_COUNT(made));
    (void)state;
    assert_ptr_equal(hf_perf_files_find(&files, 70), &items[0]);
    assert_ptr_equal(hf_perf_files_find(&files, 7), &items[1]);
    assert_null(hf_perf_files_find(&files, 0));
    assert_null(hf_perf_files_find(&files, 1));
    assert_null(hf_perf_files_find(&files, 8));
    hf_perf_files_done(&files);
    assert_int_equal(files.count, 0);
    assert_null(hf_perf_files_find(&files, 7));
}

/* A thread without files is seen by those of another; one with files by its own alone. */
static void test_own(void **state)
{
    static const struct hf_perf_file made[] = {{.id = 70, .tid = 4}, {.id = 71, .tid = 5}};
    struct hf_perf_files files;
    struct hf_perf_file *items = init(&files, made, HF_COUNT(made));
    (void)state;
    assert_true(hf_perf_files_own(&files, &items[0], 4));
    assert_false(hf_perf_files_own(&files, &items[0], 5));
    assert_false(hf_perf_files_own(&files, &items[1], 4));
    assert_true(hf_perf_files_own(&files, &items[1], 6));
    hf_perf_files_forget_thread(&files, 6); /* it has none */
    assert_true(hf_perf_files_own(&files, &items[0], 6));
    hf_perf_files_forget_thread(&files, 5);
    assert_true(hf_perf_files_own(&files, &items[0], 5));
    assert_true(hf_perf_files_own(&files, &items[1], 5));
    assert_false(hf_perf_files_own(&files, &items[1], 4));
    hf_perf_files_done(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_own),
    };
    return cmocka_run_group_tests_name("perf_files", tests, NULL, NULL);
}
