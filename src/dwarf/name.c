#include "dwarf/name.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "base/strings/out.h"
#include "dwarf/constants.h"
#include "dwarf/enclosing.h"
#include "dwarf/form.h"

#include <stdlib.h>

#define COPIED_BYTES_MAX (1u << 20)
#define SCOPE_BYTES_MAX (1u << 12)
#define SCOPE_DEPTH 8                 /* functions that stand in one another */
#define SCOPE_ENTRIES_MAX (16u << 20) /* read for the scopes of a file: a second or so */

size_t hf_die_names_bytes(const struct hf_die_names *names)
{
    return names->capacity * sizeof *names->items +
           names->index.capacity * sizeof *names->index.slots;
}

void hf_die_names_forget(struct hf_die_names *names)
{
    hf_map_done(&names->index);
    hf_budget_put_back(names->capacity * sizeof *names->items);
    free(names->items);
    names->items = NULL;
    names->count = names->capacity = 0;
}

void hf_die_names_done(struct hf_die_names *names)
{
    hf_die_names_forget(names);
    *names = (struct hf_die_names){0};
}

/* The way to a name: what was found on it, and the entry to read next. */
struct name_search {
    const struct hf_die_names *names;
    struct hf_die_name found;
    struct hf_unit *unit; /* NULL: the way ends here */
    uint64_t die;
    struct hf_unit *last_unit; /* of the entry read last */
    uint64_t last_die;
    bool last_is_in_supplement;
    uint16_t last_tag;
    bool is_in_supplement;
    bool is_cut;     /* it is longer than HF_LIMIT_ORIGIN_DEPTH */
    bool is_missing; /* it would go on in a supplementary file that is not there */
};

static void go_to(struct name_search *s, bool is_in_supplement, uint64_t die)
{
    const struct hf_die_names *names = s->names;
    s->is_in_supplement = is_in_supplement;
    s->unit = hf_units_at(is_in_supplement ? names->supplement_units : names->units, die);
    s->die = die;
}

/* Goes on to the entry that an attribute of `from` refers to. */
static void name_follow(struct name_search *s, const struct hf_unit *from,
    const struct hf_abbrev_attribute *attribute, uint64_t value)
{
    if (hf_form_is_supplement(attribute->form)) {
        if (!s->is_in_supplement && s->names->sections->supplement != NULL)
            go_to(s, true, value);
    } else if (attribute->form == DW_FORM_ref_addr) {
        go_to(s, s->is_in_supplement, value);
    } else if (attribute->form != DW_FORM_ref_sig8) {
        go_to(s, s->is_in_supplement, from->offset + value);
    }
}

/* Takes what the entry says, and goes on to the one that it refers to, if there is one. */
static void name_read_entry(struct name_search *s)
{
    struct hf_unit *unit = s->unit;
    const struct hf_dwarf_sections *sections = s->names->sections;
    if (s->is_in_supplement)
        sections = sections->supplement;
    s->last_unit = unit;
    s->last_die = s->die;
    s->last_is_in_supplement = s->is_in_supplement;
    s->unit = NULL;
    /* Without abbreviations that can be read, the rest of the way is unknown: no error. */
    if (hf_unit_need_abbrevs(unit, sections, NULL) != HF_OK)
        return;
    struct hf_cursor c = hf_unit_cursor(unit, sections, s->die);
    const struct hf_abbrev *abbrev = hf_abbrev_find(&unit->abbrevs, hf_cursor_uleb(&c));
    if (abbrev == NULL)
        return;
    s->last_tag = abbrev->tag;
    const struct hf_abbrev_attribute *a = hf_abbrev_attributes(&unit->abbrevs, abbrev);
    for (size_t i = 0; i < abbrev->attribute_count && !hf_cursor_failed(&c); i++, a++) {
        bool is_linkage = a->name == DW_AT_linkage_name || a->name == DW_AT_MIPS_linkage_name;
        bool is_name = is_linkage || a->name == DW_AT_name;
        bool is_way = a->name == DW_AT_abstract_origin || a->name == DW_AT_specification;
        if (!is_name && !is_way) {
            hf_attribute_skip(&c, a, &unit->encoding);
            continue;
        }
        uint64_t value = hf_attribute_read(&c, a, &unit->encoding);
        struct hf_text *text = is_linkage ? &s->found.linkage : &s->found.name;
        if (is_way)
            name_follow(s, unit, a, value);
        else if (text->size == 0)
            *text = hf_unit_string(unit, sections, a->form, value);
        s->is_missing |= hf_form_is_supplement(a->form) && s->names->sections->supplement == NULL;
    }
}

/* Reads on until there is a linkage name, or (`is_whole`) to the entry that refers to none. */
static void name_read_chain(struct name_search *s, bool is_whole)
{
    for (unsigned step = 0; s->unit != NULL && (is_whole || s->found.linkage.size == 0); step++) {
        if (step == HF_LIMIT_ORIGIN_DEPTH) {
            s->is_cut = true;
            return;
        }
        name_read_entry(s);
    }
}

static void scope_add(struct hf_out *out, struct hf_text part)
{
    if (part.size == 0 || out->size + part.size > SCOPE_BYTES_MAX)
        return;
    if (out->size != 0)
        hf_out_string(out, "::");
    hf_out_text(out, part);
}

/* A class without a name that `member` is of: GCC gives none to lambdas. */
static void scope_add_unnamed(struct hf_out *out, struct hf_text member)
{
    bool is_lambda = hf_text_starts(member, "operator()");
    scope_add(out, is_lambda ? HF_TEXT("{lambda}") : HF_TEXT("{unnamed type}"));
}

static void scope_read(
    struct hf_die_names *names, const struct name_search *end, unsigned left, struct hf_out *out);

/* Puts a function that something stands in; if it is declared elsewhere, with what is there. */
static void scope_add_function(
    struct hf_die_names *names, struct name_search *s, unsigned left, struct hf_out *out)
{
    uint64_t die = s->last_die;
    name_read_chain(s, true);
    if (left != 0 && s->last_die != die) {
        out->size = 0;
        scope_read(names, s, left - 1, out);
    }
    scope_add(out, s->found.name);
}

/* Puts what the last entry of a way stands in. `left`: functions that may still be followed. */
static void scope_read(
    struct hf_die_names *names, const struct name_search *end, unsigned left, struct hf_out *out)
{
    uint64_t around[HF_ENCLOSING_MAX];
    struct hf_unit *unit = end->last_unit;
    bool is_in_unnamed = false;
    if (unit == NULL || unit->has_no_scopes || names->scope_entries > SCOPE_ENTRIES_MAX)
        return;
    const struct hf_dwarf_sections *sections =
        end->last_is_in_supplement ? names->sections->supplement : names->sections;
    size_t count =
        hf_enclosing_entries(unit, sections, end->last_die, around, &names->scope_entries);
    for (size_t i = 0; i < count; i++) {
        struct name_search s = {.names = names};
        go_to(&s, end->last_is_in_supplement, around[i]);
        name_read_entry(&s);
        bool is_class = s.last_tag == DW_TAG_class_type || s.last_tag == DW_TAG_structure_type ||
                        s.last_tag == DW_TAG_union_type;
        bool is_function = s.last_tag == DW_TAG_subprogram;
        if (!is_class && !is_function && s.last_tag != DW_TAG_namespace)
            continue;
        if (s.is_missing) { /* in a file that is not there: no name is better than a wrong one */
            out->size = 0;
            return;
        }
        if (is_in_unnamed)
            scope_add_unnamed(out, s.found.name);
        is_in_unnamed = is_class && s.found.name.size == 0;
        if (is_function)
            scope_add_function(names, &s, left, out);
        else if (s.found.name.size != 0 || is_class)
            scope_add(out, s.found.name);
        else
            scope_add(out, HF_TEXT("(anonymous namespace)"));
    }
    if (is_in_unnamed)
        scope_add_unnamed(out, end->found.name);
}

/* What is found must not change any more when it is known that the file was sound. */
static bool name_copy(struct hf_die_names *names, struct hf_text *text)
{
    uint32_t id;
    if (text->size == 0 || text->size > COPIED_BYTES_MAX)
        return true;
    if (!hf_intern_put(names->texts, text->data, text->size, &id))
        return false;
    *text = hf_intern_at(names->texts, id);
    return true;
}

enum hf_status hf_die_names_find(
    struct hf_die_names *names, uint64_t die, struct hf_die_name *out_name, struct hf_error *err)
{
    bool is_new;
    if (!hf_vec_reserve(&names->items, &names->capacity, names->count + 1, sizeof *names->items))
        return hf_error_memory(err);
    uint32_t *index = hf_map_put(&names->index, die, (uint32_t)names->count, &is_new);
    if (index == NULL)
        return hf_error_memory(err);
    if (!is_new) {
        *out_name = names->items[*index];
        return HF_OK;
    }
    struct name_search s = {.names = names};
    go_to(&s, false, die);
    name_read_chain(&s, false);
    names->cut_chains += s.is_cut;
    /* What GCC calls the cold part of a function where DWARF 2 has no other way. */
    (void)hf_text_take(&s.found.name, "__second_sect_of_");
    names->missing_count += s.is_missing && s.found.linkage.size == 0;
    struct hf_out scope = {0};
    if (s.found.linkage.size == 0 && s.found.name.size != 0)
        scope_read(names, &s, SCOPE_DEPTH, &scope);
    s.found.scope = hf_out_view(&scope);
    bool is_copied = scope.error.status == HF_OK && name_copy(names, &s.found.name) &&
                     name_copy(names, &s.found.linkage) && name_copy(names, &s.found.scope);
    hf_out_done(&scope);
    if (!is_copied)
        return hf_error_memory(err);
    names->items[names->count++] = s.found;
    *out_name = s.found;
    return HF_OK;
}
