#include "dwarf/form.h"

int hf_form_size(uint16_t form, const struct hf_dwarf_encoding *encoding)
{
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const: return 0;
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1: return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2: return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3: return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4: return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8: return 8;
    case DW_FORM_data16: return 16;
    case DW_FORM_addr: return encoding->address_size;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt: return encoding->offset_size;
    /* DWARF 2 gave it the size of an address (DWARF 3, appendix F.2). */
    case DW_FORM_ref_addr:
        return encoding->version <= 2 ? encoding->address_size : encoding->offset_size;
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index: return HF_FORM_LEB;
    case DW_FORM_block:
    case DW_FORM_exprloc: return HF_FORM_BLOCK;
    default: return HF_FORM_OTHER;
    }
}

void hf_form_skip_other(
    struct hf_cursor *c, uint16_t form, const struct hf_dwarf_encoding *encoding)
{
    switch (form) {
    case DW_FORM_string: (void)hf_cursor_string(c); return;
    case DW_FORM_block1: hf_cursor_skip(c, hf_cursor_u8(c)); return;
    case DW_FORM_block2: hf_cursor_skip(c, hf_cursor_u16(c)); return;
    case DW_FORM_block4: hf_cursor_skip(c, hf_cursor_u32(c)); return;
    case DW_FORM_indirect: {
        uint64_t real = hf_cursor_uleb(c);
        if (real == DW_FORM_indirect || real > UINT16_MAX)
            hf_cursor_fail(c);
        else
            hf_form_skip(c, (uint16_t)real, hf_form_size((uint16_t)real, encoding), encoding);
        return;
    }
    default: hf_cursor_fail(c);
    }
}

uint64_t hf_form_read_sized(struct hf_cursor *c, int size)
{
    switch (size) {
    case 1: return hf_cursor_u8(c);
    case 2: return hf_cursor_u16(c);
    case 3: return hf_cursor_u24(c);
    case 4: return hf_cursor_u32(c);
    case 8: return hf_cursor_u64(c);
    default: hf_cursor_skip(c, (uint64_t)size); return 0;
    }
}

uint64_t hf_form_read(
    struct hf_cursor *c, uint16_t form, int64_t implicit, const struct hf_dwarf_encoding *encoding)
{
    int size = hf_form_size(form, encoding);
    if (size > 0)
        return hf_form_read_sized(c, size);
    if (size == HF_FORM_LEB)
        return form == DW_FORM_sdata ? (uint64_t)hf_cursor_sleb(c) : hf_cursor_uleb(c);
    switch (form) {
    case DW_FORM_flag_present: return 1;
    case DW_FORM_implicit_const: return (uint64_t)implicit;
    case DW_FORM_string: {
        uint64_t offset = hf_cursor_offset(c);
        (void)hf_cursor_string(c);
        return offset;
    }
    default: hf_form_skip(c, form, size, encoding); return 0;
    }
}
