/*
 * name.h: the name of a function, through the entries that lead to it.
 *
 * Source: DWARF 5, section 3.3.8.1 (abstract_origin) and 2.13.2 (specification). An inlined call
 * and an out-of-line copy refer to the abstract function, a definition to its declaration. The
 * chain may cross units (LTO, partial units) and go on in the supplementary file, which does not
 * lead back; it is followed HF_LIMIT_ORIGIN_DEPTH steps, and what is longer is counted.
 *
 * GCC writes no linkage name for what other files cannot call: functions in an unnamed namespace,
 * methods of local classes, lambdas. Where such a function is inlined there is no symbol either,
 * so its name is "put" or "operator()" only. In C++ its *scope* is taken from the entries around
 * it, in the words of the demangler: "(anonymous namespace)::Cache", "main::{lambda}".
 */
#ifndef HF_DWARF_NAME_H
#define HF_DWARF_NAME_H

#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "dwarf/unit.h"

struct hf_die_name {
    struct hf_text name;    /* DW_AT_name: "push_back"; may be empty */
    struct hf_text linkage; /* DW_AT_linkage_name: mangled; may be empty */
    struct hf_text scope;   /* without a linkage name: "shop::Cart", what the name stands in */
};

/*
 * Where names are looked up: borrowed, set before the first. Names already looked up, by offset of
 * the entry: all-zero is empty. One thread at a time. Names longer than 1 MiB stay where they are:
 * nobody reads them.
 */
struct hf_die_names {
    const struct hf_dwarf_sections *sections;
    const struct hf_units *units, *supplement_units;
    struct hf_intern *texts; /* gets a copy of each name */
    uint64_t missing_count;  /* names of which a part is in a supplementary file not there */
    struct hf_map index;
    struct hf_die_name *items;
    size_t count, capacity;
    uint64_t cut_chains;
    uint64_t scope_entries; /* read for scopes */
};

/* Looks up, or remembers. An unnamed entry has empty names; that is no error. */
HF_MUST_CHECK enum hf_status hf_die_names_find(
    struct hf_die_names *names, uint64_t die, struct hf_die_name *out_name, struct hf_error *err);
void hf_die_names_done(struct hf_die_names *names);

/* What it takes; drops that, and goes on to look up and count. */
size_t hf_die_names_bytes(const struct hf_die_names *names);
void hf_die_names_forget(struct hf_die_names *names);

#endif
