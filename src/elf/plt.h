/*
 * plt.h: which function an entry of a procedure linkage table leads to.
 *
 *     [endbr64] [bnd] jmp *slot(%rip) ...
 *
 * Source: System V ABI, AMD64 Architecture Processor Supplement, 5.2 "Procedure Linkage Table" and
 * table 4.9 of relocations. An entry jumps to where its *slot* points; a relocation says of the
 * slot to which symbol, or by which resolver of an IFUNC, that will be. Sections .plt, .plt.sec,
 * .plt.got and .iplt of x86-64 images are read, as binutils, gold, lld and mold write them. The
 * first entry, which calls the dynamic linker, and those that jump to it, lead to no function.
 */
#ifndef HF_ELF_PLT_H
#define HF_ELF_PLT_H

#include "elf/symtab.h"

/*
 * For each of `count` sorted addresses that lies in such an entry and has no symbol yet, puts
 * "function@plt" into symbols; address and size are those of the entry. The names live in `names`,
 * what is too much for a sound file is not named.
 */
HF_MUST_CHECK enum hf_status hf_plt_resolve(const struct hf_elf *elf, const uint64_t *addresses,
    size_t count, struct hf_symbol *symbols, struct hf_arena *names, struct hf_error *err);

#endif
