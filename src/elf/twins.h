/*
 * twins.h: functions that the linker or the compiler made one, because they have the same bytes.
 *
 * Identical code folding (--icf of gold, lld and mold, -fipa-icf of GCC, mergefunc of LLVM) leaves
 * all their symbols at one place, with one size: which of them was called, nobody can tell. But
 * several names may also be of one function: its constructor or destructor in several forms, clones
 * (".cold"), Rust's hash, a version, and in C a name behind underscores ("__libc_malloc"). These
 * are no twins. Of C, other names are aliases that somebody wrote, unless the linker is one that
 * folds; what says so is .comment, or gold's note.
 */
#ifndef HF_ELF_TWINS_H
#define HF_ELF_TWINS_H

#include "elf/symtab.h"

/* More are not told apart: as many stands for "so many or more". */
#define HF_TWINS_MAX 100u

/*
 * Sets `twins` of symbols that are sorted by address and size: how many functions have these bytes,
 * 0 if it is one. Where the budget ends, the rest stays 0.
 */
void hf_twins_mark(struct hf_symbol *symbols, size_t count, const struct hf_elf *elf);

/* Symbols of which some are asked about. All-zero is empty. */
struct hf_twin_list {
    struct hf_symbol *items;
    size_t count, capacity;
};
void hf_twin_list_done(struct hf_twin_list *list);

/* False: no memory. */
HF_MUST_CHECK bool hf_twin_list_add(struct hf_twin_list *list, const struct hf_symbol *symbol);

/* Before hf_twin_list_find, when all are in the list. */
void hf_twin_list_mark(struct hf_twin_list *list, const struct hf_elf *elf);

/* How many functions have the bytes of `symbol`; 0: one. */
uint32_t hf_twin_list_find(const struct hf_twin_list *list, const struct hf_symbol *symbol);

#endif
