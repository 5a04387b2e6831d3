#include "dwarf/package.h"

#include "base/limits.h"
#include "base/plural.h"
#include "dwarf/constants.h"

#define INDEX ".debug_cu_index"
#define HEAD_BYTES 16
#define COLUMNS_MAX 8 /* kinds of sections: no more are known, and none comes twice */

static struct hf_cursor index_at(const struct hf_package *package, uint64_t offset)
{
    struct hf_cursor c = hf_section_cursor(package->index, INDEX);
    hf_cursor_seek(&c, offset);
    return c;
}

enum hf_status hf_package_read(struct hf_package *package, struct hf_text index,
    const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    *package = (struct hf_package){.sections = sections, .index = index};
    struct hf_cursor c = index_at(package, 0);
    /* A version is below 2^16: the upper half of version 2 is the padding of version 5. */
    package->version = hf_cursor_u16(&c);
    (void)hf_cursor_u16(&c);
    package->column_count = hf_cursor_u32(&c);
    package->unit_count = hf_cursor_u32(&c);
    package->slot_count = hf_cursor_u32(&c);
    if (hf_cursor_failed(&c))
        return hf_cursor_check(&c, "the index of a package", err);
    uint64_t slots = package->slot_count;
    if (package->version != 2 && package->version != 5)
        return hf_error_set(
            err, HF_ERR_INPUT, INDEX " is of version %u: expected 2 or 5", package->version);
    if ((slots & (slots - 1)) != 0 || package->column_count > COLUMNS_MAX)
        return hf_error_set(err, HF_ERR_INPUT,
            INDEX " is damaged: it has %u %s and %u %s, expected up to %d and a power of 2",
            package->column_count, hf_plural(package->column_count, "column", "columns"),
            package->slot_count, hf_plural(package->slot_count, "slot", "slots"), COLUMNS_MAX);
    uint64_t row_size = package->column_count * sizeof(uint32_t);
    /* None of these wraps: rows and slots are below 2^32, and few bytes each. */
    package->rows_offset = hf_cursor_offset(&c) + slots * sizeof(uint64_t);
    package->columns_offset = package->rows_offset + slots * sizeof(uint32_t);
    package->offsets_offset = package->columns_offset + row_size;
    package->sizes_offset = package->offsets_offset + package->unit_count * row_size;
    hf_cursor_seek(&c, package->sizes_offset + package->unit_count * row_size);
    return hf_cursor_check(&c, "the index of a package", err);
}

/* The row of the unit with this id; HF_OK and 0 if there is none. */
static enum hf_status package_find_row(
    const struct hf_package *package, uint64_t id, uint32_t *out_row, struct hf_error *err)
{
    uint64_t mask = (uint64_t)package->slot_count - 1;
    uint64_t slot = id & mask, step = ((id >> 32) & mask) | 1;
    *out_row = 0;
    for (uint32_t i = 0; i < package->slot_count; i++, slot = (slot + step) & mask) {
        struct hf_cursor ids = index_at(package, HEAD_BYTES + slot * sizeof(uint64_t));
        struct hf_cursor rows = index_at(package, package->rows_offset + slot * sizeof(uint32_t));
        uint32_t row = hf_cursor_u32(&rows);
        if (i == HF_LIMIT_PACKAGE_STEPS)
            return hf_error_set(err, HF_ERR_LIMIT,
                INDEX " needs more than %u steps to find a unit (HF_LIMIT_PACKAGE_STEPS)",
                HF_LIMIT_PACKAGE_STEPS);
        if (row != 0 && hf_cursor_u64(&ids) != id)
            continue;
        *out_row = row;
        return HF_OK;
    }
    return HF_OK;
}

/* Where the part of one column goes to; NULL: it is not read. */
static struct hf_text *section_of(
    const struct hf_package *package, uint32_t kind, struct hf_dwarf_sections *sections)
{
    switch (kind) {
    case DW_SECT_INFO: return &sections->info;
    case DW_SECT_ABBREV: return &sections->abbrev;
    case DW_SECT_STR_OFFSETS: return &sections->str_offsets;
    case DW_SECT_RNGLISTS: return package->version == 5 ? &sections->rnglists : NULL;
    default: return NULL;
    }
}

enum hf_status hf_package_find(const struct hf_package *package, uint64_t id,
    struct hf_dwarf_sections *out_sections, struct hf_error *err)
{
    uint32_t row;
    enum hf_status status = package_find_row(package, id, &row, err);
    if (status != HF_OK)
        return status;
    if (row == 0)
        return hf_error_set(
            err, HF_ERR_INPUT, "has no unit with the id %016llx", (unsigned long long)id);
    if (row > package->unit_count)
        return hf_error_set(err, HF_ERR_INPUT, INDEX " is damaged: it has no row %u", row);
    uint64_t row_offset = (uint64_t)(row - 1) * package->column_count * sizeof(uint32_t);
    struct hf_cursor kinds = index_at(package, package->columns_offset);
    struct hf_cursor offsets = index_at(package, package->offsets_offset + row_offset);
    struct hf_cursor sizes = index_at(package, package->sizes_offset + row_offset);
    struct hf_dwarf_sections part = {
        .name = package->sections->name, .str = package->sections->str};
    struct hf_dwarf_sections whole = *package->sections;
    for (uint32_t i = 0; i < package->column_count; i++) {
        uint32_t kind = hf_cursor_u32(&kinds);
        uint32_t offset = hf_cursor_u32(&offsets), size = hf_cursor_u32(&sizes);
        struct hf_text *to = section_of(package, kind, &part);
        const struct hf_text *from = section_of(package, kind, &whole);
        if (to == NULL)
            continue;
        struct hf_cursor c = hf_section_cursor(*from, INDEX);
        hf_cursor_seek(&c, offset);
        *to = hf_cursor_bytes(&c, size);
        status = hf_cursor_check(&c, "the rows of a package's index", err);
        if (status != HF_OK)
            return status;
    }
    *out_sections = part;
    return HF_OK;
}
