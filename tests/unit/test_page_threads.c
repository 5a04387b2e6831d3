/* Which threads a page lists, and their columns. */
#include "render/page/page_threads.h"

#include "check.h"

static struct hf_profile *profile;
static uint32_t a, b;

static void add(uint64_t uid, uint32_t node, uint64_t objects, uint64_t bytes)
{
    struct hf_error err;
    uint32_t thread = HF_THREAD_ALL;
    const uint64_t values[] = {objects, bytes};
    if (uid != UINT64_MAX)
        check_ok(hf_profile_thread(profile, uid, HF_TEXT(""), &thread, &err), &err);
    check_ok(hf_profile_add_sample(profile, node, thread, values, &err), &err);
}

/* Two nodes below the root, a and in it b. */
static int begin(void **state)
{
    struct hf_error err;
    uint32_t frame;
    (void)state;
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_profile_add_inuse_types(profile, &err), &err);
    check_ok(hf_profile_frame(profile, &(struct hf_frame){.offset = 1}, &frame, &err), &err);
    check_ok(hf_stacktree_child(&profile->stacks, 0, frame, &a, &err), &err);
    check_ok(hf_profile_frame(profile, &(struct hf_frame){.offset = 2}, &frame, &err), &err);
    check_ok(hf_stacktree_child(&profile->stacks, a, frame, &b, &err), &err);
    return 0;
}

static int end(void **state)
{
    (void)state;
    hf_profile_free(profile);
    return 0;
}

/* In preorder b comes before a here: what counts is the position. */
static void check_columns(size_t listed, size_t left_out, const char *hex)
{
    struct hf_error err;
    struct hf_page_threads threads;
    struct hf_out out = {0}, columns = {0};
    uint32_t preorder[] = {0, b, a};
    const struct hf_trie_data trie = {.preorder = preorder, .node_count = 3};
    check_ok(hf_page_threads_init(&threads, profile, &trie, &err), &err);
    assert_int_equal(threads.count, listed);
    assert_int_equal(threads.left_out, left_out);
    for (size_t i = 1; i < threads.count; i++)
        assert_true(threads.items[i - 1].uid < threads.items[i].uid);
    if (hex != NULL) {
        hf_page_threads_write(&threads, profile, &columns);
        hf_out_hex_bytes(&out, hf_out_view(&columns));
        check_out(&out, hex);
    }
    hf_page_threads_done(&threads);
    hf_out_done(&columns);
    hf_out_done(&out);
}

static void test_none(void **state)
{
    (void)state;
    add(UINT64_MAX, a, 1, 1);
    check_columns(0, 0, "");
}

static void test_columns(void **state)
{
    (void)state;
    add(9, a, 1, 100);
    add(9, b, 2, 0);
    add(UINT64_MAX, b, 7, 70); /* of the process: no thread's */
    add(4, b, 3, 5);
    /* Of thread 4: objects, one at 1: 3; bytes, one at 1: 5. Of 9: two, at 1: 2 and 1 on: 1; one,
     * at 2: 100. */
    check_columns(2, 0,
        "01010300"
        "01010500"
        "020102000101"
        "00"
        "01026400");
}

/* Those that hold most are listed; of those that hold as much, the first by number. */
static void test_too_many(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < HF_PAGE_THREADS + 2; i++)
        add(5000 - i, i % 2 == 0 ? a : b, 1, i < 2 ? 1 : i == 2 ? 2 : 3);
    check_columns(HF_PAGE_THREADS, 2, NULL);
    struct hf_error err;
    struct hf_page_threads threads;
    uint32_t preorder[] = {0, a, b};
    const struct hf_trie_data trie = {.preorder = preorder, .node_count = 3};
    check_ok(hf_page_threads_init(&threads, profile, &trie, &err), &err);
    assert_int_equal(threads.items[threads.count - 1].uid, 4998);
    assert_int_equal(threads.row_count, HF_PAGE_THREADS);
    hf_page_threads_done(&threads);
    add(4999, a, 0, 1); /* now it holds as much as another, and more than one */
    check_ok(hf_page_threads_init(&threads, profile, &trie, &err), &err);
    assert_int_equal(threads.items[threads.count - 1].uid, 4998);
    hf_page_threads_done(&threads);
    add(4999, a, 0, 1);
    check_ok(hf_page_threads_init(&threads, profile, &trie, &err), &err);
    assert_int_equal(threads.items[threads.count - 1].uid, 4999);
    hf_page_threads_done(&threads);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_none, begin, end),
        cmocka_unit_test_setup_teardown(test_columns, begin, end),
        cmocka_unit_test_setup_teardown(test_too_many, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
