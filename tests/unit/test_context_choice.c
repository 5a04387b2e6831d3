/* Which memory contexts are chosen between two trees, and what is said of it. */
#include "attach/postgres/context_choice.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "check.h"

/* A context at an address, with so many bytes in use. */
static void put(struct hf_contexts *tree, uint64_t address, const char *name, uint64_t bytes)
{
    struct hf_memory_context context = {.address = address, .allocated_bytes = bytes + 1000};
    context.unused_bytes = 1000;
    assert_true(hf_intern_put(&tree->texts, name, strlen(name), &context.name));
    assert_true(hf_intern_put(&tree->texts, "", 0, &context.ident));
    assert_true(
        hf_vec_reserve(&tree->items, &tree->capacity, tree->count + 1, sizeof *tree->items));
    tree->items[tree->count++] = context;
}

/* Two trees, and those that were reset or deleted between them. */
struct look {
    struct hf_contexts before, after;
    struct hf_map ended;
    struct hf_context_choice choice;
    struct hf_notes notes;
};

static void choose(struct look *look)
{
    struct hf_error err;
    look->choice.looked_ms = 740;
    check_ok(hf_context_choice_between(
                 &look->choice, &look->before, &look->after, &look->ended, &look->notes, &err),
        &err);
    assert_int_equal(look->notes.count, 1);
    assert_false(look->notes.has_loss);
}

static void look_done(struct look *look)
{
    hf_contexts_done(&look->before);
    hf_contexts_done(&look->after);
    hf_map_done(&look->ended);
    hf_context_choice_done(&look->choice);
    hf_notes_done(&look->notes);
}

static void check_said(const struct look *look, const char *beginning)
{
    struct hf_text said = hf_text_of(look->notes.items[0].text);
    check_text(hf_text_first(said, hf_text_find(said, ';')), beginning);
}

static void those_that_last(void **state)
{
    (void)state;
    struct look look = {0};
    put(&look.before, 0x10, "Top", 5000);
    put(&look.before, 0x20, "Cache", 9000);
    put(&look.before, 0x30, "Message", 100);  /* is reset */
    put(&look.before, 0x40, "Executor", 100); /* another comes to its place */
    put(&look.before, 0x50, "Portal", 100);   /* goes */
    put(&look.before, 0x60, "Timezones", 70000);
    put(&look.before, 0x70, "Shrinks", 500);
    put(&look.after, 0x10, "Top", 5128);
    put(&look.after, 0x20, "Cache", 9048);
    put(&look.after, 0x30, "Message", 900);
    put(&look.after, 0x40, "Tuples", 900);
    put(&look.after, 0x60, "Timezones", 70000);
    put(&look.after, 0x70, "Shrinks", 400);
    put(&look.after, 0x80, "New", 800);
    assert_non_null(hf_map_put(&look.ended, 0x30, 1, NULL));
    choose(&look);
    const uint64_t expected[] = {0x10, 0x20, 0x60, 0x70};
    assert_int_equal(look.choice.count, HF_COUNT(expected));
    assert_memory_equal(look.choice.addresses, expected, sizeof expected);
    check_said(&look, "following 4 of 7 contexts, long-lived only");
    assert_non_null(
        strstr(look.notes.items[0].text, "; grew in 740 ms: Top (+128 B), Cache (+48 B); "));
    look_done(&look);
}

static void more_than_a_filter_takes(void **state)
{
    (void)state;
    struct look look = {0};
    for (uint64_t i = 0; i < HF_LIMIT_CHOSEN_CONTEXTS + 7; i++) {
        put(&look.before, 0x1000 + i, "index info", 1000);
        put(&look.after, 0x1000 + i, "index info", i < 4 ? 1001 + i : 1000);
    }
    choose(&look);
    assert_int_equal(look.choice.count, HF_LIMIT_CHOSEN_CONTEXTS);
    assert_int_equal(look.choice.addresses[0], 0x1003);
    assert_int_equal(look.choice.addresses[3], 0x1000);
    assert_int_equal(look.choice.addresses[4], 0x1004);
    assert_non_null(
        strstr(look.notes.items[0].text, "grew in 740 ms: index info (+4 B), index info (+3 B), "
                                         "index info (+2 B) and 1 more; 7 more long-lived ones "
                                         "are not followed (HF_LIMIT_CHOSEN_CONTEXTS); "));
    look_done(&look);
}

static void none_grew(void **state)
{
    (void)state;
    struct look look = {0};
    put(&look.before, 0x10, "Top", 5000);
    put(&look.after, 0x10, "Top", 5000);
    choose(&look);
    assert_int_equal(look.choice.count, 1);
    check_text(hf_text_of(look.notes.items[0].text),
        "following 1 of 1 context, long-lived only; grew in 740 ms: none; blocks in other "
        "contexts, also those created later, are left out; --all-contexts keeps them");
    look_done(&look);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_that_last),
        cmocka_unit_test(more_than_a_filter_takes),
        cmocka_unit_test(none_grew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
