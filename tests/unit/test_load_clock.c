/* A clock that runs by load: there and back, by hand. */
#include "statistics/load_clock.h"

#include "check.h"

#include <math.h>

static double times[] = {100, 110, 120, 130}, sums[] = {0, 10, 10, 40};
static const struct hf_load_clock four = {.times_s = times, .sums = sums, .count = 4};

static void check_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9))
        fail_msg("%.9f, not %.9f", found, expected);
}

static void adds_up(void **unused)
{
    static const double rows[][2] = {
        {100, 0}, {105, 5}, {110, 10}, {115, 10}, {125, 25}, {130, 40}, {90, -40.0 / 3}, {145, 60}};
    (void)unused;
    for (size_t i = 0; i < HF_COUNT(rows); i++)
        check_near(hf_load_clock_sum(&four, rows[i][0]), rows[i][1]);
}

/* 40 in 30 s: a second of it is 4/3. */
static void runs_by_load(void **unused)
{
    static const double rows[][2] = {{0, 0}, {5, 3.75}, {10, 7.5}, {25, 18.75}, {30, 30}};
    struct hf_load_window window = hf_load_window_of(&four, 100, 30);
    (void)unused;
    check_near(window.total, 40);
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        check_near(hf_load_window_at(&window, rows[i][0]), rows[i][1]);
        check_near(hf_load_window_time(&window, rows[i][1]), rows[i][0]);
    }
    check_near(hf_load_window_at(&window, 15), 7.5); /* nothing came: the first such time */
    check_near(hf_load_window_at(&window, -15), -15);
    check_near(hf_load_window_time(&window, 45), 45);
}

static void is_time_without_load(void **unused)
{
    struct hf_load_window window = hf_load_window_of(NULL, 100, 30);
    (void)unused;
    check_near(hf_load_window_at(&window, 7), 7);
    check_near(hf_load_window_time(&window, 7), 7);
}

/* Its time stands still while nothing comes, and where the window has no time. */
static void stands_without_load(void **unused)
{
    static double late_s[] = {0, 10, 20, 30}, late_sums[] = {5, 5, 5, 50};
    const struct hf_load_clock late = {.times_s = late_s, .sums = late_sums, .count = 4};
    struct hf_load_window window = hf_load_window_of(&late, 0, 20);
    (void)unused;
    check_near(window.total, 0);
    check_near(hf_load_window_at(&window, 0), 0);
    check_near(hf_load_window_at(&window, 20), 0);
    check_near(hf_load_window_at(&window, 30), 0);
    check_near(hf_load_window_time(&window, 0), 0);
    window = hf_load_window_of(&late, 0, 0);
    check_near(hf_load_window_at(&window, 0), 0);
    check_near(hf_load_window_time(&window, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up),
        cmocka_unit_test(runs_by_load),
        cmocka_unit_test(is_time_without_load),
        cmocka_unit_test(stands_without_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
