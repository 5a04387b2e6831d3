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

/* What is not a size below is known only by reading the value: */
enum {
    HF_FORM_LEB = -1,   /* a LEB128 */
    HF_FORM_BLOCK = -2, /* its size as LEB128, then the bytes */
    HF_FORM_OTHER = -3,
};

/* Bytes of a value of this form, or one of the above. */
int hf_form_size(uint16_t form, const struct hf_dwarf_encoding *encoding);

/* Skips one value of HF_FORM_OTHER. */
void hf_form_skip_other(
    struct hf_cursor *c, uint16_t form, const struct hf_dwarf_encoding *encoding);

/* Skips one value of a form that has this hf_form_size. */
static inline void hf_form_skip(
    struct hf_cursor *c, uint16_t form, int size, const struct hf_dwarf_encoding *encoding)
{
    if (size >= 0)
        hf_cursor_skip(c, (uint64_t)size);
    else if (size == HF_FORM_LEB)
        hf_cursor_skip_leb(c);
    else if (size == HF_FORM_BLOCK)
        hf_cursor_skip(c, hf_cursor_uleb(c));
    else
        hf_form_skip_other(c, form, encoding);
}

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
