/* The index of stacks. */
#include "check.h"

#include "../../agent/stacks.h"
#include "memory_model.h"

static uint64_t hash_of(uint64_t number)
{
    return (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static void test_growth(void **state)
{
    (void)state;
    struct hf_stacks stacks = {.count = 0};
    assert_int_equal(hf_stacks_find(&stacks, hash_of(0), 1), HF_STACKS_NONE);
    for (uint32_t i = 0; i < 200000; i++) {
        assert_int_equal(hf_stacks_find(&stacks, hash_of(i), i % 100), HF_STACKS_NONE);
        assert_true(hf_stacks_add(&stacks, hash_of(i), i % 100, i));
    }
    for (uint32_t i = 0; i < 200000; i++)
        assert_int_equal(hf_stacks_find(&stacks, hash_of(i), i % 100), i);
    hf_stacks_clear(&stacks);
    assert_int_equal(hf_stacks_find(&stacks, hash_of(7), 7), HF_STACKS_NONE);
    assert_true(hf_stacks_add(&stacks, hash_of(7), 7, 70));
    assert_int_equal(hf_stacks_find(&stacks, hash_of(7), 7), 70);
    hf_stacks_forget(&stacks);
    assert_int_equal(hf_stacks_find(&stacks, hash_of(7), 7), HF_STACKS_NONE);
}

/* Two stacks of one hash are two if their depths differ; so are hashes that differ in their order
 * of bits alone. */
static void test_depth(void **state)
{
    (void)state;
    struct hf_stacks stacks = {.count = 0};
    assert_true(hf_stacks_add(&stacks, 42, 3, 0));
    assert_int_equal(hf_stacks_find(&stacks, 42, 4), HF_STACKS_NONE);
    assert_true(hf_stacks_add(&stacks, 42, 4, 1));
    assert_true(hf_stacks_add(&stacks, 42 + (UINT64_C(1) << 40), 3, 2));
    assert_int_equal(hf_stacks_find(&stacks, 42, 3), 0);
    assert_int_equal(hf_stacks_find(&stacks, 42, 4), 1);
    assert_int_equal(hf_stacks_find(&stacks, 42 + (UINT64_C(1) << 40), 3), 2);
    assert_int_equal(hf_stacks_find(&stacks, 0, 3), HF_STACKS_NONE);
    assert_true(hf_stacks_add(&stacks, 0, 3, 5));
    assert_int_equal(hf_stacks_find(&stacks, 0, 3), 5);
    hf_stacks_forget(&stacks);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct hf_stacks stacks = {.count = 0};
    memory_left = 0;
    assert_false(hf_stacks_add(&stacks, 1, 1, 0));
    memory_left = 100000;
    uint32_t count = 0;
    while (hf_stacks_add(&stacks, hash_of(count), 1, count))
        count++;
    assert_int_equal(count, 2047); /* the second table had memory, and one entry stays empty */
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(hf_stacks_find(&stacks, hash_of(i), 1), i);
    memory_left = SIZE_MAX;
    assert_true(hf_stacks_add(&stacks, hash_of(count), 1, count));
    hf_stacks_forget(&stacks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
