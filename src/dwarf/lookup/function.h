/*
 * function.h: the functions and inlined calls around the addresses that a unit owns.
 *
 * Source: DWARF 5, sections 3.3.1 (subprogram) and 3.3.8 (inlined_subroutine). Entries whose
 * ranges hold no asked-for address are passed over with all below, by DW_AT_sibling where there
 * is one. Names are not read here: an answer keeps the offset of the entry that has them.
 */
#ifndef HF_DWARF_FUNCTION_H
#define HF_DWARF_FUNCTION_H

#include "base/containers/arena.h"
#include "dwarf/queries.h"
#include "dwarf/unit.h"

/*
 * Finds the calls for every query of the unit that it owns and that has none yet. First without
 * the insides of types and namespaces (GCC puts code at unit level), then, if something is still
 * missing, with them. Calls come from `arena`. Damage ends the walk; what was found holds.
 */
HF_MUST_CHECK enum hf_status hf_unit_find_functions(struct hf_unit *unit, uint32_t unit_index,
    const struct hf_dwarf_sections *sections, struct hf_queries *queries, struct hf_arena *arena,
    struct hf_error *err);

/* Where a call is. */
struct hf_listed_range {
    uint64_t low, high;
    struct hf_inlined_call *call;
    struct hf_inlined_call *around; /* what counts only where this one is; NULL: nothing */
};

/* All calls of a unit, in the order of their entries. All-zero is empty. */
struct hf_call_list {
    struct hf_arena arena; /* of the calls */
    struct hf_listed_range *ranges;
    size_t count, capacity;
};

/*
 * Adds the calls of the whole unit, as one pass of hf_unit_find_functions sees them: the first, or
 * the thorough second one. Of several ranges at an address that are in the same call, the first
 * holds it.
 */
HF_MUST_CHECK enum hf_status hf_unit_list_functions(struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, bool is_thorough, struct hf_call_list *list,
    struct hf_error *err);
void hf_call_list_done(struct hf_call_list *list);

/* Keeps the calls alone. */
void hf_call_list_forget_ranges(struct hf_call_list *list);

#endif
