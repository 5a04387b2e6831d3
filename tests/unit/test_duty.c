/* Windows of time: how much of it they are, and where. */
#include "attach/session/duty.h"

#include "check.h"

#define MS UINT64_C(1000000)
#define PERIODS 20000u

/* Looked at each ms, as a session does. */
static void test_windows_are_their_part_of_the_time_wherever_they_lie(void **state)
{
    (void)state;
    enum { PARTS = 10 };
    struct hf_duty duty = hf_duty_of(20 * MS, 100 * MS, 7, 0);
    uint64_t on = 0, of_part[PARTS] = {0}, last_on = 0, longest = 0;
    for (uint64_t ms = 0; ms < PERIODS * 100; ms++) {
        bool is_on = hf_duty_wants(&duty, ms * MS);
        if (is_on) {
            longest = ms - last_on > longest ? ms - last_on : longest;
            last_on = ms;
        }
        on += is_on;
        of_part[ms % 100 / (100 / PARTS)] += is_on;
    }
    assert_in_range(on * 1000 / (PERIODS * 100), 195, 205);
    for (size_t i = 0; i < PARTS; i++) /* no time of the period is seen more often than others */
        assert_in_range(of_part[i] * 1000 / (PERIODS * 100 / PARTS), 180, 220);
    assert_in_range(longest, 150, 200);
}

/* Probes take 30 ms to go in: what is measured is 20 ms from then on. */
static void test_a_window_is_as_long_as_it_is_wanted_from_when_it_has_begun(void **state)
{
    (void)state;
    struct hf_duty duty = hf_duty_of(20 * MS, 1000 * MS, 3, 0);
    uint64_t ms = 0;
    while (!hf_duty_wants(&duty, ms * MS))
        ms++;
    hf_duty_began(&duty, (ms + 30) * MS);
    assert_true(hf_duty_wants(&duty, (ms + 49) * MS));
    assert_false(hf_duty_wants(&duty, (ms + 51) * MS));
}

/* A look that was held up for some periods. */
static void test_windows_that_passed_are_not_made_up_for(void **state)
{
    (void)state;
    struct hf_duty duty = hf_duty_of(20 * MS, 100 * MS, 5, 0);
    uint64_t on = 0;
    (void)hf_duty_wants(&duty, 50000 * MS);
    for (uint64_t ms = 50000; ms < 51000; ms++)
        on += hf_duty_wants(&duty, ms * MS);
    assert_in_range(on, 160, 240);
}

static void test_without_a_period_it_is_always(void **state)
{
    (void)state;
    struct hf_duty duty = hf_duty_of(0, 0, 0, 5);
    assert_true(hf_duty_wants(&duty, 5));
    assert_true(hf_duty_wants(&duty, UINT64_MAX));
}

static void is_never_no_part(void **state)
{
    (void)state;
    assert_int_equal(hf_duty_per_mille(0, 0), 1000);
    assert_int_equal(hf_duty_per_mille(200, 1000), 200);
    assert_int_equal(hf_duty_per_mille(10000000, UINT64_C(60000000000)), 1);
}

/* Windows of 100 ms, one of each 2 s, are 5 to 15 ms longer than they are wanted; a look comes
 * every second: what was in use at one is as much at the next. */
static void weighs_alike_at_each_look(void **state)
{
    (void)state;
    double weight = 0, first = 0;
    struct hf_duty_part part = {.on_ns = 100 * MS, .period_ns = 2000 * MS};
    for (uint64_t second = 1; second <= 120; second++) {
        part.all_ns = second * 1000 * MS;
        if (second % 2 == 0 || second % 3 == 0) { /* anywhere in its period */
            uint64_t windows = (second + 1) / 2;
            part.windows_ns += (windows - part.windows) * (105 + second % 11) * MS;
            part.windows = windows;
        }
        part.followed_ns = part.windows_ns;
        weight = hf_duty_weight(&part, weight);
        first = second == 3 ? weight : first;
        if (second >= 3)
            assert_true(weight == first); /* the very same */
    }
    assert_true(weight > 17.2 && weight < 19.2);
}

static void weighs_by_time_what_was_left_out(void **state)
{
    (void)state;
    /* A third of the windows was too expensive. */
    struct hf_duty_part part = {100 * MS, 1000 * MS, 60000 * MS, 4000 * MS, 40, 4000 * MS};
    assert_true(hf_duty_weight(&part, 0) == 14.5); /* two periods may be unfinished */
    assert_true(hf_duty_weight(&part, 14.2) == 14.2);
    assert_true(hf_duty_weight(&part, 13) == 14.5);
    struct hf_duty_part begun = {100 * MS, 1000 * MS, 50 * MS, 0, 0, 0};
    assert_true(hf_duty_weight(&begun, 0) == 10);
    struct hf_duty_part always = {0, 0, 10000 * MS, 9950 * MS, 0, 0};
    assert_true(hf_duty_weight(&always, 0) == 1);
    struct hf_duty_part thinned = {0, 0, 10000 * MS, 5000 * MS, 3, 5000 * MS};
    assert_true(hf_duty_weight(&thinned, 0) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_never_no_part),
        cmocka_unit_test(weighs_alike_at_each_look),
        cmocka_unit_test(weighs_by_time_what_was_left_out),
        cmocka_unit_test(test_windows_are_their_part_of_the_time_wherever_they_lie),
        cmocka_unit_test(test_a_window_is_as_long_as_it_is_wanted_from_when_it_has_begun),
        cmocka_unit_test(test_windows_that_passed_are_not_made_up_for),
        cmocka_unit_test(test_without_a_period_it_is_always),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
