/* Spans that hold a number, and the sorting of many numbers. */
#include "base/containers/sorted.h"
#include "base/containers/spans.h"
#include "check.h"

static void finds_all_that_hold_a_number(void **state)
{
    (void)state;
    struct hf_spans spans = {0};
    static const uint64_t given[][2] = {
        {10, 20}, {0, 100}, {10, 11}, {50, 60}, {19, 51}, {UINT64_MAX - 1, UINT64_MAX}, {10, 20}};
    for (uint32_t i = 0; i < HF_COUNT(given); i++)
        assert_true(hf_spans_add(&spans, given[i][0], given[i][1], i));
    hf_spans_sort(&spans);
    static const uint64_t asked[] = {
        0, 9, 10, 11, 19, 20, 50, 51, 59, 60, 99, 100, 1000, UINT64_MAX - 1};
    for (size_t a = 0; a < HF_COUNT(asked); a++) {
        unsigned found = 0, expected = 0;
        size_t at = hf_spans_start(&spans, asked[a]);
        for (const struct hf_span *one; (one = hf_spans_next(&spans, asked[a], &at)) != NULL;)
            found |= 1u << one->id;
        for (unsigned i = 0; i < HF_COUNT(given); i++)
            expected |= (unsigned)(given[i][0] <= asked[a] && asked[a] < given[i][1]) << i;
        assert_int_equal(found, expected);
    }
    hf_spans_done(&spans);
    size_t at = hf_spans_start(&spans, 5);
    assert_null(hf_spans_next(&spans, 5, &at));
}

static void sorts_few_and_many(void **state)
{
    (void)state;
    static uint64_t numbers[3000];
    /* All bits, then numbers that differ in some bytes alone, then none that differ. */
    static const uint64_t differing[] = {UINT64_MAX, UINT64_C(0xff00ff00), 0};
    for (size_t step = 0; step < 3 * 9; step++) {
        size_t count = (size_t[]){0, 1, 4, 13, 40, 121, 364, 1093, 3000}[step / 3];
        uint64_t sum = 0, sorted_sum = 0;
        for (size_t i = 0; i < count; i++) {
            numbers[i] = i % 5 == 0 ? i : (i * UINT64_C(0x9e3779b97f4a7c15)) >> (i % 64);
            numbers[i] = (numbers[i] & differing[step % 3]) | (UINT64_C(7) << 40);
            sum += numbers[i];
        }
        hf_sort_u64(numbers, count);
        for (size_t i = 0; i < count; i++) {
            assert_true(i == 0 || numbers[i - 1] <= numbers[i]);
            sorted_sum += numbers[i];
        }
        assert_int_equal(sum, sorted_sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_that_hold_a_number),
        cmocka_unit_test(sorts_few_and_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
