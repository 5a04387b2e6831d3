/* How numbers and file names of a report are written. */
#include "render/amount.h"
#include "render/shares.h"
#include "render/table/shortpath.h"

#include "check.h"

static void writes_amounts_in_each_style(void **state)
{
    (void)state;
    static const struct {
        struct hf_amount_style style;
        struct hf_total value;
        const char *plain, *net;
    } cases[] = {
        {{HF_AMOUNT_HUMAN, true}, {65604133, 0}, "62.6 MiB", "+62.6 MiB"},
        {{HF_AMOUNT_HUMAN, true}, {0, 1536}, "0 B", "-1.5 KiB"},
        {{HF_AMOUNT_HUMAN, true}, {7, 7}, "7 B", "0 B"},
        {{HF_AMOUNT_HUMAN, false}, {60201, 0}, "60,201", "+60,201"},
        {{HF_AMOUNT_EXACT, true}, {65604133, 0}, "65604133 B", "+65604133 B"},
        {{HF_AMOUNT_EXACT, false}, {0, 3}, "0", "-3"},
        {{HF_AMOUNT_JEPROF, true}, {65604133, 0}, "62.6", "62.6"},
        {{HF_AMOUNT_JEPROF, true}, {0, 157286400}, "0.0", "-150.0"},
        {{HF_AMOUNT_JEPROF, false}, {60201, 0}, "60201", "60201"},
        {{HF_AMOUNT_BARE, true}, {0, 157286400}, "0", "-157286400"},
        {{HF_AMOUNT_EXACT, true}, {UINT64_MAX, 0}, "18446744073709551615 B",
            "+18446744073709551615 B"},
        {{HF_AMOUNT_HUMAN, false}, {0, UINT64_MAX}, "0", "-18,446,744,073,709,551,615"},
    };
    char text[HF_AMOUNT_MAX];
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        assert_string_equal(hf_amount(cases[i].style, cases[i].value.value, text), cases[i].plain);
        assert_string_equal(hf_amount_net(cases[i].style, cases[i].value, text), cases[i].net);
    }
}

/* The balance of a difference is written in one unit, so that it can be checked by eye. */
static void writes_in_the_unit_of_another(void **state)
{
    (void)state;
    const struct hf_amount_style human = {HF_AMOUNT_HUMAN, true};
    const uint64_t mib = 1048576;
    static const struct {
        uint64_t value, reference;
        const char *expected;
    } cases[] = {
        {UINT64_C(1196320358), 371 * UINT64_C(1048576), "1,140.9 MiB"},
        {0, 1, "0 B"},
        {5, 1, "5 B"},
        {5000, 1, "5,000 B"},
        {1, 1048576, "0.0 MiB"},
        {1048575, 1048576, "1.0 MiB"},
        {UINT64_MAX, 2048, "18,014,398,509,481,984.0 KiB"},
        {UINT64_MAX, UINT64_MAX, "16.0 EiB"},
    };
    char text[HF_AMOUNT_MAX];
    for (size_t i = 0; i < HF_COUNT(cases); i++)
        assert_string_equal(
            hf_amount_like(human, cases[i].value, cases[i].reference, text), cases[i].expected);
    const struct hf_amount_style exact = {HF_AMOUNT_EXACT, true};
    assert_string_equal(hf_amount_like(exact, 5 * mib, mib, text), "5242880 B");
}

static void orders_nets_by_sign_and_size(void **state)
{
    (void)state;
    static const struct hf_total rising[] = {
        {0, UINT64_MAX}, {1, 5}, {0, 3}, {7, 7}, {3, 0}, {5, 1}, {UINT64_MAX, 0}};
    for (size_t i = 0; i < HF_COUNT(rising); i++) {
        for (size_t j = 0; j < HF_COUNT(rising); j++) {
            int order = hf_total_compare_net(rising[i], rising[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
}

static void shortens_paths_as_far_as_they_differ(void **state)
{
    (void)state;
    static const struct {
        const char *path, *expected;
    } cases[] = {
        {"/build/src/leak.c", "leak.c"},
        {"/build/web/mod.rs", "web/mod.rs"},
        {"/build/db/mod.rs", "build/db/mod.rs"},
        {"/other/db/mod.rs", "other/db/mod.rs"},
        {"/build/web/mod.rs", "web/mod.rs"},
        {"dec.c", "dec.c"},
        {"/x/codec.c", "codec.c"},
        {"a.h", "a.h"},
        {"/a.h", "/a.h"},
        {"inc/a.h", "inc/a.h"},
        {"", ""},
        {"/", "/"},
    };
    struct hf_text paths[HF_COUNT(cases)], shorts[HF_COUNT(cases)];
    for (size_t i = 0; i < HF_COUNT(cases); i++)
        paths[i] = hf_text_of(cases[i].path);
    assert_true(hf_short_paths(paths, HF_COUNT(cases), shorts));
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        check_case = cases[i].path;
        check_text(shorts[i], cases[i].expected);
    }
    assert_true(hf_short_paths(NULL, 0, NULL));
}

/* What rounding leaves goes to those that lost most by it, not to the last. */
static void gives_shares_that_add_up(void **state)
{
    static const struct {
        uint64_t parts[4];
        unsigned permille[4];
    } cases[] = {
        {{1, 1, 1, 0}, {334, 333, 333, 0}},
        {{2000, 3, 3, 3}, {996, 2, 1, 1}},
        {{9984, 4, 4, 8}, {999, 0, 0, 1}},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, 0}, {334, 333, 333, 0}},
        {{UINT64_MAX, 1, 0, 0}, {1000, 0, 0, 0}},
        {{0}, {0}},
        {{0, 0, 0, 7}, {0, 0, 0, 1000}},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        unsigned permille[4];
        assert_true(hf_shares_permille(cases[i].parts, 4, permille));
        assert_memory_equal(permille, cases[i].permille, sizeof permille);
    }
    assert_true(hf_shares_permille(NULL, 0, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_amounts_in_each_style),
        cmocka_unit_test(writes_in_the_unit_of_another),
        cmocka_unit_test(orders_nets_by_sign_and_size),
        cmocka_unit_test(shortens_paths_as_far_as_they_differ),
        cmocka_unit_test(gives_shares_that_add_up),
    };
    return cmocka_run_group_tests_name("amount", tests, NULL, NULL);
}
