/*
 * resolve.h: addresses of one image to functions, inlined calls, files and lines.
 *
 * The whole way: list the units, read their roots (in parallel), give each address to the first
 * unit that claims it, walk those units (in parallel, the largest first), and read the names and
 * paths of what was found. Only units that own an address are read beyond their root.
 *
 * Results do not depend on the number of threads. Of several units that claim an address (a
 * comdat function kept once) the one at the lowest offset that describes it answers. A
 * supplementary file (dwz) has names alone, which the entries of the image's units refer to. Of
 * split DWARF the image has the lines, and what else there is comes from the file that
 * sections->split finds.
 */
#ifndef HF_DWARF_RESOLVE_H
#define HF_DWARF_RESOLVE_H

#include "base/containers/arena.h"
#include "dwarf/sections.h"

struct hf_dwarf_frame {
    struct hf_text name;    /* DW_AT_name; may be empty */
    struct hf_text linkage; /* mangled; may be empty */
    struct hf_text file;    /* path; may be empty */
    uint32_t line;          /* 0: unknown */
};

/* The calls at one address, innermost first. count 0: no function is described there. */
struct hf_dwarf_place {
    struct hf_dwarf_frame *frames;
    size_t count;
    /* File and line of the address when no function is described but a line is. */
    struct hf_text file;
    uint32_t line;
};

struct hf_dwarf_result {
    struct hf_dwarf_place *places; /* one for each address */
    struct hf_arena arena;         /* of the places, frames and paths; names borrow from sections */
    uint64_t damaged_units;        /* given up somewhere in the middle */
    struct hf_error first_damage;
    uint64_t missing_names;      /* of which a part is in a supplementary file that is not there */
    uint64_t split_units;        /* that own addresses, and whose functions were not found */
    struct hf_error first_split; /* why those of the first were not */
};

/*
 * Resolves `count` sorted, distinct virtual addresses with up to `threads` threads. Damaged debug
 * information is counted, not an error: what is sound answers. Call done also after an error.
 */
HF_MUST_CHECK enum hf_status hf_dwarf_resolve(const struct hf_dwarf_sections *sections,
    const uint64_t *addresses, size_t count, unsigned threads, struct hf_dwarf_result *result,
    struct hf_error *err);
void hf_dwarf_result_done(struct hf_dwarf_result *result);

#endif
