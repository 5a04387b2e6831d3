/* Bytes as GNU as makes them of the instruction in the comment. */
#include "check.h"

#include "symbol/callsite.h"

static bool ends_call(const char *bytes, size_t size)
{
    return hf_callsite_ends_at((struct hf_text){bytes, size}, size);
}

#define ENDS_CALL(bytes) ends_call(bytes, sizeof(bytes) - 1)

static void test_every_form_of_call(void **state)
{
    (void)state;
    assert_true(ENDS_CALL("\xe8\x01\x02\x03\x04"));             /* call rel32 */
    assert_true(ENDS_CALL("\xff\xd0"));                         /* call *%rax */
    assert_true(ENDS_CALL("\x41\xff\xd4"));                     /* call *%r12 */
    assert_true(ENDS_CALL("\xff\x10"));                         /* call *(%rax) */
    assert_true(ENDS_CALL("\xff\x14\x24"));                     /* call *(%rsp) */
    assert_true(ENDS_CALL("\xff\x50\x18"));                     /* call *24(%rax) */
    assert_true(ENDS_CALL("\xff\x54\x24\x08"));                 /* call *8(%rsp) */
    assert_true(ENDS_CALL("\xff\x15\x01\x02\x03\x04"));         /* call *sym(%rip) */
    assert_true(ENDS_CALL("\xff\x90\x01\x02\x03\x04"));         /* call *disp32(%rax) */
    assert_true(ENDS_CALL("\xff\x94\x24\x01\x02\x03\x04"));     /* call *disp32(%rsp) */
    assert_true(ENDS_CALL("\xff\x14\xc5\x01\x02\x03\x04"));     /* call *table(,%rax,8) */
    assert_true(ENDS_CALL("\x66\x66\x48\xe8\x01\x02\x03\x04")); /* call of __tls_get_addr */
}

static void test_what_is_no_call(void **state)
{
    (void)state;
    assert_false(ENDS_CALL(""));
    assert_false(ENDS_CALL("\xff"));
    assert_false(ENDS_CALL("\xe8\x01\x02\x03"));         /* cut */
    assert_false(ENDS_CALL("\xe9\x01\x02\x03\x04"));     /* jmp rel32 */
    assert_false(ENDS_CALL("\xff\xe0"));                 /* jmp *%rax */
    assert_false(ENDS_CALL("\xff\x14"));                 /* SIB byte is missing */
    assert_false(ENDS_CALL("\xff\x50"));                 /* displacement is missing */
    assert_false(ENDS_CALL("\xff\x54\x24"));             /* likewise, after a SIB byte */
    assert_false(ENDS_CALL("\x48\x89\xc7\x90\x90\x90")); /* mov, nops */
    assert_false(hf_callsite_ends_at(HF_TEXT("\xff\xd0"), 3));
    assert_false(hf_callsite_ends_at(HF_TEXT("\xff\xd0"), UINT64_MAX));
}

/* The last bytes of calls in the sections of code; a direct one that leads to no code is none. */
static void check_list(
    uint16_t machine, struct hf_text code, const uint64_t *expected, size_t count)
{
    struct hf_error err;
    uint64_t *addresses;
    size_t found;
    struct hf_elf_section sections[] = {{.type = SHT_NULL},
        {.type = SHT_PROGBITS,
            .flags = SHF_ALLOC | SHF_EXECINSTR,
            .address = 0x1000,
            .size = code.size},
        {.type = SHT_PROGBITS, .flags = SHF_ALLOC, .address = 0x2000, .size = code.size},
        {.type = SHT_PROGBITS, /* its bytes lie outside */
            .flags = SHF_ALLOC | SHF_EXECINSTR,
            .address = 0x3000,
            .offset = 0x10000,
            .size = 0x10}};
    const struct hf_elf elf = {.name = "file",
        .bytes = code,
        .machine = machine,
        .sections = sections,
        .section_count = HF_COUNT(sections)};
    check_ok(hf_callsite_list(&elf, &addresses, &found, &err), &err);
    assert_int_equal(found, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(addresses[i], expected[i]);
    free(addresses);
}

static void test_calls_of_x86_sections(void **state)
{
    (void)state;
    static const uint64_t calls[] = {0x1004, 0x1009, 0x1013, 0x101f};
    check_list(EM_X86_64,
        HF_TEXT("\xe8\xfb\xff\xff\xff"           /* to 0x1000 */
                "\xe8\x05\x20\x00\x00"           /* to 0x300f, the last byte there */
                "\xe8\x01\x20\x00\x00"           /* to 0x3010, the first behind */
                "\xe8\x0b\x00\x00\x00"           /* to 0x101f */
                "\xe8\xeb\x0f\x00\x00"           /* to 0x2004, which is no code */
                "\xe8\xe1\xff\xff\xff\xff\xd0"), /* to 0xfff; call *%rax */
        calls, HF_COUNT(calls));
}

static void test_calls_of_arm_sections(void **state)
{
    (void)state;
    static const uint64_t calls[] = {0x1003, 0x100b, 0x1013};
    check_list(EM_AARCH64,
        HF_TEXT("\x01\x00\x00\x94"       /* bl */
                "\x01\x00\x00\x14"       /* b */
                "\x60\x02\x3f\xd6"       /* blr x19 */
                "\x60\x02\x1f\xd6"       /* br x19 */
                "\xff\xff\xff\x97"       /* bl, backwards */
                "\x00\x01\x00\x00\x94"), /* not where an instruction begins */
        calls, HF_COUNT(calls));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form_of_call),
        cmocka_unit_test(test_what_is_no_call),
        cmocka_unit_test(test_calls_of_x86_sections),
        cmocka_unit_test(test_calls_of_arm_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
