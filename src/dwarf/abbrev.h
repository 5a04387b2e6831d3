/*
 * abbrev.h: abbreviation tables: the shapes of the entries (DIEs) of a unit.
 *
 * Source: DWARF 5, section 7.5.3. Beside tag and attributes an abbreviation knows two things that
 * make skipping cheap: its size if all its forms are of fixed size, and where its DW_AT_sibling
 * is if that stands at a fixed place as ref4. An entry is then skipped by one addition or one load.
 */
#ifndef HF_DWARF_ABBREV_H
#define HF_DWARF_ABBREV_H

#include "base/error.h"
#include "dwarf/form.h"
#include "dwarf/sections.h"

#include <stdbool.h>
#include <stdint.h>

struct hf_abbrev_attribute {
    uint16_t name; /* 0: nobody asks for it; perhaps several, of fixed size together */
    uint16_t form;
    int32_t size;     /* bytes of a value; or what hf_form_size says */
    int64_t implicit; /* DW_FORM_implicit_const: the value */
};

/* What a walk for functions does with an entry. */
enum hf_die_kind {
    HF_DIE_OTHER,     /* skip it with all below */
    HF_DIE_FUNCTION,  /* subprogram */
    HF_DIE_INLINED,   /* inlined_subroutine */
    HF_DIE_BLOCK,     /* lexical_block */
    HF_DIE_CONTAINER, /* may hold functions: unit, namespace, class ... */
};

struct hf_abbrev {
    uint32_t first_attribute;
    uint16_t attribute_count;
    uint16_t tag;           /* 0: there is no abbreviation with this code */
    int32_t fixed_size;     /* bytes of all attributes, -1 if it varies */
    int32_t sibling_offset; /* bytes from the first attribute to a ref4 sibling, -1: none such */
    bool has_children;
    uint8_t kind; /* enum hf_die_kind */
};

struct hf_abbrev_table {
    struct hf_abbrev *items; /* by code */
    size_t count, capacity;
    struct hf_abbrev_attribute *attributes;
    size_t attribute_count, attribute_capacity;
    size_t read_bytes; /* of .debug_abbrev, for this table */
    bool is_whole;     /* all attributes have their names */
};

/*
 * Reads the table at `offset` of .debug_abbrev; only the entry of `only_code`, unless that is 0.
 * HF_ERR_INPUT: damaged; HF_ERR_LIMIT: HF_LIMIT_ABBREVS. Call done also after an error.
 */
HF_MUST_CHECK enum hf_status hf_abbrev_table_read(struct hf_abbrev_table *table,
    struct hf_text abbrev_section, uint64_t offset, const struct hf_dwarf_encoding *encoding,
    uint64_t only_code, struct hf_error *err);

/* The same with the names of all attributes, for the walk of call_graph.h. */
HF_MUST_CHECK enum hf_status hf_abbrev_table_read_whole(struct hf_abbrev_table *table,
    struct hf_text abbrev_section, uint64_t offset, const struct hf_dwarf_encoding *encoding,
    struct hf_error *err);
void hf_abbrev_table_done(struct hf_abbrev_table *table);

/* The abbreviation of a code, or NULL. */
static inline const struct hf_abbrev *hf_abbrev_find(
    const struct hf_abbrev_table *table, uint64_t code)
{
    return code < table->count && table->items[code].tag != 0 ? &table->items[code] : NULL;
}

static inline const struct hf_abbrev_attribute *hf_abbrev_attributes(
    const struct hf_abbrev_table *table, const struct hf_abbrev *abbrev)
{
    return table->attributes + abbrev->first_attribute;
}

/* Reads the value of one attribute; as hf_form_read. */
static inline uint64_t hf_attribute_read(struct hf_cursor *c,
    const struct hf_abbrev_attribute *attribute, const struct hf_dwarf_encoding *encoding)
{
    return attribute->size > 0 ? hf_form_read_sized(c, attribute->size)
                               : hf_form_read(c, attribute->form, attribute->implicit, encoding);
}

/* Skips the value of one attribute. */
static inline void hf_attribute_skip(struct hf_cursor *c,
    const struct hf_abbrev_attribute *attribute, const struct hf_dwarf_encoding *encoding)
{
    hf_form_skip(c, attribute->form, attribute->size, encoding);
}

/* Skips the attributes of one entry. */
static inline void hf_abbrev_skip(struct hf_cursor *c, const struct hf_abbrev_table *table,
    const struct hf_abbrev *abbrev, const struct hf_dwarf_encoding *encoding)
{
    if (abbrev->fixed_size >= 0) {
        hf_cursor_skip(c, (uint64_t)abbrev->fixed_size);
        return;
    }
    const struct hf_abbrev_attribute *attributes = hf_abbrev_attributes(table, abbrev);
    for (size_t i = 0; i < abbrev->attribute_count; i++)
        hf_attribute_skip(c, &attributes[i], encoding);
}

#endif
