/* The budget of an input: what is allowed, what uses it up, and what is said then. */
#include "base/budget.h"
#include "base/containers/arena.h"
#include "base/containers/index.h"
#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "base/containers/print_map.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/regex.h"
#include "check.h"

#include <stdlib.h>

#define GIVEN 1000u
#define MEMORY (HF_LIMIT_BUDGET_MEMORY + (uint64_t)HF_LIMIT_BUDGET_MEMORY_RATIO * GIVEN)
#define STEPS (HF_LIMIT_BUDGET_STEPS + (uint64_t)HF_LIMIT_BUDGET_STEPS_RATIO * GIVEN)

static void size_says_what_is_allowed(void **state)
{
    (void)state;
    struct hf_budget budget = {0};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    assert_true(hf_budget_memory_allowed(&budget) == HF_LIMIT_BUDGET_MEMORY);
    assert_true(hf_budget_steps_allowed(&budget) == HF_LIMIT_BUDGET_STEPS);
    hf_budget_give(GIVEN);
    assert_true(hf_budget_memory_allowed(&budget) == MEMORY);
    assert_true(hf_budget_steps_allowed(&budget) == STEPS);
    hf_budget_set_factor(2.5);
    assert_true(hf_budget_memory_allowed(&budget) == MEMORY * 5 / 2);
    assert_true(hf_budget_steps_allowed(&budget) == STEPS * 5 / 2);
    hf_budget_set_factor(1e30);
    assert_true(hf_budget_steps_allowed(&budget) == INT64_MAX);
    hf_budget_set_factor(1);
    hf_budget_leave(before);
}

static void expect_refusal(const char *sentence)
{
    struct hf_error err;
    assert_true(hf_budget_is_used_up());
    assert_int_equal(hf_error_memory(&err), HF_ERR_LIMIT);
    assert_string_equal(err.text, sentence);
}

static void memory_is_used_up_by_each_container(void **state)
{
    (void)state;
    for (unsigned container = 0; container < 6; container++) {
        struct hf_budget budget = {0};
        struct hf_budget_scope before = hf_budget_enter(&budget);
        struct hf_arena arena = {0};
        struct hf_intern intern = {0};
        struct hf_index index = {0};
        struct hf_map map = {0};
        struct hf_print_map prints = {0};
        char *items = NULL, name[256] = {0};
        size_t capacity = 0;
        bool fits = true;
        for (uint32_t i = 1, id; fits && i < 1u << 24; i++) {
            struct hf_fingerprint print = {{i * UINT64_C(0x9e3779b97f4a7c15), i}};
            switch (container) {
            case 0: fits = hf_arena_alloc(&arena, 4096) != NULL; break;
            case 1:
                memcpy(name, &i, sizeof i);
                fits = hf_intern_put(&intern, name, sizeof name, &id);
                break;
            case 2: fits = hf_index_reset(&index, (size_t)i << 22); break;
            case 3: fits = hf_map_put(&map, i, i, NULL) != NULL; break;
            case 4: fits = hf_print_map_put(&prints, print, i); break;
            default: fits = hf_vec_reserve(&items, &capacity, (size_t)i << 10, 1);
            }
        }
        assert_false(fits);
        expect_refusal(
            "needs more than 64 MiB of memory, too much for an input of 0 bytes; if you trust it, "
            "allow N times as much with --input-budget N (HF_LIMIT_BUDGET_MEMORY)");
        assert_true(budget.memory_peak <= HF_LIMIT_BUDGET_MEMORY);
        assert_true(budget.memory_peak > HF_LIMIT_BUDGET_MEMORY / 3);
        hf_arena_done(&arena);
        hf_intern_done(&intern);
        hf_index_done(&index);
        hf_map_done(&map);
        hf_print_map_done(&prints);
        free(items);
        assert_true(budget.memory_bytes == (container == 5 ? capacity : 0));
        hf_budget_leave(before);
    }
}

static void libraries_take_from_it(void **state)
{
    (void)state;
    struct hf_budget budget = {0};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    void *first = hf_budget_malloc(1 << 20);
    assert_non_null(first);
    assert_true(budget.memory_bytes >= 1 << 20);
    hf_budget_free(first);
    assert_true(budget.memory_bytes == 0);
    assert_null(hf_budget_malloc(HF_LIMIT_BUDGET_MEMORY));
    hf_budget_leave(before);
}

static void steps_are_used_up(void **state)
{
    (void)state;
    struct hf_budget budget = {0};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    hf_budget_give(GIVEN);
    uint64_t made = 0;
    bool has_reserve = true;
    while (hf_budget_step(1000)) {
        made += 1000;
        assert_true(has_reserve || !hf_budget_has_reserve());
        has_reserve = hf_budget_has_reserve();
    }
    assert_false(has_reserve);
    assert_true(made >= STEPS && made < STEPS + STEPS / 100);
    assert_false(hf_budget_step(1));
    expect_refusal(
        "needs more than 520 million steps, too much for an input of 1000 bytes; if you trust it, "
        "allow N times as much with --input-budget N (HF_LIMIT_BUDGET_STEPS)");
    hf_budget_leave(before);
    assert_true(hf_budget_step(1)); /* outside of it nothing is counted */
    assert_false(hf_budget_is_used_up());
}

static void scopes_nest(void **state)
{
    (void)state;
    struct hf_budget outer = {0}, inner = {0};
    struct hf_budget_scope first = hf_budget_enter(&outer);
    assert_true(hf_budget_step(100));
    struct hf_budget_scope second = hf_budget_enter(&inner);
    assert_true(hf_budget_step(10));
    hf_budget_leave(second);
    assert_true(hf_budget_step(1));
    hf_budget_leave(first);
    assert_true(inner.steps == 10 && outer.steps == 101);
}

/* Each name takes more than is cheap; the total is used up, and then each is given up. */
static void patterns_have_a_total(void **state)
{
    (void)state;
    struct hf_regex *regex;
    struct hf_error err;
    struct hf_budget budget = {0};
    check_ok(hf_regex_new("(a+)+$", &regex, &err), &err);
    struct hf_budget_scope before = hf_budget_enter(&budget);
    const uint64_t expensive = HF_LIMIT_REGEX_TOTAL / HF_LIMIT_REGEX_MATCH;
    uint64_t steps = 0;
    for (uint64_t i = 0; i < 2 * expensive; i++) {
        assert_false(hf_regex_matches(regex, HF_TEXT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")));
        if (i + 1 == expensive)
            steps = budget.steps;
    }
    assert_true(hf_regex_given_up(regex) == 2 * expensive);
    assert_true(budget.steps - steps < steps / 8);
    assert_true(hf_regex_matches(regex, HF_TEXT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")));
    hf_budget_leave(before);
    hf_regex_free(regex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_says_what_is_allowed),
        cmocka_unit_test(memory_is_used_up_by_each_container),
        cmocka_unit_test(libraries_take_from_it),
        cmocka_unit_test(steps_are_used_up),
        cmocka_unit_test(scopes_nest),
        cmocka_unit_test(patterns_have_a_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
