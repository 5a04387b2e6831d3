/*
 * call_types.h: what the types of functions say of who keeps what they allocate.
 *
 * A type *holds* a class if an object of it can lead to one of that class by itself: by value, by a
 * pointer or an array, or as an argument of a template. Members of what a pointer leads to do not
 * count: from a server's object, say, one could come to anything.
 *
 * A part of call_graph.h, which fills the entries and the links.
 */
#ifndef HF_DWARF_CALL_TYPES_H
#define HF_DWARF_CALL_TYPES_H

#include "base/containers/map.h"
#include "base/text.h"
#include "dwarf/call_graph.h"

#include <stdbool.h>
#include <stddef.h>

/* An entry of .debug_info, as far as anybody here asks for it. */
struct hf_call_entry {
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
    uint64_t instance;   /* hash of its name with its template arguments; 0: it has none */
    bool is_generic;     /* its name has template arguments */
    bool is_view;        /* Rust's type of what may be looked at only: "&Route", "&str" */
    bool is_changed;     /* Rust's type of what is borrowed to be changed: "&mut [u8]" */
    bool is_library;     /* of the standard library, or of another whose classes hold any type */
    bool is_allocatable; /* of Fortran: an array whose memory comes and goes */
    bool is_lasting;     /* a variable that is there all the time */
};

#define HF_CALL_VARIABLES (UINT64_MAX - 1) /* in the place of an entry: all variables that last */

/* From a class to the type of a member, a base or an argument; from a function to a parameter's. */
struct hf_call_link {
    uint64_t from, to; /* offsets of entries */
};

/* All-zero is empty. */
struct hf_call_types {
    struct hf_call_entry *entries;
    size_t entry_count, entry_capacity;
    struct hf_map index;        /* offset -> entry */
    struct hf_map generic;      /* class -> instance; 0: several */
    struct hf_call_link *links; /* by `from`, once sorted; then in their order */
    size_t link_count, link_capacity;
    struct hf_map lasting; /* what variables that last can lead to by a pointer, once it is known */
    struct hf_map definitions; /* class -> entry that is no mere declaration */
    struct hf_map parts;       /* class -> a class that has such members; 0: several have */
    bool is_lasting_known, may_all_last, are_parts_known;
    uint64_t steps_left; /* of all walks together; then nothing is held */
};

/* Frees all; gives the budget back. */
void hf_call_types_done(struct hf_call_types *types);

HF_MUST_CHECK bool hf_call_types_add(
    struct hf_call_types *types, const struct hf_call_entry *entry);
HF_MUST_CHECK bool hf_call_types_link(struct hf_call_types *types, uint64_t from, uint64_t to);

/* Once, behind the last entry and link. */
HF_MUST_CHECK bool hf_call_types_finish(struct hf_call_types *types);

/* NULL: of another file, or not read. */
struct hf_call_entry *hf_call_types_at(const struct hf_call_types *types, uint64_t offset);

bool hf_call_tag_is_class(uint16_t tag);

/* A type that leads to another one, or is a number. */
bool hf_call_tag_is_type(uint16_t tag);

/* Adds what the types of an entry of a function say, whose declaration is `origin`. */
void hf_call_types_judge(struct hf_call_types *types, const struct hf_call_entry *entry,
    const struct hf_call_entry *origin, struct hf_called_function *function);

#endif
