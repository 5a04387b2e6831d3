/* Where a probe slides: functions assembled by hand, one for each reason to slide and not to. */
#include "attach/probes/probe_offset.h"

#include "base/strings/num.h"
#include "check.h"

#define RDI 1u
#define RSI 2u
#define RDX 4u

/* The bytes before the function, which the entry is behind: nops and what a case has there. */
#define BEFORE 256

struct function {
    const char *what;
    const char *code; /* hexadecimal digits and blanks */
    unsigned arguments;
    size_t distance;
    enum hf_probe_refusal refusal;
};

static const struct function functions[] = {
    {"push", "55 c3", RDI, 0, HF_PROBE_NOT_REFUSED},
    {"push of a new register", "41 54 c3", RDI, 0, HF_PROBE_NOT_REFUSED},
    {"nop", "90 c3", RDI, 0, HF_PROBE_NOT_REFUSED},
    {"jmp to another function", "e9 00 01 00 00", RDI, 0, HF_PROBE_NOT_REFUSED},
    {"call first", "e8 00 01 00 00 c3", RDI, 0, HF_PROBE_NOT_REFUSED},
    {"near jcc", "0f 84 00 01 00 00 c3", RDI, 0, HF_PROBE_NOT_REFUSED},
    {"endbr64; push", "f3 0f 1e fa 55 c3", RDI, 4, HF_PROBE_NOT_REFUSED},
    {"glibc free: test; je; push", "48 85 ff 0f 84 bf 00 00 00 55 c3", RDI, 3,
        HF_PROBE_NOT_REFUSED},
    {"cmp memory; push", "80 3d 01 02 14 00 00 41 54 c3", RDI | RSI | RDX, 7, HF_PROBE_NOT_REFUSED},
    {"a long nop is passed, never chosen", "0f 1f 44 00 00 55 c3", RDI, 5, HF_PROBE_NOT_REFUSED},
    {"push with operand size", "66 50 55 c3", RDI, 0, HF_PROBE_REFUSED_STACK},
    {"sub rsp", "48 83 ec 08 55 c3", RDI, 0, HF_PROBE_REFUSED_STACK},
    {"pop", "58 55 c3", RDI, 0, HF_PROBE_REFUSED_STACK},
    {"mov edi: an argument that is read", "89 f7 55 c3", RDI, 0, HF_PROBE_REFUSED_ARGUMENT},
    {"mov edi: one that is not read", "89 f7 55 c3", RSI, 2, HF_PROBE_NOT_REFUSED},
    {"mov dil: a part of it", "40 b7 01 55 c3", RDI, 0, HF_PROBE_REFUSED_ARGUMENT},
    {"cmove edi: perhaps", "0f 44 fe 55 c3", RDI, 0, HF_PROBE_REFUSED_ARGUMENT},
    {"mul: rdx, which is not named", "48 f7 e6 55 c3", RDX, 0, HF_PROBE_REFUSED_ARGUMENT},
    {"mov rdi, [rdi]", "48 8b 3f 55 c3", RDI, 0, HF_PROBE_REFUSED_ARGUMENT},
    {"mov [rdi], rsi: memory", "48 89 37 55 c3", RDI | RSI, 3, HF_PROBE_NOT_REFUSED},
    {"syscall", "0f 05 55 c3", RDI, 0, HF_PROBE_REFUSED_LEAVES},
    {"ret", "c3 55", RDI, 0, HF_PROBE_REFUSED_LEAVES},
    {"call by register", "ff d0 55 c3", RDI, 0, HF_PROBE_REFUSED_LEAVES},
    {"jmp by register", "ff e0 55", RDI, 0, HF_PROBE_REFUSED_LEAVES},
    {"bnd jmp", "f2 e9 00 01 00 00", RDI, 0, HF_PROBE_REFUSED_LEAVES},
    {"loop", "31 c0 e2 00 55 c3", RDI, 0, HF_PROBE_REFUSED_LEAVES},
    {"int3", "cc 55", RDI, 0, HF_PROBE_REFUSED_LEAVES},
    {"24 bytes, then push",
        "48 31 c0 48 31 c0 48 31 c0 48 31 c0 48 31 c0 48 31 c0 48 31 c0 48 31 c0 55 c3", RDI, 24,
        HF_PROBE_NOT_REFUSED},
    {"25 bytes, then push",
        "48 31 c0 48 31 c0 48 31 c0 48 31 c0 48 31 c0 48 31 c0 48 31 c0 48 31 c0 fc 55 c3", RDI, 0,
        HF_PROBE_REFUSED_FAR},
    {"a jump back to the push", "31 c0 55 ff c8 75 fb c3", RDI, 0, HF_PROBE_REFUSED_TARGET},
    {"a jump back to before it", "31 c0 ff c0 55 ff c8 75 f9 c3", RDI, 0, HF_PROBE_REFUSED_TARGET},
    {"a jump back to the entry is another call", "31 c0 55 ff c8 75 f9 c3", RDI, 2,
        HF_PROBE_NOT_REFUSED},
    {"a jump back to behind the push", "31 c0 55 ff c8 75 fc c3", RDI, 2, HF_PROBE_NOT_REFUSED},
    {"no instruction", "06 55", RDI, 0, HF_PROBE_REFUSED_UNKNOWN},
    {"the end of the segment", "48 31", RDI, 0, HF_PROBE_REFUSED_UNKNOWN},
};

static size_t assemble(const char *hex, uint8_t *out)
{
    size_t count = 0;
    for (; *hex != '\0'; hex += hex[2] == ' ' ? 3u : 2u) {
        uint64_t byte;
        assert_true(hf_num_hex((struct hf_text){hex, 2}, &byte));
        out[count++] = (uint8_t)byte;
    }
    return count;
}

static struct hf_entry_decoder *slider_of(void)
{
    struct hf_entry_decoder *entry_decoder = NULL;
    struct hf_error err;
    check_ok(hf_entry_decoder_new(&entry_decoder, &err), &err);
    return entry_decoder;
}

static void by_hand(void **state)
{
    (void)state;
    struct hf_entry_decoder *entry_decoder = slider_of();
    for (size_t i = 0; i < HF_COUNT(functions); i++) {
        uint8_t code[BEFORE + 64];
        memset(code, 0x90, sizeof code);
        size_t size = BEFORE + assemble(functions[i].code, code + BEFORE);
        struct hf_probe_offset slide = hf_probe_offset_find(entry_decoder,
            (struct hf_text){(const char *)code, size}, BEFORE, functions[i].arguments);
        if (slide.distance != functions[i].distance || slide.refusal != functions[i].refusal)
            fail_msg("%s: %zu, %d", functions[i].what, slide.distance, slide.refusal);
    }
    hf_entry_decoder_free(entry_decoder);
}

/* A cold part, before the function or far behind it, jumps back with a distance of 32 bits. */
static void cold_parts(void **state)
{
    (void)state;
    struct hf_entry_decoder *entry_decoder = slider_of();
    static const struct {
        size_t at; /* of the jump */
        bool is_conditional;
    } cases[] = {{0, false}, {17, true}, {3000, false}, {3001, true}};
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        for (size_t to = 0; to < 5; to++) { /* 31 c0: xor; 55: push, 2 behind the entry */
            uint8_t code[4096];
            memset(code, 0xcc, sizeof code);
            memcpy(code + BEFORE, "\x31\xc0\x55\xc3", 4);
            size_t at = cases[i].at;
            if (cases[i].is_conditional)
                code[at++] = 0x0f;
            code[at++] = cases[i].is_conditional ? 0x8f : 0xe9;
            int32_t distance = (int32_t)(BEFORE + to) - (int32_t)(at + 4);
            memcpy(code + at, &distance, 4);
            struct hf_probe_offset slide = hf_probe_offset_find(
                entry_decoder, (struct hf_text){(const char *)code, sizeof code}, BEFORE, RDI);
            bool is_inside = to == 1 || to == 2;
            assert_int_equal(
                slide.refusal, is_inside ? HF_PROBE_REFUSED_TARGET : HF_PROBE_NOT_REFUSED);
            assert_int_equal(slide.distance, is_inside ? 0 : 2);
        }
    }
    hf_entry_decoder_free(entry_decoder);
}

/* Without the decoder a probe stays, and one knows whether it is cheap there. */
static void without(void **state)
{
    (void)state;
    struct hf_probe_offset push = hf_probe_offset_find(NULL, HF_TEXT("\x55\xc3"), 0, RDI);
    struct hf_probe_offset endbr =
        hf_probe_offset_find(NULL, HF_TEXT("\xf3\x0f\x1e\xfa\x55"), 0, RDI);
    assert_int_equal(push.refusal, HF_PROBE_NOT_REFUSED);
    assert_int_equal(endbr.distance, 0);
    assert_int_equal(endbr.refusal, HF_PROBE_REFUSED_UNKNOWN);
    for (int i = 0; i < HF_PROBE_REFUSALS; i++)
        assert_non_null(hf_probe_refusal_text((enum hf_probe_refusal)i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(cold_parts),
        cmocka_unit_test(without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
