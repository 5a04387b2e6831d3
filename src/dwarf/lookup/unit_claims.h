/*
 * unit_claims.h: which units claim which addresses.
 */
#ifndef HF_DWARF_UNIT_CLAIMS_H
#define HF_DWARF_UNIT_CLAIMS_H

#include "dwarf/queries.h"
#include "dwarf/unit.h"

/*
 * Reads the root of a unit and lists in unit->queries the addresses that its ranges hold. Other
 * units may claim them too. Touches nothing but the unit: units may be read in parallel.
 */
HF_MUST_CHECK enum hf_status hf_unit_claim(struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, const struct hf_queries *queries,
    struct hf_error *err);

/*
 * Makes the next unit behind `answer->owner` that claims the address its owner, for every address
 * that no function is known for. Returns how many addresses got one.
 */
size_t hf_unit_claims_next(const struct hf_units *units, struct hf_queries *queries);

#endif
