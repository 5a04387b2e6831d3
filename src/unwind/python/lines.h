/*
 * lines.h: the lines of a Python code object: co_linetable of CPython 3.11 to 3.13.
 *
 * The table is a row of entries, each for 1 to 8 code units of 2 bytes. Its first byte is
 * 0x80 | kind << 3 | (units - 1); the further bytes have the upper bit clear:
 *
 *     kind 0 to 9     1 byte of columns, the line stays
 *     kind 10 to 12   2 bytes of columns, the line grows by kind - 10
 *     kind 13         signed varint: by how much the line changes; no columns
 *     kind 14         signed varint, then three varints: last line, columns
 *     kind 15         no line; that of the entry before still counts for the next
 *
 * A varint has 6 bits a byte, the lowest first, 0x40 if more follow; a signed one has its sign in
 * the lowest bit. Source: Objects/locations.md of CPython 3.11.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_UNWIND_PYTHON_LINES_H
#define HF_UNWIND_PYTHON_LINES_H

#include "base/text.h"

#include <stdint.h>

/* The line of the instruction at byte `offset` of the code; 0: it has none, or the table is
 * damaged. */
uint32_t hf_python_line(struct hf_text table, uint32_t first_line, uint32_t offset);

#endif
