/*
 * ranges.h: the address ranges of an entry.
 *
 * Source: DWARF 5, section 2.17.3 and 7.25 (.debug_rnglists); DWARF 4, section 2.17.3
 * (.debug_ranges). Empty ranges are passed over, and so are those at address 0: that is where
 * linkers leave functions that they threw away (--gc-sections), and no code of a process is there.
 *
 * Example:
 *
 *     struct hf_dwarf_sections sections = {.name = "server"};
 *     struct hf_unit unit = {0}; // as hf_unit_read_root leaves it
 *     hf_range_fn see_range = NULL; // adds [low, high) to what `context` holds
 *     uint64_t bytes = 0;
 *     if (unit.ranges_form != 0)
 *         hf_ranges_walk(&unit, &sections, unit.ranges_form, unit.ranges, see_range, &bytes);
 */
#ifndef HF_DWARF_RANGES_H
#define HF_DWARF_RANGES_H

#include "dwarf/unit.h"

/* Called for each [low, high). Returns false to end the list early. */
typedef bool (*hf_range_fn)(void *context, uint64_t low, uint64_t high);

/*
 * Walks the list that a DW_AT_ranges of this form and value names. A damaged list ends early, and
 * none is begun when the effort for the file is spent: hf_dwarf_spend then tells the caller.
 */
void hf_ranges_walk(const struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    uint16_t form, uint64_t value, hf_range_fn visit, void *context);

#endif
