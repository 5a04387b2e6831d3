#include "dwarf/data_types.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "dwarf/constants.h"

#include <stdlib.h>
#include <string.h>

#define WAY_MAX HF_LIMIT_ORIGIN_DEPTH
#define DEEP_MAX 32         /* members within one another, with the types between them */
#define PATH_MAX_BYTES 1024 /* of a class with the namespaces around it */
#define MEMBERS_MAX 4096    /* of a class; those behind them are not looked at */
#define POINTER_BYTES 8u

/* An entry, as far as it is asked for here. */
struct data_entry {
    struct hf_text name;
    uint64_t type, specification, place, bytes, address;
    uint16_t tag;
    bool has_place, is_declaration, is_external, has_address, has_children;
};

/* Entries of one unit, in their order. */
struct data_reader {
    const struct hf_dwarf_sections *sections;
    const struct hf_unit *unit;
    const struct hf_abbrev_table *abbrevs;
    struct hf_cursor c;
};

static bool data_is_class(uint16_t tag)
{
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static bool data_is_pointer(uint16_t tag)
{
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
           tag == DW_TAG_rvalue_reference_type;
}

/* One that says nothing of its own of how the memory is laid out. */
static bool data_is_cover(uint16_t tag)
{
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* The expression of a variable's address, or of a member's place (DWARF 2); false: a number. */
static bool take_expression(
    struct data_reader *r, const struct hf_abbrev_attribute *a, struct hf_text *out_expression)
{
    uint64_t size;
    switch (a->form) {
    case DW_FORM_exprloc:
    case DW_FORM_block: size = hf_cursor_uleb(&r->c); break;
    case DW_FORM_block1: size = hf_cursor_u8(&r->c); break;
    default: return false;
    }
    *out_expression = hf_cursor_bytes(&r->c, size);
    return true;
}

static void data_read_address(
    struct data_reader *r, const struct hf_abbrev_attribute *a, struct data_entry *entry)
{
    struct hf_text expression;
    if (!take_expression(r, a, &expression)) {
        hf_attribute_skip(&r->c, a, &r->unit->encoding);
        return;
    }
    struct hf_cursor at = hf_section_cursor(expression, "expression");
    uint8_t op = hf_cursor_u8(&at);
    if (op == DW_OP_addr)
        entry->address = hf_cursor_u64(&at);
    else if (op == DW_OP_addrx)
        entry->address = hf_unit_address(r->unit, r->sections, DW_FORM_addrx, hf_cursor_uleb(&at));
    entry->has_address = !hf_cursor_failed(&at) && hf_cursor_left(&at) == 0 &&
                         (op == DW_OP_addr || op == DW_OP_addrx) &&
                         !hf_dwarf_is_dead(entry->address);
}

static void data_read_place(
    struct data_reader *r, const struct hf_abbrev_attribute *a, struct data_entry *entry)
{
    struct hf_text expression;
    entry->has_place = true;
    if (!take_expression(r, a, &expression)) {
        entry->place = hf_attribute_read(&r->c, a, &r->unit->encoding);
        return;
    }
    struct hf_cursor at = hf_section_cursor(expression, "expression");
    entry->has_place = hf_cursor_u8(&at) == DW_OP_plus_uconst;
    entry->place = hf_cursor_uleb(&at);
    entry->has_place = entry->has_place && !hf_cursor_failed(&at) && hf_cursor_left(&at) == 0;
}

static bool data_read_flag(struct data_reader *r, const struct hf_abbrev_attribute *a)
{
    return a->form == DW_FORM_flag_present || hf_attribute_read(&r->c, a, &r->unit->encoding) != 0;
}

static void data_read_attribute(
    struct data_reader *r, const struct hf_abbrev_attribute *a, struct data_entry *entry)
{
    const struct hf_dwarf_encoding *encoding = &r->unit->encoding;
    switch (a->name) {
    case DW_AT_name:
        entry->name =
            hf_unit_string(r->unit, r->sections, a->form, hf_attribute_read(&r->c, a, encoding));
        if (!hf_dwarf_spend(r->sections, entry->name.size, NULL))
            hf_cursor_fail(&r->c);
        return;
    case DW_AT_type:
        entry->type = hf_unit_reference(r->unit, a->form, hf_attribute_read(&r->c, a, encoding));
        return;
    case DW_AT_specification:
        entry->specification =
            hf_unit_reference(r->unit, a->form, hf_attribute_read(&r->c, a, encoding));
        return;
    case DW_AT_byte_size: entry->bytes = hf_attribute_read(&r->c, a, encoding); return;
    case DW_AT_location: data_read_address(r, a, entry); return;
    case DW_AT_data_member_location: data_read_place(r, a, entry); return;
    case DW_AT_declaration: entry->is_declaration = data_read_flag(r, a); return;
    case DW_AT_external: entry->is_external = data_read_flag(r, a); return;
    default: hf_attribute_skip(&r->c, a, encoding);
    }
}

/* The next entry. False: damage. *out_is_end: there is none more on this level. */
static bool read_next(struct data_reader *r, struct data_entry *out_entry, bool *out_is_end)
{
    *out_entry = (struct data_entry){.tag = 0};
    uint64_t code = hf_cursor_uleb(&r->c);
    *out_is_end = code == 0;
    if (hf_cursor_failed(&r->c) || code == 0)
        return !hf_cursor_failed(&r->c);
    const struct hf_abbrev *abbrev = hf_abbrev_find(r->abbrevs, code);
    if (abbrev == NULL)
        return false;
    const struct hf_abbrev_attribute *a = hf_abbrev_attributes(r->abbrevs, abbrev);
    out_entry->tag = abbrev->tag;
    out_entry->has_children = abbrev->has_children;
    for (size_t i = 0; i < abbrev->attribute_count && !hf_cursor_failed(&r->c); i++)
        data_read_attribute(r, &a[i], out_entry);
    return !hf_cursor_failed(&r->c);
}

/* ---- All of them, once ---- */

/* What is around an entry. */
struct data_level {
    size_t path_size;  /* of the names of namespaces and classes */
    bool has_no_names; /* in a function, or too deep */
};

struct types_walk {
    struct hf_data_types *types;
    struct data_reader reader;
    char path[PATH_MAX_BYTES];
    struct data_level levels[HF_LIMIT_DIE_DEPTH];
    bool has_no_memory;
};

/* Spaces are written in several ways: "vector<A<B> >". */
static size_t put_without_spaces(struct hf_text name, char *out, size_t room)
{
    size_t size = 0;
    for (size_t i = 0; i < name.size && size < room; i++) {
        if (name.data[i] != ' ')
            out[size++] = name.data[i];
    }
    return size;
}

static void walk_keep(struct types_walk *walk, struct hf_map *map, uint64_t key, uint64_t type)
{
    struct hf_data_types *types = walk->types;
    bool is_new;
    if (!hf_vec_reserve(
            &types->types, &types->type_capacity, types->type_count + 1, sizeof *types->types) ||
        hf_map_put(map, key, (uint32_t)types->type_count, &is_new) == NULL) {
        walk->has_no_memory = true;
        return;
    }
    if (is_new)
        types->types[types->type_count++] = type;
}

static void enter_named(
    struct types_walk *walk, const struct data_entry *entry, uint64_t die, struct data_level *level)
{
    static const struct hf_text unnamed = HF_TEXT("(anonymousnamespace)");
    size_t size = level->path_size;
    struct hf_text name = entry->name;
    if (name.size == 0 && entry->tag == DW_TAG_namespace)
        name = unnamed;
    if (name.size == 0 || name.size > sizeof walk->path - size - 2) {
        level->has_no_names = true;
        return;
    }
    if (size != 0) {
        memcpy(walk->path + size, "::", 2);
        size += 2;
    }
    level->path_size = size + put_without_spaces(name, walk->path + size, name.size);
    if (data_is_class(entry->tag) && !entry->is_declaration)
        walk_keep(walk, &walk->types->classes, hf_hash_bytes(walk->path, level->path_size), die);
}

static void walk_enter(
    struct types_walk *walk, const struct data_entry *entry, uint64_t die, struct data_level *level)
{
    if (entry->tag == DW_TAG_variable && entry->has_address)
        walk_keep(walk, &walk->types->variables, entry->address,
            entry->type != 0 ? entry->type : entry->specification);
    else if (entry->tag == DW_TAG_subprogram)
        level->has_no_names = true;
    else if (!level->has_no_names && (entry->tag == DW_TAG_namespace || data_is_class(entry->tag)))
        enter_named(walk, entry, die, level);
}

static void types_walk_unit(struct types_walk *walk)
{
    struct data_reader *r = &walk->reader;
    size_t depth = 0;
    walk->levels[0] = (struct data_level){0};
    r->c = hf_unit_cursor(r->unit, r->sections, r->unit->first_die);
    while (hf_cursor_left(&r->c) != 0 && !walk->has_no_memory) {
        struct data_entry entry;
        bool is_end;
        uint64_t die = hf_cursor_offset(&r->c);
        if (!read_next(r, &entry, &is_end) || (is_end && depth == 0))
            return;
        if (is_end) {
            depth--;
            continue;
        }
        struct data_level level = walk->levels[depth];
        walk_enter(walk, &entry, die, &level);
        if (entry.has_children && ++depth == HF_LIMIT_DIE_DEPTH)
            return;
        walk->levels[depth] = entry.has_children ? level : walk->levels[depth];
    }
}

static enum hf_status data_read_abbrevs(const struct hf_data_types *types,
    const struct hf_unit *unit, struct hf_abbrev_table *table, struct hf_error *err)
{
    enum hf_status status = hf_abbrev_table_read_whole(
        table, types->sections.abbrev, unit->abbrev_offset, &unit->encoding, err);
    uint64_t kept = table->count * sizeof *table->items +
                    table->attribute_count * sizeof *table->attributes + table->read_bytes;
    return status != HF_OK || hf_dwarf_spend(&types->sections, kept, err) ? status : HF_ERR_LIMIT;
}

static enum hf_status walk_read_unit(
    struct types_walk *walk, struct hf_unit *unit, struct hf_error *err)
{
    struct hf_abbrev_table abbrevs = {0};
    const struct hf_dwarf_sections *sections = &walk->types->sections;
    if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
        return HF_OK;
    if (!hf_dwarf_spend(sections, unit->end - unit->offset, err))
        return HF_ERR_LIMIT;
    enum hf_status status = hf_unit_read_root(unit, sections, err);
    if (status == HF_OK)
        status = data_read_abbrevs(walk->types, unit, &abbrevs, err);
    if (status == HF_OK) {
        walk->reader = (struct data_reader){sections, unit, &abbrevs, {0}};
        types_walk_unit(walk);
    }
    hf_abbrev_table_done(&abbrevs);
    if (walk->has_no_memory)
        return hf_error_memory(err);
    return status == HF_ERR_INPUT ? HF_OK : status;
}

static enum hf_status walk_read_units(struct hf_data_types *types, struct hf_error *err)
{
    struct types_walk *walk = calloc(1, sizeof *walk);
    if (walk == NULL)
        return hf_error_memory(err);
    walk->types = types;
    enum hf_status status = hf_units_scan(&types->units, &types->sections, err);
    if (status == HF_ERR_INPUT)
        status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < types->units.count; i++)
        status = walk_read_unit(walk, &types->units.items[i], err);
    free(walk);
    if (status == HF_OK)
        types->abbrevs = calloc(types->units.count + 1, sizeof *types->abbrevs);
    return status == HF_OK && types->abbrevs == NULL ? hf_error_memory(err) : status;
}

/* With an effort and a budget of its own: nothing else must be missing because this was too much.
 */
enum hf_status hf_data_types_read(
    struct hf_data_types *types, const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct hf_budget budget = {0};
    *types = (struct hf_data_types){.sections = *sections};
    if (sections->info.size > HF_LIMIT_CALL_GRAPH_BYTES)
        return hf_error_set(err, HF_ERR_LIMIT,
            "the debug information is larger than %u bytes (HF_LIMIT_CALL_GRAPH_BYTES)",
            HF_LIMIT_CALL_GRAPH_BYTES);
    hf_dwarf_effort_init(&types->effort, sections);
    types->sections.effort = &types->effort;
    struct hf_budget_scope before = hf_budget_enter(&budget);
    hf_budget_give(hf_dwarf_bytes(sections));
    enum hf_status status = walk_read_units(types, err);
    hf_budget_leave(before);
    return status;
}

void hf_data_types_done(struct hf_data_types *types)
{
    for (size_t i = 0; i < types->units.count && types->abbrevs != NULL; i++)
        hf_abbrev_table_done(&types->abbrevs[i]);
    free(types->abbrevs);
    hf_map_done(&types->classes);
    hf_map_done(&types->variables);
    hf_budget_put_back(types->type_capacity * sizeof *types->types);
    free(types->types);
    hf_units_done(&types->units);
    *types = (struct hf_data_types){0};
}

/* ---- One of them ---- */

/* Reads an entry; the reader stands behind it, where its children are. */
static bool data_read_type(
    struct hf_data_types *types, uint64_t die, struct data_reader *r, struct data_entry *out_entry)
{
    struct hf_unit *unit = die != 0 ? hf_units_at(&types->units, die) : NULL;
    bool is_end;
    if (unit == NULL || die < unit->first_die || types->abbrevs == NULL)
        return false;
    struct hf_abbrev_table *abbrevs = &types->abbrevs[unit - types->units.items];
    if (abbrevs->count == 0 && data_read_abbrevs(types, unit, abbrevs, NULL) != HF_OK)
        return false;
    *r = (struct data_reader){&types->sections, unit, abbrevs, {0}};
    r->c = hf_unit_cursor(unit, &types->sections, die);
    return read_next(r, out_entry, &is_end) && !is_end &&
           hf_dwarf_spend(&types->sections, hf_cursor_offset(&r->c) - die, NULL);
}

static uint64_t type_of(const struct hf_data_types *types, const struct hf_map *map, uint64_t key)
{
    const uint32_t *at = hf_map_find(map, key);
    return at != NULL ? types->types[*at] : 0;
}

uint64_t hf_data_types_class(const struct hf_data_types *types, struct hf_text name)
{
    char path[PATH_MAX_BYTES];
    size_t size = put_without_spaces(name, path, sizeof path);
    return size != 0 ? type_of(types, &types->classes, hf_hash_bytes(path, size)) : 0;
}

uint64_t hf_data_types_variable(const struct hf_data_types *types, uint64_t address)
{
    return type_of(types, &types->variables, address);
}

/* Of a variable that is declared elsewhere, the declaration has the type. */
static bool read_plain(struct hf_data_types *types, uint64_t *type, struct data_reader *r,
    struct data_entry *out_entry)
{
    for (unsigned step = 0; step < WAY_MAX && data_read_type(types, *type, r, out_entry); step++) {
        bool is_variable = out_entry->tag == DW_TAG_variable || out_entry->tag == DW_TAG_member;
        if (!is_variable && !data_is_cover(out_entry->tag))
            return true;
        *type = out_entry->type;
    }
    return false;
}

uint64_t hf_data_types_plain(struct hf_data_types *types, uint64_t type)
{
    struct data_reader r;
    struct data_entry entry;
    return read_plain(types, &type, &r, &entry) ? type : 0;
}

/* What lies within a class: a member or a base. */
static bool lies_within(const struct data_entry *entry, bool is_union)
{
    bool is_part = entry->tag == DW_TAG_inheritance ||
                   (entry->tag == DW_TAG_member && !entry->is_external && !entry->is_declaration);
    return is_part && (entry->has_place || is_union);
}

/* The part of a class that begins last before an offset; the reader stands before its first. */
static bool find_part(
    struct data_reader *r, bool is_union, uint64_t offset, struct data_entry *out_part)
{
    struct data_entry entry;
    size_t depth = 0, begin = hf_cursor_offset(&r->c);
    bool is_end, is_found = false;
    for (size_t seen = 0; seen < MEMBERS_MAX && read_next(r, &entry, &is_end); seen++) {
        if (is_end && depth == 0)
            break;
        if (is_end) {
            depth--;
            continue;
        }
        if (depth == 0 && lies_within(&entry, is_union) && entry.place <= offset &&
            (!is_found || (entry.place >= out_part->place && !is_union))) {
            *out_part = entry;
            is_found = true;
        }
        depth += entry.has_children;
    }
    return is_found && hf_dwarf_spend(r->sections, hf_cursor_offset(&r->c) - begin, NULL);
}

/* Of elements: a pointer has 8 bytes, a class as many as it says. */
static uint64_t element_bytes(struct hf_data_types *types, uint64_t type)
{
    struct data_reader r;
    struct data_entry entry;
    if (!read_plain(types, &type, &r, &entry))
        return 0;
    return data_is_pointer(entry.tag) ? POINTER_BYTES : entry.bytes;
}

static void name_member(
    const struct data_entry *class, const struct data_entry *part, struct hf_data_member *member)
{
    if (member->name.size != 0 || part->tag == DW_TAG_inheritance)
        return;
    if (member->class.size == 0) /* else in a struct without a name, as in a union within it */
        member->class = class->name;
    member->name = part->name;
    member->type = part->type;
}

bool hf_data_types_member(
    struct hf_data_types *types, uint64_t type, uint64_t offset, struct hf_data_member *out_member)
{
    struct data_reader r;
    struct data_entry entry, part = {.tag = 0};
    struct hf_data_member member = {.pointee = 0};
    for (unsigned step = 0; step < DEEP_MAX && read_plain(types, &type, &r, &entry); step++) {
        bool is_array = step == 0 && offset % POINTER_BYTES == 0; /* of what points to it */
        if (data_is_pointer(entry.tag) && (offset == 0 || is_array)) {
            member.pointee = entry.type;
            *out_member = member;
            return true;
        }
        if (entry.tag == DW_TAG_array_type) {
            uint64_t bytes = element_bytes(types, entry.type);
            offset = bytes != 0 ? offset % bytes : offset;
            type = entry.type;
            continue;
        }
        if (data_is_class(entry.tag) && entry.is_declaration) {
            type = hf_data_types_class(types, entry.name);
            continue;
        }
        if (!data_is_class(entry.tag) || offset >= entry.bytes || !entry.has_children ||
            !find_part(&r, entry.tag == DW_TAG_union_type, offset, &part))
            break;
        name_member(&entry, &part, &member);
        offset -= part.place;
        type = part.type;
    }
    *out_member = member;
    return member.name.size != 0;
}

/* What stands behind the name of the type to which those lead. */
void hf_data_types_put_name(struct hf_data_types *types, uint64_t type, struct hf_out *out)
{
    struct data_reader r;
    struct data_entry entry = {.tag = 0};
    const char *behind[WAY_MAX];
    size_t count = 0;
    bool is_known = true;
    for (unsigned step = 0; step < WAY_MAX && type != 0; step++) {
        is_known = data_read_type(types, type, &r, &entry);
        bool is_array = is_known && entry.tag == DW_TAG_array_type;
        bool is_pointer = is_known && data_is_pointer(entry.tag);
        bool is_guard = is_known && data_is_cover(entry.tag) && entry.tag != DW_TAG_typedef;
        if (!is_array && !is_pointer && !is_guard)
            break;
        if (!is_guard)
            behind[count++] = is_array                             ? " []"
                              : entry.tag == DW_TAG_pointer_type   ? " *"
                              : entry.tag == DW_TAG_reference_type ? " &"
                                                                   : " &&";
        type = entry.type;
    }
    if (!is_known)
        return;
    if (type == 0)
        hf_out_string(out, "void");
    else if (entry.name.size != 0)
        hf_out_text(out, entry.name);
    else
        hf_out_string(out, data_is_class(entry.tag) ? "struct" : "function");
    while (count-- != 0)
        hf_out_string(out, behind[count]);
}
