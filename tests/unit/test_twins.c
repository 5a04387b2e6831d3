/* Which symbols of one place are functions of their own, and which are names of one. */
#include "check.h"

#include "elf/twins.h"

#include <stdio.h>

static struct hf_symbol twins_symbol(const char *name, bool is_function)
{
    return (struct hf_symbol){
        .name = hf_text_of(name), .address = 0x1000, .size = 16, .rank = is_function ? 5 : 4};
}

/* Of an image without sections, so of no linker that folds. */
static void tells_functions_from_names(void **state)
{
    static const struct {
        const char *name;
        const char *symbols[4];
        uint32_t twins;
    } rows[] = {
        {"two functions", {"_Z3onev", "_Z3twov"}, 2},
        {"three, one of them twice", {"_Z3onev", "_Z3twov", "_Z3onev", "_ZN1a3twoEv"}, 3},
        {"forms of a constructor", {"_ZN3BoxC1Ev", "_ZN3BoxC2Ev"}, 0},
        {"forms of a destructor", {"_ZN3BoxD0Ev", "_ZN3BoxD1Ev", "_ZN3BoxD2Ev"}, 0},
        {"forms behind a substitution",
            {"_ZNSt6vectorIiSaIS5_EED1Ev", "_ZNSt6vectorIiSaIS5_EED2Ev"}, 0},
        {"forms behind a literal", {"_ZN4shop3BoxIlLi5EED1Ev", "_ZN4shop3BoxIlLi5EED2Ev"}, 0},
        {"forms of a template", {"_ZN3BoxC1IiEET_", "_ZN3BoxC2IiEET_"}, 0},
        {"forms that are inherited", {"_ZN1BCI11AEi", "_ZN1BCI21AEi"}, 0},
        {"forms that are inherited from a template", {"_ZN1BCI1St1AIiEEi", "_ZN1BCI2St1AIiEEi"}, 0},
        {"forms of a constructor twice", {"_ZZN3BoxC1EvENKUlvE_clEv", "_ZZN3BoxC2EvENKUlvE_clEv"},
            0},
        {"literals that differ", {"_ZN4shop3BoxIlLi5EED1Ev", "_ZN4shop3BoxIlLi6EED1Ev"}, 2},
        {"constructors of two classes", {"_ZN3BoxC1Ev", "_ZN3BaxC2Ev"}, 2},
        {"a constructor of two types", {"_ZN3BoxC1Ei", "_ZN3BoxC2El"}, 2},
        {"identifiers like forms", {"_Z2C1v", "_Z2C2v"}, 2},
        {"identifiers that end like forms", {"_ZN3ABC1aEv", "_ZN3ABC1bEv"}, 2},
        {"instances", {"_Z4takeIiEvPT_", "_Z4takeIlEvPT_"}, 2},
        {"clones", {"_Z3onev", "_Z3onev.cold", "_Z3onev.part.0", "_Z3onev.llvm.123"}, 0},
        {"Rust's hashes", {"_ZN1a1b17h0123456789abcdefE", "_ZN1a1b17hfedcba9876543210E"}, 0},
        {"Rust's names", {"_ZN1a1b17h0123456789abcdefE", "_ZN1a1c17h0123456789abcdefE"}, 2},
        {"Rust's points", {"_ZN1a4x..b17h0123456789abcdefE", "_ZN1a4x..c17h0123456789abcdefE"}, 2},
        {"new names of Rust", {"_RNvC1a1b", "_RNvC1a1c"}, 2},
        {"D", {"_D1a1bFZv", "_D1a1cFZv"}, 2},
        {"names of C", {"strtol", "strtoll", "strtoq"}, 0},
        {"one of C++ among names of C", {"tc_new", "_Znwm"}, 0},
        {"a length without end", {"_Z99999999999999999999999v", "_Z99999999999999999999998v"}, 2},
        {"nothing", {"_Z"}, 0},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_elf elf = {0};
        struct hf_symbol symbols[HF_COUNT(rows[0].symbols)];
        size_t count = 0;
        check_case = rows[i].name;
        for (; count < HF_COUNT(symbols) && rows[i].symbols[count] != NULL; count++)
            symbols[count] = twins_symbol(rows[i].symbols[count], true);
        hf_twins_mark(symbols, count, &elf);
        for (size_t k = 0; k < count; k++) {
            if (symbols[k].twins != rows[i].twins)
                fail_msg("%s: %u twins", check_case, symbols[k].twins);
        }
    }
}

/* Labels, other sizes and other places are not of the same bytes. */
static void counts_what_is_alike(void **state)
{
    struct hf_elf elf = {0};
    struct hf_symbol symbols[] = {twins_symbol("_Z3onev", true), twins_symbol("_Z3twov", false),
        twins_symbol("_Z5threev", true), twins_symbol("_Z4fourv", true)};
    (void)state;
    symbols[2].size = 17;
    symbols[3].address = 0x2000;
    hf_twins_mark(symbols, HF_COUNT(symbols), &elf);
    for (size_t i = 0; i < HF_COUNT(symbols); i++)
        assert_int_equal(symbols[i].twins, 0);
}

static void counts_no_more_than_the_most(void **state)
{
    static char names[2 * HF_TWINS_MAX][16];
    struct hf_elf elf = {0};
    struct hf_twin_list list = {0};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(names); i++) {
        snprintf(names[i], sizeof names[i], "_Z4f%03zuv", i);
        struct hf_symbol symbol = twins_symbol(names[i], true);
        assert_true(hf_twin_list_add(&list, &symbol));
    }
    hf_twin_list_mark(&list, &elf);
    struct hf_symbol asked = twins_symbol("_Z4f000v", true), other = asked;
    other.address++;
    assert_int_equal(hf_twin_list_find(&list, &asked), HF_TWINS_MAX);
    assert_int_equal(hf_twin_list_find(&list, &other), 0);
    hf_twin_list_done(&list);
    assert_int_equal(hf_twin_list_find(&list, &asked), 0);
}

/* By a linker that folds whatever is alike, names of C are functions of their own, too, but for
 * those with underscores before them. */
static void tells_functions_of_c(void **state)
{
    static const struct {
        const char *symbols[2];
        uint32_t twins;
    } rows[] = {
        {{"strtol", "strtoll"}, 2},
        {{"malloc", "__libc_malloc"}, 0},
        {{"_malloc", "malloc"}, 0},
        {{"malloc", "libc_malloc"}, 2},
        {{"_mallocs", "malloc"}, 2},
        {{"_a", "_b"}, 2},
        {{"take", "take.cold"}, 0},
        {{"_take", "take.part.0"}, 0},
        {{"_D1", "_D2"}, 2},
        {{"_D1a", "_D2a"}, 2}, /* no length that fits: a name of D all the same */
        {{"_Dx", "x"}, 0},     /* no name of D */
        {{"_D", "__D"}, 0},
        {{"_Z1av", "_Z1a"}, 2},
    };
    static const struct {
        const char *section, *comment;
        bool folds;
    } linkers[] = {{".note.gnu.gold-version", "", true}, {".comment", "Linker: LLD 14", true},
        {".comment", "mold 2.0", true}, {".comment", "GCC: (GNU) 12", false},
        {".comments", "LLD 14", false}};
    (void)state;
    for (size_t l = 0; l < HF_COUNT(linkers); l++) {
        struct hf_elf_section section = {.name = hf_text_of(linkers[l].section),
            .type = SHT_PROGBITS,
            .size = strlen(linkers[l].comment)};
        const struct hf_elf elf = {
            .bytes = hf_text_of(linkers[l].comment), .sections = &section, .section_count = 1};
        for (size_t i = 0; i < HF_COUNT(rows); i++) {
            struct hf_symbol symbols[] = {
                twins_symbol(rows[i].symbols[0], true), twins_symbol(rows[i].symbols[1], true)};
            uint32_t expected = linkers[l].folds || hf_text_starts(symbols[0].name, "_Z") ||
                                        hf_text_starts(symbols[0].name, "_D1")
                                    ? rows[i].twins
                                    : 0;
            hf_twins_mark(symbols, 2, &elf);
            if (symbols[0].twins != expected || symbols[1].twins != expected)
                fail_msg(
                    "%s, %s: %u twins", rows[i].symbols[0], linkers[l].comment, symbols[0].twins);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_functions_from_names),
        cmocka_unit_test(tells_functions_of_c),
        cmocka_unit_test(counts_what_is_alike),
        cmocka_unit_test(counts_no_more_than_the_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
