/*
 * go_table.h: functions, inlined calls, files and lines of Go programs, from a table that every Go
 * program has.
 *
 * Go's runtime prints stacks by a table of its own, .gopclntab, which no linker's -s or -w takes
 * away. All numbers are little-endian here; u is as wide as a pointer, 8 bytes.
 *
 *     header    magic u32, 0, 0, quantum u8, size of a pointer u8, number of functions u, then
 *       fffffffb  (Go 1.2)   functions u {entry, record}, end, u32 where the file names are
 *       fffffffa  (Go 1.16)  files u, where they are: names, units, file names, pairs, functions
 *       fffffff0  (Go 1.18)  files u, start of the code u, the same
 *       fffffff1  (Go 1.20)  the same
 *     functions {entry, record}, sorted, and the end of the last; u, since 1.18 u32 from the start
 *     record    entry (u, since 1.18 u32), name, size of arguments, defer, pcsp, pcfile, pcln,
 *               number of tables; since 1.16 unit; since 1.20 first line; kind u8, 2 bytes,
 *               number of data u8; then tables u32 each, data (u, since 1.18 u32 each)
 *     table     {change of the value, signed; length in quanta}: LEB128, from -1 at the entry on
 *     file      number, an index of the file names (1.2) or of those of the unit (1.16)
 *     inlined   data 3 is an array, table 2 its indices: caller s16, kind u8, file, line, name,
 *               where in the function the call stands, 20 bytes; since 1.20 kind u8, name, where,
 *               first line, 16 bytes
 *
 * The data are addresses until 1.17, then distances from go:func.*, which no symbol tells in a
 * stripped program: the runtime's moduledata, which begins with the address of the table, does.
 *
 * Source: Go, src/runtime/symtab.go, src/internal/abi/symtab.go, src/cmd/link/internal/ld/pcln.go,
 * and "Go 1.2 Runtime Symbol Information". Run on programs of Go 1.13 to 1.23. Not read: 32-bit and
 * big-endian ones, Go before 1.2, programs without section headers. Inlined calls of Go before 1.12
 * have another form and are passed over, as is each part of a table that makes no sense.
 *
 * Limit: HF_LIMIT_GO_STEPS.
 *
 * Example:
 *
 *     struct hf_elf elf = {0}; // as hf_elf_open leaves it
 *     struct hf_go_table table;
 *     if (hf_go_table_read(&table, &elf))
 *         hf_out_text(out, hf_go_table_function(&table, 0x45e8c0));
 */
#ifndef HF_ELF_GO_TABLE_H
#define HF_ELF_GO_TABLE_H

#include "base/cursor.h"
#include "elf/image.h"

#define HF_GO_CALLS 64 /* at one address */

struct hf_go_table {
    const struct hf_elf *elf;
    struct hf_text bytes; /* the section */
    uint32_t version;     /* 2, 16, 18 or 20 */
    uint32_t quantum;
    uint64_t count;                                     /* of functions */
    uint64_t start;                                     /* of the code; 0 before 1.18 */
    struct hf_text names, units, files, pairs, records; /* parts of bytes */
    uint64_t data;                                      /* go:func.*; 0: not found */
    uint64_t steps;
    uint32_t tries; /* to find data */
};

/* All text is of the image's bytes. */
struct hf_go_call {
    struct hf_text name, file; /* file may be empty */
    uint32_t line;             /* 0: not known */
};

/* False if the image has no such table. */
HF_MUST_CHECK bool hf_go_table_read(struct hf_go_table *table, const struct hf_elf *elf);

/*
 * The calls at `address`, a virtual address of the image, innermost first; their number, 0 if no
 * function of Go is there.
 */
size_t hf_go_table_find(
    struct hf_go_table *table, uint64_t address, struct hf_go_call out_calls[HF_GO_CALLS]);

/* The name of the function, not of what was inlined, at `address` of the image; empty if none of
 * Go is there. */
struct hf_text hf_go_table_function(struct hf_go_table *table, uint64_t address);

/* HF_ERR_LIMIT if a find was given up. */
HF_MUST_CHECK enum hf_status hf_go_table_check(
    const struct hf_go_table *table, struct hf_error *err);

#endif
