/*
 * Machine code. Input: the address of the first byte (u64); the rest is read as x86-64, one
 * instruction after the other, each from a part of its own, so that a byte too much is noticed.
 */
#include "code/disassembler.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

static bool has_control(struct hf_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if ((unsigned char)text.data[i] < ' ' || (unsigned char)text.data[i] > '~')
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hf_disassembler *disassembler;
    struct hf_cursor c = hf_cursor_of(data, size, "input");
    struct hf_error err;
    if (disassembler == NULL && hf_disassembler_new(&disassembler, &err) != HF_OK)
        abort();
    uint64_t address = hf_cursor_u64(&c);
    while (hf_cursor_left(&c) != 0 && !hf_cursor_failed(&c)) {
        struct hf_out text = {0};
        struct hf_text code = fuzz_take_part(&c, hf_cursor_left(&c));
        struct hf_instruction read = hf_disassembler_read(disassembler, code, address, &text);
        if (read.size == 0 || read.size > code.size || read.size > HF_INSTRUCTION_BYTES_MAX)
            abort();
        if (text.size == 0 || has_control(hf_out_view(&text)))
            abort();
        if (read.target_kind == HF_TARGET_NONE && read.target != 0)
            abort();
        fuzz_tell_named(read.is_call ? "call" : "instruction", hf_out_view(&text));
        fuzz_tell("%u bytes, target 0x%llx\n", read.size, (unsigned long long)read.target);
        address += read.size;
        hf_cursor_seek(&c, size - (code.size - read.size));
        fuzz_free_part(code);
        hf_out_done(&text);
    }
    return 0;
}
