/*
 * lookup.h: what the files of a module say of addresses: functions, inlined calls, lines, symbols.
 *
 * Debug information answers first, then the symbol table of the image, then that of the debug
 * file. Call frame information tells where a function begins that none of them has, and that a
 * symbol without size does not reach as far as the address. Which of the names is shown is
 * naming.h's business.
 */
#ifndef HF_SYMBOL_LOOKUP_H
#define HF_SYMBOL_LOOKUP_H

#include "dwarf/resolve.h"
#include "elf/symtab.h"
#include "symbol/module_files.h"

/* All-zero is empty. Names borrow from the files, which must stay open. */
struct hf_lookup {
    uint64_t *addresses; /* sorted, distinct */
    size_t count;
    struct hf_symbol *symbols; /* by address */
    uint64_t *starts;          /* by address: of its function, if that has no name; 0: unknown */
    struct hf_arena names;     /* of symbols that no table has: "malloc@plt" */
    struct hf_dwarf_result dwarf;
};

/*
 * Looks up `count` virtual addresses of the image, in any order. Damaged debug information is no
 * error: what is sound answers, and `notes` says what is missing. Call done in either case.
 */
HF_MUST_CHECK enum hf_status hf_lookup_run(struct hf_lookup *lookup,
    const struct hf_module_files *files, const uint64_t *addresses, size_t count,
    struct hf_notes *notes, struct hf_error *err);
void hf_lookup_done(struct hf_lookup *lookup);

/* Where the answer for `address`, one of those asked for, lies in symbols and dwarf.places. */
size_t hf_lookup_find(const struct hf_lookup *lookup, uint64_t address);

#endif
