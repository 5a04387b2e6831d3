/* The most that each place held, until the beginning of a window. */
#include "answer/history/place_peaks.h"

#include "check.h"

static struct hf_place_peaks peaks;

/* What is of the last two turns is not before them. */
static void knows_what_was_before(void **state)
{
    (void)state;
    peaks = (struct hf_place_peaks){.count = 0};
    hf_place_peaks_turn(&peaks);
    hf_place_peaks_add(&peaks, 1, 300);
    hf_place_peaks_add(&peaks, 1, 200);
    hf_place_peaks_turn(&peaks);
    hf_place_peaks_add(&peaks, 1, 100);
    assert_true(hf_place_peaks_before(&peaks, 1) == 0);
    hf_place_peaks_turn(&peaks);
    assert_true(hf_place_peaks_before(&peaks, 1) == 300);
    hf_place_peaks_add(&peaks, 1, 900);
    hf_place_peaks_turn(&peaks);
    assert_true(hf_place_peaks_before(&peaks, 1) == 300);
    hf_place_peaks_turn(&peaks);
    assert_true(hf_place_peaks_before(&peaks, 1) == 900);
    assert_true(hf_place_peaks_before(&peaks, 2) == 0);
}

/* Whoever has thousands of places keeps the largest. */
static void keeps_the_largest(void **state)
{
    (void)state;
    peaks = (struct hf_place_peaks){.count = 0};
    for (uint64_t i = 1; i <= HF_PLACE_PEAKS + 100; i++)
        hf_place_peaks_add(&peaks, i, (double)i);
    assert_int_equal(peaks.count, HF_PLACE_PEAKS);
    hf_place_peaks_add(&peaks, 5000, 1); /* smaller than all */
    hf_place_peaks_turn(&peaks);
    hf_place_peaks_turn(&peaks);
    assert_true(hf_place_peaks_before(&peaks, 100) == 0);
    assert_true(hf_place_peaks_before(&peaks, 5000) == 0);
    assert_true(hf_place_peaks_before(&peaks, 101) == 101);
    assert_true(hf_place_peaks_before(&peaks, HF_PLACE_PEAKS + 100) == HF_PLACE_PEAKS + 100);
    assert_int_equal(peaks.count, HF_PLACE_PEAKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_what_was_before),
        cmocka_unit_test(keeps_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
