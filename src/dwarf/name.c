#include "dwarf/name.h"

#include "base/limits.h"
#include "base/vec.h"
#include "dwarf/constants.h"
#include "dwarf/form.h"

#include <stdlib.h>

void hf_die_names_done(struct hf_die_names *names)
{
    hf_map_done(&names->index);
    free(names->items);
    *names = (struct hf_die_names){0};
}

/* Adds what the entry at `die` says; *out_next is the entry it refers to, 0 if none. */
static enum hf_status read_entry(struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    uint64_t die, struct hf_die_name *name, uint64_t *out_next, struct hf_error *err)
{
    *out_next = 0;
    enum hf_status status = hf_unit_need_abbrevs(unit, sections, err);
    if (status != HF_OK)
        return status;
    struct hf_cursor c = hf_unit_cursor(unit, sections, die);
    const struct hf_abbrev *abbrev = hf_abbrev_find(&unit->abbrevs, hf_cursor_uleb(&c));
    if (abbrev == NULL)
        return HF_OK;
    const struct hf_abbrev_attribute *a = hf_abbrev_attributes(&unit->abbrevs, abbrev);
    for (size_t i = 0; i < abbrev->attribute_count && !hf_cursor_failed(&c); i++, a++) {
        uint64_t value;
        switch (a->name) {
        case DW_AT_name:
            value = hf_attribute_read(&c, a, &unit->encoding);
            if (name->name.size == 0)
                name->name = hf_unit_string(unit, sections, a->form, value);
            break;
        case DW_AT_linkage_name:
        case DW_AT_MIPS_linkage_name:
            value = hf_attribute_read(&c, a, &unit->encoding);
            if (name->linkage.size == 0)
                name->linkage = hf_unit_string(unit, sections, a->form, value);
            break;
        case DW_AT_abstract_origin:
        case DW_AT_specification:
            value = hf_attribute_read(&c, a, &unit->encoding);
            if (a->form == DW_FORM_ref_addr)
                *out_next = value;
            else if (a->form != DW_FORM_GNU_ref_alt && a->form != DW_FORM_ref_sup4 &&
                     a->form != DW_FORM_ref_sup8 && a->form != DW_FORM_ref_sig8)
                *out_next = unit->offset + value;
            break;
        default: hf_attribute_skip(&c, a, &unit->encoding);
        }
    }
    return HF_OK;
}

enum hf_status hf_die_names_find(struct hf_die_names *names, const struct hf_units *units,
    const struct hf_dwarf_sections *sections, uint64_t die, struct hf_die_name *out_name,
    struct hf_error *err)
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
    struct hf_die_name name = {0};
    for (unsigned step = 0; die != 0 && name.linkage.size == 0; step++) {
        if (step == HF_LIMIT_ORIGIN_DEPTH) {
            names->cut_chains++;
            break;
        }
        struct hf_unit *unit = hf_units_at(units, die);
        /* Without abbreviations that can be read, the rest of the chain is unknown: no error. */
        if (unit == NULL || read_entry(unit, sections, die, &name, &die, NULL) != HF_OK)
            break;
    }
    names->items[names->count++] = name;
    *out_name = name;
    return HF_OK;
}
