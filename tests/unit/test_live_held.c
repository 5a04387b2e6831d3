/* What a live table says below the rows that leak: when it asks for that, and how it fits. */
#include "cli/profiles/live_held.h"

#include "check.h"

#define SECOND UINT64_C(1000000000)

/* A table in which these rows leak; NULL: none. Whether the process is to be read for it. */
static bool draw(struct hf_live_held *held, const char *first, const char *second, uint64_t now_s)
{
    hf_live_held_begin(held);
    if (first != NULL)
        (void)hf_live_held_find(held, hf_text_of(first));
    if (second != NULL)
        (void)hf_live_held_find(held, hf_text_of(second));
    return hf_live_held_ask(held, now_s * SECOND);
}

static struct hf_growth_held held_by(const char *keeper)
{
    struct hf_growth_held held = {.items = calloc(1, sizeof *held.items), .count = 1, .bytes = 9};
    assert_non_null(held.items);
    held.items[0] = (struct hf_growth_keeper){.name = strdup(keeper), .bytes = 9};
    return held;
}

/* Once for each leak, and never twice within a minute. */
static void asks_for_new_leaks(void **state)
{
    struct hf_live_held held = {0};
    (void)state;
    assert_false(draw(&held, NULL, NULL, 2));
    assert_true(draw(&held, "open", NULL, 4));
    assert_false(draw(&held, "open", NULL, 6));
    assert_false(draw(&held, "open", NULL, 500));
    assert_true(draw(&held, "open", "parse", 502));
    assert_false(draw(&held, "open", "parse", 600));
    hf_live_held_done(&held);
}

static void waits_for_a_minute(void **state)
{
    struct hf_live_held held = {0};
    (void)state;
    assert_true(draw(&held, "open", NULL, 10));
    assert_false(draw(&held, "open", "parse", 12)); /* it is new, and stays so */
    assert_false(draw(&held, "open", "parse", 69));
    assert_true(draw(&held, "open", "parse", 70));
    assert_false(draw(&held, "parse", NULL, 72));
    assert_false(draw(&held, "open", NULL, 74)); /* it was none for one table */
    assert_false(draw(&held, NULL, NULL, 200));  /* what is new is no leak now */
    assert_true(draw(&held, "open", NULL, 202));
    hf_live_held_done(&held);
}

/* The same table again, in another window: nothing has changed. */
static void is_drawn_again(void **state)
{
    struct hf_live_held held = {0};
    (void)state;
    assert_true(draw(&held, "open", NULL, 10));
    (void)hf_live_held_find(&held, HF_TEXT("open"));
    assert_false(hf_live_held_ask(&held, 100 * SECOND));
    hf_live_held_done(&held);
}

static void keeps_what_was_found(void **state)
{
    struct hf_live_held held = {0};
    struct hf_text names[HF_LIVE_HELD_ROWS];
    struct hf_growth_held found = held_by("global one"), nothing = {0};
    (void)state;
    assert_true(draw(&held, "open", "parse", 10));
    assert_int_equal(hf_live_held_names(&held, names), 2);
    check_text(names[1], "parse");
    assert_null(hf_live_held_find(&held, HF_TEXT("open")));
    hf_live_held_put(&held, names[0], &found);
    assert_int_equal(found.count, 0); /* it was taken */
    hf_live_held_put(&held, names[0], &nothing);
    assert_string_equal(hf_live_held_find(&held, HF_TEXT("open"))->items[0].name, "global one");
    found = held_by("global two");
    hf_live_held_put(&held, names[0], &found);
    assert_string_equal(hf_live_held_find(&held, HF_TEXT("open"))->items[0].name, "global two");
    assert_string_equal(found.items[0].name, "global one");
    hf_growth_held_done(&found);
    found = held_by("global three");
    hf_live_held_put(&held, HF_TEXT("unknown"), &found);
    assert_int_equal(found.count, 1);
    hf_growth_held_done(&found);
    hf_live_held_begin(&held);
    (void)hf_live_held_find(&held, HF_TEXT("parse"));
    assert_int_equal(hf_live_held_names(&held, names), 1); /* the other is no leak now */
    hf_live_held_done(&held);
}

/* Of more rows than there is room for, the one that has not leaked for longest is forgotten. */
static void forgets_the_oldest(void **state)
{
    struct hf_live_held held = {0};
    struct hf_growth_held found = held_by("global one");
    char name[16];
    (void)state;
    for (int i = 0; i <= HF_LIVE_HELD_ROWS; i++) {
        (void)snprintf(name, sizeof name, "row%d", i);
        (void)draw(&held, name, "stays", (uint64_t)i);
        if (i == 0)
            hf_live_held_put(&held, HF_TEXT("stays"), &found);
    }
    assert_int_equal(held.count, HF_LIVE_HELD_ROWS);
    assert_non_null(hf_live_held_find(&held, HF_TEXT("stays")));
    for (size_t i = 0; i < held.count; i++)
        assert_string_not_equal(held.rows[i].name, "row0");
    hf_live_held_done(&held);
}

/* With fewer keepers in a narrow window; at least one, however narrow. */
static void names_as_many_keepers_as_fit(void **state)
{
    static char a[] = "global a\x1b (p)", b[] = "nothing: lost", c[] = "stack", d[] = "e";
    struct hf_growth_keeper items[] = {
        {a, 500, false}, {b, 300, true}, {c, 150, false}, {d, 50, false}};
    struct hf_growth_held held = {items, 4, 1000};
    static const struct {
        size_t count, columns;
        const char *expected;
    } rows[] = {
        {4, 0,
            "held by: 50.0 % global a\\x1b (p), 30.0 % nothing: lost, 15.0 % stack, 5.0 % others"},
        {4, 83,
            "held by: 50.0 % global a\\x1b (p), 30.0 % nothing: lost, 15.0 % stack, 5.0 % others"},
        {4, 80, "held by: 50.0 % global a\\x1b (p), 30.0 % nothing: lost, 20.0 % others"},
        {4, 60, "held by: 50.0 % global a\\x1b (p), 50.0 % others"},
        {4, 5, "held by: 50.0 % global a\\x1b (p), 50.0 % others"},
        {1, 5, "held by: 50.0 % global a\\x1b (p)"},
    };
    struct hf_out out = {0};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        held.count = rows[i].count;
        hf_growth_put_held(&held, rows[i].columns, &out);
        check_out(&out, rows[i].expected);
    }
    hf_out_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asks_for_new_leaks),
        cmocka_unit_test(waits_for_a_minute),
        cmocka_unit_test(is_drawn_again),
        cmocka_unit_test(keeps_what_was_found),
        cmocka_unit_test(forgets_the_oldest),
        cmocka_unit_test(names_as_many_keepers_as_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
