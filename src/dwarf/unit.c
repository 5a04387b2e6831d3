#include "dwarf/unit.h"

#include "base/budget.h"
#include "base/checked.h"
#include "base/containers/sorted.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "dwarf/callframe_agent.h"
#include "dwarf/constants.h"
#include "dwarf/form.h"

#include <stdlib.h>

#define PADDING_BYTES_MAX 64 /* what functions are aligned to, at most */

void hf_units_done(struct hf_units *units)
{
    for (size_t i = 0; i < units->count; i++) {
        hf_abbrev_table_done(&units->items[i].abbrevs);
        free(units->items[i].queries);
    }
    hf_budget_put_back(units->capacity * sizeof *units->items);
    free(units->items);
    *units = (struct hf_units){0};
}

/* Reads one header; the cursor is left behind the unit. */
static struct hf_unit unit_read_header(struct hf_cursor *c)
{
    struct hf_unit unit = {.offset = hf_cursor_offset(c)};
    uint64_t length = hf_cursor_u32(c);
    unit.encoding.offset_size = 4;
    if (length == UINT32_MAX) {
        length = hf_cursor_u64(c);
        unit.encoding.offset_size = 8;
    }
    if (length > hf_cursor_left(c)) {
        hf_cursor_fail(c);
        return unit;
    }
    unit.end = hf_cursor_offset(c) + length;
    uint16_t version = hf_cursor_u16(c);
    unit.encoding.version = version <= 5 ? (uint8_t)version : 0;
    if (version >= 5) {
        unit.type = hf_cursor_u8(c);
        unit.encoding.address_size = hf_cursor_u8(c);
        unit.abbrev_offset = hf_cursor_dwarf_offset(c, &unit.encoding);
        bool has_id = unit.type == DW_UT_skeleton || unit.type == DW_UT_split_compile;
        bool has_type = unit.type == DW_UT_type || unit.type == DW_UT_split_type;
        if (has_id)
            unit.dwo_id = hf_cursor_u64(c);
        if (has_type)
            (void)hf_cursor_u64(c);
        if (has_type)
            (void)hf_cursor_dwarf_offset(c, &unit.encoding);
    } else {
        unit.type = DW_UT_compile;
        unit.abbrev_offset = hf_cursor_dwarf_offset(c, &unit.encoding);
        unit.encoding.address_size = hf_cursor_u8(c);
    }
    unit.first_die = hf_cursor_offset(c);
    if (unit.first_die > unit.end)
        hf_cursor_fail(c);
    hf_cursor_seek(c, unit.end);
    return unit;
}

enum hf_status hf_units_scan(
    struct hf_units *units, const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct hf_cursor c = hf_section_cursor(sections->info, ".debug_info");
    *units = (struct hf_units){0};
    while (hf_cursor_left(&c) != 0) {
        struct hf_unit unit = unit_read_header(&c);
        if (hf_cursor_failed(&c))
            break;
        if (units->count == HF_LIMIT_UNITS)
            return hf_error_set(
                err, HF_ERR_LIMIT, "more than %u units (HF_LIMIT_UNITS)", HF_LIMIT_UNITS);
        if (!hf_vec_reserve(
                &units->items, &units->capacity, units->count + 1, sizeof *units->items))
            return hf_error_memory(err);
        units->items[units->count++] = unit;
    }
    return hf_cursor_check(&c, "the header of a unit", err);
}

struct hf_unit *hf_units_at(const struct hf_units *units, uint64_t offset)
{
    size_t next = HF_FIRST_ABOVE(units->items, units->count, offset, offset);
    if (next == 0 || offset >= units->items[next - 1].end)
        return NULL;
    return &units->items[next - 1];
}

struct hf_cursor hf_unit_cursor(
    const struct hf_unit *unit, const struct hf_dwarf_sections *sections, uint64_t offset)
{
    struct hf_cursor c = hf_cursor_of(sections->info.data, (size_t)unit->end, ".debug_info");
    hf_cursor_seek(&c, offset);
    return c;
}

uint64_t hf_unit_address(const struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    uint16_t form, uint64_t value)
{
    if (!hf_form_is_address_index(form))
        return value;
    uint64_t offset;
    struct hf_cursor c = hf_section_cursor(sections->addr, ".debug_addr");
    if (!hf_mul_u64(value, unit->encoding.address_size, &offset) ||
        !hf_add_u64(offset, unit->addr_base, &offset))
        return 0;
    hf_cursor_seek(&c, offset);
    return hf_cursor_u64(&c);
}

bool hf_dwarf_is_padding(const struct hf_dwarf_sections *sections, uint64_t address)
{
    struct hf_fde fde;
    return sections->callframes != NULL &&
           hf_callframes_before(sections->callframes, address, &fde) && fde.end <= address &&
           address - fde.end < PADDING_BYTES_MAX;
}

static struct hf_text unit_string_at(struct hf_text section, uint64_t offset)
{
    struct hf_cursor c = hf_section_cursor(section, "strings");
    hf_cursor_seek(&c, offset);
    return hf_cursor_string(&c);
}

struct hf_text hf_unit_string(const struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    uint16_t form, uint64_t value)
{
    switch (form) {
    case DW_FORM_string: return unit_string_at(sections->info, value);
    case DW_FORM_strp: return unit_string_at(sections->str, value);
    case DW_FORM_line_strp: return unit_string_at(sections->line_str, value);
    case DW_FORM_GNU_strp_alt:
    case DW_FORM_strp_sup:
        return sections->supplement != NULL ? unit_string_at(sections->supplement->str, value)
                                            : (struct hf_text){NULL, 0};
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index: {
        uint64_t offset;
        struct hf_cursor c = hf_section_cursor(sections->str_offsets, ".debug_str_offsets");
        if (!hf_mul_u64(value, unit->encoding.offset_size, &offset) ||
            !hf_add_u64(offset, unit->str_offsets_base, &offset))
            return (struct hf_text){NULL, 0};
        hf_cursor_seek(&c, offset);
        offset = hf_cursor_dwarf_offset(&c, &unit->encoding);
        return hf_cursor_failed(&c) ? (struct hf_text){NULL, 0}
                                    : unit_string_at(sections->str, offset);
    }
    default: return (struct hf_text){NULL, 0};
    }
}

uint64_t hf_dwarf_bytes(const struct hf_dwarf_sections *s)
{
    return s->info.size + s->abbrev.size + s->line.size + s->str.size + s->line_str.size +
           s->ranges.size + s->rnglists.size + s->addr.size + s->str_offsets.size;
}

void hf_dwarf_grant(struct hf_dwarf_effort *effort, uint64_t bytes)
{
    atomic_fetch_add_explicit(
        &effort->left, (int_least64_t)(bytes * HF_LIMIT_DWARF_EFFORT_RATIO), memory_order_relaxed);
}

void hf_dwarf_effort_init(struct hf_dwarf_effort *effort, const struct hf_dwarf_sections *sections)
{
    atomic_init(&effort->left, HF_LIMIT_DWARF_EFFORT);
    hf_dwarf_grant(effort, hf_dwarf_bytes(sections));
}

#define STEPS_A_BYTE 24 /* of what is read and kept */

bool hf_dwarf_spend(const struct hf_dwarf_sections *sections, uint64_t bytes, struct hf_error *err)
{
    static const uint64_t part_max = UINT64_C(1) << 40;
    if (sections->effort == NULL)
        return true;
    if (!hf_budget_step(bytes < part_max ? bytes * STEPS_A_BYTE : part_max)) {
        hf_budget_refuse(err);
        return false;
    }
    int_least64_t part = (int_least64_t)(bytes < part_max ? bytes : part_max);
    if (atomic_load_explicit(&sections->effort->left, memory_order_relaxed) > 0) {
        if (part != 0)
            atomic_fetch_sub_explicit(&sections->effort->left, part, memory_order_relaxed);
        return true;
    }
    hf_error_set(err, HF_ERR_LIMIT, "refers to the same lists too often (HF_LIMIT_DWARF_EFFORT)");
    return false;
}

static bool spend_table(const struct hf_dwarf_sections *sections,
    const struct hf_abbrev_table *table, struct hf_error *err)
{
    uint64_t kept =
        table->count * sizeof *table->items + table->attribute_count * sizeof *table->attributes;
    return hf_dwarf_spend(sections, kept + table->read_bytes, err);
}

enum hf_status hf_unit_need_abbrevs(
    struct hf_unit *unit, const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    if (unit->has_abbrevs)
        return HF_OK;
    unit->has_abbrevs = true;
    enum hf_status status = hf_abbrev_table_read(
        &unit->abbrevs, sections->abbrev, unit->abbrev_offset, &unit->encoding, 0, err);
    if (status == HF_OK && !spend_table(sections, &unit->abbrevs, err)) {
        hf_abbrev_table_done(&unit->abbrevs);
        status = HF_ERR_LIMIT;
    }
    if (status == HF_ERR_MEMORY) { /* a part of them would be told as damage by who asks again */
        hf_abbrev_table_done(&unit->abbrevs);
        unit->has_abbrevs = false;
    }
    return status;
}

/* Values of the root entry whose meaning depends on bases that may come later in it. */
struct root_values {
    uint64_t low, high, comp_dir, dwo_name;
    uint16_t low_form, high_form, comp_dir_form, dwo_name_form;
};

static bool unit_language_is_cpp(uint64_t language)
{
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14 ||
           language == DW_LANG_C_plus_plus_17 || language == DW_LANG_C_plus_plus_20;
}

static void read_root_attribute(struct hf_unit *unit, struct root_values *root,
    const struct hf_abbrev_attribute *attribute, struct hf_cursor *c)
{
    uint64_t value = hf_attribute_read(c, attribute, &unit->encoding);
    switch (attribute->name) {
    case DW_AT_low_pc:
        root->low = value;
        root->low_form = attribute->form;
        break;
    case DW_AT_high_pc:
        root->high = value;
        root->high_form = attribute->form;
        break;
    case DW_AT_comp_dir:
        root->comp_dir = value;
        root->comp_dir_form = attribute->form;
        break;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name:
        root->dwo_name = value;
        root->dwo_name_form = attribute->form;
        break;
    case DW_AT_ranges:
        unit->ranges = value;
        unit->ranges_form = attribute->form;
        break;
    case DW_AT_stmt_list:
        unit->line_offset = value;
        unit->has_line = true;
        break;
    case DW_AT_str_offsets_base: unit->str_offsets_base = value; break;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base: unit->addr_base = value; break;
    case DW_AT_rnglists_base: unit->rnglists_base = value; break;
    case DW_AT_GNU_ranges_base: unit->split_ranges_base = value; break;
    case DW_AT_GNU_dwo_id: unit->dwo_id = value; break;
    case DW_AT_language: unit->has_no_scopes = !unit_language_is_cpp(value); break;
    default: break;
    }
}

/*
 * Bases of a unit that names none: behind the header of the section (DWARF 5, 7.26 to 7.28), which
 * the sections of the GNU extension of version 4 do not have.
 */
static void default_bases(struct hf_unit *unit)
{
    if (unit->encoding.version < 5)
        return;
    unit->str_offsets_base = unit->encoding.offset_size == 8 ? 16 : 8;
    unit->addr_base = 8;
    unit->rnglists_base = unit->encoding.offset_size == 8 ? 20 : 12;
}

static enum hf_status read_root_with(struct hf_unit *unit, const struct hf_abbrev_table *table,
    const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct hf_cursor c = hf_unit_cursor(unit, sections, unit->first_die);
    const struct hf_abbrev *abbrev = hf_abbrev_find(table, hf_cursor_uleb(&c));
    if (abbrev == NULL)
        return HF_OK;
    struct root_values root = {0};
    const struct hf_abbrev_attribute *attributes = hf_abbrev_attributes(table, abbrev);
    default_bases(unit);
    unit->is_compiled = abbrev->tag == DW_TAG_compile_unit;
    for (size_t i = 0; i < abbrev->attribute_count; i++)
        read_root_attribute(unit, &root, &attributes[i], &c);
    enum hf_status status = hf_cursor_check(&c, "the root entry of a unit", err);
    if (status != HF_OK)
        return status;
    unit->low_pc = hf_unit_address(unit, sections, root.low_form, root.low);
    if (root.high_form != 0) {
        unit->high_pc = hf_unit_address(unit, sections, root.high_form, root.high);
        bool is_sized = !hf_form_is_address(root.high_form);
        unit->has_low_high = !is_sized || hf_add_u64(unit->low_pc, root.high, &unit->high_pc);
    }
    unit->comp_dir = hf_unit_string(unit, sections, root.comp_dir_form, root.comp_dir);
    unit->dwo_name = hf_unit_string(unit, sections, root.dwo_name_form, root.dwo_name);
    return HF_OK;
}

enum hf_status hf_unit_read_root(
    struct hf_unit *unit, const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    if (unit->encoding.version < 2 || unit->encoding.address_size != 8)
        return hf_error_set(err, HF_ERR_INPUT,
            "the unit at 0x%llx of .debug_info is not DWARF 2 to 5 with 8-byte addresses",
            (unsigned long long)unit->offset);
    if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
        return HF_OK;
    struct hf_cursor c = hf_unit_cursor(unit, sections, unit->first_die);
    uint64_t code = hf_cursor_uleb(&c);
    if (code == 0)
        return HF_OK;
    struct hf_abbrev_table table;
    enum hf_status status = hf_abbrev_table_read(
        &table, sections->abbrev, unit->abbrev_offset, &unit->encoding, code, err);
    if (status == HF_OK && !spend_table(sections, &table, err))
        status = HF_ERR_LIMIT;
    if (status == HF_OK)
        status = read_root_with(unit, &table, sections, err);
    hf_abbrev_table_done(&table);
    return status;
}
