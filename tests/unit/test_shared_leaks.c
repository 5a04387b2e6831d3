/* What is said of a leak of several processes, as JSON. */
#include "render/shared_leaks.h"

#include "check.h"

#include <math.h>

static struct hf_growth_place place = {.name = HF_TEXT("keep")};

/* Two processes leak, at rates that are one, or differ. */
static void check_rate(struct hf_pooled_rate rate, const char *expected)
{
    struct hf_shared_leak leak = {.place = &place,
        .program = HF_TEXT("server"),
        .all = {.judged = 2, .leaks = 2, .rate = rate}};
    struct hf_shared_leaks leaks = {.items = &leak, .count = 1};
    struct hf_out out = {0};
    hf_shared_leaks_json(&leaks, &out);
    hf_out_char(&out, '\0');
    if (strstr(out.data, expected) == NULL)
        fail_msg("found %s", out.data);
    hf_out_done(&out);
}

/* JSON has no word for what is no number. */
static void unknown_rates_are_null(void **state)
{
    (void)state;
    check_rate((struct hf_pooled_rate){.count = 2,
                   .rate = NAN,
                   .low = -INFINITY,
                   .high = INFINITY,
                   .most = 1.5,
                   .is_same = true},
        "\"processes\": 2, \"leaks\": 2, \"per_second\": null, \"per_second_95\": [null, null], "
        "\"least\": 0, \"most\": 1.5, \"same\": true");
}

/* The interval of the mean is not that of any process. */
static void rates_that_differ_have_no_interval(void **state)
{
    (void)state;
    struct hf_pooled_rate rate = {
        .count = 2, .rate = 2, .low = 1.5, .high = 2.5, .least = 1, .most = 4, .is_same = true};
    check_rate(rate,
        "\"per_second\": 2, \"per_second_95\": [1.5, 2.5], \"least\": 1, \"most\": 4, \"same\": "
        "true");
    rate.is_same = false;
    check_rate(rate, "\"per_second\": 2, \"least\": 1, \"most\": 4, \"same\": false");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_rates_are_null),
        cmocka_unit_test(rates_that_differ_have_no_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
