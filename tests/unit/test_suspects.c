/* Where memory accumulates: who is named, with how much, in which words. */
#include "analysis/suspects.h"

#include "stacks.h"

static struct hf_suspects found(const struct hf_profile *profile, bool by_name)
{
    struct hf_error err;
    struct hf_suspects suspects;
    check_ok(hf_suspects_find(
                 &suspects, profile, &(struct hf_suspects_options){.by_name = by_name}, &err),
        &err);
    return suspects;
}

static void expect_suspect(
    const struct hf_suspects *suspects, size_t index, uint64_t value, const char *sentence)
{
    assert_true(index < suspects->count);
    const struct hf_suspect *suspect = &suspects->items[index];
    assert_string_equal(suspect->sentence.data, sentence);
    assert_int_equal(suspect->value, value);
}

static void expect_suspects(struct hf_profile *profile, const char *const *sentences, size_t count)
{
    struct hf_suspects suspects = found(profile, false);
    uint64_t sum = 0;
    for (size_t i = 0; i < suspects.count; i++)
        sum += suspects.items[i].value;
    assert_true(sum <= suspects.whole);
    for (size_t i = 0; i < count; i++)
        expect_suspect(&suspects, i, suspects.items[i].value, sentences[i]);
    assert_int_equal(suspects.count, count);
    hf_suspects_done(&suspects);
    hf_profile_free(profile);
}

static void follows_memory_to_where_it_spreads(void **state)
{
    (void)state;
    const struct stacks_row leaf[] = {{"main;serve;leak", 900, 0}, {"main;init", 40, 0}};
    const char *const at_leaf[] = {
        "leak accounts for 900 (95.7 %), all of which it allocates itself."};
    expect_suspects(stacks_profile("objects", leaf), at_leaf, 1);
    const struct stacks_row spread[] = {{"main;parse;a", 30, 0}, {"main;parse;b", 30, 0},
        {"main;parse;c", 30, 0}, {"main;parse;d", 20, 0}, {"main;big", 890, 0}};
    const char *const at_fork[] = {
        "big accounts for 890 (89.0 %), all of which it allocates itself.",
        "parse accounts for 110 (11.0 %), spread over 4 callees."};
    expect_suspects(stacks_profile("objects", spread), at_fork, 2);
    const struct stacks_row mixed[] = {{"main;fill", 600, 0}, {"main;fill;put", 400, 0}};
    const char *const partly[] = {
        "fill accounts for 1,000 (100.0 %), of which it allocates 600 itself."};
    expect_suspects(stacks_profile("objects", mixed), partly, 1);
}

static void names_what_is_left_beside_large_callees(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"main;x", 300 << 20, 0}, {"main;y", 500 << 20, 0}, {"main", 200 << 20, 0}};
    const char *const sentences[] = {
        "y accounts for 500.0 MiB (50.0 %), all of which it allocates itself.",
        "x accounts for 300.0 MiB (30.0 %), all of which it allocates itself.",
        "main accounts for 200.0 MiB (20.0 %), not counting its largest callees."};
    expect_suspects(stacks_profile("bytes", rows), sentences, 3);
}

static void ranks_a_difference_by_growth(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"main;freed", 0, 9000}, {"main;leak", 75, 0}, {"main;both", 25, 1000}};
    const char *const sentences[] = {
        "leak accounts for 75 (75.0 % of all growth), all of which it allocates itself.",
        "both accounts for 25 (25.0 % of all growth), all of which it allocates itself."};
    expect_suspects(stacks_difference("objects", rows), sentences, 2);
}

static void add_point(struct hf_series *series, const struct stacks_row *rows, size_t count)
{
    struct hf_error err;
    struct hf_profile *point = stacks_make("bytes", false, rows, count);
    check_ok(hf_series_add(series, point, "point", 0, &err), &err);
}

static void follows_suspects_through_a_series(void **state)
{
    (void)state;
    /* The stacks of a later point stand in another order, and one is there between only. */
    const struct stacks_row first[] = {{"main;x", 100, 0}, {"main;y", 30, 0}};
    const struct stacks_row second[] = {{"main;y", 20, 0}, {"main;y;z", 5, 0}, {"main;x", 90, 0}};
    const struct stacks_row third[] = {{"main;w", 1, 0}, {"main;x", 200, 0}, {"main;y", 70, 0}};
    struct hf_series series = {0};
    struct hf_error err;
    struct hf_profile *change;
    add_point(&series, first, HF_COUNT(first));
    add_point(&series, second, HF_COUNT(second));
    add_point(&series, third, HF_COUNT(third));
    check_ok(hf_series_change(&series, &change, &err), &err);
    for (int by_name = 0; by_name < 2; by_name++) {
        struct hf_suspects suspects;
        check_ok(
            hf_suspects_find(&suspects, change,
                &(struct hf_suspects_options){.by_name = by_name != 0, .series = &series}, &err),
            &err);
        assert_int_equal(suspects.count, 2);
        expect_suspect(&suspects, 0, 100,
            "x accounts for 100 B (70.9 % of all growth), all of which it allocates itself. "
            "It grew in 1 of 2 steps, from 100 B to 200 B.");
        expect_suspect(&suspects, 1, 40,
            "y accounts for 40 B (28.4 % of all growth), all of which it allocates itself. "
            "It grew in 1 of 2 steps, from 30 B to 70 B.");
        const uint64_t expected[] = {30, 25, 70};
        assert_memory_equal(suspects.items[1].points, expected, sizeof expected);
        hf_suspects_done(&suspects);
    }
    hf_profile_free(change);
    hf_series_done(&series);
}

/* What is left beside large callees is followed without them. */
static void follows_the_rest_of_a_suspect(void **state)
{
    (void)state;
    const struct stacks_row first[] = {{"main", 10, 0}, {"main;x", 50, 0}, {"main;y", 50, 0}};
    const struct stacks_row last[] = {{"main", 110, 0}, {"main;x", 150, 0}, {"main;y", 150, 0}};
    struct hf_series series = {0};
    struct hf_error err;
    struct hf_profile *change;
    struct hf_suspects suspects;
    add_point(&series, first, HF_COUNT(first));
    add_point(&series, last, HF_COUNT(last));
    check_ok(hf_series_change(&series, &change, &err), &err);
    check_ok(
        hf_suspects_find(&suspects, change, &(struct hf_suspects_options){.series = &series}, &err),
        &err);
    const uint64_t expected[] = {10, 110};
    assert_int_equal(suspects.count, 3);
    for (size_t i = 0; i < suspects.count; i++) {
        if (suspects.items[i].is_rest)
            assert_memory_equal(suspects.items[i].points, expected, sizeof expected);
    }
    hf_suspects_done(&suspects);
    hf_profile_free(change);
    hf_series_done(&series);
}

static void is_the_same_in_any_order(void **state)
{
    (void)state;
    const struct stacks_row one[] = {{"m;b", 10, 0}, {"m;a", 10, 0}, {"a;b", 10, 0}};
    const struct stacks_row other[] = {{"a;b", 10, 0}, {"m;a", 10, 0}, {"m;b", 10, 0}};
    const char *const sentences[] = {
        "b accounts for 10 (33.3 %), all of which it allocates itself.",
        "a accounts for 10 (33.3 %), all of which it allocates itself.",
        "b accounts for 10 (33.3 %), all of which it allocates itself."};
    expect_suspects(stacks_profile("objects", one), sentences, 3);
    expect_suspects(stacks_profile("objects", other), sentences, 3);
}

/* Of equal values: by name, then module, source file, offset and line; the shorter stack first. */
static void ties_are_broken_by_the_frames(void **state)
{
    static const struct {
        const char *name, *module, *file;
        uint64_t offset;
        uint32_t line;
    } rows[] = {{"a", "/z", "z", 9, 9}, {"b", "/a", "z", 9, 9}, {"b", "/b", "a", 9, 9},
        {"b", "/b", "b", 1, 9}, {"b", "/b", "b", 2, 1}, {"b", "/b", "b", 2, 2}};
    static const size_t orders[][HF_COUNT(rows)] = {
        {0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {3, 0, 5, 1, 4, 2}};
    (void)state;
    struct hf_error err;
    for (size_t o = 0; o < HF_COUNT(orders); o++) {
        struct hf_profile *p = stacks_new("objects", false);
        uint32_t frames[HF_COUNT(rows)], node;
        const uint64_t ten = 10;
        for (size_t i = 0; i < HF_COUNT(rows); i++) {
            size_t r = orders[o][i];
            struct hf_frame frame = {.flags = HF_FRAME_NAMED | HF_FRAME_HAS_OFFSET,
                .offset = rows[r].offset,
                .line = rows[r].line};
            check_ok(hf_profile_string(p, hf_text_of(rows[r].name), &frame.name, &err), &err);
            check_ok(hf_profile_string(p, hf_text_of(rows[r].file), &frame.file, &err), &err);
            check_ok(
                hf_profile_module(p, hf_text_of(rows[r].module), HF_TEXT(""), &frame.module, &err),
                &err);
            check_ok(hf_profile_frame(p, &frame, &frames[r], &err), &err);
            check_ok(hf_stacktree_child(&p->stacks, HF_STACK_ROOT, frames[r], &node, &err), &err);
            check_ok(hf_profile_add_sample(p, node, HF_THREAD_ALL, &ten, &err), &err);
        }
        struct hf_suspects suspects = found(p, false);
        assert_int_equal(suspects.count, HF_COUNT(rows));
        for (size_t i = 0; i < HF_COUNT(rows); i++)
            assert_int_equal(suspects.items[i].frames[0], frames[i]);
        hf_suspects_done(&suspects);
        hf_profile_free(p);
    }
}

static void counts_a_function_over_its_lines(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"main@a.c:1;leak@a.c:7", 50, 0}, {"main@a.c:2;leak@a.c:8", 50, 0}};
    struct hf_profile *profile = stacks_profile("objects", rows);
    struct hf_suspects suspects = found(profile, true);
    assert_int_equal(suspects.count, 1);
    expect_suspect(
        &suspects, 0, 100, "leak accounts for 100 (100.0 %), all of which it allocates itself.");
    assert_int_equal(suspects.items[0].depth, 2);
    hf_suspects_done(&suspects);
    suspects = found(profile, false);
    assert_int_equal(suspects.count, 2);
    assert_string_equal(suspects.items[0].name.data, "leak a.c:7");
    assert_string_equal(suspects.items[0].suppression.data, "leak:leak");
    hf_suspects_done(&suspects);
    hf_profile_free(profile);
}

static void writes_suppressions(void **state)
{
    (void)state;
    const struct {
        const char *name, *line;
    } cases[] = {{"leak", "leak:leak"}, {"std::vector<int>::push_back(int)", "leak:std::vector"},
        {"Cache::fill(char const*)", "leak:Cache::fill"}, {"(anonymous)", "leak:(anonymous)"},
        {"[libfoo.so]", "leak:[libfoo.so]"}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        const struct stacks_row rows[] = {{cases[i].name, 5, 0}};
        struct hf_profile *profile = stacks_profile("objects", rows);
        struct hf_suspects suspects = found(profile, false);
        assert_int_equal(suspects.count, 1);
        assert_string_equal(suspects.items[0].suppression.data, cases[i].line);
        hf_suspects_done(&suspects);
        hf_profile_free(profile);
    }
}

static void finds_nothing_where_nothing_is_large(void **state)
{
    (void)state;
    struct hf_profile *profile = stacks_new("objects", false);
    expect_suspects(profile, NULL, 0);
    profile = stacks_new("objects", false);
    const char *const no_stack = "";
    stacks_add(profile, &(struct stacks_row){no_stack, 100, 0});
    expect_suspects(profile, NULL, 0);
    profile = stacks_new("objects", false);
    for (char name[] = "a"; name[0] <= 'z'; name[0]++)
        stacks_add(profile, &(struct stacks_row){name, UINT64_MAX / 4, 0});
    struct hf_suspects suspects = found(profile, false);
    assert_true(suspects.count <= HF_SUSPECT_LARGE); /* the sum stays at 2^64-1 */
    hf_suspects_done(&suspects);
    hf_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_memory_to_where_it_spreads),
        cmocka_unit_test(names_what_is_left_beside_large_callees),
        cmocka_unit_test(ranks_a_difference_by_growth),
        cmocka_unit_test(follows_suspects_through_a_series),
        cmocka_unit_test(follows_the_rest_of_a_suspect),
        cmocka_unit_test(is_the_same_in_any_order),
        cmocka_unit_test(ties_are_broken_by_the_frames),
        cmocka_unit_test(counts_a_function_over_its_lines),
        cmocka_unit_test(writes_suppressions),
        cmocka_unit_test(finds_nothing_where_nothing_is_large),
    };
    return cmocka_run_group_tests_name("suspects", tests, NULL, NULL);
}
