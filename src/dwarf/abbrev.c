#include "dwarf/abbrev.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "dwarf/constants.h"

#include <stdlib.h>

void hf_abbrev_table_done(struct hf_abbrev_table *table)
{
    hf_budget_put_back(table->capacity * sizeof *table->items +
                       table->attribute_capacity * sizeof *table->attributes);
    free(table->items);
    free(table->attributes);
    *table = (struct hf_abbrev_table){0};
}

static enum hf_die_kind abbrev_kind_of(uint64_t tag)
{
    switch (tag) {
    case DW_TAG_subprogram: return HF_DIE_FUNCTION;
    case DW_TAG_inlined_subroutine: return HF_DIE_INLINED;
    case DW_TAG_lexical_block: return HF_DIE_BLOCK;
    case DW_TAG_compile_unit:
    case DW_TAG_partial_unit:
    case DW_TAG_skeleton_unit:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type: return HF_DIE_CONTAINER;
    default: return HF_DIE_OTHER;
    }
}

/* Makes items[code] exist; new ones are zero, which means "no such abbreviation". */
static enum hf_status reserve_code(
    struct hf_abbrev_table *table, uint64_t code, struct hf_error *err)
{
    if (code > HF_LIMIT_ABBREVS)
        return hf_error_set(err, HF_ERR_LIMIT, "abbreviation code %llu (HF_LIMIT_ABBREVS)",
            (unsigned long long)code);
    if (code < table->count)
        return HF_OK;
    if (!hf_vec_reserve(&table->items, &table->capacity, (size_t)code + 1, sizeof *table->items))
        return hf_error_memory(err);
    memset(
        table->items + table->count, 0, ((size_t)code + 1 - table->count) * sizeof *table->items);
    table->count = (size_t)code + 1;
    return HF_OK;
}

/*
 * Most attributes say nothing that anybody here asks for. They have no name in the table, and
 * those of fixed size that follow one another are one.
 */
static bool abbrev_is_of_use(uint16_t tag, uint64_t name)
{
    switch (name) {
    case DW_AT_sibling:
    case DW_AT_name:
    case DW_AT_low_pc:
    case DW_AT_high_pc:
    case DW_AT_abstract_origin:
    case DW_AT_specification:
    case DW_AT_ranges:
    case DW_AT_call_file:
    case DW_AT_call_line:
    case DW_AT_call_column:
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name: return true;
    default:
        return tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit ||
               tag == DW_TAG_skeleton_unit;
    }
}

static enum hf_status add_attribute(struct hf_abbrev_table *table, struct hf_abbrev *abbrev,
    const struct hf_abbrev_attribute *attribute, struct hf_error *err)
{
    bool has_last = abbrev->attribute_count != 0 && attribute->name == 0;
    struct hf_abbrev_attribute *last =
        has_last ? &table->attributes[table->attribute_count - 1] : NULL;
    if (has_last && last->name == 0 && last->size >= 0 && attribute->size >= 0) {
        last->size += attribute->size;
        return HF_OK;
    }
    if (table->attribute_count == HF_LIMIT_ABBREV_ATTRS)
        return hf_error_set(err, HF_ERR_LIMIT,
            "the abbreviations of a unit have more than %u attributes (HF_LIMIT_ABBREV_ATTRS)",
            HF_LIMIT_ABBREV_ATTRS);
    if (!hf_vec_reserve(&table->attributes, &table->attribute_capacity, table->attribute_count + 1,
            sizeof *table->attributes))
        return hf_error_memory(err);
    table->attributes[table->attribute_count++] = *attribute;
    abbrev->attribute_count++;
    return HF_OK;
}

static enum hf_status read_attributes(struct hf_abbrev_table *table, struct hf_cursor *c,
    struct hf_abbrev *abbrev, const struct hf_dwarf_encoding *encoding, struct hf_error *err)
{
    for (unsigned read = 0;; read++) {
        uint64_t name = hf_cursor_uleb(c);
        uint64_t form = hf_cursor_uleb(c);
        int64_t implicit = form == DW_FORM_implicit_const ? hf_cursor_sleb(c) : 0;
        if (name == 0 && form == 0)
            return HF_OK;
        if (name > UINT16_MAX || form > UINT16_MAX) {
            hf_cursor_fail(c);
            return HF_OK;
        }
        if (read == HF_LIMIT_DIE_ATTRS)
            return hf_error_set(err, HF_ERR_LIMIT,
                "an abbreviation has more than %d attributes (HF_LIMIT_DIE_ATTRS)",
                HF_LIMIT_DIE_ATTRS);
        int size = hf_form_size((uint16_t)form, encoding);
        struct hf_abbrev_attribute attribute = {
            .name = (uint16_t)name, .form = (uint16_t)form, .size = size, .implicit = implicit};
        if (!table->is_whole && !abbrev_is_of_use(abbrev->tag, name))
            attribute.name = 0;
        enum hf_status status = add_attribute(table, abbrev, &attribute, err);
        if (status != HF_OK)
            return status;
        if (name == DW_AT_sibling && form == DW_FORM_ref4)
            abbrev->sibling_offset = abbrev->fixed_size;
        abbrev->fixed_size = size < 0 || abbrev->fixed_size < 0 ? -1 : abbrev->fixed_size + size;
    }
}

/* Units are many and most answer nothing: what is not their root's is passed over quickly. */
static void skip_attributes(struct hf_cursor *c)
{
    for (;;) {
        uint64_t name = hf_cursor_uleb(c);
        uint64_t form = hf_cursor_uleb(c);
        if (name == 0 && form == 0)
            return;
        if (form == DW_FORM_implicit_const)
            hf_cursor_skip_leb(c);
    }
}

/* `table` is all-zero, but for is_whole. */
static enum hf_status abbrev_fill_table(struct hf_abbrev_table *table,
    struct hf_text abbrev_section, uint64_t offset, const struct hf_dwarf_encoding *encoding,
    uint64_t only_code, struct hf_error *err)
{
    struct hf_cursor c = hf_section_cursor(abbrev_section, ".debug_abbrev");
    hf_cursor_seek(&c, offset);
    for (;;) {
        uint64_t code = hf_cursor_uleb(&c);
        if (code == 0)
            break;
        /* Codes are given from 1 on, and each takes five bytes: a large one must cost no memory. */
        if (code > abbrev_section.size) {
            hf_cursor_fail(&c);
            break;
        }
        if (only_code != 0 && code != only_code) {
            (void)hf_cursor_uleb(&c); /* tag */
            (void)hf_cursor_u8(&c);   /* has children */
            skip_attributes(&c);
            continue;
        }
        enum hf_status status = reserve_code(table, code, err);
        if (status != HF_OK)
            return status;
        struct hf_abbrev abbrev = {
            .first_attribute = (uint32_t)table->attribute_count, .sibling_offset = -1};
        uint64_t tag = hf_cursor_uleb(&c);
        abbrev.tag = tag != 0 && tag <= UINT16_MAX ? (uint16_t)tag : UINT16_MAX;
        abbrev.kind = (uint8_t)abbrev_kind_of(tag);
        abbrev.has_children = hf_cursor_u8(&c) != 0;
        status = read_attributes(table, &c, &abbrev, encoding, err);
        if (status != HF_OK)
            return status;
        table->items[code] = abbrev;
        if (only_code != 0 || hf_cursor_failed(&c))
            break;
    }
    if (!hf_cursor_failed(&c))
        table->read_bytes = hf_cursor_offset(&c) - (size_t)offset;
    return hf_cursor_check(&c, "an abbreviation", err);
}

enum hf_status hf_abbrev_table_read(struct hf_abbrev_table *table, struct hf_text abbrev_section,
    uint64_t offset, const struct hf_dwarf_encoding *encoding, uint64_t only_code,
    struct hf_error *err)
{
    *table = (struct hf_abbrev_table){0};
    return abbrev_fill_table(table, abbrev_section, offset, encoding, only_code, err);
}

enum hf_status hf_abbrev_table_read_whole(struct hf_abbrev_table *table,
    struct hf_text abbrev_section, uint64_t offset, const struct hf_dwarf_encoding *encoding,
    struct hf_error *err)
{
    *table = (struct hf_abbrev_table){.is_whole = true};
    return abbrev_fill_table(table, abbrev_section, offset, encoding, 0, err);
}
