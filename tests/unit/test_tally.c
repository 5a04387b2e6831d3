/* What each function holds itself and below, and who calls whom. */
#include "render/tally.h"

#include "stacks.h"

static struct hf_tally_entry entry_of(
    const struct hf_profile *profile, const struct hf_tally *tally, const char *name)
{
    for (size_t i = 0; i < tally->entry_count; i++) {
        const struct hf_tally_entry *entry = &tally->entries[i];
        if (entry->frame == HF_TALLY_NONE) {
            if (strcmp(name, "[no stack]") == 0)
                return *entry;
            continue;
        }
        const struct hf_frame *frame = hf_profile_frame_at(profile, entry->frame);
        if (hf_text_is(hf_profile_text(profile, frame->name), name))
            return *entry;
    }
    fail_msg("no entry %s", name);
    return (struct hf_tally_entry){0};
}

static uint64_t edge_of(const struct hf_profile *profile, const struct hf_tally *tally,
    const char *caller, const char *callee)
{
    uint64_t weight = 0;
    uint32_t from = entry_of(profile, tally, caller).frame;
    uint32_t to = entry_of(profile, tally, callee).frame;
    for (size_t i = 0; i < tally->edge_count; i++) {
        const struct hf_tally_edge *edge = &tally->edges[i];
        if (tally->entries[edge->caller].frame == from && tally->entries[edge->callee].frame == to)
            weight += edge->weight.value;
    }
    return weight;
}

static void counts_flat_and_cum(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"main;a;b", 100, 0},
        {"main;a", 10, 0},
        {"main;c;b", 7, 0},
        {"", 3, 0},
        {"main;nothing", 0, 0},
    };
    static const struct {
        const char *name;
        uint64_t flat, cum;
    } expected[] = {
        {"main", 0, 117}, {"a", 10, 110}, {"b", 107, 107}, {"c", 0, 7}, {"[no stack]", 3, 3}};
    struct hf_profile *profile = stacks_profile("bytes", rows);
    struct hf_error err;
    struct hf_tally tally;
    struct hf_tally_options options = {.with_edges = true};
    check_ok(hf_tally_init(&tally, profile, &options, &err), &err);
    assert_int_equal(tally.total.value, 120);
    assert_int_equal(tally.entry_count, HF_COUNT(expected));
    for (size_t i = 0; i < HF_COUNT(expected); i++) {
        struct hf_tally_entry entry = entry_of(profile, &tally, expected[i].name);
        assert_int_equal(entry.flat.value, expected[i].flat);
        assert_int_equal(entry.cum.value, expected[i].cum);
    }
    assert_int_equal(tally.edge_count, 4);
    assert_int_equal(edge_of(profile, &tally, "main", "a"), 110);
    assert_int_equal(edge_of(profile, &tally, "a", "b"), 100);
    hf_tally_done(&tally);
    hf_profile_free(profile);
}

/* Recursion, direct and mutual, never counts a stack twice. */
static void counts_a_stack_once(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"main;f;f;f", 100, 0},
        {"main;f;g;f;g;h", 10, 0},
        {"main;f", 1, 0},
        {"main;g;f", 1000, 0},
    };
    struct hf_profile *profile = stacks_profile("bytes", rows);
    struct hf_error err;
    struct hf_tally tally;
    struct hf_tally_options options = {.with_edges = true};
    check_ok(hf_tally_init(&tally, profile, &options, &err), &err);
    assert_int_equal(entry_of(profile, &tally, "main").cum.value, 1111);
    assert_int_equal(entry_of(profile, &tally, "f").cum.value, 1111);
    assert_int_equal(entry_of(profile, &tally, "f").flat.value, 1101);
    assert_int_equal(entry_of(profile, &tally, "g").cum.value, 1010);
    assert_int_equal(entry_of(profile, &tally, "g").flat.value, 0);
    assert_int_equal(edge_of(profile, &tally, "f", "f"), 100);
    assert_int_equal(edge_of(profile, &tally, "f", "g"), 10);
    assert_int_equal(edge_of(profile, &tally, "g", "f"), 1010);
    assert_int_equal(edge_of(profile, &tally, "g", "h"), 10);
    hf_tally_done(&tally);
    hf_profile_free(profile);
}

static void groups_lines_by_name(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"main@m.c:1;leak@l.c:10", 5, 0},
        {"main@m.c:2;leak@l.c:20;leak@l.c:10", 6, 0},
    };
    struct hf_profile *profile = stacks_profile("bytes", rows);
    struct hf_error err;
    struct hf_tally lines, functions;
    struct hf_tally_options by_line = {0}, by_name = {.by_name = true};
    check_ok(hf_tally_init(&lines, profile, &by_line, &err), &err);
    check_ok(hf_tally_init(&functions, profile, &by_name, &err), &err);
    assert_int_equal(lines.entry_count, 4);
    assert_int_equal(functions.entry_count, 2);
    assert_int_equal(entry_of(profile, &functions, "leak").cum.value, 11);
    assert_int_equal(entry_of(profile, &functions, "leak").flat.value, 11);
    assert_int_equal(entry_of(profile, &functions, "main").cum.value, 11);
    hf_tally_done(&lines);
    hf_tally_done(&functions);
    hf_profile_free(profile);
}

/* Growth and release are summed apart: that they cancel out at the root hides nothing. */
static void keeps_growth_and_release_apart(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {{"main;leak", 100, 0}, {"main;cache", 0, 100}};
    struct hf_profile *profile = stacks_difference("bytes", rows);
    struct hf_error err;
    struct hf_tally tally;
    struct hf_tally_options options = {0};
    check_ok(hf_tally_init(&tally, profile, &options, &err), &err);
    struct hf_tally_entry entry = entry_of(profile, &tally, "main");
    assert_int_equal(entry.cum.value, 100);
    assert_int_equal(entry.cum.released, 100);
    hf_tally_done(&tally);
    hf_profile_free(profile);
}

/* A stack far deeper than any C stack allows recursion for, twice over the same two functions. */
static void takes_deep_stacks(void **state)
{
    (void)state;
    enum { DEPTH = 400000 };
    struct hf_profile *profile = stacks_new("bytes", false);
    struct hf_error err;
    uint32_t frames[2] = {
        stacks_frame(profile, HF_TEXT("even")), stacks_frame(profile, HF_TEXT("odd"))};
    uint32_t node = HF_STACK_ROOT;
    uint64_t value = 3;
    for (unsigned i = 0; i < DEPTH; i++) {
        check_ok(hf_stacktree_child(&profile->stacks, node, frames[i & 1], &node, &err), &err);
        if (i % 1000 == 0)
            check_ok(hf_profile_add_sample(profile, node, HF_THREAD_ALL, &value, &err), &err);
    }
    struct hf_tally tally;
    struct hf_tally_options options = {.with_edges = true};
    check_ok(hf_tally_init(&tally, profile, &options, &err), &err);
    assert_int_equal(tally.entry_count, 2);
    assert_int_equal(entry_of(profile, &tally, "even").cum.value, 3 * DEPTH / 1000);
    assert_int_equal(entry_of(profile, &tally, "odd").cum.value, 3 * (DEPTH / 1000 - 1));
    assert_int_equal(entry_of(profile, &tally, "odd").flat.value, 0);
    hf_tally_done(&tally);
    hf_profile_free(profile);
}

/* The slow way: for each stack, the set of its functions. */
static void agrees_with_the_definition(void **state)
{
    (void)state;
    enum { FUNCTIONS = 6, ROUNDS = 50 };
    uint64_t random = 7;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct hf_profile *profile = stacks_new("bytes", false);
        uint64_t cum[FUNCTIONS] = {0}, flat[FUNCTIONS] = {0};
        for (unsigned s = 0; s < 40; s++) {
            char stack[64] = "";
            size_t depth = check_random(&random) % 12 + 1;
            bool seen[FUNCTIONS] = {0};
            uint64_t value = check_random(&random) % 1000;
            unsigned function = 0;
            for (size_t d = 0; d < depth; d++) {
                function = check_random(&random) % FUNCTIONS;
                seen[function] = true;
                size_t used = strlen(stack);
                snprintf(stack + used, sizeof stack - used, "%sf%u", d != 0 ? ";" : "", function);
            }
            flat[function] += value;
            for (unsigned f = 0; f < FUNCTIONS; f++)
                cum[f] += seen[f] ? value : 0;
            stacks_add(profile, &(struct stacks_row){stack, value, 0});
        }
        struct hf_error err;
        struct hf_tally tally;
        struct hf_tally_options options = {.with_edges = true};
        check_ok(hf_tally_init(&tally, profile, &options, &err), &err);
        for (unsigned f = 0; f < FUNCTIONS; f++) {
            char name[8];
            snprintf(name, sizeof name, "f%u", f);
            assert_int_equal(entry_of(profile, &tally, name).cum.value, cum[f]);
            assert_int_equal(entry_of(profile, &tally, name).flat.value, flat[f]);
        }
        hf_tally_done(&tally);
        hf_profile_free(profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_flat_and_cum),
        cmocka_unit_test(counts_a_stack_once),
        cmocka_unit_test(groups_lines_by_name),
        cmocka_unit_test(keeps_growth_and_release_apart),
        cmocka_unit_test(takes_deep_stacks),
        cmocka_unit_test(agrees_with_the_definition),
    };
    return cmocka_run_group_tests_name("tally", tests, NULL, NULL);
}
