#include "dwarf/lookup/line_header.h"

enum hf_status hf_line_header_read(struct hf_line_header *header, const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct hf_cursor c = hf_section_cursor(sections->line, ".debug_line");
    *header = (struct hf_line_header){.encoding = {.offset_size = 4, .address_size = 8}};
    hf_cursor_seek(&c, unit->line_offset);
    uint64_t length = hf_cursor_u32(&c);
    if (length == UINT32_MAX) {
        length = hf_cursor_u64(&c);
        header->encoding.offset_size = 8;
    }
    if (length > hf_cursor_left(&c))
        hf_cursor_fail(&c);
    header->end = hf_cursor_offset(&c) + length;
    uint16_t version = hf_cursor_u16(&c);
    header->encoding.version = version <= 5 ? (uint8_t)version : 0;
    if (version < 2 || version > 5)
        hf_cursor_fail(&c);
    if (version >= 5) {
        header->encoding.address_size = hf_cursor_u8(&c);
        (void)hf_cursor_u8(&c); /* segment selector size */
    }
    uint64_t header_length = hf_cursor_dwarf_offset(&c, &header->encoding);
    header->program_offset = hf_cursor_offset(&c) + header_length;
    header->minimum_instruction_length = hf_cursor_u8(&c);
    uint8_t operations = version >= 4 ? hf_cursor_u8(&c) : 1;
    (void)hf_cursor_u8(&c); /* default is_stmt: every row is used */
    header->line_base = (int8_t)hf_cursor_u8(&c);
    header->line_range = hf_cursor_u8(&c);
    header->opcode_base = hf_cursor_u8(&c);
    for (unsigned i = 1; i < header->opcode_base; i++)
        header->operand_counts[i] = hf_cursor_u8(&c);
    header->tables_offset = hf_cursor_offset(&c);
    if (header->line_range == 0 || header_length > header->end ||
        header->program_offset > header->end || header->program_offset < header->tables_offset)
        hf_cursor_fail(&c);
    enum hf_status status = hf_cursor_check(&c, "the head of a line table", err);
    if (status == HF_OK && operations > 1)
        return hf_error_set(err, HF_ERR_INPUT,
            "the line table at 0x%llx has %u operations per instruction (for a VLIW machine); only "
            "1 is supported",
            (unsigned long long)unit->line_offset, /* never 1 */ operations);
    return status;
}
