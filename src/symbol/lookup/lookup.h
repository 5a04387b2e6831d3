/*
 * lookup.h: what the files of a module say of addresses: functions, inlined calls, lines, symbols.
 *
 * Debug information answers first, then the symbol table of the image, then that of the debug
 * file. Call frame information tells where a function begins that none of them has, and that a
 * symbol without size does not reach as far as the address. Before all that, the cache (cache.h)
 * tells what they said before: only what it does not know makes the debug information be looked for
 * and read. Which of the names is shown is
 * naming.h's business.
 *
 * Example:
 *
 *     struct hf_module_files files = {0}; // as hf_module_files_open_any leaves it
 *     struct hf_symbol_options options = {0};
 *     struct hf_notes notes = {0};
 *     struct hf_lookup lookup = {0};
 *     static const uint64_t addresses[] = {0x1130, 0x1190};
 *     status = hf_lookup_run(&lookup, &files, &options, addresses, 2, &notes, err);
 *     if (status == HF_OK)
 *         hf_out_text(out, lookup.findings[hf_lookup_find(&lookup, 0x1190)].symbol);
 *     hf_lookup_done(&lookup);
 */
#ifndef HF_SYMBOL_LOOKUP_H
#define HF_SYMBOL_LOOKUP_H

#include "elf/symtab.h"
#include "symbol/lookup/module_files.h"

/*
 * All-zero is empty. Names and paths are the files', up to their next look-up; what the cache knew
 * borrows from it.
 */
struct hf_lookup {
    uint64_t *addresses; /* sorted, distinct */
    size_t count;
    struct hf_finding *findings;  /* by address */
    struct hf_dwarf_result dwarf; /* of what was not in the cache */
    struct hf_arena arena;        /* frames of what was; names */
    uint64_t generation; /* while it is the same, equal texts of the files are the same bytes */
    bool is_void;        /* a file was cut short or written to meanwhile: nothing is known */
};

/*
 * Looks up `count` virtual addresses of the image, in any order. Damaged debug information is no
 * error: what is sound answers, and `notes` says what is missing. If a file was cut short or
 * written to while it was read, nothing is found, and files->why says so. Call done in either case.
 */
HF_MUST_CHECK enum hf_status hf_lookup_run(struct hf_lookup *lookup, struct hf_module_files *files,
    const struct hf_symbol_options *options, const uint64_t *addresses, size_t count,
    struct hf_notes *notes, struct hf_error *err);
void hf_lookup_done(struct hf_lookup *lookup);

/* Where the answer for `address`, one of those asked for, lies in places and symbols. */
size_t hf_lookup_find(const struct hf_lookup *lookup, uint64_t address);

#endif
