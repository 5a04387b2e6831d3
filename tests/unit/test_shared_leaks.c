/* What is said of a leak of several processes, as JSON. */
#include "render/shared_leaks.h"

#include "check.h"

#include <math.h>

static struct hf_growth_place place = {.name = HF_TEXT("keep")};

/* JSON has no word for what is no number. */
static void unknown_rates_are_null(void **state)
{
    (void)state;
    struct hf_shared_leak leak = {.place = &place,
        .program = HF_TEXT("server"),
        .all = {.judged = 2,
            .leaks = 2,
            .rate = {.count = 2, .rate = NAN, .low = -INFINITY, .high = INFINITY, .most = 1.5}}};
    struct hf_shared_leaks leaks = {.items = &leak, .count = 1};
    struct hf_out out = {0};
    hf_shared_leaks_json(&leaks, &out);
    hf_out_char(&out, '\0');
    if (strstr(out.data,
            "\"processes\": 2, \"leaks\": 2, \"per_second\": null, \"per_second_95\": [null, "
            "null], \"least\": 0, \"most\": 1.5, \"same\": false") == NULL)
        fail_msg("found %s", out.data);
    hf_out_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_rates_are_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
