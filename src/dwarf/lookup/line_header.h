/*
 * line_header.h: the head of a line table, shared by the reader of rows and the reader of files.
 */
#ifndef HF_DWARF_LINE_HEADER_H
#define HF_DWARF_LINE_HEADER_H

#include "dwarf/unit.h"

struct hf_line_header {
    struct hf_dwarf_encoding encoding;
    uint8_t minimum_instruction_length, line_range, opcode_base;
    int8_t line_base;
    uint8_t operand_counts[256];  /* by standard opcode */
    uint64_t tables_offset;       /* of folders and files, in .debug_line */
    uint64_t program_offset, end; /* of the program */
};

/* Reads the head of the unit's line table. HF_ERR_INPUT if it is damaged or unknown. */
HF_MUST_CHECK enum hf_status hf_line_header_read(struct hf_line_header *header,
    const struct hf_unit *unit, const struct hf_dwarf_sections *sections, struct hf_error *err);

#endif
