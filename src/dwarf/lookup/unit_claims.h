/*
 * unit_claims.h: which units claim which addresses.
 */
#ifndef HF_DWARF_UNIT_CLAIMS_H
#define HF_DWARF_UNIT_CLAIMS_H

#include "base/containers/spans.h"
#include "dwarf/queries.h"
#include "dwarf/unit.h"

/*
 * Reads the root of a unit and lists in unit->queries the addresses that its ranges hold. Other
 * units may claim them too. Touches nothing but the unit: units may be read in parallel.
 */
HF_MUST_CHECK enum hf_status hf_unit_claim(struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, const struct hf_queries *queries,
    struct hf_error *err);

/* The ranges of all units, for who asks more than once. All-zero is not listed yet. */
struct hf_claims {
    struct hf_spans ranges; /* by unit */
    bool is_listed;
};

/* Lists the ranges of units that were asked for claims before. */
HF_MUST_CHECK enum hf_status hf_claims_list(struct hf_claims *claims, const struct hf_units *units,
    const struct hf_dwarf_sections *sections, struct hf_error *err);

/* Does for all units, which have no queries now, what hf_unit_claim does for one. */
HF_MUST_CHECK enum hf_status hf_claims_give(const struct hf_claims *claims, struct hf_units *units,
    const struct hf_dwarf_sections *sections, const struct hf_queries *queries,
    struct hf_error *err);
void hf_claims_done(struct hf_claims *claims);

/*
 * Makes the next unit behind `answer->owner` that claims the address its owner, for every address
 * that no function is known for. *out_given: how many addresses got one.
 */
HF_MUST_CHECK enum hf_status hf_unit_claims_next(const struct hf_units *units,
    struct hf_queries *queries, size_t *out_given, struct hf_error *err);

#endif
