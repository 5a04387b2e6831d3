/* Which of the names that an image has for a function is taken. */
#include "check.h"

#include "symbol/names/naming.h"

static const struct {
    const char *linkage, *plain, *symbol; /* of debug information, and of the symbol table */
    const char *expected;
} cases[] = {
    {"_ZN4shop4openEv", "open", "_ZN4shop4openEv.cold", "shop::open()"},
    {"_ZN4shop4openEv", "open", "", "shop::open()"},
    {"", "open", "_ZN12_GLOBAL__N_14openEv", "(anonymous namespace)::open()"},
    {"", "walk", "walk.isra.0", "walk"},
    {"", "", "memcpy", "memcpy"},
    /* GCC 12 so describes the destructor of a class with several bases, inlined into its thunk. */
    {"_ZN5ErrorD2Ev", "~Error", "_ZThn24_N5ErrorD1Ev", "non-virtual thunk to Error::~Error()"},
    {"_ZN5ErrorD2Ev", "~Error", "_ZTv0_n24_N5ErrorD1Ev", "virtual thunk to Error::~Error()"},
    {"", "get", "_ZTchn8_h8_N3Box3getEv", "covariant return thunk to Box::get()"},
    {"", "", "", ""},
};

static void test_the_best_name_is_taken(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_naming naming = {.is_full = true};
    check_ok(hf_profile_new(&naming.profile, &err), &err);
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_dwarf_frame function = {
            .name = hf_text_of(cases[i].plain), .linkage = hf_text_of(cases[i].linkage)};
        struct hf_finding finding = {
            .place = {.frames = &function, .count = 1}, .symbol = hf_text_of(cases[i].symbol)};
        struct hf_frame address = {.offset = i, .flags = HF_FRAME_HAS_OFFSET};
        uint32_t frame;
        bool is_named;
        size_t count;
        check_case = cases[i].expected;
        check_ok(hf_profile_frame(naming.profile, &address, &frame, &err), &err);
        check_ok(hf_naming_expand(&naming, frame, i, &finding, &is_named, &err), &err);
        const uint32_t *named = hf_profile_expansion(naming.profile, &frame, &count);
        assert_int_equal(count, 1);
        assert_int_equal(is_named, cases[i].expected[0] != '\0');
        check_text(
            hf_profile_text(naming.profile, hf_profile_frame_at(naming.profile, named[0])->name),
            cases[i].expected);
    }
    hf_profile_free(naming.profile);
    hf_naming_done(&naming);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_best_name_is_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
