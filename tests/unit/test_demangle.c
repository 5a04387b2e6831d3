/* Names that keep libiberty busy: found out before it is asked (HF_LIMIT_DEMANGLE_STEPS). */
#include "base/budget.h"
#include "base/limits.h"
#include "check.h"
#include "symbol/names/demangle.h"
#include "symbol/names/demangle_price.h"

#define LEVELS 60

static void check_stays_mangled(const struct hf_out *mangled)
{
    struct hf_out out = {0};
    for (int is_full = 0; is_full < 2; is_full++) {
        out.size = 0;
        hf_demangle(hf_out_view(mangled), is_full != 0, &out);
        assert_true(hf_text_equal(hf_out_view(&out), hf_out_view(mangled)));
    }
    hf_out_done(&out);
}

/* S_, S0_ ... S9_, SA_ ... SZ_, S10_ ... */
static void put_substitution(struct hf_out *out, unsigned index)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    hf_out_char(out, 'S');
    if (index > 36)
        hf_out_char(out, digits[(index - 1) / 36]);
    if (index != 0)
        hf_out_char(out, digits[(index - 1) % 36]);
    hf_out_char(out, '_');
}

/* A pack expansion of a type that holds the one below it twice: P<P<P<int, int>, P<int, int>>, ...
 */
static void packs_of_doubled_types_stay(void **state)
{
    (void)state;
    struct hf_out mangled = {0};
    hf_out_string(&mangled, "_Z1fDp1PI");
    for (unsigned i = 0; i < LEVELS; i++)
        hf_out_string(&mangled, "S_I");
    hf_out_string(&mangled, "ii");
    for (unsigned i = 0; i < LEVELS; i++) {
        hf_out_char(&mangled, 'E');
        put_substitution(&mangled, i + 1);
    }
    hf_out_char(&mangled, 'E');
    check_stays_mangled(&mangled);
    hf_out_done(&mangled);
}

/* Of each level the arguments are read, forgotten and read again. */
static void conversions_to_parameters_stay(void **state)
{
    (void)state;
    struct hf_out mangled = {0};
    hf_out_string(&mangled, "_ZN1Acv");
    for (unsigned i = 0; i < LEVELS; i++)
        hf_out_string(&mangled, "T_I");
    hf_out_char(&mangled, 'i');
    for (unsigned i = 0; i < LEVELS; i++)
        hf_out_char(&mangled, 'E');
    hf_out_string(&mangled, "Ev");
    check_stays_mangled(&mangled);
    hf_out_done(&mangled);
}

/* A function that takes nothing and gives a char, "FcvE", is no conversion; and what stands before
 * one is read once. */
static void what_is_not_converted_to_is_read(void **state)
{
    static const char *const ends[] = {"PFcvE", "DTcvT_IiELi0EE"};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(ends); i++) {
        struct hf_out mangled = {0}, out = {0};
        hf_out_string(&mangled, "_Z1fI1PEv");
        for (unsigned level = 0; level < 20; level++)
            hf_out_string(&mangled, "T_IiE");
        hf_out_string(&mangled, ends[i]);
        hf_demangle(hf_out_view(&mangled), true, &out);
        check_case = ends[i];
        assert_true(hf_text_starts(hf_out_view(&out), "void f<P>(P<int>, P<int>, "));
        hf_out_done(&mangled);
        hf_out_done(&out);
    }
}

/* 62^10 lifetimes in a part that is not printed. */
static void binders_without_end_stay(void **state)
{
    static const char *const names[] = {"_RC1aIC1bFGzzzzzzzzzz_EuE", "_RMIC1bFGzzzzzzzzzz_EuEu",
        "_RC1aIC1bDGzzzzzzzzzz_C1cEL_E", "_RYFGzzzzzzzzzz_EuC1a"};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        struct hf_out mangled = {0};
        hf_out_string(&mangled, names[i]);
        check_stays_mangled(&mangled);
        hf_out_done(&mangled);
    }
}

static void put_base_62(struct hf_out *out, size_t value)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char text[8];
    size_t at = sizeof text;
    size_t rest = value - 1; /* 0 is "_" alone, and not needed */
    do {
        text[--at] = digits[rest % 62];
        rest /= 62;
    } while (rest != 0);
    hf_out_bytes(out, text + at, sizeof text - at);
    hf_out_char(out, '_');
}

/* A path of 900 parts that print nothing, and types that hold the one before twice. */
static void nothing_printed_often_stays(void **state)
{
    (void)state;
    struct hf_out mangled = {0};
    hf_out_string(&mangled, "_RIC1aTT");
    size_t target = mangled.size - 2;
    for (unsigned i = 0; i < 900; i++)
        hf_out_string(&mangled, "Nv");
    hf_out_string(&mangled, "C0");
    for (unsigned i = 0; i < 900; i++)
        hf_out_char(&mangled, '0');
    hf_out_char(&mangled, 'E');
    for (unsigned i = 0; i < 8; i++) {
        size_t start = mangled.size - 2;
        hf_out_char(&mangled, 'T');
        hf_out_char(&mangled, 'B');
        put_base_62(&mangled, target);
        hf_out_char(&mangled, 'B');
        put_base_62(&mangled, target);
        hf_out_char(&mangled, 'E');
        target = start;
    }
    hf_out_string(&mangled, "EE");
    assert_true(hf_price_of_rust(hf_out_view(&mangled)) == HF_PRICE_TOO_MUCH);
    check_stays_mangled(&mangled);
    hf_out_done(&mangled);
}

/* All of Rust's grammar that libiberty prints (RFC 2603), as rustc writes it. */
static void reads_all_of_rust(void **state)
{
    static const struct {
        const char *mangled, *full;
    } rows[] = {
        {"_RNvC1a1f", "a::f"},
        {"_RNvCs1_1a1f.llvm.1234", "a::f"},
        {"_RNCNvC1a1f0B3_", "a::f::{closure#0}"},
        {"_RNvMs_NtC1a1bNtB4_1S1f", "<a::b::S>::f"},
        {"_RNvXNtC1a1bNtB2_1SNtB2_1T1f", "<a::b::S as a::b::T>::f"},
        {"_RNvYNtC1a1SNtB4_1T1f", "<a::S as a::T>::f"},
        {"_RINvC1a1fRL_eQhPjOtAlj4_SaTbcEEB2_", "a::f::<&str, &mut u8, *const usize, *mut u16, "
                                                "[i32; 4], [i8], (bool, char)>"},
        {"_RINvC1a1fFG_RL0_hEuE", "a::f::<for<'a> fn(&'a u8)>"},
        {"_RINvC1a1fFUKCPhEuE", "a::f::<unsafe extern \"C\" fn(*const u8)>"},
        {"_RINvC1a1fFK13system_unwindhEzE", "a::f::<extern \"system-unwind\" fn(u8) -> !>"},
        {"_RINvC1a1fDNtC1b1Tp1AhNtC1b4SendEL_E", "a::f::<dyn b::T<A = u8> + b::Send>"},
        {"_RINvC1a1fDG_INtC1b1TRL0_hEEL_E", "a::f::<dyn for<'a> b::T<&'a u8>>"},
        {"_RINvC1a1fKj7b_Kb1_Kin5_Kc78_KpE", NULL},
        {"_RNvNtC1au6n_4gax1f", NULL},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_out out = {0};
        check_case = rows[i].mangled;
        assert_true(hf_price_of_rust(hf_text_of(rows[i].mangled)) != HF_PRICE_TOO_MUCH);
        hf_demangle(hf_text_of(rows[i].mangled), true, &out);
        if (rows[i].full != NULL)
            check_out(&out, rows[i].full);
        hf_out_done(&out);
    }
}

/* Types behind a name of each size, so that their places have all digits; and numbers that point
 * beside it. */
static void finds_what_is_meant_again(void **state)
{
    (void)state;
    for (size_t size = 10; size < 200; size++) {
        size_t at = strlen("INvC1a1fC10_") + (size >= 100) + size;
        for (size_t meant = at - 1; meant <= at + 1; meant++) {
            struct hf_out mangled = {0};
            hf_out_string(&mangled, "_RINvC1a1fC");
            hf_out_u64(&mangled, size);
            hf_out_char(&mangled, '_');
            for (size_t i = 0; i < size; i++)
                hf_out_char(&mangled, 'x');
            hf_out_string(&mangled, "NvC1b1SB");
            put_base_62(&mangled, meant);
            hf_out_char(&mangled, 'E');
            assert_int_equal(
                hf_price_of_rust(hf_out_view(&mangled)) != HF_PRICE_TOO_MUCH, meant == at);
            hf_out_done(&mangled);
        }
    }
}

/* What is no Rust has no price: cut anywhere, or pointing at what is not before it. */
static void refuses_what_is_no_rust(void **state)
{
    static const char name[] = "_RINvC1a1fDG_INtC1b1TRL0_hEp1AAlj4_EL_FKCTeEEuB2_E";
    static const char *const wrong[] = {"_R", "_RB_", "_RNvB_1f", "_RNvB2_1f", "_RINvC1a1fB2x_E",
        "_RC9a", "_RC1aB", "_RNvC1a99999999999999999999f", "_RINvC1a1fTB3_EE"};
    (void)state;
    assert_true(hf_price_of_rust(HF_TEXT(name)) != HF_PRICE_TOO_MUCH);
    for (size_t size = 2; size + 1 < sizeof name; size++) {
        struct hf_text cut = {name, size};
        assert_true(hf_price_of_rust(cut) == HF_PRICE_TOO_MUCH);
    }
    for (size_t i = 0; i < HF_COUNT(wrong); i++) {
        check_case = wrong[i];
        assert_true(hf_price_of_rust(hf_text_of(wrong[i])) == HF_PRICE_TOO_MUCH);
    }
}

/* Names of 64 KiB, of which each takes 2 million steps; what comes too late stays mangled. */
static void names_are_counted(void **state)
{
    (void)state;
    struct hf_budget budget = {0};
    struct hf_budget_scope before = hf_budget_enter(&budget);
    struct hf_out mangled = {0}, out = {0};
    hf_out_string(&mangled, "_Z1f1PI");
    for (int i = 1; i < 12; i++)
        hf_out_string(&mangled, "S_I");
    hf_out_string(&mangled, "1X");
    for (unsigned i = 0; i < 12; i++) {
        put_substitution(&mangled, i + 1);
        hf_out_char(&mangled, 'E');
    }
    size_t readable = 0;
    for (int i = 0; i < 1000; i++) {
        out.size = 0;
        hf_demangle(hf_out_view(&mangled), true, &out);
        readable += out.size > mangled.size;
    }
    hf_budget_leave(before);
    assert_true(readable > 100 && readable < 900);
    assert_true(
        budget.steps <= hf_budget_steps_allowed(&budget) && budget.used_up == HF_BUDGET_LEFT);
    hf_out_done(&mangled);
    hf_out_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_of_doubled_types_stay),
        cmocka_unit_test(conversions_to_parameters_stay),
        cmocka_unit_test(what_is_not_converted_to_is_read),
        cmocka_unit_test(binders_without_end_stay),
        cmocka_unit_test(nothing_printed_often_stays),
        cmocka_unit_test(reads_all_of_rust),
        cmocka_unit_test(finds_what_is_meant_again),
        cmocka_unit_test(refuses_what_is_no_rust),
        cmocka_unit_test(names_are_counted),
    };
    return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
