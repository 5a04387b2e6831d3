#include "dwarf/call_graph.h"

#include "base/budget.h"
#include "base/containers/hash.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "dwarf/call_types.h"
#include "dwarf/constants.h"
#include "dwarf/unit.h"

#include <stdlib.h>

#define NO_FUNCTION UINT32_MAX
#define WAY_MAX HF_LIMIT_ORIGIN_DEPTH
#define ELSEWHERE UINT64_MAX /* in another file: of no entry here */

/* Of the entries around the one that is read. */
struct graph_level {
    uint64_t scope; /* hash of the names of namespaces and classes; 0: none */
    uint64_t class; /* the same if the innermost is a class; 0: it is none */
    uint64_t class_name;
    uint64_t function; /* offset of the function or inlined call around; 0: none */
    size_t entry;      /* one more than that of the function just around; 0: it is none */
    uint64_t holder;   /* offset of the class around; 0: none */
    bool is_library;   /* of what is around */
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
    struct hf_call_types types;
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

/* What a class is made of. */
static bool is_part_tag(uint16_t tag)
{
    return tag == DW_TAG_member || tag == DW_TAG_inheritance || tag == DW_TAG_template_type_param;
}

static bool is_read_tag(uint16_t tag)
{
    return tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_module ||
           tag == DW_TAG_formal_parameter || tag == DW_TAG_variable || is_part_tag(tag) ||
           is_call_tag(tag) || hf_call_tag_is_class(tag) || hf_call_tag_is_type(tag);
}

/* A variable with an address lasts as long as the program; others lie on the stack. */
static void graph_read_location(
    struct graph_reader *r, const struct hf_abbrev_attribute *a, struct hf_call_entry *entry)
{
    if (a->form != DW_FORM_exprloc) {
        hf_attribute_skip(&r->c, a, &r->unit->encoding);
        return;
    }
    uint64_t size = hf_cursor_uleb(&r->c);
    struct hf_text expression = hf_cursor_bytes(&r->c, size);
    entry->is_lasting = expression.size != 0 && (uint8_t)expression.data[0] == DW_OP_addr;
}

static void graph_read_attribute(
    struct graph_reader *r, const struct hf_abbrev_attribute *a, struct hf_call_entry *entry)
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
        entry->way = hf_unit_reference(r->unit, a->form, value);
        return;
    case DW_AT_type:
        value = hf_attribute_read(&r->c, a, &r->unit->encoding);
        entry->type = hf_unit_reference(r->unit, a->form, value);
        if (entry->type == 0)
            entry->type = ELSEWHERE;
        return;
    case DW_AT_allocated:
    case DW_AT_associated:
        entry->is_allocatable = true;
        hf_attribute_skip(&r->c, a, &r->unit->encoding);
        return;
    case DW_AT_location: graph_read_location(r, a, entry); return;
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
    struct graph_reader *r, const struct hf_abbrev *abbrev, struct hf_call_entry *entry)
{
    const struct hf_abbrev_attribute *a = hf_abbrev_attributes(&r->abbrevs, abbrev);
    for (size_t i = 0; i < abbrev->attribute_count && !hf_cursor_failed(&r->c); i++)
        graph_read_attribute(r, &a[i], entry);
    struct hf_text name = entry->name;
    entry->name = hf_called_plain_name(name);
    entry->is_generic = entry->name.size != name.size;
    entry->instance = entry->is_generic ? hf_hash_bytes(name.data, name.size) : 0;
    entry->is_changed = hf_text_starts(name, "&mut ");
    entry->is_view = hf_text_starts(name, "&") && !entry->is_changed;
    entry->place = hf_hash_u64(r->unit->offset ^ hf_hash_u64(entry->place + entry->line));
}

static void graph_keep(struct graph_reader *r, const struct hf_call_entry *entry)
{
    r->has_no_memory |= !hf_call_types_add(&r->types, entry);
}

static void graph_link(struct graph_reader *r, uint64_t from, uint64_t to)
{
    r->has_no_memory |= !hf_call_types_link(&r->types, from, to);
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
static bool graph_is_constructor(const struct hf_call_entry *entry, const struct graph_level *level)
{
    return level->class != 0 && entry->type == 0 &&
           (hf_hash_bytes(entry->name.data, entry->name.size) == level->class_name ||
               hf_text_has(entry->linkage, "CI1") || hf_text_has(entry->linkage, "CI2"));
}

/* A class, or what Rust calls the methods that a block of them adds to one. */
static bool is_class(const struct hf_call_entry *entry)
{
    return hf_call_tag_is_class(entry->tag) ||
           (entry->tag == DW_TAG_namespace && hf_text_starts(entry->name, "{impl#"));
}

/* A parameter of the function just around, `around` being one more than its entry; 0: none is. */
static void graph_take(struct graph_reader *r, size_t around, uint64_t type)
{
    if (around == 0)
        return;
    struct hf_call_entry *function = &r->types.entries[around - 1];
    if (function->taken == 0)
        function->taken = type;
    graph_link(r, function->offset, type);
}

/* Namespaces of classes that hold whatever a program has. */
static bool is_library_name(struct hf_text name)
{
    static const char *const names[] = {
        "std", "__gnu_cxx", "boost", "absl", "folly", "core", "alloc", "hashbrown", NULL};
    for (size_t i = 0; names[i] != NULL; i++)
        if (hf_text_is(name, names[i]))
            return true;
    return false;
}

/* What an entry makes of the level around it, for those below. */
static void graph_enter(
    struct graph_reader *r, struct hf_call_entry *entry, struct graph_level *level)
{
    uint64_t name = hf_hash_bytes(entry->name.data, entry->name.size);
    size_t around = level->entry;
    level->entry = 0;
    entry->scope = level->scope;
    entry->class = level->class;
    entry->is_library = level->is_library;
    if (entry->tag == DW_TAG_formal_parameter) {
        graph_take(r, around, entry->type);
    } else if (entry->tag == DW_TAG_variable) {
        entry->way = entry->type != 0 ? entry->type : entry->way;
        if (entry->is_lasting || level->function == 0)
            graph_keep(r, entry);
        if (entry->is_lasting)
            graph_link(r, HF_CALL_VARIABLES, entry->offset);
    } else if (is_part_tag(entry->tag)) {
        graph_link(r, level->holder, entry->type);
    } else if (entry->tag == DW_TAG_subprogram) {
        level->holder = 0;
        entry->is_constructor = graph_is_constructor(entry, level);
        level->function = entry->offset;
        graph_keep(r, entry);
        level->entry = r->types.entry_count;
    } else if (is_call_tag(entry->tag)) {
        graph_keep_edge(r, entry->way, level->function);
        if (entry->tag == DW_TAG_inlined_subroutine && entry->way != 0)
            level->function = entry->way;
    } else if (hf_call_tag_is_type(entry->tag)) {
        entry->way = entry->type;
        graph_keep(r, entry);
    } else {
        level->is_library |=
            level->scope == 0 && entry->tag == DW_TAG_namespace && is_library_name(entry->name);
        level->scope = hf_hash_u64(level->scope + name) | 1;
        level->class = is_class(entry) ? level->scope : 0;
        level->class_name = name;
        entry->class = level->class;
        if (hf_call_tag_is_class(entry->tag)) {
            level->holder = entry->offset;
            graph_keep(r, entry);
        }
    }
}

/* Reads the entries of a unit in their order. Damage ends it. */
static void graph_walk(struct graph_reader *r)
{
    size_t depth = 0;
    r->c = hf_unit_cursor(r->unit, r->sections, r->unit->first_die);
    r->levels[0] = (struct graph_level){0};
    while (!hf_cursor_failed(&r->c) && hf_cursor_left(&r->c) != 0 && !r->has_no_memory) {
        struct hf_call_entry entry = {.offset = hf_cursor_offset(&r->c), .function = NO_FUNCTION};
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

/* The entry that declares what `entry` is; NULL: it is in another file, or the way is too long. */
static struct hf_call_entry *graph_origin(const struct graph_reader *r, struct hf_call_entry *entry)
{
    for (unsigned step = 0; entry != NULL && entry->way != 0; step++)
        entry = step < WAY_MAX ? hf_call_types_at(&r->types, entry->way) : NULL;
    return entry != NULL && entry->tag == DW_TAG_subprogram ? entry : NULL;
}

/* The function of an entry, made if it is new; NO_FUNCTION: it has no name. */
static uint32_t graph_function(struct graph_reader *r, struct hf_call_entry *entry)
{
    struct hf_call_graph *graph = r->graph;
    struct hf_call_entry *origin = entry != NULL ? graph_origin(r, entry) : NULL;
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

/* A type of C on the line of a function is of the same use of a macro: DEFINE_LIST(answers). */
static bool graph_note_type(struct hf_map *lines, const struct hf_call_entry *entry)
{
    bool is_type = hf_call_tag_is_class(entry->tag) || entry->tag == DW_TAG_typedef;
    return !is_type || entry->line == 0 || entry->is_declaration ||
           hf_map_put(lines, entry->place, NO_FUNCTION, NULL) != NULL;
}

/* Two functions of C that begin at one line were defined by one use of a macro each. */
static bool graph_compare_line(struct graph_reader *r, struct hf_map *lines,
    const struct hf_call_entry *entry, uint32_t function)
{
    struct hf_called_function *functions = r->graph->functions;
    if (!functions[function].is_of_c || entry->way != 0 || entry->is_declaration ||
        entry->line == 0)
        return true;
    const uint32_t *first = hf_map_put(lines, entry->place, function, NULL);
    if (first != NULL && *first == NO_FUNCTION)
        functions[function].shares_line = true;
    else if (first != NULL && !hf_text_equal(functions[*first].name, functions[function].name))
        functions[*first].shares_line = functions[function].shares_line = true;
    return first != NULL;
}

/* Rust's declarations have no parameters: those of the definition are. */
static void graph_complete_origins(struct graph_reader *r)
{
    for (size_t i = 0; i < r->types.entry_count; i++) {
        struct hf_call_entry *entry = &r->types.entries[i];
        struct hf_call_entry *origin = entry->taken != 0 ? graph_origin(r, entry) : NULL;
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
    has_memory = hf_call_types_finish(&r->types);
    for (size_t i = 0; has_memory && i < r->types.entry_count; i++)
        has_memory = graph_note_type(&lines, &r->types.entries[i]);
    for (size_t i = 0; has_memory && i < r->types.entry_count; i++) {
        struct hf_call_entry *entry = &r->types.entries[i];
        uint32_t function =
            entry->tag == DW_TAG_subprogram ? graph_function(r, entry) : NO_FUNCTION;
        if (function == NO_FUNCTION)
            continue;
        const struct hf_call_entry *origin = graph_origin(r, entry);
        hf_call_types_judge(&r->types, entry, origin, &r->graph->functions[function]);
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
        struct hf_call call = {graph_function(r, hf_call_types_at(&r->types, r->edges[i].callee)),
            graph_function(r, hf_call_types_at(&r->types, r->edges[i].caller))};
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
    hf_call_types_done(&r->types);
    hf_map_done(&r->functions);
    hf_budget_put_back(r->edge_capacity * sizeof *r->edges);
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
