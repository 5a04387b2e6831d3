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

#endif
