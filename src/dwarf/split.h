/*
 * split.h: split DWARF: units of which the image has only a skeleton, and the rest of them.
 *
 * The skeleton has the addresses, the line table, and the name and id of a file (.dwo) that has
 * the functions and inlined calls; or a package of many such files (.dwp, package.h) has them. In
 * there, addresses are indices into .debug_addr of the image; the ranges of version 4 are in
 * .debug_ranges of the image, too; and numbers of source files are those of the skeleton's line
 * table. Only the unit with the skeleton's id is taken: everything else is of another build.
 *
 * Source: DWARF 5, section 7.3.2 and appendix F; for version 4 the GCC wiki, "DebugFission".
 */
#ifndef HF_DWARF_SPLIT_H
#define HF_DWARF_SPLIT_H

#include "dwarf/name.h"

/* What one file, or one part of a package, has: its sections, and the units in them. */
struct hf_split_file {
    struct hf_dwarf_sections sections; /* borrowed */
    struct hf_units units;
};

/*
 * Lists the units with their ids, and finds the one that is wanted. HF_ERR_INPUT with a sentence
 * if it is not there, or the file is damaged. `effort`: of who asks; or NULL. Call close also after
 * an error.
 */
HF_MUST_CHECK enum hf_status hf_split_file_open(struct hf_split_file *file,
    const struct hf_dwarf_sections *sections, uint64_t id, struct hf_dwarf_effort *effort,
    struct hf_error *err);
void hf_split_file_close(struct hf_split_file *file);

/* The unit with this id, or NULL. */
struct hf_unit *hf_split_file_unit(const struct hf_split_file *file, uint64_t id);

/*
 * Who finds the files. `find` gives the one that has the rest of a unit, opened and kept by the
 * source; what hf_split_file_open refuses, it must not give. One thread calls it at a time.
 */
struct hf_split_source {
    enum hf_status (*find)(void *context, const struct hf_unit *skeleton,
        struct hf_dwarf_effort *effort, struct hf_split_file **out_file, struct hf_error *err);
    void *context;
    uint64_t bytes; /* of the sections of all that was found up to now */
};

/* The rest of one unit, while it is read. All-zero is none. Must stay where it is. */
struct hf_split_unit {
    struct hf_dwarf_sections sections; /* of its file, and what the image has for it */
    struct hf_unit *unit;              /* with the skeleton's queries, lent */
    struct hf_die_names names;
};

/* Looks for the rest of `skeleton`. HF_ERR_INPUT with a sentence if there is none. `texts`: where
 * names are copied to. */
HF_MUST_CHECK enum hf_status hf_split_unit_open(struct hf_split_unit *split,
    const struct hf_unit *skeleton, const struct hf_dwarf_sections *image, struct hf_intern *texts,
    struct hf_error *err);
void hf_split_unit_close(struct hf_split_unit *split);

#endif
