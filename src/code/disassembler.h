/*
 * disassembler.h: the instructions of x86-64 code as text, in Intel's syntax.
 *
 * The bytes are of a stranger's file: nothing is read beyond those that are given, and what is no
 * instruction is one byte, ".byte 0x06". Source: Intel SDM volume 2; Zydis decodes and writes.
 */
#ifndef HF_CODE_DISASSEMBLER_H
#define HF_CODE_DISASSEMBLER_H

#include "base/error.h"
#include "base/strings/out.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* No instruction has more bytes. */
#define HF_INSTRUCTION_BYTES_MAX 15u

/* Where an instruction leads, or what its operand is. */
enum hf_instruction_target {
    HF_TARGET_NONE,
    HF_TARGET_CODE, /* it calls or jumps to that address */
    HF_TARGET_SLOT, /* it calls or jumps to where the pointer at that address points */
};

struct hf_instruction {
    unsigned size; /* bytes, at least 1 */
    bool is_call;
    enum hf_instruction_target target_kind;
    uint64_t target;
};

struct hf_disassembler; /* the decoder */

/* HF_ERR_SYSTEM: Zydis is missing. */
HF_MUST_CHECK enum hf_status hf_disassembler_new(
    struct hf_disassembler **out_disassembler, struct hf_error *err);
/* Loads Zydis, if it is there, for who will have no rights to do so. */
void hf_disassembler_prepare(void);

void hf_disassembler_free(struct hf_disassembler *disassembler);

/*
 * Reads the instruction at the first of `code`, which is not empty and lies at `address`, and
 * appends its text to `out`; NULL: nobody wants it. The operand of an instruction that has a target
 * comes last, behind a blank: "call 0x1040", "call qword ptr [0x3fe8]".
 */
struct hf_instruction hf_disassembler_read(const struct hf_disassembler *disassembler,
    struct hf_text code, uint64_t address, struct hf_out *out);

#endif
