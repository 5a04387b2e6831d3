/* LeakSanitizer's patterns, and what is no suppression. */
#include "analysis/suppressions.h"

#include "stacks.h"

static bool fits(const char *pattern, const char *text)
{
    return hf_suppression_fits(hf_text_of(pattern), hf_text_of(text));
}

static void fits_as_lsan_does(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool fits;
    } cases[] = {{"open", "conn_open", true}, {"open", "close", false},
        {"^conn", "conn_open", true}, {"^open", "conn_open", false}, {"open$", "conn_open", true},
        {"conn$", "conn_open", false}, {"^conn_open$", "conn_open", true},
        {"^conn$", "conn_open", false}, {"c*open", "conn_open", true}, {"^c*n$", "conn_open", true},
        {"^*open$", "conn_open", true}, {"o*o*o", "conn_open", false}, {"*", "", true},
        {"^$", "", true}, {"^$", "x", false}, {"a*b*", "xaxbx", true}, {"$", "x", true},
        {"n_o", "conn_open", true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (fits(cases[i].pattern, cases[i].text) != cases[i].fits)
            fail_msg("'%s' on '%s'", cases[i].pattern, cases[i].text);
    }
}

static enum hf_status read_text(
    struct hf_suppressions *suppressions, const char *text, struct hf_error *err)
{
    struct hf_input input;
    hf_input_open_memory(&input, hf_text_of(text), "known.supp");
    enum hf_status status = hf_suppressions_read(suppressions, &input, err);
    hf_input_close(&input);
    return status;
}

static void counts_hits(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_suppressions known = {0};
    const struct stacks_row rows[] = {{"main;serve;conn_open", 5, 0}};
    struct hf_profile *p = stacks_profile("bytes", rows);
    check_ok(read_text(&known, "# known\n\n leak:nothing\nleak:^serve$ \r\n", &err), &err);
    assert_int_equal(known.count, 2);
    uint32_t node = p->samples[0].node, frames[3];
    for (size_t i = 0; i < 3; i++, node = p->stacks.nodes[node].parent)
        frames[i] = p->stacks.nodes[node].frame;
    assert_ptr_equal(hf_suppressions_find(&known, p, frames, 3), &known.items[1]);
    assert_null(hf_suppressions_find(&known, p, frames, 1)); /* conn_open alone */
    assert_int_equal(known.items[1].hits, 1);
    assert_int_equal(known.items[0].hits, 0);
    hf_suppressions_done(&known);
    hf_profile_free(p);
}

/* A frame fits by its function, its source file or its module; the first suppression that fits. */
static void fits_any_frame_by_what_it_has(void **state)
{
    static const struct {
        const char *lines;
        size_t frames, found; /* 0: none */
    } rows[] = {{"leak:^conn_open$\n", 2, 1}, {"leak:^pool.c$\n", 2, 1}, {"leak:^pool.c$\n", 1, 0},
        {"leak:libpool.so$\n", 2, 1}, {"leak:libpool.so$\n", 1, 0}, {"leak:^$\n", 2, 0},
        {"leak:?\n", 2, 0}, {"leak:none\nleak:pool\nleak:conn\n", 2, 2},
        {"leak:none\nleak:pool\nleak:conn\n", 1, 3}, {"leak:conn\n", 0, 0}};
    (void)state;
    struct hf_error err;
    struct hf_profile *p = stacks_new("bytes", false);
    struct hf_frame pool = {.flags = HF_FRAME_HAS_OFFSET, .offset = 1};
    uint32_t frames[2];
    frames[0] = stacks_frame(p, HF_TEXT("conn_open"));
    check_ok(hf_profile_string(p, HF_TEXT("pool.c"), &pool.file, &err), &err);
    check_ok(
        hf_profile_module(p, HF_TEXT("/lib/libpool.so"), HF_TEXT(""), &pool.module, &err), &err);
    check_ok(hf_profile_frame(p, &pool, &frames[1], &err), &err);
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_suppressions known = {0};
        check_ok(read_text(&known, rows[i].lines, &err), &err);
        const struct hf_suppression *found =
            hf_suppressions_find(&known, p, frames, rows[i].frames);
        if (found != (rows[i].found != 0 ? &known.items[rows[i].found - 1] : NULL))
            fail_msg("row %zu", i);
        for (size_t s = 0; s < known.count; s++)
            assert_int_equal(known.items[s].hits, s + 1 == rows[i].found);
        hf_suppressions_done(&known);
    }
    hf_profile_free(p);
}

static void refuses_other_lines(void **state)
{
    (void)state;
    const char *const wrong[] = {
        "leak:ok\nrace:conn_open\n", "leak:ok\nleak:\n", "leak:ok\nconn\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct hf_error err = {0};
        struct hf_suppressions known = {0};
        assert_int_equal(read_text(&known, wrong[i], &err), HF_ERR_INPUT);
        assert_int_equal(err.position, 2);
        assert_string_equal(err.input, "known.supp");
        hf_suppressions_done(&known);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_as_lsan_does),
        cmocka_unit_test(counts_hits),
        cmocka_unit_test(fits_any_frame_by_what_it_has),
        cmocka_unit_test(refuses_other_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
