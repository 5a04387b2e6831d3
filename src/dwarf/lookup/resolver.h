/*
 * resolver.h: addresses of one image to functions, inlined calls, files and lines.
 *
 * The whole way: list the units, read their roots (in parallel), give each address to the first
 * unit that claims it, walk those units (in parallel, the largest first), and read the names and
 * paths of what was found. Only units that own an address are read beyond their root.
 *
 * A resolver stays: what it has read of the file serves the next addresses, too. The first ones are
 * found by walking their units, which passes over most of them; a unit that is asked again gets an
 * index (unit_index.h). Indexes, names and paths take at most HF_LIMIT_RESIDENT_BYTES, give or take
 * one unit for each thread and what one run adds to the names: those that were asked longest ago
 * go. What the units themselves take, their heads, abbreviations and ranges, is below a tenth of
 * the debug information.
 *
 * Results do not depend on the number of threads, nor on what was asked before. Of several units
 * that claim an address (a comdat function kept once) the one at the lowest offset that describes
 * it answers. A supplementary file (dwz) has names alone, which the entries of the image's units
 * refer to. Of split DWARF the image has the lines, and what else there is comes from the file that
 * sections->split finds.
 */
#ifndef HF_DWARF_RESOLVER_H
#define HF_DWARF_RESOLVER_H

#include "base/containers/arena.h"
#include "dwarf/lookup/place.h"
#include "dwarf/sections.h"

#include <stdbool.h>

struct hf_dwarf_result {
    struct hf_dwarf_place *places; /* one for each address */
    struct hf_arena arena;         /* of the places and frames */
    struct hf_dwarf_damage damage;
    uint32_t generation; /* while it is the same, equal names and paths are the same bytes */
};

struct hf_resolver;

/* `sections` may go; their bytes, the supplement's and the split source may not. */
HF_MUST_CHECK enum hf_status hf_resolver_new(const struct hf_dwarf_sections *sections,
    struct hf_resolver **out_resolver, struct hf_error *err);
void hf_resolver_free(struct hf_resolver *resolver);

/* What it keeps takes. How often a unit was read beyond its root, up to now. */
size_t hf_resolver_bytes(struct hf_resolver *resolver);
size_t hf_resolver_units_decoded(struct hf_resolver *resolver);

struct hf_resolver_run {
    unsigned threads;  /* at most */
    bool expects_more; /* the caller knows that many more addresses will be asked for */
    bool has_columns;  /* columns are asked for; in every run, or in none */
};

/*
 * Resolves `count` sorted, distinct virtual addresses. Damaged debug information is counted, not an
 * error: what is sound answers. Names and paths are copies, the resolver's, up to its next run.
 * Call done also after an error, with which the resolver is of no more use.
 */
HF_MUST_CHECK enum hf_status hf_resolver_run(struct hf_resolver *resolver,
    const uint64_t *addresses, size_t count, const struct hf_resolver_run *how,
    struct hf_dwarf_result *result, struct hf_error *err);
void hf_dwarf_result_done(struct hf_dwarf_result *result);

#endif
