/* Instructions as text: one for each kind of target, and bytes that are no instruction. */
#include "code/disassembler.h"

#include "base/strings/num.h"
#include "check.h"

#define ADDRESS 0x1000u

struct instruction_case {
    const char *code; /* hexadecimal digits and blanks */
    const char *text;
    unsigned size;
    bool is_call;
    enum hf_instruction_target kind;
    uint64_t target;
};

static const struct instruction_case instruction_cases[] = {
    {"c3", "ret", 1, false, HF_TARGET_NONE, 0},
    {"f3 0f 1e fa", "endbr64", 4, false, HF_TARGET_NONE, 0},
    {"bf 40 0d 03 00", "mov edi, 0x30d40", 5, false, HF_TARGET_NONE, 0},
    {"48 83 ec 08", "sub rsp, 0x8", 4, false, HF_TARGET_NONE, 0},
    {"e8 3b 00 00 00", "call 0x1040", 5, true, HF_TARGET_CODE, 0x1040},
    {"e8 fb ff ff ff", "call 0x1000", 5, true, HF_TARGET_CODE, ADDRESS},
    {"e8 00 00 00 80", "call 0xffffffff80001005", 5, true, HF_TARGET_CODE, 0xffffffff80001005},
    {"67 e8 3a 00 00 00", "call 0x1040", 6, true, HF_TARGET_CODE, 0x1040},
    {"ff 15 e2 2f 00 00", "call [0x3fe8]", 6, true, HF_TARGET_SLOT, 0x3fe8},
    {"ff 25 e2 2f 00 00", "jmp [0x3fe8]", 6, false, HF_TARGET_SLOT, 0x3fe8},
    {"ff d0", "call rax", 2, true, HF_TARGET_NONE, 0},
    {"ff 50 18", "call [rax+0x18]", 3, true, HF_TARGET_NONE, 0},
    {"eb 02", "jmp 0x1004", 2, false, HF_TARGET_CODE, 0x1004},
    {"0f 84 00 01 00 00", "jz 0x1106", 6, false, HF_TARGET_CODE, 0x1106},
    {"48 8d 3d 07 00 00 00", "lea rdi, [0x100e]", 7, false, HF_TARGET_NONE, 0},
    {"06", ".byte 0x06", 1, false, HF_TARGET_NONE, 0},
    {"06 c3", ".byte 0x06", 1, false, HF_TARGET_NONE, 0},
    {"e8 00 00", ".byte 0xe8", 1, false, HF_TARGET_NONE, 0}, /* it is cut */
    {"66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", ".byte 0x66", 1, false, HF_TARGET_NONE, 0},
};

/* Into memory of that size, so that a byte beyond is noticed. */
static struct hf_text instruction_bytes(const char *hex)
{
    size_t count = (strlen(hex) + 1) / 3;
    char *bytes = malloc(count);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++) {
        uint64_t byte;
        assert_true(hf_num_hex((struct hf_text){hex + 3 * i, 2}, &byte));
        bytes[i] = (char)byte;
    }
    return (struct hf_text){bytes, count};
}

static void reads(void **state)
{
    (void)state;
    struct hf_disassembler *disassembler = NULL;
    struct hf_error err;
    check_ok(hf_disassembler_new(&disassembler, &err), &err);
    for (size_t i = 0; i < HF_COUNT(instruction_cases); i++) {
        const struct instruction_case *c = &instruction_cases[i];
        struct hf_text code = instruction_bytes(c->code);
        struct hf_out text = {0};
        struct hf_instruction read = hf_disassembler_read(disassembler, code, ADDRESS, &text);
        check_text(hf_out_view(&text), c->text);
        if (read.size != c->size || read.is_call != c->is_call || read.target_kind != c->kind ||
            read.target != c->target)
            fail_msg("%s: %u bytes, call %d, target %d 0x%llx", c->code, read.size, read.is_call,
                read.target_kind, (unsigned long long)read.target);
        struct hf_instruction quiet = hf_disassembler_read(disassembler, code, ADDRESS, NULL);
        assert_int_equal(quiet.size, read.size);
        hf_out_done(&text);
        free((void *)(uintptr_t)code.data);
    }
    hf_disassembler_free(disassembler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
