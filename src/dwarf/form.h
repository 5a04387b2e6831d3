/*
 * form.h: attribute values: how long they are, and what they say.
 *
 * Source: DWARF 5, section 7.5.5 and 7.5.6 (table 7.6). Unknown forms cannot be skipped: the
 * cursor is latched, and the unit is given up.
 */
#ifndef HF_DWARF_FORM_H
#define HF_DWARF_FORM_H

#include "dwarf/constants.h"
#include "dwarf/sections.h"

#include <stdbool.h>

/* Bytes of a value of this form, or -1 if that is only known by reading it. */
int hf_form_fixed_size(uint16_t form, const struct hf_dwarf_encoding *encoding);

/* Skips one value. */
void hf_form_skip(struct hf_cursor *c, uint16_t form, const struct hf_dwarf_encoding *encoding);

/*
 * Reads one value as a number: the constant, address, offset or index as it stands (addrx and strx
 * are not resolved); for an inline string the offset of its first byte; for a block 0. `implicit`
 * is the value of DW_FORM_implicit_const, which stands in the abbreviation.
 */
uint64_t hf_form_read(
    struct hf_cursor *c, uint16_t form, int64_t implicit, const struct hf_dwarf_encoding *encoding);

/* Reads a value of so many bytes; 0 for those too long to be a number. */
uint64_t hf_form_read_sized(struct hf_cursor *c, int size);

/* True if the value is an index into .debug_addr. */
static inline bool hf_form_is_address_index(uint16_t form)
{
    return form == DW_FORM_addrx || (form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4) ||
           form == DW_FORM_GNU_addr_index;
}

/* True if the value is an offset in the supplementary file (dwz). */
static inline bool hf_form_is_supplement(uint16_t form)
{
    return form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt ||
           form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8 || form == DW_FORM_strp_sup;
}

/* True if the value is an address, given or by index (and not an offset from low_pc). */
static inline bool hf_form_is_address(uint16_t form)
{
    return form == DW_FORM_addr || hf_form_is_address_index(form);
}

#endif
