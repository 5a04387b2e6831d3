/* What attach does about what its probes cost, seen from what a process has computed. */
#include "attach/session/pace.h"

#include "attach/perf/cost.h"

#include "check.h"

#define MS UINT64_C(1000000)

static const struct hf_pace_options half = {
    .most_per_mille = 500,
    .kernel_per_mille = 250,
    .birth_ns = 3000,
    .end_ns = 1000,
    .knows_stops = true,
    .can_thin = true,
};

/* After so many ms; of what was computed, `own` ms without probes. */
static struct hf_pace_seen seen_after(uint64_t ms, uint64_t own, uint64_t births, uint64_t ends)
{
    uint64_t taken = (births * 3 + ends) / 1000;
    return (struct hf_pace_seen){.now_ns = ms * MS,
        .computed_ns = (own + taken) * MS,
        .user_ns = own * MS * 4 / 5,
        .system_ns = (own / 5 + taken) * MS,
        .births = births,
        .ends = ends};
}

/* It had a tenth of the processor, and the probes took as much of that as itself. */
static void test_the_share_of_a_processor_does_not_matter(void **state)
{
    (void)state;
    for (uint64_t share = 1; share <= 10; share *= 10) {
        struct hf_pace pace;
        struct hf_pace_seen start = seen_after(0, 0, 0, 0);
        struct hf_pace_seen later = seen_after(1000 * share, 500, 100000, 200000);
        hf_pace_begin(&pace, &half, &start);
        assert_in_range(hf_pace_added(&pace, &later), 980, 1300);
        assert_int_equal(hf_pace_look(&pace, &later), HF_PACE_THIN);
    }
}

/* Prices were measured on a busy machine, at three times what a stop takes of this process. */
static void test_what_the_process_shows_corrects_the_prices(void **state)
{
    (void)state;
    struct hf_pace pace;
    struct hf_pace_options options = half;
    struct hf_pace_seen seen = seen_after(0, 0, 0, 0);
    options.birth_ns *= 3;
    options.end_ns *= 3;
    hf_pace_begin(&pace, &options, &seen);
    seen = seen_after(1000, 500, 100000, 200000);
    assert_in_range(hf_pace_added(&pace, &seen), 980, 2000);
    assert_int_equal(hf_pace_look(&pace, &seen), HF_PACE_THIN);
    seen = seen_after(1100, 600, 100000, 230000); /* 30 ms in 100, which would be 90 */
    assert_int_equal(hf_pace_look(&pace, &seen), HF_PACE_THIN);
    seen = seen_after(2100, 1300, 100000, 500000); /* 300 in 800 ms */
    assert_int_not_equal(hf_pace_look(&pace, &seen), HF_PACE_TOO_MUCH);
}

/* A stop takes two thirds of its price; clock ticks, by chance, have seen the process in the kernel
 * alone. While stops were counted, at two thirds of 1000 ns, each came after 5000 ns of its own. */
static void test_means_correct_the_prices_of_a_throttled_process(void **state)
{
    (void)state;
    struct hf_pace pace;
    struct hf_pace_options options = half;
    struct hf_pace_seen seen = {0};
    options.birth_ns = options.end_ns = 3000;
    options.counted_ns = 5000 + 667;
    options.counting_ns = 1000;
    hf_pace_begin(&pace, &options, &seen);
    seen = (struct hf_pace_seen){.now_ns = 4000 * MS,
        .computed_ns = 350 * MS,
        .system_ns = 350 * MS,
        .births = 25000,
        .ends = 25000};
    (void)hf_pace_look(&pace, &seen);
    assert_in_range(hf_pace_added(&pace, &seen), 390, 410);
}

/* The same in 7 ms: that stops come so fast for once is chance. */
static void test_means_of_a_moment_correct_nothing(void **state)
{
    (void)state;
    struct hf_pace pace;
    struct hf_pace_options options = half;
    struct hf_pace_seen seen = {0};
    options.birth_ns = options.end_ns = 3000;
    options.counted_ns = 5000 + 667;
    options.counting_ns = 1000;
    hf_pace_begin(&pace, &options, &seen);
    seen = (struct hf_pace_seen){
        .now_ns = 70 * MS, .computed_ns = 7 * MS, .user_ns = 7 * MS, .births = 600, .ends = 600};
    (void)hf_pace_look(&pace, &seen);
    assert_in_range(hf_pace_added(&pace, &seen), 1000, 1100);
}

static void test_births_come_back_when_there_is_room(void **state)
{
    (void)state;
    struct hf_pace pace;
    struct hf_pace_seen seen = seen_after(0, 0, 0, 0);
    hf_pace_begin(&pace, &half, &seen);
    seen = seen_after(100, 50, 10000, 20000);
    assert_int_equal(hf_pace_look(&pace, &seen), HF_PACE_THIN);
    seen = seen_after(150, 75, 10000, 22000);
    assert_int_equal(hf_pace_look(&pace, &seen), HF_PACE_THIN);
    seen = seen_after(400, 200, 10000, 25000);
    assert_int_equal(hf_pace_look(&pace, &seen), HF_PACE_FOLLOW);
    hf_pace_resumed(&pace, 420 * MS);
    assert_int_equal(hf_pace_thin_ns(&pace, 500 * MS), 320 * MS);
}

static void test_ends_alone_are_too_much(void **state)
{
    (void)state;
    struct hf_pace pace;
    struct hf_pace_seen seen = seen_after(0, 0, 0, 0);
    hf_pace_begin(&pace, &half, &seen);
    seen = seen_after(100, 20, 20000, 20000);
    assert_int_equal(hf_pace_look(&pace, &seen), HF_PACE_THIN);
    seen = seen_after(1000, 120, 20000, 180000);
    assert_int_equal(hf_pace_look(&pace, &seen), HF_PACE_THIN);
    seen = seen_after(1200, 140, 20000, 220000);
    assert_int_equal(hf_pace_look(&pace, &seen), HF_PACE_TOO_MUCH);
}

static void test_what_cannot_thin_is_judged_each_second(void **state)
{
    (void)state;
    struct hf_pace pace;
    struct hf_pace_options options = half;
    struct hf_pace_seen seen = seen_after(0, 0, 0, 0);
    options.can_thin = false;
    hf_pace_begin(&pace, &options, &seen);
    seen = seen_after(900, 20, 20000, 20000);
    assert_int_equal(hf_pace_look(&pace, &seen), HF_PACE_FOLLOW);
    seen = seen_after(1000, 800, 20000, 20000);
    assert_int_equal(hf_pace_look(&pace, &seen), HF_PACE_FOLLOW);
    seen = seen_after(2000, 900, 100000, 100000);
    assert_int_equal(hf_pace_look(&pace, &seen), HF_PACE_TOO_MUCH);
}

/* Four times as slow, but 1 ms in a second: nobody notices. */
static void test_what_is_hardly_anything_is_never_too_much(void **state)
{
    (void)state;
    struct hf_pace pace;
    struct hf_pace_seen start = seen_after(0, 0, 0, 0), later = seen_after(1000, 1, 1000, 0);
    hf_pace_begin(&pace, &half, &start);
    assert_int_equal(hf_pace_look(&pace, &later), HF_PACE_FOLLOW);
}

/* For hours in windows: a process that does more in the kernel than before does not look as if the
 * probes did that. Without windows, the ticks are believed. */
static void test_in_windows_a_new_habit_is_not_a_price(void **state)
{
    (void)state;
    for (int is_in_windows = 0; is_in_windows < 2; is_in_windows++) {
        struct hf_pace pace;
        struct hf_pace_options options = half;
        struct hf_pace_seen seen = seen_after(0, 0, 0, 0);
        options.is_in_windows = is_in_windows != 0;
        hf_pace_begin(&pace, &options, &seen);
        seen = seen_after(10000, 4000, 10000, 10000);
        seen.system_ns += 2000 * MS; /* the process's own */
        (void)hf_pace_look(&pace, &seen);
        if (is_in_windows)
            assert_in_range(pace.price_per_mille, 300, 3000);
        else
            assert_true(pace.price_per_mille > 3000);
    }
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        uint64_t added;
        const char *words;
    } rows[] = {{0, "its full speed"}, {11, "about 98 % of its speed"},
        {300, "about 76 % of its speed"}, {1000, "about 1/2 of its speed"},
        {3000, "about 1/4 of its speed"}, {19000, "about 1/20 of its speed"},
        {40000, "less than 1/20 of its speed"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char words[HF_COST_SPEED_MAX];
        assert_string_equal(hf_cost_speed(rows[i].added, words), rows[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_share_of_a_processor_does_not_matter),
        cmocka_unit_test(test_what_the_process_shows_corrects_the_prices),
        cmocka_unit_test(test_means_correct_the_prices_of_a_throttled_process),
        cmocka_unit_test(test_means_of_a_moment_correct_nothing),
        cmocka_unit_test(test_births_come_back_when_there_is_room),
        cmocka_unit_test(test_ends_alone_are_too_much),
        cmocka_unit_test(test_what_cannot_thin_is_judged_each_second),
        cmocka_unit_test(test_what_is_hardly_anything_is_never_too_much),
        cmocka_unit_test(test_in_windows_a_new_habit_is_not_a_price),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
