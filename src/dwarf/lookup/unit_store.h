/*
 * unit_store.h: what a resolver has read of one file, and keeps from one run to the next.
 *
 * Units with their roots, and by unit: its table of files, its index, the rest of it if it is
 * split. Names and paths of all of them. What takes more than HF_LIMIT_RESIDENT_BYTES is forgotten
 * between two runs: names and paths when they fill a quarter of it, indexes when they fill the
 * rest.
 */
#ifndef HF_DWARF_UNIT_STORE_H
#define HF_DWARF_UNIT_STORE_H

#include "dwarf/lookup/line.h"
#include "dwarf/lookup/place.h"
#include "dwarf/lookup/unit_index.h"
#include "dwarf/split.h"

/* What of a unit was not readable; each is told once. */
enum hf_unit_damage {
    HF_UNIT_DAMAGED_ROOT = 1,
    HF_UNIT_DAMAGED_FUNCTIONS = 2,
    HF_UNIT_DAMAGED_LINES = 4,
    HF_UNIT_DAMAGED_SPLIT = 8,
};

struct hf_kept_unit {
    struct hf_line_files files;
    struct hf_split_unit *split; /* the rest of a skeleton; NULL: none was found */
    struct hf_unit_index *index; /* NULL: not made yet, or not any more */
    uint32_t last_run;           /* that asked it; 0: none */
    uint8_t damage;              /* enum hf_unit_damage */
    bool has_files, has_split;   /* they were looked for */
    bool is_indexed_thoroughly;
    bool has_no_index; /* there cannot be one */
};

/* Must stay where it is: sections refer to each other. */
struct hf_unit_store {
    struct hf_dwarf_sections sections, supplement; /* with the effort of the run */
    struct hf_dwarf_effort effort;
    struct hf_units units, supplement_units;
    struct hf_kept_unit *kept; /* by unit; NULL: not listed yet */
    struct hf_die_names names;
    struct hf_intern texts;        /* names and paths */
    uint32_t generation;           /* of them */
    atomic_size_t index_bytes;     /* of all indexes */
    atomic_size_t units_decoded;   /* walked, or indexed; each time */
    uint32_t run;                  /* from 1 */
    bool has_columns;              /* as the run was told */
    struct hf_dwarf_damage damage; /* up to now, but for what the names add */
};

/* `store` is all-zero. */
void hf_unit_store_init(struct hf_unit_store *store, const struct hf_dwarf_sections *sections);
void hf_unit_store_done(struct hf_unit_store *store);

/* Lists the units of the file and of its supplement, before the first run. */
HF_MUST_CHECK enum hf_status hf_unit_store_scan(struct hf_unit_store *store, struct hf_error *err);

/* Begins a run: what the one before has left of itself goes, and what it may not leave. */
void hf_unit_store_begin_run(struct hf_unit_store *store);

/*
 * Something that cannot be read, or a limit: what was read before holds. `damage` is what of all
 * that is missing now, with what the names tell.
 */
void hf_unit_store_add_damage(struct hf_unit_store *store, const struct hf_error *fault);
struct hf_dwarf_damage hf_unit_store_damage(const struct hf_unit_store *store);

/* The unit has the functions of its split part, whose queries are lent to that. */
struct hf_unit_parts hf_unit_store_parts(struct hf_unit_store *store, uint32_t unit);

/* Where the names of the functions of a unit are looked up. */
struct hf_die_names *hf_unit_store_names(struct hf_unit_store *store, uint32_t unit);

/* A file of the unit's line table. The tables are read when the first is asked for. */
struct hf_line_file hf_unit_store_file(struct hf_unit_store *store, uint32_t unit, uint32_t file);

/*
 * Finds the rest of a skeleton, once. Without it, names are those of symbols: that is told, no
 * error.
 */
HF_MUST_CHECK enum hf_status hf_unit_store_find_split(
    struct hf_unit_store *store, uint32_t unit, struct hf_error *err);

/* What indexes, names and paths take. */
size_t hf_unit_store_bytes(struct hf_unit_store *store);

/* True if indexes may be made: there is room for more of them. */
bool hf_unit_store_has_room(struct hf_unit_store *store);

/*
 * Makes the index of a unit, instead of one that it has. What cannot be indexed is walked each
 * time, which tells why. Units may be indexed in parallel.
 */
void hf_unit_store_make_index(struct hf_unit_store *store, uint32_t unit, bool is_thorough);

#endif
