/* Names that keep libiberty busy: found out before it is asked (HF_LIMIT_DEMANGLE_STEPS). */
#include "base/budget.h"
#include "base/limits.h"
#include "check.h"
#include "symbol/names/demangle.h"
#include "symbol/names/demangle_price.h"

#include <inttypes.h>

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

/* What a name of Rust costs, in parts and bytes: a path, a type and a constant is one part, an
 * identifier one more for each four bytes of it; lifetimes that are bound one each; a reference
 * what it refers to and one. Punycode is put together in quadratic time. */
static void prices_of_rust(void **state)
{
    static const struct {
        const char *mangled;
        uint64_t parts;
    } rows[] = {
        {"_RC1a", 2},
        {"_RC4abcd", 3},
        {"_RC8abcdefgh", 4},
        {"_RCs_1a", 2},
        {"_RCs1z_1a", 2},
        {"_RNvC1a1f", 4},
        {"_RNvC1a8abcdefgh", 6},
        {"_RNvNtC1a1b1f", 6},
        {"_RNvC1as_1f", 4},
        {"_RCu16abcdefghijklmnop", 7},
        {"_RCu32abcdefghijklmnopabcdefghijklmnop", 14},
        {"_RC1_a", 2},
        {"_RMC1ah", 4},
        {"_RMs_C1aC1b", 5},
        {"_RXC1ahC1b", 6},
        {"_RXs1_C1aRhC1b", 7},
        {"_RYhC1a", 4},
        {"_RYC1aC1b", 5},
        {"_RIC1aE", 4},
        {"_RIC1ahE", 5},
        {"_RIC1ahjE", 6},
        {"_RIC1aL_E", 5},
        {"_RIC1aL0_L1_E", 6},
        {"_RIC1aKj7b_E", 5},
        {"_RIC1aKin5_KpE", 6},
        {"_RIC1aKj7b_KB4_E", 7},
        {"_RIC1aRhE", 6},
        {"_RIC1aRL_hE", 6},
        {"_RIC1aQL0_hE", 6},
        {"_RIC1aPhE", 6},
        {"_RIC1aOhE", 6},
        {"_RIC1aShE", 6},
        {"_RIC1aAhj4_E", 7},
        {"_RIC1aTEE", 5},
        {"_RIC1aThjEE", 7},
        {"_RIC1aFEuE", 6},
        {"_RIC1aFhEjE", 7},
        {"_RIC1aFG_hEjE", 8},
        {"_RIC1aFG0_hEjE", 9},
        {"_RIC1aFGa_hEjE", 19},
        {"_RIC1aFGA_hEjE", 45},
        {"_RIC1aFUKChEuE", 7},
        {"_RIC1aFK8vectorcahEuE", 10},
        {"_RIC1aDC1bEL_E", 7},
        {"_RIC1aDG_C1bC1cEL_E", 10},
        {"_RIC1aDC1bp1AhEL_E", 9},
        {"_RIC1aDC1bp4abcdhp1BjEL_E", 12},
        {"_RIC1aRhB3_E", 9},
        {"_RIC1aTRhRhEB3_E", 15},
        {"_RIC1aNvC1b1fB3_E", 13},
        {"_RIC1aC8abcdefghB3_E", 13},
        {"_RC1aC8abcdefgh", 6},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_text name = hf_text_of(rows[i].mangled);
        uint64_t steps = (rows[i].parts + name.size - 2) * 60;
        check_case = rows[i].mangled;
        uint64_t price = hf_price_of_rust(name);
        if (price != steps)
            fail_msg("%s: %" PRIu64 " parts", rows[i].mangled, price / 60 - (name.size - 2));
    }
}

/* Types in types, up to libiberty's own limit of 1,024 levels; a path is two of them here. */
static void depth_of_rust_is_limited(void **state)
{
    (void)state;
    for (size_t levels = 1000; levels < 1050; levels++) {
        struct hf_out mangled = {0};
        hf_out_string(&mangled, "_RIC1a");
        for (size_t i = 0; i + 2 < levels; i++)
            hf_out_char(&mangled, 'S');
        hf_out_string(&mangled, "hE");
        assert_int_equal(
            hf_price_of_rust(hf_out_view(&mangled)) != HF_PRICE_TOO_MUCH, levels <= 1024);
        hf_out_done(&mangled);
    }
}

/* Of C++ each byte is read, and each parameter with arguments may be read twice where a type is
 * converted to; names of more than 64 bytes with a pack are looked at part by part. */
static void prices_of_cpp(void **state)
{
    static const struct {
        const char *mangled;
        uint64_t steps;
    } rows[] = {
        {"_Z1fIJiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiEEv"
         "DpT_",
            6340}, /* more parts than bytes */
        {"_Z1fv", 250},
        {"_ZN1Acvi", 400},
        {"_ZN1AcvT_IiEEv", 1400},
        {"_ZN1AcvT_IT0_IiEEEv", 3800},
        {"_ZN1AcvT_JiEEv", 700},
        {"_ZN1AcvX_IiEEv", 700},
        {"_ZN1AcvTA_IiEEv", 1500},
        {"_ZN1AcvTa_IiEEv", 750},
        {"_ZN1aT_IiEEv", 600},
        {"_Z1fIJiiEEvDpT_", 750},
        {"_Z64aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaav", 3450},
        {"_Z4nameIJiiidEEvDpT_", 1000},
        {"_Z60bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbIJiiidEEvDpT_", 4020},
        {"_Z60bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbIJiEEvDpT_", 3810},
        {"_Z45cccccccccccccccccccccccccccccccccccccccccccccIJiEEvDpT_", 2950},
        {"_Z60bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbIJiiEEvsZT_", 3750},
        {"_Z60ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddIJiiEEDTcl1gspfp_EEDpT_",
            4550},
        {"_Z60eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeIJSt6vectorIiSaIiEEN1A1BE"
         "EEvDpRKT_",
            5170},
        {"_Z60ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffIiEvT_", 3500},
        {"_ZN60ggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggC1IJiPKcEEEDpOT_", 4230},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        uint64_t steps = hf_price_of_cpp(hf_text_of(rows[i].mangled));
        if (steps != rows[i].steps)
            fail_msg("%s: %" PRIu64 " steps", rows[i].mangled, steps);
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
        cmocka_unit_test(prices_of_rust),
        cmocka_unit_test(depth_of_rust_is_limited),
        cmocka_unit_test(prices_of_cpp),
        cmocka_unit_test(finds_what_is_meant_again),
        cmocka_unit_test(refuses_what_is_no_rust),
        cmocka_unit_test(names_are_counted),
    };
    return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
