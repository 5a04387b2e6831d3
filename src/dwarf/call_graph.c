#include "dwarf/call_graph.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "dwarf/constants.h"
#include "dwarf/unit.h"

#include <stdlib.h>

#define NO_FUNCTION UINT32_MAX
#define WAY_MAX HF_LIMIT_ORIGIN_DEPTH
#define ELSEWHERE UINT64_MAX /* in another file: of no entry here */

/* An entry of .debug_info, as far as anybody here asks for it. */
struct graph_entry {
    uint64_t offset;
    uint64_t way;  /* the entry that says what this one is (origin, specification, type); 0: none */
    uint64_t type; /* of a function: what it returns; 0: nothing */
    uint64_t taken; /* of a function: the type of its first parameter; 0: it has none */
    uint64_t place; /* hash of unit, file and line */
    uint64_t scope, class;
    struct hf_text name, linkage;
    uint32_t line;
    uint32_t function; /* number, once it is known */
    uint16_t tag;
    bool is_external, is_declaration, is_constructor;
    bool is_generic; /* its name has template arguments */
    bool is_view;    /* Rust's type of what may be looked at only: "&Route", "&str" */
};

/* Of the entries around the one that is read. */
struct graph_level {
    uint64_t scope; /* hash of the names of namespaces and classes; 0: none */
    uint64_t class; /* the same if the innermost is a class; 0: it is none */
    uint64_t class_name;
    uint64_t function; /* offset of the function or inlined call around; 0: none */
    size_t entry;      /* one more than that of the function just around; 0: it is none */
};

struct graph_edge {
    uint64_t callee, caller; /* offsets of entries */
};

struct graph_reader {
    struct hf_call_graph *graph;
    const struct hf_dwarf_sections *sections;
    struct hf_unit *unit;
    struct hf_abbrev_table abbrevs;
    struct hf_cursor c;
    struct graph_entry *entries;
    size_t entry_count, entry_capacity;
    struct hf_map index; /* offset -> entry */
    struct graph_edge *edges;
    size_t edge_count, edge_capacity;
    struct hf_map functions; /* hash of what it is called -> number */
    struct graph_level levels[HF_LIMIT_DIE_DEPTH];
    bool has_no_memory;
};

static bool is_call_tag(uint16_t tag)
{
    return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_call_site ||
           tag == DW_TAG_GNU_call_site;
}

static bool is_class_tag(uint16_t tag)
{
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static bool is_number_tag(uint16_t tag)
{
    return tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type;
}

static bool is_pointer_tag(uint16_t tag)
{
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type;
}

/* Types that lead to another one, and those that are numbers. */
static bool is_type_tag(uint16_t tag)
{
    return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
           is_number_tag(tag) || is_pointer_tag(tag);
}

static bool is_read_tag(uint16_t tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_module ||
           tag == DW_TAG_formal_parameter || is_call_tag(tag) || is_class_tag(tag) ||
           is_type_tag(tag);
}

/* 0 if it is in another file. */
static uint64_t graph_reference(const struct graph_reader *r, uint16_t form, uint64_t value)
{
    if (hf_form_is_supplement(form) || form == DW_FORM_ref_sig8)
        return 0;
    return form == DW_FORM_ref_addr ? value : r->unit->offset + value;
}

static void graph_read_attribute(
    struct graph_reader *r, const struct hf_abbrev_attribute *a, struct graph_entry *entry)
{
    uint64_t value;
    switch (a->name) {
    case DW_AT_name:
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name: {
        value = hf_attribute_read(&r->c, a, &r->unit->encoding);
        struct hf_text text = hf_unit_string(r->unit, r->sections, a->form, value);
        *(a->name == DW_AT_name ? &entry->name : &entry->linkage) = text;
        if (!hf_dwarf_spend(r->sections, text.size, NULL))
            hf_cursor_fail(&r->c);
        return;
    }
    case DW_AT_abstract_origin:
    case DW_AT_specification:
    case DW_AT_call_origin:
        value = hf_attribute_read(&r->c, a, &r->unit->encoding);
        entry->way = graph_reference(r, a->form, value);
        return;
    case DW_AT_type:
        value = hf_attribute_read(&r->c, a, &r->unit->encoding);
        entry->type = graph_reference(r, a->form, value);
        if (entry->type == 0)
            entry->type = ELSEWHERE;
        return;
    case DW_AT_decl_file:
        entry->place += hf_attribute_read(&r->c, a, &r->unit->encoding) << 32;
        return;
    case DW_AT_decl_line:
        entry->line = (uint32_t)hf_attribute_read(&r->c, a, &r->unit->encoding);
        return;
    case DW_AT_external:
    case DW_AT_declaration: {
        bool is_set =
            a->form == DW_FORM_flag_present || hf_attribute_read(&r->c, a, &r->unit->encoding) != 0;
        *(a->name == DW_AT_external ? &entry->is_external : &entry->is_declaration) = is_set;
        return;
    }
    default: hf_attribute_skip(&r->c, a, &r->unit->encoding);
    }
}

static void graph_read_entry(
    struct graph_reader *r, const struct hf_abbrev *abbrev, struct graph_entry *entry)
{
    const struct hf_abbrev_attribute *a = hf_abbrev_attributes(&r->abbrevs, abbrev);
    for (size_t i = 0; i < abbrev->attribute_count && !hf_cursor_failed(&r->c); i++)
        graph_read_attribute(r, &a[i], entry);
    struct hf_text name = entry->name;
    entry->name = hf_called_plain_name(name);
    entry->is_generic = entry->name.size != name.size;
    entry->is_view = hf_text_starts(name, "&") && !hf_text_starts(name, "&mut ");
    entry->place = hf_hash_u64(r->unit->offset ^ hf_hash_u64(entry->place + entry->line));
}

static void graph_keep(struct graph_reader *r, const struct graph_entry *entry)
{
    if (!hf_vec_reserve(&r->entries, &r->entry_capacity, r->entry_count + 1, sizeof *r->entries) ||
        hf_map_put(&r->index, entry->offset, (uint32_t)r->entry_count, NULL) == NULL) {
        r->has_no_memory = true;
        return;
    }
    r->entries[r->entry_count++] = *entry;
}

static void graph_keep_edge(struct graph_reader *r, uint64_t callee, uint64_t caller)
{
    if (callee == 0 || caller == 0)
        return;
    if (!hf_vec_reserve(&r->edges, &r->edge_capacity, r->edge_count + 1, sizeof *r->edges)) {
        r->has_no_memory = true;
        return;
    }
    r->edges[r->edge_count++] = (struct graph_edge){callee, caller};
}

/* Also one that is inherited (Itanium C++ ABI, 5.1.4.4: CI1, CI2), which has its base's name. */
static bool graph_is_constructor(const struct graph_entry *entry, const struct graph_level *level)
{
    return level->class != 0 && entry->type == 0 &&
           (hf_hash_bytes(entry->name.data, entry->name.size) == level->class_name ||
               hf_text_has(entry->linkage, "CI1") || hf_text_has(entry->linkage, "CI2"));
}

/* A class, or what Rust calls the methods that a block of them adds to one. */
static bool is_class(const struct graph_entry *entry)
{
    return is_class_tag(entry->tag) ||
           (entry->tag == DW_TAG_namespace && hf_text_starts(entry->name, "{impl#"));
}

/* What an entry makes of the level around it, for those below. */
static void graph_enter(
    struct graph_reader *r, struct graph_entry *entry, struct graph_level *level)
{
    uint64_t name = hf_hash_bytes(entry->name.data, entry->name.size);
    size_t around = level->entry;
    level->entry = 0;
    entry->scope = level->scope;
    entry->class = level->class;
    if (entry->tag == DW_TAG_formal_parameter) {
        if (around != 0 && r->entries[around - 1].taken == 0)
            r->entries[around - 1].taken = entry->type;
    } else if (entry->tag == DW_TAG_subprogram) {
        entry->is_constructor = graph_is_constructor(entry, level);
        level->function = entry->offset;
        graph_keep(r, entry);
        level->entry = r->entry_count;
    } else if (is_call_tag(entry->tag)) {
        graph_keep_edge(r, entry->way, level->function);
        if (entry->tag == DW_TAG_inlined_subroutine && entry->way != 0)
            level->function = entry->way;
    } else if (is_type_tag(entry->tag)) {
        entry->way = entry->type;
        graph_keep(r, entry);
    } else {
        level->scope = hf_hash_u64(level->scope + name) | 1;
        level->class = is_class(entry) ? level->scope : 0;
        level->class_name = name;
        entry->class = level->class;
        if (is_class_tag(entry->tag))
            graph_keep(r, entry);
    }
}

/* Reads the entries of a unit in their order. Damage ends it. */
static void graph_walk(struct graph_reader *r)
{
    size_t depth = 0;
    r->c = hf_unit_cursor(r->unit, r->sections, r->unit->first_die);
    r->levels[0] = (struct graph_level){0};
    while (!hf_cursor_failed(&r->c) && hf_cursor_left(&r->c) != 0 && !r->has_no_memory) {
        struct graph_entry entry = {.offset = hf_cursor_offset(&r->c), .function = NO_FUNCTION};
        uint64_t code = hf_cursor_uleb(&r->c);
        if (code == 0) {
            if (depth == 0)
                return;
            depth--;
            continue;
        }
        const struct hf_abbrev *abbrev = hf_abbrev_find(&r->abbrevs, code);
        if (abbrev == NULL || (abbrev->has_children && depth + 1 == HF_LIMIT_DIE_DEPTH))
            return;
        struct graph_level level = r->levels[depth];
        entry.tag = abbrev->tag;
        if (is_read_tag(entry.tag)) {
            graph_read_entry(r, abbrev, &entry);
            graph_enter(r, &entry, &level);
        } else {
            hf_abbrev_skip(&r->c, &r->abbrevs, abbrev, &r->unit->encoding);
        }
        if (abbrev->has_children)
            r->levels[++depth] = level;
    }
}

/* The root entry says where the unit's strings are. */
static enum hf_status graph_read_unit(struct graph_reader *r, struct hf_error *err)
{
    struct hf_unit *unit = r->unit;
    if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
        return HF_OK; /* no code, and no base for its strings */
    if (!hf_dwarf_spend(r->sections, unit->end - unit->offset, err))
        return HF_ERR_LIMIT;
    enum hf_status status = hf_unit_read_root(unit, r->sections, err);
    if (status == HF_OK)
        status = hf_abbrev_table_read_whole(
            &r->abbrevs, r->sections->abbrev, unit->abbrev_offset, &unit->encoding, err);
    uint64_t kept = r->abbrevs.count * sizeof *r->abbrevs.items +
                    r->abbrevs.attribute_count * sizeof *r->abbrevs.attributes;
    if (status == HF_OK && !hf_dwarf_spend(r->sections, kept + r->abbrevs.read_bytes, err))
        status = HF_ERR_LIMIT;
    if (status == HF_OK)
        graph_walk(r);
    hf_abbrev_table_done(&r->abbrevs);
    if (r->has_no_memory)
        return hf_error_memory(err);
    return status == HF_ERR_INPUT ? HF_OK : status;
}

static struct graph_entry *graph_entry_at(const struct graph_reader *r, uint64_t offset)
{
    const uint32_t *at = offset != 0 ? hf_map_find(&r->index, offset) : NULL;
    return at != NULL ? &r->entries[*at] : NULL;
}

/* The entry that declares what `entry` is; NULL: it is in another file, or the way is too long. */
static struct graph_entry *graph_origin(const struct graph_reader *r, struct graph_entry *entry)
{
    for (unsigned step = 0; entry != NULL && entry->way != 0; step++)
        entry = step < WAY_MAX ? graph_entry_at(r, entry->way) : NULL;
    return entry != NULL && entry->tag == DW_TAG_subprogram ? entry : NULL;
}

/* Where the way of a type ends, and whether that is a pointer or a reference to it. */
struct graph_type {
    const struct graph_entry *end; /* a class or a number; NULL: another type, or none */
    bool is_pointer, is_reference, is_any;
    bool is_view; /* of what is const behind a pointer */
};

static struct graph_type graph_type_at(const struct graph_reader *r, uint64_t offset)
{
    struct graph_type type = {0};
    for (unsigned step = 0; step < WAY_MAX && offset != 0; step++) {
        const struct graph_entry *entry = graph_entry_at(r, offset);
        type.is_any = entry == NULL || is_class_tag(entry->tag) || is_number_tag(entry->tag);
        type.is_view |=
            entry != NULL && (entry->is_view || (entry->tag == DW_TAG_const_type &&
                                                    (type.is_pointer || type.is_reference)));
        type.end = type.is_any ? entry : NULL;
        if (type.is_any)
            break;
        type.is_pointer |= entry->tag == DW_TAG_pointer_type;
        type.is_reference |= entry->tag == DW_TAG_reference_type;
        offset = entry->way;
    }
    return type;
}

static bool graph_is_of_class(const struct graph_type *type, uint64_t class)
{
    return class != 0 && type->end != NULL && type->end->class == class;
}

/* Types that are not in the index are objects. What is passed through a builder is not made. */
static void graph_judge_types(const struct graph_reader *r, const struct graph_entry *origin,
    struct hf_called_function *function)
{
    struct graph_type returned = graph_type_at(r, origin->type);
    struct graph_type taken = graph_type_at(r, origin->taken);
    bool is_number = returned.end != NULL && is_number_tag(returned.end->tag);
    function->returns_value =
        returned.is_pointer || returned.is_reference || (returned.is_any && !is_number);
    function->returns_view = returned.is_view;
    function->fills_generic = (taken.is_pointer || taken.is_reference) && !taken.is_view &&
                              taken.end != NULL && is_class_tag(taken.end->tag) &&
                              taken.end->is_generic;
    function->returns_itself =
        graph_is_of_class(&returned, origin->class) && !returned.is_pointer &&
        !returned.is_reference &&
        (taken.is_pointer || taken.is_reference || !graph_is_of_class(&taken, origin->class));
}

/* The function of an entry, made if it is new; NO_FUNCTION: it has no name. */
static uint32_t graph_function(struct graph_reader *r, struct graph_entry *entry)
{
    struct hf_call_graph *graph = r->graph;
    struct graph_entry *origin = entry != NULL ? graph_origin(r, entry) : NULL;
    if (origin == NULL || origin->name.size == 0)
        return NO_FUNCTION;
    if (origin->function != NO_FUNCTION)
        return origin->function;
    bool is_of_c = origin->scope == 0 && origin->linkage.size == 0 && entry->linkage.size == 0;
    uint64_t key = hf_hash_u64(hf_hash_bytes(origin->name.data, origin->name.size) + origin->scope +
                               (is_of_c && !origin->is_external ? origin->line : 0));
    uint32_t *number = hf_map_put(&r->functions, key, (uint32_t)graph->function_count, NULL);
    if (number == NULL || !hf_vec_reserve(&graph->functions, &graph->function_capacity,
                              graph->function_count + 1, sizeof *graph->functions)) {
        r->has_no_memory = true;
        return NO_FUNCTION;
    }
    if (*number == graph->function_count) {
        struct hf_called_function *function = &graph->functions[graph->function_count++];
        *function = (struct hf_called_function){
            .name = origin->name,
            .class = origin->class,
            .is_of_c = is_of_c,
            .is_constructor = origin->is_constructor,
        };
        graph_judge_types(r, origin, function);
    }
    return origin->function = *number;
}

static bool graph_add_name(struct graph_reader *r, struct hf_text text, uint32_t function)
{
    struct hf_call_graph *graph = r->graph;
    if (!hf_vec_reserve(
            &graph->names, &graph->name_capacity, graph->name_count + 1, sizeof *graph->names))
        return false;
    graph->names[graph->name_count++] = (struct hf_called_name){text, function};
    return true;
}

/* Two functions of C that begin at one line were defined by one use of a macro each. */
static bool graph_compare_line(struct graph_reader *r, struct hf_map *lines,
    const struct graph_entry *entry, uint32_t function)
{
    struct hf_called_function *functions = r->graph->functions;
    if (!functions[function].is_of_c || entry->way != 0 || entry->is_declaration ||
        entry->line == 0)
        return true;
    const uint32_t *first = hf_map_put(lines, entry->place, function, NULL);
    if (first != NULL && !hf_text_equal(functions[*first].name, functions[function].name))
        functions[*first].shares_line = functions[function].shares_line = true;
    return first != NULL;
}

/* Rust's declarations have no parameters: those of the definition are. */
static void graph_complete_origins(struct graph_reader *r)
{
    for (size_t i = 0; i < r->entry_count; i++) {
        struct graph_entry *entry = &r->entries[i];
        struct graph_entry *origin = entry->taken != 0 ? graph_origin(r, entry) : NULL;
        if (origin != NULL && origin->taken == 0)
            origin->taken = entry->taken;
    }
}

/* Numbers the functions, and lists what they are called. */
static enum hf_status graph_list_functions(struct graph_reader *r, struct hf_error *err)
{
    struct hf_map lines = {0};
    bool has_memory = true;
    graph_complete_origins(r);
    for (size_t i = 0; has_memory && i < r->entry_count; i++) {
        struct graph_entry *entry = &r->entries[i];
        uint32_t function =
            entry->tag == DW_TAG_subprogram ? graph_function(r, entry) : NO_FUNCTION;
        if (function == NO_FUNCTION)
            continue;
        const struct graph_entry *origin = graph_origin(r, entry);
        struct hf_text linkage = entry->linkage.size != 0 ? entry->linkage : origin->linkage;
        has_memory = graph_add_name(r, linkage.size != 0 ? linkage : origin->name, function) &&
                     graph_compare_line(r, &lines, entry, function);
    }
    hf_map_done(&lines);
    return has_memory && !r->has_no_memory ? HF_OK : hf_error_memory(err);
}

static int compare_calls(const void *a, const void *b)
{
    const struct hf_call *x = a, *y = b;
    if (x->callee != y->callee)
        return x->callee < y->callee ? -1 : 1;
    return (x->caller > y->caller) - (x->caller < y->caller);
}

static enum hf_status graph_list_calls(struct graph_reader *r, struct hf_error *err)
{
    struct hf_call_graph *graph = r->graph;
    if (!hf_vec_reserve(
            &graph->calls, &graph->call_capacity, r->edge_count + 1, sizeof *graph->calls))
        return hf_error_memory(err);
    for (size_t i = 0; i < r->edge_count; i++) {
        struct hf_call call = {graph_function(r, graph_entry_at(r, r->edges[i].callee)),
            graph_function(r, graph_entry_at(r, r->edges[i].caller))};
        if (call.callee != NO_FUNCTION && call.caller != NO_FUNCTION && call.callee != call.caller)
            graph->calls[graph->call_count++] = call;
    }
    if (r->has_no_memory)
        return hf_error_memory(err);
    qsort(graph->calls, graph->call_count, sizeof *graph->calls, compare_calls);
    size_t count = 0;
    for (size_t i = 0; i < graph->call_count; i++)
        if (count == 0 || compare_calls(&graph->calls[count - 1], &graph->calls[i]) != 0)
            graph->calls[count++] = graph->calls[i];
    graph->call_count = count;
    return HF_OK;
}

struct hf_text hf_called_plain_name(struct hf_text name)
{
    return hf_text_starts(name, "operator") ? name : hf_text_first(name, hf_text_find(name, '<'));
}

enum hf_status hf_call_graph_read(
    struct hf_call_graph *graph, const struct hf_dwarf_sections *sections, struct hf_error *err)
{
    struct hf_units units = {0};
    *graph = (struct hf_call_graph){0};
    if (sections->info.size > HF_LIMIT_CALL_GRAPH_BYTES)
        return hf_error_set(err, HF_ERR_LIMIT,
            "the debug information is larger than %u bytes (HF_LIMIT_CALL_GRAPH_BYTES)",
            HF_LIMIT_CALL_GRAPH_BYTES);
    struct graph_reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return hf_error_memory(err);
    r->graph = graph;
    r->sections = sections;
    enum hf_status status = hf_units_scan(&units, sections, err);
    if (status == HF_ERR_INPUT)
        status = HF_OK;
    for (size_t i = 0; status == HF_OK && i < units.count; i++) {
        r->unit = &units.items[i];
        status = graph_read_unit(r, err);
    }
    if (status == HF_OK)
        status = graph_list_functions(r, err);
    if (status == HF_OK)
        status = graph_list_calls(r, err);
    hf_units_done(&units);
    hf_map_done(&r->index);
    hf_map_done(&r->functions);
    hf_budget_put_back(
        r->entry_capacity * sizeof *r->entries + r->edge_capacity * sizeof *r->edges);
    free(r->entries);
    free(r->edges);
    free(r);
    return status;
}

void hf_call_graph_done(struct hf_call_graph *graph)
{
    hf_budget_put_back(graph->function_capacity * sizeof *graph->functions +
                       graph->name_capacity * sizeof *graph->names +
                       graph->call_capacity * sizeof *graph->calls);
    free(graph->functions);
    free(graph->names);
    free(graph->calls);
    *graph = (struct hf_call_graph){0};
}
