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
 *
 * Example:
 *
 *     struct hf_elf elf = {0}; // as hf_elf_open leaves it
 *     static const uint64_t addresses[] = {0x1030, 0x1040};
 *     struct hf_symbol symbols[2] = {0};
 *     struct hf_arena names = {0};
 *     status = hf_plt_resolve(&elf, addresses, 2, symbols, &names, err);
 *     for (size_t i = 0; i < 2; i++)
 *         hf_out_text(out, symbols[i].name);
 *     hf_arena_done(&names);
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

/*
 * The same for addresses of slots that code calls through itself (call *slot(%rip)): puts
 * "function", which is in no table. What is not such a slot gets no name.
 */
HF_MUST_CHECK enum hf_status hf_plt_resolve_slots(const struct hf_elf *elf, const uint64_t *slots,
    size_t count, struct hf_symbol *symbols, struct hf_arena *names, struct hf_error *err);

#endif
