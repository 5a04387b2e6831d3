#include "dwarf/name.h"

#include "base/budget.h"
#include "base/containers/vec.h"
#include "base/limits.h"
#include "dwarf/constants.h"
#include "dwarf/form.h"

#include <stdlib.h>

#define COPIED_BYTES_MAX (1u << 20)

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
    bool is_in_supplement;
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
    s->unit = NULL;
    /* Without abbreviations that can be read, the rest of the way is unknown: no error. */
    if (hf_unit_need_abbrevs(unit, sections, NULL) != HF_OK)
        return;
    struct hf_cursor c = hf_unit_cursor(unit, sections, s->die);
    const struct hf_abbrev *abbrev = hf_abbrev_find(&unit->abbrevs, hf_cursor_uleb(&c));
    if (abbrev == NULL)
        return;
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
    for (unsigned step = 0; s.unit != NULL && s.found.linkage.size == 0; step++) {
        if (step == HF_LIMIT_ORIGIN_DEPTH) {
            names->cut_chains++;
            break;
        }
        name_read_entry(&s);
    }
    /* What GCC calls the cold part of a function where DWARF 2 has no other way. */
    (void)hf_text_take(&s.found.name, "__second_sect_of_");
    names->missing_count += s.is_missing && s.found.linkage.size == 0;
    if (!name_copy(names, &s.found.name) || !name_copy(names, &s.found.linkage))
        return hf_error_memory(err);
    names->items[names->count++] = s.found;
    *out_name = s.found;
    return HF_OK;
}
