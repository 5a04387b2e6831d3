/* What is said of memory whose functions have no name: one line for all files that lack debug
 * information. */
#include "analysis/unnamed.h"

#include "profile/modules.h"
#include "stacks.h"

#define MISSING(path)                                                                              \
    HF_WHY_NO_DEBUG ", and none was found as " path "; install its debug symbols or give their "   \
                    "folder with --symdir"

struct unnamed_module {
    const char *path, *why;
};

static const struct unnamed_module modules[] = {
    {"/usr/bin/gdb", MISSING("/usr/lib/debug/a.debug")},
    {"/usr/lib/libpython3.so", MISSING("/usr/lib/debug/b.debug")},
    {"/usr/lib/libz.so", MISSING("/usr/lib/debug/c.debug")},
    {"/usr/lib/libgone.so", "cannot open /usr/lib/libgone.so: No such file or directory"},
    {"/usr/lib/liblast.so", MISSING("/usr/lib/debug/d.debug")},
    {"/usr/lib/libend.so", MISSING("/usr/lib/debug/e.debug") "; the server said 404"},
};

#define ALL_NAMED "" /* a stack that passes none of them, with 200 times as much as another */

/* Frames are numbers of modules, the root first. */
static void unnamed_add(struct hf_profile *p, const uint32_t *of, const char *stack, uint64_t bytes)
{
    struct hf_error err;
    uint32_t node = HF_STACK_ROOT, id;
    for (; *stack != '\0'; stack++) {
        struct hf_frame frame = {.module = of[*stack - '0'], .flags = HF_FRAME_HAS_OFFSET};
        frame.offset = 16;
        check_ok(hf_profile_frame(p, &frame, &id, &err), &err);
        check_ok(hf_stacktree_child(&p->stacks, node, id, &node, &err), &err);
    }
    check_ok(hf_profile_add_sample(p, node, HF_THREAD_ALL, &bytes, &err), &err);
}

static void expect_notes(const char *const *stacks, const char *const *expected, size_t count)
{
    struct hf_error err;
    struct hf_profile *p = stacks_new("bytes", false);
    uint32_t of[HF_COUNT(modules)];
    for (size_t i = 0; i < HF_COUNT(modules); i++) {
        check_ok(
            hf_profile_module(p, hf_text_of(modules[i].path), HF_TEXT(""), &of[i], &err), &err);
        check_ok(
            hf_profile_string(p, hf_text_of(modules[i].why), &p->modules[of[i]].why_unnamed, &err),
            &err);
    }
    for (size_t i = 0; stacks[i] != NULL; i++)
        unnamed_add(p, of, stacks[i], stacks[i][0] != '\0' ? 1000 : 200000);
    hf_note_unnamed(p, 0);
    for (size_t i = 0; i < p->notes.count && i < count; i++)
        assert_string_equal(p->notes.items[i].text, expected[i]);
    assert_int_equal(p->notes.count, count);
    hf_profile_free(p);
}

#define EXPECT_NOTES(expected, ...)                                                                \
    expect_notes((const char *const[]){__VA_ARGS__, NULL}, expected, HF_COUNT(expected))

static void one_file_says_where_it_was_looked_for(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "1000 B (100.0 %) of the total passes through addresses of /usr/bin/gdb without a name: "
        "it has no debug information, and none was found as /usr/lib/debug/a.debug; install its "
        "debug symbols or give their folder with --symdir"};
    EXPECT_NOTES(expected, "0");
}

static void several_share_a_line_the_largest_first(void **state)
{
    (void)state;
    static const char *const two[] = {
        "2.9 KiB (100.0 %) of the total passes through addresses without a name, because "
        "libpython3.so and gdb have no debug information; install their debug symbols or give "
        "their folder with --symdir"};
    EXPECT_NOTES(two, "01", "1", "10");
    static const char *const five[] = {
        "4.9 KiB (100.0 %) of the total passes through addresses without a name, because libz.so, "
        "liblast.so, gdb and 2 more files have no debug information; install their debug symbols "
        "or give their folder with --symdir"};
    EXPECT_NOTES(five, "0124", "42", "2425", "25", "240");
}

static void other_reasons_keep_their_lines(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "2.0 KiB (66.7 %) of the total passes through addresses without a name, because gdb and "
        "libz.so have no debug information; install their debug symbols or give their folder with "
        "--symdir",
        "1000 B (33.3 %) of the total passes through addresses of /usr/lib/libgone.so without a "
        "name: cannot open /usr/lib/libgone.so: No such file or directory"};
    EXPECT_NOTES(expected, "0", "02", "3");
}

static void what_hardly_holds_anything_is_not_worth_a_line(void **state)
{
    (void)state;
    static const char *const expected[] = {""};
    expect_notes((const char *const[]){ALL_NAMED, "0", "3", NULL}, expected, 0);
}

static void what_a_server_said_is_kept(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "2.0 KiB (100.0 %) of the total passes through addresses without a name, because libend.so "
        "and gdb have no debug information; install their debug symbols or give their folder with "
        "--symdir; the server said 404"};
    EXPECT_NOTES(expected, "05", "5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_file_says_where_it_was_looked_for),
        cmocka_unit_test(several_share_a_line_the_largest_first),
        cmocka_unit_test(other_reasons_keep_their_lines),
        cmocka_unit_test(what_hardly_holds_anything_is_not_worth_a_line),
        cmocka_unit_test(what_a_server_said_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
