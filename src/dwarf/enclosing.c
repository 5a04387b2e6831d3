#include "dwarf/enclosing.h"

#include "dwarf/constants.h"

/* Reads the attributes; returns where the next entry beside this one is, or 0. */
static uint64_t read_sibling(
    struct hf_cursor *c, const struct hf_unit *unit, const struct hf_abbrev *abbrev)
{
    const struct hf_abbrev_attribute *a = hf_abbrev_attributes(&unit->abbrevs, abbrev);
    uint64_t sibling = 0;
    for (size_t i = 0; i < abbrev->attribute_count; i++, a++) {
        if (a->name == DW_AT_sibling)
            sibling = hf_unit_reference(unit, a->form, hf_attribute_read(c, a, &unit->encoding));
        else
            hf_attribute_skip(c, a, &unit->encoding);
    }
    return sibling;
}

size_t hf_enclosing_entries(const struct hf_unit *unit, const struct hf_dwarf_sections *sections,
    uint64_t die, uint64_t around[HF_ENCLOSING_MAX], uint64_t *read_count)
{
    struct hf_cursor c = hf_unit_cursor(unit, sections, unit->first_die);
    size_t depth = 0; /* of the entries around the next one, the root is the first of them */
    for (uint64_t at; (at = hf_cursor_offset(&c)) < die && !hf_cursor_failed(&c);) {
        uint64_t code = hf_cursor_uleb(&c);
        ++*read_count;
        if (code == 0 && depth-- <= 1)
            return 0;
        if (code == 0)
            continue;
        const struct hf_abbrev *abbrev = hf_abbrev_find(&unit->abbrevs, code);
        if (abbrev == NULL || depth > HF_ENCLOSING_MAX)
            return 0;
        if (!abbrev->has_children) {
            hf_abbrev_skip(&c, &unit->abbrevs, abbrev, &unit->encoding);
            continue;
        }
        uint64_t sibling = read_sibling(&c, unit, abbrev);
        if (sibling > hf_cursor_offset(&c) && sibling <= die) {
            hf_cursor_seek(&c, sibling);
            continue;
        }
        if (depth != 0)
            around[depth - 1] = at;
        depth++;
    }
    bool is_found = !hf_cursor_failed(&c) && hf_cursor_offset(&c) == die && depth != 0;
    return is_found ? depth - 1 : 0;
}
