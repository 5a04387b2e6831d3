/* The tree that a flame graph draws: merged, summed, ordered, however deep. */
#include "render/flame/flame_tree.h"

#include "stacks.h"

static void build(struct hf_profile *profile, bool is_reversed, struct hf_flame_tree *tree)
{
    struct hf_error err;
    check_ok(hf_flame_tree_build(profile, 0, is_reversed, tree, &err), &err);
}

/* The tree as "label start+grew-released" for each node, in drawing order, level by indentation. */
static void write_tree(const struct hf_flame_tree *tree, struct hf_out *out)
{
    uint32_t *stack = calloc(tree->count, sizeof *stack);
    assert_non_null(stack);
    size_t waiting = 1;
    while (waiting != 0) {
        uint32_t node = stack[--waiting];
        for (uint32_t i = 0; i < tree->depth[node]; i++)
            hf_out_char(out, ' ');
        hf_out_text(out, hf_flame_tree_label(tree, node));
        hf_out_char(out, ' ');
        hf_out_u64(out, tree->start[node]);
        hf_out_char(out, '+');
        hf_out_u64(out, tree->sums[node].value);
        if (tree->sums[node].released != 0) {
            hf_out_char(out, '-');
            hf_out_u64(out, tree->sums[node].released);
        }
        hf_out_char(out, '\n');
        for (size_t at = tree->order.first_children[node + 1];
             at-- > tree->order.first_children[node];)
            stack[waiting++] = tree->order.children[at];
    }
    free(stack);
}

static void check_tree(struct hf_profile *profile, bool is_reversed, const char *expected)
{
    struct hf_flame_tree tree;
    struct hf_out text = {0};
    build(profile, is_reversed, &tree);
    write_tree(&tree, &text);
    check_out(&text, expected);
    hf_flame_tree_done(&tree);
    hf_profile_free(profile);
    hf_out_done(&text);
}

/* Sorting whole lines, as flamegraph.pl does, makes two boxes "new" of these, around "new(ul)". */
static void merges_what_lines_would_split(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {{"m;new", 50, 0}, {"m;new(ul)", 30, 0}, {"m;new;x", 20, 0}};
    check_tree(stacks_profile("bytes", rows), false,
        "all 0+100\n m 0+100\n  new 0+70\n   x 50+20\n  new(ul) 70+30\n");
}

static void puts_own_values_first(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"b", 1, 0}, {"a;d", 4, 0}, {"a", 2, 0}, {"a;c", 8, 0}, {"", 16, 0}, {"a;c", 32, 0}};
    check_tree(
        stacks_profile("bytes", rows), false, "all 0+63\n a 16+46\n  c 18+40\n  d 58+4\n b 62+1\n");
}

static void reverses(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"main;a;f", 1, 0}, {"main;b;f", 2, 0}, {"main;f", 4, 0}, {"main", 8, 0}, {"f;f", 16, 0}};
    check_tree(stacks_profile("bytes", rows), true,
        "all 0+31\n f 0+23\n  a 0+1\n   main 0+1\n  b 1+2\n   main 1+2\n  f 3+16\n  main 19+4\n"
        " main 23+8\n");
}

static void sums_differences(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {
        {"m;leak", 100, 0}, {"m;cache", 0, 150}, {"m;cache;x", 30, 0}, {"m", 7, 5}};
    check_tree(stacks_difference("bytes", rows), false,
        "all 0+137-155\n m 0+137-155\n  cache 12+30-150\n   x 162+30\n  leak 192+100\n");
}

static void order_of_input_does_not_matter(void **state)
{
    (void)state;
    struct stacks_row rows[] = {{"a;b;c", 1, 0}, {"a;b", 2, 0}, {"a", 3, 0}, {"b;a", 4, 0},
        {"b", 5, 0}, {"A;b", 6, 0}, {"a;\xc3\xa9", 7, 0}, {"a;b(x)", 8, 0}};
    struct hf_out first = {0}, other = {0};
    uint64_t random = 1;
    for (int round = 0; round < 20; round++) {
        struct hf_profile *profile = stacks_profile("bytes", rows);
        struct hf_flame_tree tree;
        build(profile, false, &tree);
        other.size = 0;
        write_tree(&tree, round == 0 ? &first : &other);
        if (round != 0)
            assert_true(hf_text_equal(hf_out_view(&first), hf_out_view(&other)));
        hf_flame_tree_done(&tree);
        hf_profile_free(profile);
        for (size_t i = HF_COUNT(rows); i-- > 1;) {
            size_t j = check_random(&random) % (i + 1);
            struct stacks_row row = rows[i];
            rows[i] = rows[j];
            rows[j] = row;
        }
    }
    hf_out_done(&first);
    hf_out_done(&other);
}

/* No child begins before its caller, and none before the one to its left, as a sum that wraps
 * would. */
static void check_places(const struct hf_flame_tree *tree)
{
    for (size_t node = 0; node < tree->count; node++) {
        uint64_t reached = tree->start[node];
        for (size_t at = tree->order.first_children[node];
             at < tree->order.first_children[node + 1]; at++) {
            assert_true(tree->start[tree->order.children[at]] >= reached);
            reached = tree->start[tree->order.children[at]];
        }
    }
}

static void stays_at_the_largest_number(void **state)
{
    (void)state;
    const struct stacks_row rows[] = {{"a;b", UINT64_MAX - 1, 0}, {"a;c", 1, 0}, {"a;d", 5, 0},
        {"a;e", 2, 0}, {"f", 3, 0}, {"g", 4, 0}};
    struct hf_profile *profile = stacks_profile("bytes", rows);
    struct hf_flame_tree tree;
    build(profile, false, &tree);
    assert_true(tree.is_saturated);
    assert_true(tree.sums[0].value == UINT64_MAX);
    check_places(&tree);
    hf_flame_tree_done(&tree);
    hf_profile_free(profile);

    /* Each of the two fits, their sum, which is a width, does not. */
    const struct stacks_row both[] = {{"a;b", UINT64_MAX - 1, 0}, {"a;c", 0, UINT64_MAX - 1}};
    profile = stacks_difference("bytes", both);
    build(profile, false, &tree);
    assert_true(tree.is_saturated);
    check_places(&tree);
    hf_flame_tree_done(&tree);
    hf_profile_free(profile);

    /* What a function holds itself is no more than what its callees leave of it. */
    const struct stacks_row own[] = {{"a", 5, 0}, {"a;b", UINT64_MAX - 1, 0}};
    profile = stacks_profile("bytes", own);
    build(profile, false, &tree);
    assert_true(tree.is_saturated);
    check_places(&tree);
    assert_true(tree.start[2] == 1 && hf_flame_tree_width(&tree, 2) == UINT64_MAX - 1);
    hf_flame_tree_done(&tree);
    hf_profile_free(profile);

    const struct stacks_row released[] = {{"a;b", 0, UINT64_MAX - 1}, {"a;c", 0, 5}};
    profile = stacks_difference("bytes", released);
    build(profile, false, &tree);
    assert_true(tree.is_saturated);
    assert_true(tree.sums[0].released == UINT64_MAX);
    check_places(&tree);
    hf_flame_tree_done(&tree);
    hf_profile_free(profile);

    const struct stacks_row exact[] = {{"a;b", UINT64_MAX - 8, 0}, {"a;c", 8, 0}};
    check_tree(stacks_profile("bytes", exact), false,
        "all 0+18446744073709551615\n a 0+18446744073709551615\n  b 0+18446744073709551607\n"
        "  c 18446744073709551607+8\n");
}

static void takes_deep_stacks(void **state)
{
    (void)state;
    enum { DEPTH = 200000 };
    char *stack = calloc(DEPTH, 2);
    assert_non_null(stack);
    memset(stack, 'f', (size_t)DEPTH * 2 - 1);
    for (size_t i = 1; i < (size_t)DEPTH * 2 - 1; i += 2)
        stack[i] = ';';
    const struct stacks_row rows[] = {{stack, 3, 0}};
    for (int is_reversed = 0; is_reversed < 2; is_reversed++) {
        struct hf_profile *profile = stacks_profile("bytes", rows);
        struct hf_flame_tree tree;
        build(profile, is_reversed != 0, &tree);
        assert_int_equal(tree.count, DEPTH + 1);
        assert_int_equal(tree.depth[DEPTH], DEPTH);
        assert_int_equal(tree.sums[0].value, 3);
        hf_flame_tree_done(&tree);
        hf_profile_free(profile);
    }
    free(stack);
}

static void takes_nothing(void **state)
{
    (void)state;
    check_tree(stacks_new("bytes", false), false, "all 0+0\n");
    check_tree(stacks_new("bytes", true), true, "all 0+0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_what_lines_would_split),
        cmocka_unit_test(puts_own_values_first),
        cmocka_unit_test(reverses),
        cmocka_unit_test(sums_differences),
        cmocka_unit_test(order_of_input_does_not_matter),
        cmocka_unit_test(stays_at_the_largest_number),
        cmocka_unit_test(takes_deep_stacks),
        cmocka_unit_test(takes_nothing),
    };
    return cmocka_run_group_tests_name("flame_tree", tests, NULL, NULL);
}
