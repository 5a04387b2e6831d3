/* Points of a history, what it keeps of lifetimes, and what a growth makes of that. */
#include "analysis/growth/growth_ages.h"
#include "analysis/history.h"
#include "stacks.h"

#define MINUTE 60000
#define START INT64_C(1700000000000)
#define POINTS 20

enum { SPACE, OBJECTS, ALLOCATED, TYPES };

static struct hf_profile *history_profile(void)
{
    struct hf_error err;
    struct hf_profile *profile;
    check_ok(hf_profile_new(&profile, &err), &err);
    check_ok(hf_profile_add_type(profile, "inuse_space", "bytes", &err), &err);
    check_ok(hf_profile_add_type(profile, "inuse_objects", "objects", &err), &err);
    check_ok(hf_profile_add_type(profile, "alloc_space", "bytes", &err), &err);
    return profile;
}

static uint32_t history_sample(
    struct hf_profile *profile, const char *stack, uint64_t space, uint64_t objects, uint64_t made)
{
    struct hf_error err;
    const uint64_t values[TYPES] = {space, objects, made};
    uint32_t node = stacks_node(profile, stack);
    check_ok(hf_profile_add_sample(profile, node, HF_THREAD_ALL, values, &err), &err);
    return node;
}

/* The value of a type that a stack has at a point, or at another number of a history's threads. */
static uint64_t value_at(
    const struct hf_history *history, const char *stack, uint32_t thread, size_t type)
{
    uint64_t sum = 0;
    struct hf_out text = {0};
    const struct hf_profile *stacks = history->stacks;
    for (size_t i = 0; i < stacks->sample_count; i++) {
        text.size = 0;
        stacks_write(stacks, stacks->samples[i].node, &text);
        if (stacks->samples[i].thread == thread && hf_text_is(hf_out_view(&text), stack))
            sum += hf_profile_value(stacks, i, type);
    }
    hf_out_done(&text);
    return sum;
}

/* A profile of "main;keep" with so many bytes, at a minute. */
static void history_add_plain(struct hf_history *history, uint64_t bytes, int64_t minute)
{
    struct hf_error err;
    struct hf_profile *p = history_profile();
    history_sample(p, "main;keep", bytes, 1, bytes * 2);
    if (history->stacks == NULL)
        check_ok(hf_history_init(history, p, SPACE, &err), &err);
    check_ok(hf_history_add(history, p, NULL, START + minute * MINUTE, &err), &err);
    hf_profile_free(p);
}

/* From the 65th profile on a point is two, from the 129th four. */
static void makes_neighbours_one(void **state)
{
    (void)state;
    struct hf_history history = {0};
    for (unsigned i = 0; i < 3 * HF_HISTORY_POINTS; i++) {
        history_add_plain(&history, 1000 + i, i);
        assert_int_equal(history.profile_count, i + 1);
        if (i + 1 == HF_HISTORY_POINTS) {
            assert_int_equal(history.count, HF_HISTORY_POINTS);
            assert_int_equal(history.profiles_per_point, 1);
            assert_int_equal(value_at(&history, "main;keep", i, HF_HISTORY_VALUE), 1000 + i);
            assert_true(hf_history_time_s(&history, i) == 60.0 * i);
        }
        if (i == HF_HISTORY_POINTS) { /* one more */
            assert_int_equal(history.count, HF_HISTORY_POINTS / 2 + 1);
            assert_int_equal(history.profiles_per_point, 2);
            assert_int_equal(history.points[0].profiles, 2);
            assert_int_equal(history.points[i / 2].profiles, 1);
            assert_int_equal(value_at(&history, "main;keep", 0, HF_HISTORY_VALUE), 1000 + 1001);
            assert_int_equal(value_at(&history, "main;keep", i / 2, HF_HISTORY_VALUE), 1000 + i);
            assert_int_equal(value_at(&history, "main;keep", 1, HF_HISTORY_ALLOCATED), 2 * 2005);
            assert_int_equal(value_at(&history, "main;keep", 1, HF_HISTORY_OBJECTS), 2);
            assert_true(hf_history_time_s(&history, 1) == 60 * 2.5);
            assert_true(hf_history_time_s(&history, i / 2) == 60.0 * i);
        }
    }
    assert_int_equal(history.profiles_per_point, 4);
    assert_int_equal(history.count, 3 * HF_HISTORY_POINTS / 4);
    assert_int_equal(history.first_ms, START);
    assert_int_equal(history.last_ms, START + (3 * HF_HISTORY_POINTS - 1) * MINUTE);
    assert_true(hf_history_time_s(&history, 1) == 60 * 5.5);
    hf_history_done(&history);
}

/* Of several profiles that is kept which holds for all. */
static void keeps_what_holds_for_all(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_history history;
    struct hf_profile *p = history_profile();
    p->capture.process_id = 7;
    p->capture.period_bytes = 512;
    check_ok(hf_history_init(&history, p, SPACE, &err), &err);
    check_ok(hf_history_add(&history, p, NULL, START, &err), &err);
    assert_int_equal(history.stacks->capture.process_id, 7);
    assert_false(history.stacks->capture.is_no_heap || history.stacks->has_addresses);
    p->capture.period_bytes = 4096;
    check_ok(hf_history_add(&history, p, NULL, START + 1, &err), &err);
    assert_int_equal(history.stacks->capture.process_id, 7);
    assert_int_equal(history.stacks->capture.period_bytes, 4096);
    p->capture.period_bytes = 512;
    p->capture.process_id = 8;
    p->capture.is_no_heap = true;
    p->has_addresses = true;
    check_ok(hf_history_add(&history, p, NULL, START + 2, &err), &err);
    assert_int_equal(history.stacks->capture.process_id, 0);
    assert_int_equal(history.stacks->capture.period_bytes, 4096);
    assert_true(history.stacks->capture.is_no_heap && history.stacks->has_addresses);
    p->capture.is_no_heap = p->has_addresses = false;
    check_ok(hf_history_add(&history, p, NULL, START + 3, &err), &err);
    assert_true(history.stacks->capture.is_no_heap && history.stacks->has_addresses);
    hf_profile_free(p);
    p = stacks_new("bytes", true);
    assert_int_equal(hf_history_add(&history, p, NULL, START + 4, &err), HF_ERR_USAGE);
    hf_profile_free(p);
    p = stacks_new("objects", false);
    assert_int_equal(hf_history_add(&history, p, NULL, START + 4, &err), HF_ERR_INPUT);
    check_error(&err, "has no 'inuse_space', unlike the profiles before it");
    hf_profile_free(p);
    hf_history_done(&history);
}

/*
 * A leak of 1000 bytes a minute, born evenly; a cache of 5000, born in the last quarter, of which
 * blocks were freed at two places; and the same cache on another way.
 */
static void add_minute(struct hf_history *history, unsigned minute, bool with_lifetimes)
{
    struct hf_error err;
    struct hf_lifetimes lives = {.is_known = with_lifetimes, .lost_objects = 3};
    struct hf_births births[2] = {{0}};
    struct hf_profile *p = history_profile();
    births[0].node = history_sample(p, "main;leak", minute * 1000, minute * 10, minute * 1200);
    births[1].node = history_sample(p, "main;cache", 5000, 50, minute * 6000);
    uint32_t other = history_sample(p, "main;init;cache", 10, 1, 10);
    for (size_t i = 1; i <= HF_LIFETIMES_BINS; i++) {
        births[0].bytes[i] = minute * 1000.0 / HF_LIFETIMES_BINS;
        births[1].bytes[i] = i > 48 ? 5000.0 / 16 : 0;
    }
    births[0].old_bytes = 3000;
    lives.births = births;
    lives.birth_count = 2;
    const uint32_t rare = stacks_node(p, "main;rare"), drop = stacks_node(p, "main;drop");
    const struct hf_freed freed[] = {
        {births[1].node, rare, 10}, {births[1].node, drop, 30}, {other, drop, 5}};
    for (size_t i = 0; i < HF_COUNT(freed); i++)
        check_ok(
            hf_lifetimes_add_freed(&lives, freed[i].node, freed[i].at, freed[i].count, &err), &err);
    if (history->stacks == NULL)
        check_ok(hf_history_init(history, p, SPACE, &err), &err);
    check_ok(hf_history_add(history, p, &lives, START + minute * MINUTE, &err), &err);
    lives.births = NULL;
    hf_lifetimes_done(&lives);
    hf_profile_free(p);
}

static void keeps_the_last_lifetimes(void **state)
{
    (void)state;
    struct hf_history history = {0};
    add_minute(&history, 10, true);
    add_minute(&history, 19, true);
    assert_true(history.has_lifetimes);
    assert_int_equal(history.lost_objects, 3);
    /* 19000 / 64 is 296.9: not also what was born of 10000. */
    assert_int_equal(value_at(&history, "main;leak", HF_HISTORY_BIRTHS + 1, HF_HISTORY_SPACE), 297);
    assert_int_equal(
        value_at(&history, "main;leak", HF_HISTORY_BIRTHS + 64, HF_HISTORY_SPACE), 297);
    assert_int_equal(value_at(&history, "main;leak", HF_HISTORY_BIRTHS, HF_HISTORY_SPACE), 0);
    assert_int_equal(value_at(&history, "main;leak", HF_HISTORY_OLD, HF_HISTORY_SPACE), 3000);
    assert_int_equal(value_at(&history, "main;cache", HF_HISTORY_BIRTHS + 48, HF_HISTORY_SPACE), 0);
    assert_int_equal(
        value_at(&history, "main;cache", HF_HISTORY_BIRTHS + 49, HF_HISTORY_SPACE), 312);
    /* The site with most frees is the first, and marked. */
    assert_int_equal(value_at(&history, "main;drop", HF_HISTORY_FREES, HF_HISTORY_SPACE), 1);
    assert_int_equal(value_at(&history, "main;cache", HF_HISTORY_FREES, HF_HISTORY_OBJECTS), 30);
    assert_int_equal(
        value_at(&history, "main;init;cache", HF_HISTORY_FREES, HF_HISTORY_OBJECTS), 5);
    assert_int_equal(value_at(&history, "main;rare", HF_HISTORY_FREES + 1, HF_HISTORY_SPACE), 1);
    assert_int_equal(
        value_at(&history, "main;cache", HF_HISTORY_FREES + 1, HF_HISTORY_OBJECTS), 10);
    add_minute(&history, 20, false);
    assert_false(history.has_lifetimes);
    assert_int_equal(history.lost_objects, 0);
    assert_int_equal(value_at(&history, "main;leak", HF_HISTORY_OLD, HF_HISTORY_SPACE), 0);
    assert_int_equal(value_at(&history, "main;leak", 1, HF_HISTORY_VALUE), 19000);
    hf_history_done(&history);
}

/* A look at one stack: so many bytes of each epoch, in samples of 64 bytes each. */
static void history_add_look_at(struct hf_history *history, int64_t began_ms, uint32_t epoch_shift,
    const double epochs[4], int64_t minute)
{
    struct hf_error err;
    struct hf_births births = {0};
    struct hf_lifetimes lives = {.is_known = true,
        .wants_epochs_only = true,
        .began_ms = began_ms,
        .epoch_shift = epoch_shift,
        .births = &births,
        .birth_count = 1};
    struct hf_profile *p = history_profile();
    for (size_t i = 0; i < 4; i++) {
        births.epochs[i] = epochs[i];
        births.squares += epochs[i] * 64;
    }
    births.node = history_sample(p, "main;keep", 100, 1, 200);
    if (history->stacks == NULL)
        check_ok(hf_history_init(history, p, SPACE, &err), &err);
    check_ok(hf_history_add(history, p, &lives, START + minute * MINUTE, &err), &err);
    hf_profile_free(p);
}

static uint64_t cohort_of(const struct hf_history *history, uint32_t point, uint32_t epoch)
{
    return value_at(history, "main;keep", HF_HISTORY_COHORTS + point * HF_LIFETIMES_EPOCHS + epoch,
        HF_HISTORY_SPACE);
}

/* Each look stays; longer epochs make the earlier ones longer, and shorter ones are added up. */
static void keeps_cohorts_of_all_looks(void **state)
{
    (void)state;
    struct hf_history history = {0};
    history_add_look_at(&history, START, 30, (double[]){640, 128, 64, 0}, 1);
    history_add_look_at(&history, START, 31, (double[]){320, 64, 256, 0}, 2);
    history_add_look_at(&history, START, 30, (double[]){64, 64, 0, 192}, 3);
    assert_int_equal(history.epoch_shift, 31);
    assert_false(history.has_lifetimes);
    assert_int_equal(cohort_of(&history, 0, 0), 768);
    assert_int_equal(cohort_of(&history, 0, 1), 64);
    assert_int_equal(cohort_of(&history, 1, 0), 320);
    assert_int_equal(cohort_of(&history, 1, 2), 256);
    assert_int_equal(cohort_of(&history, 2, 0), 128);
    assert_int_equal(cohort_of(&history, 2, 1), 192);
    assert_int_equal(history.points[2].look_ms, 3 * MINUTE);
    assert_int_equal(
        value_at(&history, "main;keep", HF_HISTORY_COHORTS, HF_HISTORY_OBJECTS), 768 * 64 / 64);
    history_add_plain(&history, 100, 4); /* without births: no look */
    assert_int_equal(history.points[3].look_ms, -1);
    assert_int_equal(cohort_of(&history, 2, 1), 192);
    /* Of another recording: earlier looks say nothing of it. */
    history_add_look_at(&history, START + 7, 30, (double[]){64, 0, 0, 0}, 5);
    assert_int_equal(cohort_of(&history, 2, 1), 0);
    assert_int_equal(history.points[2].look_ms, -1);
    assert_int_equal(cohort_of(&history, 4, 0), 64);
    assert_int_equal(history.epoch_shift, 30);
    hf_history_done(&history);
}

/* Of two points that become one the later look stays; so it is within a point that takes two. */
static void keeps_the_later_look(void **state)
{
    (void)state;
    struct hf_history history = {0};
    for (unsigned i = 1; i <= HF_HISTORY_POINTS + 2; i++)
        history_add_look_at(&history, START, 40, (double[]){i, 2000, 0, 0}, i);
    assert_int_equal(history.count, HF_HISTORY_POINTS / 2 + 1);
    assert_int_equal(cohort_of(&history, 0, 0), 2);
    assert_int_equal(cohort_of(&history, 31, 0), 64);
    assert_int_equal(history.points[31].look_ms, 64 * MINUTE);
    assert_int_equal(cohort_of(&history, 32, 0), 66);
    assert_int_equal(cohort_of(&history, 32, 1), 2000);
    assert_int_equal(history.points[32].look_ms, 66 * MINUTE);
    hf_history_done(&history);
}

static bool is_near(double value, double expected)
{
    if (fabs(value - expected) <= 0.001 * (1 + fabs(expected)))
        return true;
    print_error("got %f, expected %f\n", value, expected);
    return false;
}

static void check_ages(const struct hf_growth *growth, const char *name,
    const struct hf_growth_ages *expected, const char *site)
{
    const struct hf_growth_place *place = NULL;
    for (size_t i = 0; i < growth->count; i++) {
        if (hf_text_is(growth->places[i].name, name) && growth->places[i].depth == 2)
            place = &growth->places[i];
    }
    assert_non_null(place);
    const struct hf_growth_ages *ages = &place->ages;
    assert_true(is_near(ages->old_freed, expected->old_freed));
    assert_true(is_near(ages->old_bytes, expected->old_bytes));
    assert_true(is_near(ages->median_s, expected->median_s));
    assert_true(is_near(ages->allocated, expected->allocated));
    assert_true(is_near(ages->gone, expected->gone));
    assert_int_equal(ages->freed, expected->freed);
    assert_int_equal(ages->freed_elsewhere, expected->freed_elsewhere);
    assert_true(is_near(ages->site_share, expected->site_share));
    check_text(ages->site, site);
}

/*
 * The span is 19 minutes, 1140 s, and 64 bins. Of the leak nothing old is gone: what is in use at a
 * minute was born before. Of the cache 5000 bytes stood at all minutes of the middle half, none of
 * which is there now; of those at the minutes 17 and 18, of the 16 bins since 855 s 9.263 and
 * 12.632 have 312.5 bytes each.
 */
static void measures_ages(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_growth growth;
    struct hf_history history = {0};
    for (unsigned i = 0; i < POINTS; i++)
        add_minute(&history, i, i == POINTS - 1);
    check_ok(hf_growth_find(&growth, &history, history.stacks, NULL, &err), &err);
    assert_int_equal(growth.point_count, POINTS);
    check_ages(&growth, "leak",
        &(struct hf_growth_ages){.old_freed = 0,
            .old_bytes = 3000,
            .median_s = 570,
            .allocated = 19 * 1200 / 1140.0,
            .gone = 19 * 200 / 1140.0},
        "");
    check_ages(&growth, "cache",
        &(struct hf_growth_ages){.old_freed = (9.263 + 12.632) / 2 * 312.5 / 5000,
            .old_bytes = 0,
            .median_s = 1140 * (1 - 56.0 / 64),
            .allocated = 19 * 6000 / 1140.0,
            .gone = 19 * 6000 / 1140.0,
            .freed = 40,
            .freed_elsewhere = 5,
            .site_share = 35.0 / 45},
        "drop");
    hf_growth_done(&growth);
    hf_history_done(&history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_neighbours_one),
        cmocka_unit_test(keeps_what_holds_for_all),
        cmocka_unit_test(keeps_the_last_lifetimes),
        cmocka_unit_test(keeps_cohorts_of_all_looks),
        cmocka_unit_test(keeps_the_later_look),
        cmocka_unit_test(measures_ages),
    };
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
