/*
 * package.h: packages of split DWARF (.dwp): the sections of many .dwo files, one behind the other,
 * and an index that says where those of each unit lie.
 *
 *     index  = head, table of ids, table of rows, columns, offsets, sizes
 *     head   = version (u32), columns, units, slots: u32 each; version 5 is a u16, and then 0
 *     ids    = u64 for each slot; rows = u32 for each slot: 0: empty, else a row from 1 on
 *     columns = what section each is of (enum hf_dw_sect); offsets, sizes = a row for each unit
 *
 * The slot of an id is found by hashing, its number of slots being a power of 2. Versions: 2, of
 * the GNU extension, which has DWARF 4, and 5. Type units have an index of their own, which is not
 * read: they hold no code. The strings are shared by all.
 *
 * Source: DWARF 5, section 7.3.5; for version 2 the GCC wiki, "DebugFissionDWP".
 */
#ifndef HF_DWARF_PACKAGE_H
#define HF_DWARF_PACKAGE_H

#include "dwarf/sections.h"

/* All-zero: a package without units. */
struct hf_package {
    const struct hf_dwarf_sections *sections; /* of the whole package; borrowed */
    struct hf_text index;                     /* .debug_cu_index; borrowed */
    uint16_t version;                         /* 2 or 5 */
    uint32_t column_count, unit_count, slot_count;
    uint64_t rows_offset, columns_offset, offsets_offset, sizes_offset; /* in the index */
};

/* Reads the head of the index. HF_ERR_INPUT: damaged, or of an unknown version. */
HF_MUST_CHECK enum hf_status hf_package_read(struct hf_package *package, struct hf_text index,
    const struct hf_dwarf_sections *sections, struct hf_error *err);

/*
 * The sections of the unit with this id. HF_ERR_INPUT: there is none, or its row is damaged;
 * HF_ERR_LIMIT: HF_LIMIT_PACKAGE_STEPS.
 */
HF_MUST_CHECK enum hf_status hf_package_find(const struct hf_package *package, uint64_t id,
    struct hf_dwarf_sections *out_sections, struct hf_error *err);

#endif
