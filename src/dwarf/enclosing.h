/*
 * enclosing.h: the entries that an entry of .debug_info stands in.
 *
 * Entries do not refer to the one above them, so the unit is walked from its start; what cannot
 * hold the entry is passed over where siblings allow it (DWARF 5, section 2.3).
 *
 * Example:
 *
 *     struct hf_dwarf_sections sections = {.name = "server"}; // texts of the sections
 *     struct hf_units units = {0};
 *     uint64_t around[HF_ENCLOSING_MAX], read = 0, die = 0x1d0fcfc;
 *     status = hf_units_scan(&units, &sections, err);
 *     struct hf_unit *unit = hf_units_at(&units, die);
 *     if (unit != NULL && status == HF_OK)
 *         status = hf_unit_need_abbrevs(unit, &sections, err);
 *     size_t count = 0;
 *     if (unit != NULL && status == HF_OK)
 *         count = hf_enclosing_entries(unit, &sections, die, around, &read);
 *     if (count == 0)
 *         hf_out_string(out, "it stands in nothing but its unit, or too deep");
 */
#ifndef HF_DWARF_ENCLOSING_H
#define HF_DWARF_ENCLOSING_H

#include "dwarf/unit.h"

#define HF_ENCLOSING_MAX 64 /* real: namespaces, classes, functions and their blocks: 20 */

/*
 * Puts the offsets of the entries around `die` into `around`, the outermost first, without the root
 * of the unit. Returns how many; 0 also if they are more, or the unit is damaged before the entry.
 * The abbreviations of the unit must have been read. Adds to *read_count how many entries it read.
 */
size_t hf_enclosing_entries(const struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    uint64_t die, uint64_t around[HF_ENCLOSING_MAX], uint64_t *read_count);

#endif
