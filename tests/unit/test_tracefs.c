/* Names of the kernel's trace events. Needs root, and a kernel that has them. */
#include "attach/keeper/tracefs.h"

#include "check.h"

static void test_an_event_that_stayed_is_in_nobodys_way(void **state)
{
    struct hf_tracefs before, after;
    struct hf_error err;
    uint64_t first = 0, second = 0;
    (void)state;
    if (hf_tracefs_open(&before, &err) != HF_OK) {
        print_message("skipped: %s\n", err.text);
        skip();
    }
    assert_int_equal(hf_tracefs_open(&after, &err), HF_OK);
    /* As one that is not removed yet, because its watchers are not forgotten. */
    assert_int_equal(hf_tracefs_add(&before, "/bin/sh", 64, false, "", &first, &err), HF_OK);
    assert_int_equal(hf_tracefs_add(&after, "/bin/sh", 64, false, "", &second, &err), HF_OK);
    assert_int_not_equal(first, second);
    hf_tracefs_close(&after);
    hf_tracefs_close(&before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_event_that_stayed_is_in_nobodys_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
