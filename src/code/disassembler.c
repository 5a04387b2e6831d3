#include "code/disassembler.h"

#include "base/attr.h"
#include "code/zydis.h"

#include <Zydis/Zydis.h>
#include <stdlib.h>

#define TEXT_MAX 256 /* of one instruction; the longest have some 80 letters */

struct instruction_functions {
    ZyanStatus (*init)(ZydisDecoder *, ZydisMachineMode, ZydisStackWidth);
    ZyanStatus (*decode)(const ZydisDecoder *, const void *, ZyanUSize, ZydisDecodedInstruction *,
        ZydisDecodedOperand *);
    ZyanStatus (*formatter_init)(ZydisFormatter *, ZydisFormatterStyle);
    ZyanStatus (*formatter_set)(ZydisFormatter *, ZydisFormatterProperty, ZyanUPointer);
    ZyanStatus (*format)(const ZydisFormatter *, const ZydisDecodedInstruction *,
        const ZydisDecodedOperand *, ZyanU8, char *, ZyanUSize, ZyanU64, void *);
};

static const struct hf_library_function instruction_names[] = {
    {"ZydisDecoderInit", offsetof(struct instruction_functions, init)},
    {"ZydisDecoderDecodeFull", offsetof(struct instruction_functions, decode)},
    {"ZydisFormatterInit", offsetof(struct instruction_functions, formatter_init)},
    {"ZydisFormatterSetProperty", offsetof(struct instruction_functions, formatter_set)},
    {"ZydisFormatterFormatInstruction", offsetof(struct instruction_functions, format)},
};

struct hf_disassembler {
    struct instruction_functions zydis;
    ZydisDecoder decoder;
    ZydisFormatter formatter;
};

/* As objdump -M intel has it: 0x1040, not 0x0000000000001040. */
static bool disassembler_init(struct hf_disassembler *i)
{
    static const struct {
        ZydisFormatterProperty property;
        ZyanUPointer value;
    } settings[] = {
        {ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE},
        {ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED},
        {ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED},
        {ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED},
        {ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED},
    };
    bool is_done =
        ZYAN_SUCCESS(
            i->zydis.init(&i->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
        ZYAN_SUCCESS(i->zydis.formatter_init(&i->formatter, ZYDIS_FORMATTER_STYLE_INTEL));
    for (size_t s = 0; is_done && s < HF_COUNT(settings); s++)
        is_done = ZYAN_SUCCESS(
            i->zydis.formatter_set(&i->formatter, settings[s].property, settings[s].value));
    return is_done;
}

enum hf_status hf_disassembler_new(struct hf_disassembler **out_disassembler, struct hf_error *err)
{
    struct hf_disassembler *i = calloc(1, sizeof *i);
    if (i == NULL)
        return hf_error_memory(err);
    enum hf_status status = hf_zydis_load(
        "to show instructions", instruction_names, HF_COUNT(instruction_names), &i->zydis, err);
    if (status == HF_OK && !disassembler_init(i))
        status = hf_error_set(err, HF_ERR_SYSTEM, "Zydis cannot decode x86-64");
    if (status == HF_OK)
        *out_disassembler = i;
    else
        hf_disassembler_free(i);
    return status;
}

void hf_disassembler_prepare(void)
{
    struct hf_disassembler *disassembler = NULL;
    if (hf_disassembler_new(&disassembler, NULL) == HF_OK)
        hf_disassembler_free(disassembler);
}

void hf_disassembler_free(struct hf_disassembler *disassembler)
{
    free(disassembler);
}

/* Where a call or a jump leads, if the instruction itself says so. */
static void find_target(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operand,
    uint64_t address, struct hf_instruction *instruction)
{
    if (decoded->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE || decoded->operand_count_visible == 0)
        return;
    uint64_t next = address + decoded->length;
    if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative) {
        instruction->target_kind = HF_TARGET_CODE;
        instruction->target = next + (uint64_t)operand->imm.value.s;
    } else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
               operand->mem.base == ZYDIS_REGISTER_RIP &&
               operand->mem.index == ZYDIS_REGISTER_NONE) {
        instruction->target_kind = HF_TARGET_SLOT;
        instruction->target = next + (uint64_t)operand->mem.disp.value;
    }
}

struct hf_instruction hf_disassembler_read(const struct hf_disassembler *disassembler,
    struct hf_text code, uint64_t address, struct hf_out *out)
{
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    char text[TEXT_MAX];
    struct hf_text first = hf_text_first(code, HF_INSTRUCTION_BYTES_MAX);
    if (!ZYAN_SUCCESS(disassembler->zydis.decode(
            &disassembler->decoder, first.data, first.size, &decoded, operands)) ||
        !ZYAN_SUCCESS(disassembler->zydis.format(&disassembler->formatter, &decoded, operands,
            decoded.operand_count_visible, text, sizeof text, address, NULL))) {
        if (out != NULL)
            hf_out_printf(out, ".byte 0x%02x", (unsigned)(uint8_t)code.data[0]);
        return (struct hf_instruction){.size = 1};
    }
    struct hf_instruction instruction = {
        .size = decoded.length, .is_call = decoded.meta.category == ZYDIS_CATEGORY_CALL};
    find_target(&decoded, operands, address, &instruction);
    if (out != NULL)
        hf_out_string(out, text);
    return instruction;
}
