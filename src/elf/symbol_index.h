/*
 * symbol_index.h: the symbols of an image, sorted, for repeated look-ups.
 *
 * symtab.h passes over the whole table for a batch of addresses, which is cheapest once. An index
 * costs some of those passes; then an answer, the same one, is a binary search.
 */
#ifndef HF_ELF_SYMBOL_INDEX_H
#define HF_ELF_SYMBOL_INDEX_H

#include "elf/symtab.h"

/* All-zero is not made. Names borrow from the image. Any thread, once made. */
struct hf_symbol_index {
    const struct hf_elf *elf;
    struct hf_symbol *symbols; /* by address; of several the one that reaches furthest last */
    uint64_t *reach;           /* how far the symbols up to here reach */
    size_t count, capacity;
    bool is_made;
    bool is_refused; /* set by the caller: it cannot be made */
};

/* HF_ERR_LIMIT: the tables are too large (HF_LIMIT_SYMBOL_STEPS). Call done in either case. */
HF_MUST_CHECK enum hf_status hf_symbol_index_make(
    struct hf_symbol_index *index, const struct hf_elf *elf, struct hf_error *err);
void hf_symbol_index_done(struct hf_symbol_index *index);

/* As hf_symtab_resolve, but in any order of addresses. */
HF_MUST_CHECK enum hf_status hf_symbol_index_resolve(const struct hf_symbol_index *index,
    const uint64_t *addresses, size_t count, struct hf_symbol *symbols, struct hf_error *err);

#endif
