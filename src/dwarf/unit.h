/*
 * unit.h: the units of .debug_info: headers, and what their root entry says.
 *
 * Source: DWARF 5, sections 7.5.1 and 3.1; versions 2 to 4 likewise. Units that hold no code of
 * their own (type units) are listed, because offsets point into them, but have no addresses.
 *
 * Example:
 *
 *     struct hf_dwarf_sections sections = {.name = "server"}; // texts of the sections
 *     struct hf_units units = {0};
 *     status = hf_units_scan(&units, &sections, err);
 *     for (size_t i = 0; i < units.count && status == HF_OK; i++)
 *         status = hf_unit_read_root(&units.items[i], &sections, err);
 *     hf_units_done(&units);
 */
#ifndef HF_DWARF_UNIT_H
#define HF_DWARF_UNIT_H

#include "dwarf/abbrev.h"
#include "dwarf/sections.h"

struct hf_unit {
    uint64_t offset, end; /* of the unit in .debug_info, header included */
    uint64_t first_die;   /* offset of the root entry */
    uint64_t abbrev_offset;
    struct hf_dwarf_encoding encoding;
    uint8_t type; /* enum hf_dw_ut */

    /* From the root entry. */
    uint64_t low_pc, high_pc;
    uint64_t ranges; /* value of DW_AT_ranges */
    uint64_t line_offset, str_offsets_base, addr_base, rnglists_base;
    uint64_t ranges_base;       /* what offsets in .debug_ranges count from */
    uint64_t split_ranges_base; /* the same for the unit that this is the skeleton of */
    struct hf_text comp_dir;
    struct hf_text dwo_name; /* of the file that has all but the lines (split DWARF); or empty */
    uint64_t dwo_id;         /* which unit of that file; 0: none */
    uint16_t ranges_form;    /* 0: no DW_AT_ranges */
    bool has_root;           /* it could be read */
    bool has_low_high, has_line;
    bool is_compiled;   /* not what units share (partial, type) */
    bool has_no_scopes; /* its language is known, and is not C++ */

    /* Read when the unit is needed. */
    struct hf_abbrev_table abbrevs;
    bool has_abbrevs;

    /* Queries (indices of sorted addresses) whose address this unit claims; sorted. */
    uint32_t *queries;
    size_t query_count, query_capacity;
};

struct hf_units {
    struct hf_unit *items; /* by offset */
    size_t count, capacity;
};

/*
 * Lists the units. A damaged header ends the list: what came before holds, and the error says
 * where (the caller notes it).
 */
HF_MUST_CHECK enum hf_status hf_units_scan(
    struct hf_units *units, const struct hf_dwarf_sections *sections, struct hf_error *err);
void hf_units_done(struct hf_units *units);

/* The unit that contains `offset`, or NULL. */
struct hf_unit *hf_units_at(const struct hf_units *units, uint64_t offset);

/* Reads the root entry with as little of the abbreviations as it needs. */
HF_MUST_CHECK enum hf_status hf_unit_read_root(
    struct hf_unit *unit, const struct hf_dwarf_sections *sections, struct hf_error *err);

/* Reads the abbreviations if they are not read yet. */
HF_MUST_CHECK enum hf_status hf_unit_need_abbrevs(
    struct hf_unit *unit, const struct hf_dwarf_sections *sections, struct hf_error *err);

/* A cursor over .debug_info that ends with the unit, at `offset`. */
struct hf_cursor hf_unit_cursor(
    const struct hf_unit *unit, const struct hf_dwarf_sections *sections, uint64_t offset);

/* The entry in .debug_info that a value of a reference form stands for; 0: it is in another file,
 * or in a unit of types. */
static inline uint64_t hf_unit_reference(const struct hf_unit *unit, uint16_t form, uint64_t value)
{
    if (hf_form_is_supplement(form) || form == DW_FORM_ref_sig8)
        return 0;
    return form == DW_FORM_ref_addr ? value : unit->offset + value;
}

/* The address that a value of an address form stands for; 0 if the index is out of bounds. */
uint64_t hf_unit_address(const struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    uint16_t form, uint64_t value);

/*
 * True if the address is among the few bytes that align the next function: a function with call
 * frame information ends just before, and none that has it holds the address.
 */
bool hf_dwarf_is_padding(const struct hf_dwarf_sections *sections, uint64_t address);

/* The string that a value of a string form stands for; empty if it lies in a missing file. */
struct hf_text hf_unit_string(const struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    uint16_t form, uint64_t value);

#endif
