/*
 * data_types.h: of which type a global variable is, what a class is made of, and so which member
 * lies at an offset: of what points from one block of memory to another, its name.
 *
 * Source: DWARF 5, sections 4.1 (variables), 5.7 (classes: members, bases), 5.2 to 5.5 (typedefs,
 * pointers, arrays); versions 2 to 4 likewise.
 *
 * A class is found by its name as C++ writes it ("db::Column<double>"), spaces aside; of several
 * with one name, the first that is defined. A type is the offset of its entry; 0: none.
 *
 * Not read: what is in a supplementary file (dwz), in .dwo files or in type units; classes within
 * functions; places that are computed, as those of virtual bases; what the variants of Rust's
 * enumerations have. Damage ends the walk of a unit; what was found holds.
 *
 * Example:
 *
 *     struct hf_dwarf_sections sections = {.name = "server"}; // texts of the sections
 *     struct hf_data_types types;
 *     struct hf_data_member member;
 *     status = hf_data_types_read(&types, &sections, err);
 *     uint64_t type = hf_data_types_class(&types, HF_TEXT("Session"));
 *     if (status == HF_OK && hf_data_types_member(&types, type, 8, &member))
 *         hf_out_text(out, member.name); // "bufs"
 *     hf_data_types_done(&types);
 */
#ifndef HF_DWARF_DATA_TYPES_H
#define HF_DWARF_DATA_TYPES_H

#include "base/containers/map.h"
#include "base/strings/out.h"
#include "dwarf/unit.h"

/* Once read, it only looks up. Do not move it: `sections` has its effort. */
struct hf_data_types {
    struct hf_dwarf_sections sections; /* what they consist of is borrowed */
    struct hf_dwarf_effort effort;     /* of reading and of all look-ups */
    struct hf_units units;
    struct hf_abbrev_table *abbrevs;  /* by unit, whole, once one of its entries was asked for */
    struct hf_map classes, variables; /* hash of a name, address in the file -> number of a type */
    uint64_t *types;
    size_t type_count, type_capacity;
};

struct hf_data_member {
    struct hf_text class; /* that has it: a base, perhaps; empty: it has no name */
    struct hf_text name;  /* of those within one another, the outermost that has one */
    uint64_t type;        /* of that one */
    uint64_t pointee;     /* what the word at the offset points to, by its type; 0: not known */
};

/*
 * Reads all units once. HF_ERR_LIMIT: the debug information is larger than
 * HF_LIMIT_CALL_GRAPH_BYTES, or costs more than its effort; HF_ERR_MEMORY. Call done in any case.
 */
HF_MUST_CHECK enum hf_status hf_data_types_read(
    struct hf_data_types *types, const struct hf_dwarf_sections *sections, struct hf_error *err);
void hf_data_types_done(struct hf_data_types *types);

uint64_t hf_data_types_class(const struct hf_data_types *types, struct hf_text name);

/* That of the variable that begins at an address of the file. */
uint64_t hf_data_types_variable(const struct hf_data_types *types, uint64_t address);

/*
 * What lies at an offset of an object of that type; of an array, in one of its elements; of a
 * pointer, in one of several side by side. True: it
 * has a member there, or the word is a pointer itself; then *out_member has no name.
 */
HF_MUST_CHECK bool hf_data_types_member(
    struct hf_data_types *types, uint64_t type, uint64_t offset, struct hf_data_member *out_member);

/* Types without what only names them (typedef) or guards them (const). */
uint64_t hf_data_types_plain(struct hf_data_types *types, uint64_t type);

/* "session *", "std::vector<int>", "char []"; nothing, if it cannot be read. */
void hf_data_types_put_name(struct hf_data_types *types, uint64_t type, struct hf_out *out);

#endif
