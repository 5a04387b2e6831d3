/* The free filter: never a wrong "no". */
#include "check.h"

#include "../../agent/filter.h"

#define PAGE UINT64_C(4096)
#define ALIAS (HF_FILTER_PAGES * PAGE)

static void test_counts(void **state)
{
    (void)state;
    uintptr_t at = UINT64_C(0x7f0012345000);
    assert_false(hf_filter_may_hold(at));
    hf_filter_add(at + 16);
    hf_filter_add(at + PAGE - 1);
    assert_true(hf_filter_may_hold(at));
    assert_false(hf_filter_may_hold(at + PAGE));
    hf_filter_remove(at + 16);
    assert_true(hf_filter_may_hold(at));
    hf_filter_remove(at + PAGE - 1);
    assert_false(hf_filter_may_hold(at));
    hf_filter_remove(at); /* more than were added: no wrap */
    assert_false(hf_filter_may_hold(at));
}

/* Pages 4 GiB apart share a counter: what one of them gives up does not hide the other. */
static void test_aliases(void **state)
{
    (void)state;
    uintptr_t at = UINT64_C(0x550000000000);
    hf_filter_add(at);
    hf_filter_add(at + 3 * ALIAS);
    assert_true(hf_filter_may_hold(at + ALIAS));
    hf_filter_remove(at + 3 * ALIAS);
    assert_true(hf_filter_may_hold(at));
    hf_filter_remove(at);
    assert_false(hf_filter_may_hold(at));
}

/* A counter that was full once no longer knows how many there are. */
static void test_full_counters_stay(void **state)
{
    (void)state;
    uintptr_t at = UINT64_C(0x7f0000000000);
    for (unsigned i = 0; i < 300; i++)
        hf_filter_add(at);
    for (unsigned i = 0; i < 400; i++)
        hf_filter_remove(at);
    assert_true(hf_filter_may_hold(at));
    for (unsigned i = 0; i < 254; i++)
        hf_filter_add(at + PAGE);
    for (unsigned i = 0; i < 254; i++)
        hf_filter_remove(at + PAGE);
    assert_false(hf_filter_may_hold(at + PAGE));
}

static void test_held_for_ever(void **state)
{
    (void)state;
    uintptr_t at = UINT64_C(0x7f1000000000);
    hf_filter_hold(at + 100, 2 * PAGE);
    hf_filter_add(at + PAGE);
    hf_filter_add(at + 7 * PAGE);
    hf_filter_remove(at + PAGE);
    hf_filter_forget();
    for (unsigned page = 0; page < 3; page++)
        assert_true(hf_filter_may_hold(at + page * PAGE));
    assert_false(hf_filter_may_hold(at + 3 * PAGE));
    assert_false(hf_filter_may_hold(at + 7 * PAGE));
    hf_filter_hold(at + 8 * PAGE, 0);
    assert_false(hf_filter_may_hold(at + 8 * PAGE));
    hf_filter_hold_all();
    assert_true(hf_filter_may_hold(at + 7 * PAGE));
    hf_filter_remove(at + 7 * PAGE);
    hf_filter_forget();
    assert_true(hf_filter_may_hold(at + 7 * PAGE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_full_counters_stay),
        cmocka_unit_test(test_held_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
