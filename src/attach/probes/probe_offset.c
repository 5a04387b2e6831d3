#include "attach/probes/probe_offset.h"

#include "base/attr.h"
#include "code/zydis.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>

/* A jump whose distance is one byte reaches so far. */
#define SHORT_JUMP 128u

struct zydis_functions {
    ZyanStatus (*init)(ZydisDecoder *, ZydisMachineMode, ZydisStackWidth);
    ZyanStatus (*decode)(const ZydisDecoder *, const void *, ZyanUSize, ZydisDecodedInstruction *,
        ZydisDecodedOperand *);
    ZydisRegister (*enclosing)(ZydisMachineMode, ZydisRegister);
};

static const struct hf_library_function functions[] = {
    {"ZydisDecoderInit", offsetof(struct zydis_functions, init)},
    {"ZydisDecoderDecodeFull", offsetof(struct zydis_functions, decode)},
    {"ZydisRegisterGetLargestEnclosing", offsetof(struct zydis_functions, enclosing)},
};

struct hf_entry_decoder {
    struct zydis_functions zydis;
    ZydisDecoder decoder;
};

enum hf_status hf_entry_decoder_new(
    struct hf_entry_decoder **out_entry_decoder, struct hf_error *err)
{
    struct hf_entry_decoder *entry_decoder = calloc(1, sizeof *entry_decoder);
    if (entry_decoder == NULL)
        return hf_error_memory(err);
    enum hf_status status = hf_zydis_load("to find where in a function a probe is cheap", functions,
        HF_COUNT(functions), &entry_decoder->zydis, err);
    if (status == HF_OK && !ZYAN_SUCCESS(entry_decoder->zydis.init(&entry_decoder->decoder,
                               ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
        status = hf_error_set(err, HF_ERR_SYSTEM, "Zydis cannot decode x86-64");
    if (status != HF_OK)
        hf_entry_decoder_free(entry_decoder);
    else
        *out_entry_decoder = entry_decoder;
    return status;
}

void hf_entry_decoder_free(struct hf_entry_decoder *entry_decoder)
{
    free(entry_decoder);
}

const char *hf_probe_refusal_text(enum hf_probe_refusal refusal)
{
    static const char *const reasons[HF_PROBE_REFUSALS] = {
        [HF_PROBE_NOT_REFUSED] = "it is not",
        [HF_PROBE_REFUSED_ARGUMENT] =
            "an argument is overwritten before the first cheap instruction",
        [HF_PROBE_REFUSED_STACK] = "the stack pointer is moved before the first cheap instruction",
        [HF_PROBE_REFUSED_LEAVES] = "the function ends before the first cheap instruction",
        [HF_PROBE_REFUSED_TARGET] = "the function jumps back to before its first cheap instruction",
        [HF_PROBE_REFUSED_FAR] = "no cheap instruction is near its entry",
        [HF_PROBE_REFUSED_UNKNOWN] = "its code cannot be decoded",
    };
    return reasons[refusal];
}

static uint8_t probe_offset_byte_at(struct hf_text code, size_t at)
{
    return at < code.size ? (uint8_t)code.data[at] : 0;
}

/* True if the kernel emulates the instruction, which has no prefix but REX.B before a push. */
static bool is_emulated(struct hf_text code, size_t at)
{
    uint8_t first = probe_offset_byte_at(code, at), second = probe_offset_byte_at(code, at + 1);
    if ((first & 0xf8) == 0x50 || (first == 0x41 && (second & 0xf8) == 0x50))
        return true; /* push */
    if (first == 0x90 || first == 0xe8 || first == 0xe9 || first == 0xeb)
        return true; /* nop, call, jmp */
    return (first & 0xf0) == 0x70 || (first == 0x0f && (second & 0xf0) == 0x80); /* jcc */
}

/* Where a jmp leads to, from its first byte on. */
static bool jump_target(struct hf_text code, size_t at, int64_t *out_target)
{
    int32_t distance;
    if (probe_offset_byte_at(code, at) == 0xeb && at + 2 <= code.size) {
        *out_target = 2 + (int64_t)(int8_t)probe_offset_byte_at(code, at + 1);
        return true;
    }
    if (probe_offset_byte_at(code, at) != 0xe9 || at + 5 > code.size)
        return false;
    memcpy(&distance, code.data + at + 1, sizeof distance);
    *out_target = 5 + (int64_t)distance;
    return true;
}

struct decoded {
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool decode(const struct hf_entry_decoder *entry_decoder, struct hf_text code, size_t at,
    struct decoded *out)
{
    return at < code.size && ZYAN_SUCCESS(entry_decoder->zydis.decode(&entry_decoder->decoder,
                                 code.data + at, code.size - at, &out->instruction, out->operands));
}

/* Why the probe must not be behind this instruction. */
static enum hf_probe_refusal passing(
    const struct hf_entry_decoder *entry_decoder, const struct decoded *d, unsigned arguments)
{
    static const ZydisRegister registers[] = {ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RSI,
        ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_R8, ZYDIS_REGISTER_R9};
    switch (d->instruction.meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_INTERRUPT: return HF_PROBE_REFUSED_LEAVES;
    default: break;
    }
    for (size_t i = 0; i < d->instruction.operand_count; i++) {
        const ZydisDecodedOperand *operand = &d->operands[i];
        if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
            (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) == 0)
            continue;
        ZydisRegister written =
            entry_decoder->zydis.enclosing(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value);
        if (written == ZYDIS_REGISTER_RSP)
            return HF_PROBE_REFUSED_STACK;
        for (size_t j = 0; j < HF_COUNT(registers); j++)
            if (written == registers[j] && (arguments & 1u << j) != 0)
                return HF_PROBE_REFUSED_ARGUMENT;
    }
    return HF_PROBE_NOT_REFUSED;
}

/* True if a jump leads to (entry, last]: from the code that follows, or from afar. */
static bool is_target(
    const struct hf_entry_decoder *entry_decoder, struct hf_text code, size_t entry, size_t last)
{
    struct decoded d;
    size_t end = last + SHORT_JUMP;
    for (size_t at = entry; at < end && decode(entry_decoder, code, at, &d);
         at += d.instruction.length) {
        const ZydisDecodedOperand *target = &d.operands[0];
        if (d.instruction.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE ||
            target->type != ZYDIS_OPERAND_TYPE_IMMEDIATE || !target->imm.is_relative)
            continue;
        uint64_t to = at + d.instruction.length + (uint64_t)target->imm.value.s;
        if (to - entry - 1 < last - entry)
            return true;
    }
    for (size_t at = 0; at + 4 < code.size; at++) {
        uint8_t opcode = probe_offset_byte_at(code, at);
        bool is_far = (opcode & 0xfe) == 0xe8 || ((opcode & 0xf0) == 0x80 && at != 0 &&
                                                     probe_offset_byte_at(code, at - 1) == 0x0f);
        int32_t distance;
        if (!is_far)
            continue;
        memcpy(&distance, code.data + at + 1, sizeof distance);
        if (at + 5 + (uint64_t)(int64_t)distance - entry - 1 < last - entry)
            return true;
    }
    return false;
}

struct hf_probe_offset hf_probe_offset_find(const struct hf_entry_decoder *entry_decoder,
    struct hf_text code, size_t entry, unsigned arguments)
{
    struct decoded d;
    size_t at = entry;
    enum hf_probe_refusal refusal = HF_PROBE_NOT_REFUSED;
    while (refusal == HF_PROBE_NOT_REFUSED && !is_emulated(code, at)) {
        if (entry_decoder == NULL || !decode(entry_decoder, code, at, &d)) {
            refusal = HF_PROBE_REFUSED_UNKNOWN;
            break;
        }
        refusal = passing(entry_decoder, &d, arguments);
        at += d.instruction.length;
        if (refusal == HF_PROBE_NOT_REFUSED && at - entry > HF_PROBE_OFFSET_MAX)
            refusal = HF_PROBE_REFUSED_FAR;
    }
    if (refusal == HF_PROBE_NOT_REFUSED && at != entry && is_target(entry_decoder, code, entry, at))
        refusal = HF_PROBE_REFUSED_TARGET;
    if (refusal != HF_PROBE_NOT_REFUSED)
        return (struct hf_probe_offset){.refusal = refusal};
    struct hf_probe_offset offset = {.distance = at - entry};
    offset.jumps = jump_target(code, at, &offset.target);
    offset.target += (int64_t)offset.distance;
    return offset;
}
