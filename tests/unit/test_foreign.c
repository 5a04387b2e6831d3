/* Names of D and Ada, and by what names of other languages are known. */
#include "base/budget.h"
#include "check.h"
#include "os/broker_line.h"
#include "symbol/names/foreign.h"

#include <unistd.h>

static void knows_languages(void **state)
{
    (void)state;
    static const struct {
        const char *name, *language; /* "": none */
    } cases[] = {{"_Dmain", "D"}, {"_D3app3runFZv", "D"}, {"_D", ""}, {"_Dx", ""}, {"_D3", "D"},
        {"D3app", ""}, {"camlStdlib__List__map_42", "OCaml"}, {"camlStdlib", ""},
        {"camlstdlib__map", ""}, {"caml", ""}, {"caml__x", ""},
        {"base_GHCziShow_show_info", "Haskell"}, {"Main_mainzi_entry", "Haskell"},
        {"_Z3fooITk2C1iEvT_", HF_FOREIGN_CONSTRAINTS},
        {"_Z3barIiQ2C1IT_EEvS0_", HF_FOREIGN_CONSTRAINTS}, {"_Z3foov", ""}, {"Tk", ""},
        {"_ZN5QList4sizeEv", ""}, {"my_GHC_entry", "Haskell"}, {"my_entry", ""},
        {"base_GHCziShow", ""}, {"zi_info", "Haskell"}, {"__grid_MOD_solve", "Fortran"},
        {"grid_MOD_solve", ""}, {"__grid_solve", ""}, {"$s4main3runyyF", "Swift"},
        {"_$s4main3runyyF", "Swift"}, {"s4main", ""}, {"SYSTEM_$$_GETMEM$QWORD$$POINTER", "Pascal"},
        {"SYSTEM_$_GETMEM", ""}, {"main", ""}, {"", ""}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        const char *language = hf_foreign_language(hf_text_of(cases[i].name));
        check_case = cases[i].name;
        check_text(hf_text_of(language != NULL ? language : ""), cases[i].language);
    }
}

static void reads_names_of_d(void **state)
{
    (void)state;
    static const struct {
        const char *name, *brief, *full; /* "": not read */
    } cases[] = {{"_Dmain", "D main", "D main"}, {"_D3app3runFZv", "app.run", "app.run()"},
        {"_D3app__T3BoxTiZQh4holdMFmZv", "app.Box.Box.hold", "app.Box!(int).Box.hold(ulong)"},
        {"_D3app5outerFiZ5innerMFZv", "app.outer.inner", "app.outer(int).inner()"}, {"_Dx", "", ""},
        {"main", "", ""}, {"", "", ""}};
    hf_broker_line_begin(-1, getuid(), NULL);
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_out out = {0};
        for (int is_full = 0; is_full <= 1; is_full++) {
            const char *expected = is_full ? cases[i].full : cases[i].brief;
            check_case = cases[i].name;
            bool is_read = hf_foreign_d(hf_text_of(cases[i].name), is_full, &out);
            check_out(&out, expected);
            assert_int_equal(is_read, expected[0] != '\0');
        }
        hf_out_done(&out);
    }
}

/* A name goes on behind its end, as before "@plt"; one that is too long is not asked for. */
static void reads_names_to_their_ends(void **state)
{
    (void)state;
    static char longest[1026];
    struct hf_out out = {0};
    hf_broker_line_begin(-1, getuid(), NULL);
    assert_true(hf_foreign_d(hf_text_first(HF_TEXT("_D3app3runFZv@plt"), 13), true, &out));
    check_out(&out, "app.run()");
    assert_true(hf_foreign_ada(hf_text_first(HF_TEXT("stack__push@plt"), 11), &out));
    check_out(&out, "stack.push");
    assert_false(hf_foreign_ada(HF_TEXT(""), &out));
    assert_false(hf_foreign_ada(HF_TEXT("NoAda"), &out));
    memset(longest, 'a', sizeof longest);
    assert_true(hf_foreign_ada((struct hf_text){longest, 1024}, &out));
    assert_int_equal(out.size, 1024);
    out.size = 0;
    assert_false(hf_foreign_ada((struct hf_text){longest, 1025}, &out));
    check_out(&out, "");
    hf_out_done(&out);
}

/*
 * A hundred steps a part: each byte is one, a reference is what it leads back over once more, and a
 * length of several digits in a symbol parameter doubles all, or more. Above 2^24 nobody asks.
 */
static void counts_before_it_asks(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t steps;
    } cases[] = {{"_D3app3runFZv", 1300}, {"_D1aQeZ", 1000}, {"_D1aQbZ", 700}, {"_D1aQaZ", 600},
        {"_D1aQBaZ", 600}, {"_D1aQfZ", 600}, {"_D1aQeQgZ", 2000}, {"_D1aS1Z", 700},
        {"_D1aS12Z", 1600}, {"_D1aTS12Z", 900}, {"_D1aS123S12Z", 7200},
        {"_D1aFS123456789S123456789S123456789Zv", 37 * 729 * 100},
        {"_D1aFS123456789S123456789S123456789S123456789Zv", 0}, {"_Dx", 0}};
    hf_broker_line_begin(-1, getuid(), NULL);
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_out out = {0};
        struct hf_budget budget = {0};
        struct hf_budget_scope before = hf_budget_enter(&budget);
        bool is_read = hf_foreign_d(hf_text_of(cases[i].name), true, &out);
        int64_t steps = (int64_t)budget.steps - hf_budget_scope.steps_left;
        hf_budget_leave(before);
        check_case = cases[i].name;
        if (steps != cases[i].steps)
            fail_msg("%s: %lld steps, %s", check_case, (long long)steps, is_read ? "read" : "not");
        hf_out_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_languages),
        cmocka_unit_test(reads_names_of_d),
        cmocka_unit_test(reads_names_to_their_ends),
        cmocka_unit_test(counts_before_it_asks),
    };
    return cmocka_run_group_tests_name("foreign", tests, NULL, NULL);
}
