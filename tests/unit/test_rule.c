/* Rules from call frame instructions that are written here by hand, from DWARF 5, section 6.4.2. */
#include "check.h"
#include "unwind/rule.h"

#define START 0x1000
#define SIZE 0x400

/* What every CIE begins with: CFA = rsp + 8, the return address at CFA - 8. */
#define USUAL "\x0c\7\x08\x90\1"

/* The expressions of glibc's code behind a signal handler: rbp, rip, and the CFA. */
#define SIGNAL_FP "\x10\6\3\x77\xf8\0"
#define SIGNAL_PC "\x10\x10\3\x77\xa8\1"
#define SIGNAL_CFA "\x0f\4\x77\xa0\1\6"
#define PLT(split) "\x0f\x0b\x77\x08\x80\0\x3f\x1a" split "\x2a\x33\x24\x22"

static const struct rule_case {
    const char *what;
    struct hf_text cie, fde;
    uint64_t offset; /* of the address in the function */
    enum hf_unwind_kind kind;
    int units;
    uint32_t fp_place;
    bool is_signal;
} cases[] = {
    {"at the entry", HF_TEXT(USUAL), HF_TEXT(""), 0, HF_UNWIND_SP, 1, 0, false},
    {"nop", HF_TEXT(USUAL), HF_TEXT("\0\0\0"), 5, HF_UNWIND_SP, 1, 0, false},
    {"before an advance", HF_TEXT(USUAL), HF_TEXT("\x44\x0e\x20"), 3, HF_UNWIND_SP, 1, 0, false},
    {"after an advance", HF_TEXT(USUAL), HF_TEXT("\x44\x0e\x20"), 4, HF_UNWIND_SP, 4, 0, false},
    {"advance of a byte", HF_TEXT(USUAL), HF_TEXT("\2\xff\x0e\x20"), 0xfe, HF_UNWIND_SP, 1, 0,
        false},
    {"advance of a byte, behind", HF_TEXT(USUAL), HF_TEXT("\2\xff\x0e\x20"), 0xff, HF_UNWIND_SP, 4,
        0, false},
    {"advance of two", HF_TEXT(USUAL), HF_TEXT("\3\0\2\x0e\x20"), 0x1ff, HF_UNWIND_SP, 1, 0, false},
    {"advance of two, behind", HF_TEXT(USUAL), HF_TEXT("\3\0\2\x0e\x20"), 0x200, HF_UNWIND_SP, 4, 0,
        false},
    {"advance of four", HF_TEXT(USUAL), HF_TEXT("\4\0\2\0\0\x0e\x20"), 0x200, HF_UNWIND_SP, 4, 0,
        false},
    {"set_loc, before", HF_TEXT(USUAL), HF_TEXT("\1\x10\x10\0\0\x0e\x20"), 0x0f, HF_UNWIND_SP, 1, 0,
        false},
    {"set_loc, behind", HF_TEXT(USUAL), HF_TEXT("\1\x10\x10\0\0\x0e\x20"), 0x10, HF_UNWIND_SP, 4, 0,
        false},
    {"push rbp", HF_TEXT(USUAL), HF_TEXT("\x41\x0e\x10\x86\2"), 1, HF_UNWIND_SP, 2, 2, false},
    {"mov rbp, rsp", HF_TEXT(USUAL), HF_TEXT("\x41\x0e\x10\x86\2\x43\x0d\6"), 4, HF_UNWIND_FP, 2, 2,
        false},
    {"def_cfa", HF_TEXT(USUAL), HF_TEXT("\x0c\6\x18"), 0, HF_UNWIND_FP, 3, 0, false},
    {"def_cfa_sf", HF_TEXT(USUAL), HF_TEXT("\x12\6\x7d"), 0, HF_UNWIND_FP, 3, 0, false},
    {"def_cfa_offset_sf", HF_TEXT(USUAL), HF_TEXT("\x13\x7c"), 0, HF_UNWIND_SP, 4, 0, false},
    {"a negative CFA", HF_TEXT(USUAL), HF_TEXT("\x13\2"), 0, HF_UNWIND_SP, -2, 0, false},
    {"offset_extended", HF_TEXT(USUAL), HF_TEXT("\5\6\3"), 0, HF_UNWIND_SP, 1, 3, false},
    {"offset_extended_sf", HF_TEXT(USUAL), HF_TEXT("\x11\6\3"), 0, HF_UNWIND_SP, 1, 3, false},
    {"negative_offset_extended", HF_TEXT(USUAL), HF_TEXT("\x2f\6\3"), 0, HF_UNWIND_SP, 1,
        HF_UNWIND_FP_LOST, false},
    {"restore", HF_TEXT(USUAL), HF_TEXT("\x86\2\xc6"), 0, HF_UNWIND_SP, 1, 0, false},
    {"restore to what the CIE says", HF_TEXT(USUAL "\x86\5"), HF_TEXT("\x86\2\xc6"), 0,
        HF_UNWIND_SP, 1, 5, false},
    {"restore_extended", HF_TEXT(USUAL), HF_TEXT("\x86\2\6\6"), 0, HF_UNWIND_SP, 1, 0, false},
    {"same_value", HF_TEXT(USUAL), HF_TEXT("\x86\2\x08\6"), 0, HF_UNWIND_SP, 1, 0, false},
    {"undefined rbp", HF_TEXT(USUAL), HF_TEXT("\7\6"), 0, HF_UNWIND_SP, 1, HF_UNWIND_FP_LOST,
        false},
    {"rbp in another register", HF_TEXT(USUAL), HF_TEXT("\x09\6\3"), 0, HF_UNWIND_SP, 1,
        HF_UNWIND_FP_LOST, false},
    {"rbp is CFA + 16", HF_TEXT(USUAL), HF_TEXT("\x14\6\x7e"), 0, HF_UNWIND_SP, 1,
        HF_UNWIND_FP_LOST, false},
    {"rbp is CFA - 16", HF_TEXT(USUAL), HF_TEXT("\x15\6\2"), 0, HF_UNWIND_SP, 1, HF_UNWIND_FP_LOST,
        false},
    {"rbp = *(rbp)", HF_TEXT(USUAL), HF_TEXT("\x10\6\2\x76\0"), 0, HF_UNWIND_SP, 1,
        HF_UNWIND_FP_CHAINED, false},
    {"rbp = *(rbp + 8)", HF_TEXT(USUAL), HF_TEXT("\x10\6\2\x76\x08"), 0, HF_UNWIND_SP, 1,
        HF_UNWIND_FP_LOST, false},
    {"rbp is rbp", HF_TEXT(USUAL), HF_TEXT("\x16\6\2\x76\0"), 0, HF_UNWIND_SP, 1, HF_UNWIND_FP_LOST,
        false},
    {"rbp far below the CFA", HF_TEXT(USUAL), HF_TEXT("\x86\xfd\1"), 0, HF_UNWIND_SP, 1, 253,
        false},
    {"rbp too far below", HF_TEXT(USUAL), HF_TEXT("\x86\xfe\1"), 0, HF_UNWIND_SP, 1,
        HF_UNWIND_FP_LOST, false},
    {"rbp at the CFA", HF_TEXT(USUAL), HF_TEXT("\x86\0"), 0, HF_UNWIND_SP, 1, HF_UNWIND_FP_LOST,
        false},
    {"another register", HF_TEXT(USUAL), HF_TEXT("\x83\3\x8c\4\x10\x0f\1\x30"), 0, HF_UNWIND_SP, 1,
        0, false},
    {"args_size", HF_TEXT(USUAL), HF_TEXT("\x2e\x10\x0e\x20"), 0, HF_UNWIND_SP, 4, 0, false},
    {"remember and restore", HF_TEXT(USUAL), HF_TEXT("\x0e\x10\x86\2\x0a\x0c\6\x20\x86\4\x0b"), 0,
        HF_UNWIND_SP, 2, 2, false},
    {"two remembered", HF_TEXT(USUAL), HF_TEXT("\x0a\x0e\x10\x0a\x0e\x20\x0b\x0b"), 0, HF_UNWIND_SP,
        1, 0, false},
    {"restored from an expression", HF_TEXT(USUAL), HF_TEXT("\x0a" PLT("\x3b") "\x0b"), 0,
        HF_UNWIND_SP, 1, 0, false},
    {"nothing remembered", HF_TEXT(USUAL), HF_TEXT("\x0b"), 0, HF_UNWIND_UNKNOWN, 0, 0, false},
    {"too many remembered", HF_TEXT(USUAL), HF_TEXT("\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"), 0,
        HF_UNWIND_UNKNOWN, 0, 0, false},
    {"a realigned frame", HF_TEXT(USUAL), HF_TEXT("\x0f\3\x76\x78\6\x10\6\2\x76\0"), 0,
        HF_UNWIND_FP_DEREF, -1, HF_UNWIND_FP_CHAINED, false},
    {"an expression, then a register", HF_TEXT(USUAL), HF_TEXT("\x0f\3\x76\x78\6\x0c\7\x10"), 0,
        HF_UNWIND_SP, 2, 0, false},
    {"a PLT", HF_TEXT(USUAL), HF_TEXT(PLT("\x3b")), 0, HF_UNWIND_PLT, 11, 0, false},
    {"a PLT with endbr64", HF_TEXT(USUAL), HF_TEXT(PLT("\x3a")), 0, HF_UNWIND_PLT, 10, 0, false},
    {"no PLT", HF_TEXT(USUAL), HF_TEXT(PLT("\x40")), 0, HF_UNWIND_UNKNOWN, 0, 0, false},
    {"another expression", HF_TEXT(USUAL), HF_TEXT("\x0f\2\x77\x08"), 0, HF_UNWIND_UNKNOWN, 0, 0,
        false},
    {"an empty expression", HF_TEXT(USUAL), HF_TEXT("\x0f\0"), 0, HF_UNWIND_UNKNOWN, 0, 0, false},
    {"by rbx", HF_TEXT(USUAL), HF_TEXT("\x0d\3"), 0, HF_UNWIND_UNKNOWN, 0, 0, false},
    {"an odd offset", HF_TEXT(USUAL), HF_TEXT("\x0e\x09"), 0, HF_UNWIND_UNKNOWN, 0, 0, false},
    {"a huge frame", HF_TEXT(USUAL), HF_TEXT("\x0e\xf8\xff\x0f"), 0, HF_UNWIND_SP, 0x7fff, 0,
        false},
    {"too huge a frame", HF_TEXT(USUAL), HF_TEXT("\x0e\x80\x80\x10"), 0, HF_UNWIND_UNKNOWN, 0, 0,
        false},
    {"the outermost", HF_TEXT(USUAL), HF_TEXT("\7\x10"), 0, HF_UNWIND_END, 0, 0, false},
    {"return address elsewhere", HF_TEXT(USUAL), HF_TEXT("\x90\2"), 0, HF_UNWIND_UNKNOWN, 0, 0,
        false},
    {"return address in a register", HF_TEXT(USUAL), HF_TEXT("\x09\x10\1"), 0, HF_UNWIND_UNKNOWN, 0,
        0, false},
    {"no return address", HF_TEXT("\x0c\7\x08"), HF_TEXT(""), 0, HF_UNWIND_UNKNOWN, 0, 0, false},
    {"rsp is not the CFA", HF_TEXT(USUAL), HF_TEXT("\x87\2"), 0, HF_UNWIND_UNKNOWN, 0, 0, false},
    {"a signal frame", HF_TEXT(""), HF_TEXT(SIGNAL_CFA SIGNAL_FP SIGNAL_PC), 0, HF_UNWIND_SIGNAL, 0,
        HF_UNWIND_FP_LOST, true},
    {"of another system", HF_TEXT(""), HF_TEXT(SIGNAL_CFA SIGNAL_FP "\x10\x10\3\x77\xb0\1"), 0,
        HF_UNWIND_UNKNOWN, 0, 0, true},
    {"a signal frame that is none", HF_TEXT(USUAL), HF_TEXT(""), 0, HF_UNWIND_UNKNOWN, 0, 0, true},
    {"an unknown instruction", HF_TEXT(USUAL), HF_TEXT("\x3f"), 0, HF_UNWIND_UNKNOWN, 0, 0, false},
    {"cut in an operand", HF_TEXT(USUAL), HF_TEXT("\x41\x0e\x80"), 1, HF_UNWIND_UNKNOWN, 0, 0,
        false},
    {"cut in an expression", HF_TEXT(USUAL), HF_TEXT("\x0f\4\x77"), 0, HF_UNWIND_UNKNOWN, 0, 0,
        false},
    {"a cut behind the address", HF_TEXT(USUAL), HF_TEXT("\x41\x0e\x80"), 0, HF_UNWIND_SP, 1, 0,
        false},
    {"behind the function", HF_TEXT(USUAL), HF_TEXT(""), SIZE, HF_UNWIND_UNKNOWN, 0, 0, false},
    {"before the function", HF_TEXT(USUAL), HF_TEXT(""), (uint64_t)-1, HF_UNWIND_UNKNOWN, 0, 0,
        false},
};

static struct hf_fde fde_of(const struct rule_case *c)
{
    return (struct hf_fde){.start = START,
        .end = START + SIZE,
        .cie = {.code_factor = 1,
            .data_factor = -8,
            .return_register = 16,
            .address_encoding = 3, /* absolute, 4 bytes */
            .is_signal = c->is_signal,
            .instructions = c->cie},
        .instructions = c->fde};
}

static void check_rule(struct hf_unwind_rule rule, enum hf_unwind_kind kind, int units, uint32_t fp)
{
    if (rule.bits >> HF_UNWIND_RULE_BITS != 0 || hf_unwind_rule_kind(rule) != kind ||
        hf_unwind_rule_offset(rule) != (uint64_t)((int64_t)units * 8) ||
        hf_unwind_rule_fp_place(rule) != fp)
        fail_msg("%s: %#x", check_case, rule.bits);
}

static void test_instructions(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_fde fde = fde_of(&cases[i]);
        check_case = cases[i].what;
        check_rule(hf_unwind_rule_of(&fde, START + cases[i].offset), cases[i].kind, cases[i].units,
            cases[i].fp_place);
    }
}

static void test_factors(void **state)
{
    (void)state;
    struct rule_case c = {
        .cie = HF_TEXT("\x0c\7\x08\x90\4"), .fde = HF_TEXT("\x42\x0e\x10\x86\x08")};
    struct hf_fde fde = fde_of(&c);
    fde.cie.code_factor = 4;
    fde.cie.data_factor = -2;
    check_rule(hf_unwind_rule_of(&fde, START + 7), HF_UNWIND_SP, 1, 0);
    check_rule(hf_unwind_rule_of(&fde, START + 8), HF_UNWIND_SP, 2, 2);
    fde.cie.code_factor = UINT64_MAX;
    check_rule(hf_unwind_rule_of(&fde, START), HF_UNWIND_UNKNOWN, 0, 0);
    fde.cie.code_factor = 1;
    fde.cie.data_factor = INT64_MIN;
    check_rule(hf_unwind_rule_of(&fde, START), HF_UNWIND_UNKNOWN, 0, 0);
    fde.cie.data_factor = -8;
    fde.cie.return_register = 30; /* arm64 */
    check_rule(hf_unwind_rule_of(&fde, START), HF_UNWIND_UNKNOWN, 0, 0);
}

/* Every prefix and every changed byte of every case reads without fault, and gives a whole rule. */
static void test_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_fde fde = fde_of(&cases[i]);
        for (size_t size = 0; size <= cases[i].fde.size; size++)
            for (unsigned change = 0; change < 256; change++) {
                char *exact = malloc(size != 0 ? size : 1);
                assert_non_null(exact);
                memcpy(exact, cases[i].fde.data, size);
                if (size != 0)
                    exact[size - 1] = (char)((unsigned char)exact[size - 1] ^ change);
                fde.instructions = (struct hf_text){exact, size};
                struct hf_unwind_rule rule = hf_unwind_rule_of(&fde, START + cases[i].offset);
                assert_true(rule.bits >> HF_UNWIND_RULE_BITS == 0);
                assert_true(hf_unwind_rule_kind(rule) <= HF_UNWIND_END);
                free(exact);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
