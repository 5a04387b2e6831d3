/*
 * split_files.h: the files of split DWARF: a .dwo file for each unit, or one package (.dwp) of all.
 *
 * A package is looked for beside the image and beside its debug file, under their names with .dwp
 * behind, and under these names in each --symdir. What it has not is looked for in .dwo files: at
 * the path that the unit says, from the folder it was compiled in if it is not absolute; beside the
 * image, by that path and by the name alone; and likewise in each --symdir, where the folder it was
 * compiled in may be copied, too. Only a unit with the right id is taken (dwarf/split.h).
 *
 * Source: GCC manual, -gsplit-dwarf; GDB manual, "Separate debug info: .dwo and .dwp".
 */
#ifndef HF_SYMBOL_SPLIT_FILES_H
#define HF_SYMBOL_SPLIT_FILES_H

#include "dwarf/package.h"
#include "dwarf/split.h"
#include "symbol/files/debug_file.h"
#include "symbol/options.h"

struct hf_split_opened;

/* Must stay where it is. All-zero finds nothing. */
struct hf_split_files {
    struct hf_split_source source;
    const char *image_path, *debug_path; /* borrowed; debug_path may be NULL */
    struct hf_symbol_options options;
    struct hf_sightings *sightings;
    struct hf_debug_file package_file; /* path NULL: none was found */
    struct hf_package package;
    bool has_package;                   /* it was looked for */
    struct hf_split_opened **opened;    /* all .dwo files, and parts of the package, given out */
    size_t count, capacity, file_count; /* file_count: of .dwo files */
    struct hf_map by_id;                /* id of a unit to its place in `opened` */
};

/* Finds nothing yet: that is done when a unit is asked for. `sightings` outlives it. */
void hf_split_files_init(struct hf_split_files *files, const char *image_path,
    const char *debug_path, const struct hf_symbol_options *options,
    struct hf_sightings *sightings);

/* Opens the package, if there is one and that was not tried yet. Damage is in `err`, HF_ERR_INPUT.
 */
HF_MUST_CHECK enum hf_status hf_split_files_find_package(
    struct hf_split_files *files, struct hf_error *err);

/* HF_ERR_SYSTEM: one of the files was cut short or written to while it was read. */
HF_MUST_CHECK enum hf_status hf_split_files_check(
    const struct hf_split_files *files, struct hf_error *err);

void hf_split_files_done(struct hf_split_files *files);

#endif
