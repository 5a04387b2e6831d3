/*
 * form.h: attribute values: how long they are, and what they say.
 *
 * Source: DWARF 5, section 7.5.5 and 7.5.6 (table 7.6). Unknown forms cannot be skipped: the
 * cursor is latched, and the unit is given up.
 */
#ifndef HF_DWARF_FORM_H
#define HF_DWARF_FORM_H

#include "dwarf/abbrev.h"
#include "dwarf/constants.h"
#include "dwarf/sections.h"

/* Bytes of a value of this form, or -1 if that is only known by reading it. */
int hf_form_fixed_size(uint16_t form, const struct hf_dwarf_encoding *encoding);

/* Skips one value. */
void hf_form_skip(struct hf_cursor *c, uint16_t form, const struct hf_dwarf_encoding *encoding);

/*
 * Reads one value as a number: the constant, address, offset or index as it stands (addrx and strx
 * are not resolved); for an inline string the offset of its first byte; for a block 0.
 */
uint64_t hf_form_read(struct hf_cursor *c, const struct hf_abbrev_attribute *attribute,
    const struct hf_dwarf_encoding *encoding);

/* True if the value is an index into .debug_addr. */
static inline bool hf_form_is_address_index(uint16_t form)
{
    return form == DW_FORM_addrx || (form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4) ||
           form == DW_FORM_GNU_addr_index;
}

/* True if the value is an address, given or by index (and not an offset from low_pc). */
static inline bool hf_form_is_address(uint16_t form)
{
    return form == DW_FORM_addr || hf_form_is_address_index(form);
}

/* Skips the attributes of one entry. */
static inline void hf_form_skip_all(struct hf_cursor *c, const struct hf_abbrev_table *table,
    const struct hf_abbrev *abbrev, const struct hf_dwarf_encoding *encoding)
{
    if (abbrev->fixed_size >= 0) {
        hf_cursor_skip(c, (uint64_t)abbrev->fixed_size);
        return;
    }
    const struct hf_abbrev_attribute *attributes = hf_abbrev_attributes(table, abbrev);
    for (size_t i = 0; i < abbrev->attribute_count; i++)
        hf_form_skip(c, attributes[i].form, encoding);
}

#endif
