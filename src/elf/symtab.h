/*
 * symtab.h: which symbol contains an address.
 *
 * Source: System V ABI, chapter 4, "Symbol Table". A symbol contains [value, value + size). A
 * symbol of size 0 (assembler code) reaches to the next symbol of its section, and only if no
 * sized one lies between; of .dynsym, which does not list them all, it names nothing. Nothing else
 * is ever named: the nearest symbol before an address is not its name. Of several symbols at one
 * place the public one wins: global, weak, local; then functions before untyped labels; then the
 * name with fewer leading underscores, the shorter one, the first in byte order. Before all that,
 * where equal functions were folded into one, comes the one that debug information describes.
 *
 * One pass over the table for all addresses; nothing is sorted or copied. Any thread.
 * Hostile files have thousands of headers for one table, or thousands of symbols with one long
 * name: all tables of an image together cost at most HF_LIMIT_SYMBOL_STEPS.
 *
 * Example:
 *
 *     struct hf_elf elf = {0}; // as hf_elf_open leaves it
 *     static const uint64_t addresses[] = {0x1130, 0x1190};
 *     struct hf_symbol symbols[2] = {0};
 *     status = hf_symtab_resolve(&elf, addresses, 2, symbols, err);
 *     for (size_t i = 0; i < 2; i++)
 *         hf_out_text(out, symbols[i].name);
 */
#ifndef HF_ELF_SYMTAB_H
#define HF_ELF_SYMTAB_H

#include "elf/image.h"

struct hf_symbol {
    struct hf_text name; /* mangled, without version; size 0: no symbol contains the address */
    uint64_t address, size;
    uint32_t rank;        /* of the rule above; internal */
    uint32_t twins;       /* how many functions have these bytes; 0: one (elf/twins.h) */
    struct hf_text plain; /* given: DW_AT_name of the function there; may be empty */
};

/*
 * For each of `count` sorted addresses (virtual addresses of `elf`) puts the symbol that contains
 * it into symbols, unless one is there already. Reads .symtab and .dynsym. Names borrow from
 * `elf`. A damaged table ends the search. HF_ERR_LIMIT: so did the limit. What was found holds.
 */
HF_MUST_CHECK enum hf_status hf_symtab_resolve(const struct hf_elf *elf, const uint64_t *addresses,
    size_t count, struct hf_symbol *symbols, struct hf_error *err);

/* The rule above, for two symbols that are not the same; `_for`: where a function has that name. */
bool hf_symbol_is_better(const struct hf_symbol *a, const struct hf_symbol *b);
bool hf_symbol_is_better_for(
    const struct hf_symbol *a, const struct hf_symbol *b, struct hf_text plain);

/* End of the executable section that holds `address`, 0 if none does. */
uint64_t hf_elf_code_end(const struct hf_elf *elf, uint64_t address);

/* A name whose address is asked for. */
struct hf_symbol_query {
    struct hf_text name;
    uint64_t address;
    bool is_found, is_ambiguous; /* symbols of the name lie at several addresses */
};

/*
 * Answers `queries`, which are sorted by name and distinct; adds to earlier answers. HF_ERR_LIMIT:
 * the answers are of no use, a name may have another place.
 */
HF_MUST_CHECK enum hf_status hf_symtab_find(
    const struct hf_elf *elf, struct hf_symbol_query *queries, size_t count, struct hf_error *err);

/*
 * Tells of every defined symbol of a function or variable, without its version, and of the label
 * of code. `type` is STT_FUNC, STT_GNU_IFUNC, STT_OBJECT, STT_NOTYPE ...; `is_local`: no other
 * image sees it. HF_ERR_LIMIT: there are more.
 */
typedef void hf_symbol_visit(
    void *context, const struct hf_symbol *symbol, unsigned type, bool is_local);
HF_MUST_CHECK enum hf_status hf_symtab_each(
    const struct hf_elf *elf, hf_symbol_visit *visit, void *context, struct hf_error *err);

/* The same of variables of threads: their `address` counts from the start of what a thread has. */
HF_MUST_CHECK enum hf_status hf_symtab_each_thread_local(
    const struct hf_elf *elf, hf_symbol_visit *visit, void *context, struct hf_error *err);

#endif
