/* What JSON and the sentences of evidence say of one place: each fact that a place can have, and
 * null or no sentence for those that nobody knows. */
#include "render/table/growth_report.h"

#include "analysis/growth/growth_place.h"
#include "check.h"

#include <math.h>

static struct hf_growth growth;
static struct hf_history history;
static double values[] = {100, 200, 300}, objects[] = {1, 2, 3};

/* Of which nothing is known but its points. */
static struct hf_growth_place place_of_points(void)
{
    growth.point_count = HF_COUNT(values);
    growth.is_bytes = true;
    growth.history = &history;
    for (size_t i = 0; i < growth.point_count; i++)
        growth.times_s[i] = (double)i;
    return (struct hf_growth_place){.name = HF_TEXT("keep"),
        .values = values,
        .objects = objects,
        .trend = {.shape = HF_TREND_STEADY, .samples = INFINITY, .bend = NAN, .bend_error = NAN},
        .verdict = {.kind = HF_VERDICT_STEADY},
        .ages = {
            .old_freed = NAN, .old_bytes = NAN, .median_s = NAN, .allocated = NAN, .gone = NAN}};
}

/* The JSON has this text once. */
static void check_has(const struct hf_growth_place *place, const char *expected)
{
    struct hf_out out = {0};
    hf_growth_place_json(&growth, place, &out);
    hf_out_char(&out, '\0');
    const char *found = strstr(hf_out_view(&out).data, expected);
    if (found == NULL || strstr(found + 1, expected) != NULL)
        fail_msg("%s: not there once in %s", expected, hf_out_view(&out).data);
    hf_out_done(&out);
}

static void check_lacks(const struct hf_growth_place *place, const char *member)
{
    struct hf_out out = {0};
    hf_growth_place_json(&growth, place, &out);
    hf_out_char(&out, '\0');
    if (strstr(hf_out_view(&out).data, member) != NULL)
        fail_msg("%s: there in %s", member, hf_out_view(&out).data);
    hf_out_done(&out);
}

static void unknown_lifetimes_are_null(void **state)
{
    (void)state;
    struct hf_growth_place place = place_of_points();
    check_has(&place,
        "\"old_freed\": null, \"old_bytes\": null, \"median_age\": null, "
        "\"allocated_per_second\": null, \"freed_per_second\": null, \"points\": [100, 200, 300]");
    check_lacks(&place, "freed_in");
    check_lacks(&place, "survivors");
}

static void known_lifetimes_have_their_numbers(void **state)
{
    (void)state;
    struct hf_growth_place place = place_of_points();
    place.ages = (struct hf_growth_ages){.old_freed = 0.25,
        .old_bytes = 4096,
        .median_s = 7.5,
        .allocated = 20,
        .gone = 10,
        .freed = 3,
        .freed_elsewhere = 9,
        .site = HF_TEXT("drop\"it"),
        .site_share = 0.5};
    check_has(&place,
        "\"old_freed\": 0.25, \"old_bytes\": 4096, \"median_age\": 7.5, "
        "\"allocated_per_second\": 20, \"freed_per_second\": 10, \"freed\": 3, "
        "\"freed_elsewhere\": 9, \"freed_in\": \"drop\\\"it\", \"points\": [100, 200, 300]");
}

static void survivors_are_told_by_their_kind(void **state)
{
    (void)state;
    struct hf_growth_place place = place_of_points();
    place.survival = (struct hf_survival){.kind = HF_SURVIVAL_LEAK,
        .age_s = 4,
        .survivors = 50,
        .lost = 0.125,
        .rate = 16,
        .rate_low = 8,
        .rate_high = 32};
    check_has(&place,
        "\"survivors\": {\"kind\": \"stay\", \"older_than\": 4, \"samples\": 50, \"lost\": 0.125, "
        "\"per_second\": 16, \"per_second_95\": [8, 32], \"since\": null}");
    place.survival.onset_high_s = 5;
    check_has(&place, "\"per_second_95\": [8, 32], \"since\": null, \"since_95\": [0, 5]}");
    place.survival.has_onset = true;
    place.survival.onset_s = 10;
    place.survival.onset_low_s = 9;
    place.survival.onset_high_s = 12;
    double began_s = hf_growth_began_s(&growth);
    assert_true(began_s == 0);
    check_has(&place, "\"per_second_95\": [8, 32], \"since\": 10, \"since_95\": [9, 12]}");
    place.survival = (struct hf_survival){.kind = HF_SURVIVAL_RENEWED, .gone_s = 6};
    check_has(&place, "\"survivors\": {\"kind\": \"renewed\", \"gone_after\": 6}");
    place.survival =
        (struct hf_survival){.kind = HF_SURVIVAL_ENDED, .gone_s = 6, .has_onset = true};
    check_has(&place, "\"survivors\": {\"kind\": \"ended\"}");
    place.survival.kind = HF_SURVIVAL_UNDECIDED;
    check_has(&place, "\"survivors\": {\"kind\": \"undecided\"}");
}

static void check_evidence(const struct hf_growth_place *place, const char *expected)
{
    struct hf_out out = {0};
    hf_growth_evidence(&growth, place, &out);
    check_out(&out, expected);
    hf_out_done(&out);
}

static void evidence_has_a_sentence_for_each_fact(void **state)
{
    (void)state;
    struct hf_growth_place place = place_of_points();
#define POINTS "It went from 100 B to 300 B in 2 s, in 3 points."
    check_evidence(&place, POINTS);
    place.ages.allocated = 2048;
    place.ages.gone = 1024;
    check_evidence(&place, POINTS " It allocates 120.0 KiB/min and frees 60.0 KiB/min.");
    place.ages.allocated = NAN;
    place.ages.median_s = 90;
    check_evidence(&place, POINTS " Half of what is in use is older than 90 s.");
    place.ages.median_s = NAN;
    place.ages.old_bytes = 2048; /* nobody asked what is old */
    check_evidence(&place, POINTS);
    growth.old_s = 30;
    check_evidence(&place, POINTS " 2.0 KiB are older than 30 s.");
    place.ages.old_bytes = NAN;
    check_evidence(&place, POINTS);
    growth.old_s = 0;
    place.ages.site = HF_TEXT("drop");
    place.ages.site_share = 0.5;
    place.ages.freed = 1;
    check_evidence(&place, POINTS " 1 recorded block of keep was freed, 50 % of them in drop.");
    place.ages.freed_elsewhere = 1;
    check_evidence(&place,
        POINTS " 2 recorded blocks of keep were freed, 50 % of them in drop; 1 of those allocated "
               "on this path were.");
    place.ages.freed = 0;
    check_evidence(&place,
        POINTS " 1 recorded block of keep was freed, 50 % of them in drop; of those allocated on "
               "this path, none was.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_lifetimes_are_null),
        cmocka_unit_test(known_lifetimes_have_their_numbers),
        cmocka_unit_test(survivors_are_told_by_their_kind),
        cmocka_unit_test(evidence_has_a_sentence_for_each_fact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
