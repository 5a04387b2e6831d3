/* Where memory grows: when that was, what is said of lifetimes, and what each place held when. */
#include "analysis/growth/growth_place.h"
#include "stacks.h"

#include <math.h>

#define MINUTE 60000

static struct hf_growth growth;

struct when_row {
    enum hf_trend_shape shape;
    double values[8];
    size_t from, to; /* both 0: it did not grow */
};

/* A twentieth of a growth is its beginning, and all but a twentieth its end. */
static const struct when_row when_rows[] = {
    {HF_TREND_LEVELLED, {0, 5, 6, 50, 95, 100, 100, 100}, 1, 4},
    {HF_TREND_LEVELLED, {0, 5, 6, 50, 94, 100, 100, 100}, 1, 5},
    {HF_TREND_BURST, {10, 10, 10, 110, 110, 110, 110, 110}, 2, 3},
    {HF_TREND_BURST, {20, 10, 30, 110, 110, 20, 110, 110}, 1, 3},
    {HF_TREND_LEVELLED, {110, 0, 0, 0, 0, 0, 110, 110}, 0, 0},
    {HF_TREND_GROWING, {0, 0, 0, 10, 20, 30, 40, 50}, 2, 7},
    {HF_TREND_SATURATING, {0, 60, 90, 96, 98, 99, 100, 100}, 0, 7},
    {HF_TREND_STEADY, {0, 0, 0, 10, 20, 30, 40, 50}, 0, 0},
    {HF_TREND_SAWTOOTH, {0, 0, 0, 10, 20, 30, 40, 50}, 0, 0},
    {HF_TREND_FALLING, {0, 0, 0, 10, 20, 30, 40, 50}, 0, 0},
    {HF_TREND_TOO_LITTLE, {0, 0, 0, 10, 20, 30, 40, 50}, 0, 0},
};

static void tells_when_it_grew(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(when_rows); i++) {
        const struct when_row *row = &when_rows[i];
        double values[8];
        size_t from = 77, to = 77;
        memcpy(values, row->values, sizeof values);
        growth = (struct hf_growth){.point_count = 8};
        const struct hf_growth_place place = {.values = values, .trend = {.shape = row->shape}};
        bool did = hf_growth_when(&growth, &place, &from, &to);
        bool expected = row->shape == HF_TREND_GROWING || row->shape == HF_TREND_SATURATING ||
                        row->shape == HF_TREND_LEVELLED || row->shape == HF_TREND_BURST;
        if (did != expected || (did ? from != row->from || to != row->to : from != 77 || to != 77))
            fail_msg("row %zu: %d, %zu to %zu", i, did, from, to);
    }
}

struct age_row {
    const char *name;
    struct hf_growth_ages ages;
    const char *site, *sentences;
    double old_s;
};

#define UNKNOWN .old_bytes = NAN, .median_s = NAN, .allocated = NAN, .gone = NAN

static const struct age_row age_rows[] = {
    {"nothing is known", {UNKNOWN}, "", "", 0},
    {"freed", {UNKNOWN, .freed = 3, .site_share = 0.66}, "drop",
        " 3 recorded blocks of f were freed, 66 % of them in drop.", 0},
    {"one", {UNKNOWN, .freed = 1, .site_share = 1}, "drop",
        " 1 recorded block of f was freed, 100 % of them in drop.", 0},
    {"elsewhere", {UNKNOWN, .freed_elsewhere = 4, .site_share = 0.5}, "drop",
        " 4 recorded blocks of f were freed, 50 % of them in drop; of those allocated on this "
        "path, "
        "none was.",
        0},
    {"both", {UNKNOWN, .freed = 2, .freed_elsewhere = 3, .site_share = 0.5}, "drop",
        " 5 recorded blocks of f were freed, 50 % of them in drop; 2 of those allocated on this "
        "path were.",
        0},
    {"rates", {.old_bytes = NAN, .median_s = NAN, .allocated = 2048, .gone = 1024}, "",
        " It allocates 120.0 KiB/min and frees 60.0 KiB/min.", 0},
    {"median", {.old_bytes = NAN, .median_s = 120, .allocated = NAN, .gone = NAN}, "",
        " Half of what is in use is older than 2.0 min.", 0},
    {"old", {.old_bytes = 1536, .median_s = NAN, .allocated = NAN, .gone = NAN}, "",
        " 1.5 KiB are older than 5.0 min.", 300},
    {"nobody asked", {.old_bytes = 1536, .median_s = NAN, .allocated = NAN, .gone = NAN}, "", "",
        0},
};

/* What follows the words of the verdict itself. */
static void tells_of_lifetimes(void **state)
{
    (void)state;
    double values[] = {1, 2, 3};
    struct hf_history history = {.first_ms = 4000, .began_ms = 1500};
    for (size_t i = 0; i < HF_COUNT(age_rows); i++) {
        const struct age_row *row = &age_rows[i];
        struct hf_out verdict = {0}, all = {0};
        check_case = row->name;
        growth = (struct hf_growth){
            .point_count = 3, .is_bytes = true, .old_s = row->old_s, .history = &history};
        assert_true(hf_growth_began_s(&growth) == -2.5);
        struct hf_growth_place place = {.name = HF_TEXT("f"),
            .values = values,
            .ages = row->ages,
            .verdict = {.kind = HF_VERDICT_STEADY}};
        place.ages.site = hf_text_of(row->site);
        struct hf_verdict_facts facts = hf_growth_facts(&growth, &place);
        hf_verdict_evidence(&place.verdict, &facts, &verdict);
        hf_growth_evidence(&growth, &place, &all);
        struct hf_text whole = hf_out_view(&all);
        assert_true(hf_text_equal(hf_text_first(whole, verdict.size), hf_out_view(&verdict)));
        check_text(hf_text_from(whole, verdict.size), row->sentences);
        hf_out_done(&verdict);
        hf_out_done(&all);
    }
    check_case = "";
}

static void labels_a_place(void **state)
{
    (void)state;
    struct hf_out out = {0};
    struct hf_growth_place place = {.name = HF_TEXT("open_session")};
    hf_growth_place_label(&place, &out);
    check_out(&out, "open_session");
    place.via = HF_TEXT("std::string");
    hf_growth_place_label(&place, &out);
    check_out(&out, "open_session via std::string");
    hf_out_done(&out);
}

static void has_no_rate_by_what_did_not_come(void **state)
{
    (void)state;
    const struct hf_load_clock clock = {.name = "requests"};
    static const struct {
        double end_s, total, thousand_s;
    } rows[] = {{60, 0, 0}, {0, 100, 0}, {0, 0, 0}, {60, 100, 600}};
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        growth = (struct hf_growth){
            .load = {.clock = &clock, .end_s = rows[i].end_s, .total = rows[i].total}};
        assert_true(hf_growth_thousand_s(&growth) == rows[i].thousand_s);
    }
    growth.load.clock = NULL;
    assert_true(hf_growth_thousand_s(&growth) == 0);
}

enum { SPACE, OBJECTS, TYPES };

/* A profile at a minute: a leak of 1000 bytes in 10 objects more each time, and what stands. */
static void add_point(struct hf_history *history, unsigned minute)
{
    struct hf_error err;
    struct hf_profile *p;
    const struct {
        const char *stack;
        uint64_t values[TYPES];
    } rows[] = {{"main;serve;leak;grow;malloc", {1000 * (minute + 1), 10 * (minute + 1)}},
        {"main;init", {40000, 4}}, {"main;small", {minute == 3 ? 7 : 1, 1}}};
    check_ok(hf_profile_new(&p, &err), &err);
    check_ok(hf_profile_add_type(p, "inuse_space", "bytes", &err), &err);
    check_ok(hf_profile_add_type(p, "inuse_objects", "objects", &err), &err);
    for (size_t i = 0; i < HF_COUNT(rows); i++)
        check_ok(hf_profile_add_sample(
                     p, stacks_node(p, rows[i].stack), HF_THREAD_ALL, rows[i].values, &err),
            &err);
    if (history->stacks == NULL)
        check_ok(hf_history_init(history, p, SPACE, &err), &err);
    check_ok(hf_history_add(history, p, NULL, (int64_t)minute * MINUTE, &err), &err);
    hf_profile_free(p);
}

/* The leak first, as the steepest; what is too small for a line is in the whole alone. */
static void finds_places_and_what_they_held(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_history history = {0};
    for (unsigned minute = 0; minute < 12; minute++)
        add_point(&history, minute);
    check_ok(hf_growth_find(&growth, &history, history.stacks, NULL, &err), &err);
    assert_int_equal(growth.point_count, 12);
    assert_int_equal(growth.count, 2);
    assert_true(growth.is_bytes && growth.is_in_use);
    assert_true(growth.lost_samples == 0);
    const struct hf_growth_place *leak = &growth.places[0], *init = &growth.places[1];
    check_text(leak->name, "malloc");
    check_text(init->name, "init");
    check_text(growth.whole.name, "the whole");
    for (unsigned i = 0; i < 12; i++) {
        assert_true(growth.times_s[i] == 60.0 * i);
        assert_true(leak->values[i] == 1000.0 * (i + 1));
        assert_true(leak->objects[i] == 10.0 * (i + 1));
        assert_true(init->values[i] == 40000 && init->objects[i] == 4);
        assert_true(growth.whole.values[i] == 41000.0 + 1000 * i + (i == 3 ? 7 : 1));
        assert_true(growth.whole.objects[i] == 15.0 + 10 * i);
    }
    assert_int_equal(leak->depth, 5);
    assert_int_equal(leak->inner_depth, 0);
    assert_int_equal(leak->trend.shape, HF_TREND_GROWING);
    assert_int_equal(init->trend.shape, HF_TREND_STEADY);
    assert_true(fabs(leak->share - 1) < 0.05);
    assert_true(init->share == 0);
    assert_int_equal(leak->verdict.kind, HF_VERDICT_LEAK);
    assert_int_equal(init->verdict.kind, HF_VERDICT_STEADY);
    assert_int_equal(growth.whole.verdict.kind, HF_VERDICT_LEAK);
    hf_growth_done(&growth);
    hf_history_done(&history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_when_it_grew),
        cmocka_unit_test(has_no_rate_by_what_did_not_come),
        cmocka_unit_test(tells_of_lifetimes),
        cmocka_unit_test(labels_a_place),
        cmocka_unit_test(finds_places_and_what_they_held),
    };
    return cmocka_run_group_tests_name("growth", tests, NULL, NULL);
}
