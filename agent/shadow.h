/*
 * shadow.h: a number for each 32 bytes of address space, 0 until another is stored.
 *
 * The numbers of 512 MiB lie in one mapping of 64 MiB, a *piece*, which is made when the first is
 * asked for; an array of pointers, one for each piece, says where it is. Of both only the pages
 * take memory in which something was stored: an eighth of a heap of small blocks, less of one of
 * large blocks.
 *
 * Cells are side by side where their addresses are, so that what was used together is found in the
 * processor's cache together. Any thread, no lock. A piece stays until all is forgotten.
 */
#ifndef HF_AGENT_SHADOW_H
#define HF_AGENT_SHADOW_H

#include "base/attr.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_SHADOW_CELL_BYTES UINT64_C(32) /* of address space, each */
#define HF_SHADOW_PIECE_BYTES (UINT64_C(512) << 20)
#define HF_SHADOW_HALF_BYTES (UINT64_C(1) << 47) /* of address space, which is the program's */
#define HF_SHADOW_PIECES (HF_SHADOW_HALF_BYTES / HF_SHADOW_PIECE_BYTES)

/* All-zero has no cells. */
struct hf_shadow {
    _Atomic uint32_t *_Atomic *pieces;
    bool is_closed; /* no more pieces are made */
};

/* From now on cells can be made. False without memory. */
HF_MUST_CHECK bool hf_shadow_begin(struct hf_shadow *shadow);

/* The cell of an address; NULL if none was made near it, or no program has it. */
static inline _Atomic uint32_t *hf_shadow_find(const struct hf_shadow *shadow, uintptr_t address)
{
    if (shadow->pieces == NULL || HF_UNLIKELY(address >= HF_SHADOW_HALF_BYTES))
        return NULL;
    _Atomic uint32_t *cells = atomic_load_explicit(
        &shadow->pieces[address / HF_SHADOW_PIECE_BYTES], memory_order_acquire);
    return cells != NULL ? &cells[address % HF_SHADOW_PIECE_BYTES / HF_SHADOW_CELL_BYTES] : NULL;
}

/* The cell will be asked for soon: it may be far away in memory. */
static inline void hf_shadow_expect(const struct hf_shadow *shadow, uintptr_t address)
{
    const _Atomic uint32_t *cell = hf_shadow_find(shadow, address);
    if (cell != NULL)
        __builtin_prefetch((const void *)(uintptr_t)cell, 1);
}

/* hf_shadow_find, made where there is none; NULL before hf_shadow_begin or without memory. */
_Atomic uint32_t *hf_shadow_make(struct hf_shadow *shadow, uintptr_t address);

/* As all-zero, memory given back: a child after fork. */
void hf_shadow_forget(struct hf_shadow *shadow);

#endif
