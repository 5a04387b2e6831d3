/*
 * line.h: line tables: which file and line an address comes from.
 *
 * Source: DWARF 5, section 6.2; versions 2 to 4 likewise. No table of rows is built: the program
 * is run once, each row compared with the next asked-for address, until all have their row. Of
 * several rows at one address the last counts; an end_sequence row answers nothing. A row with
 * line 0 is code the compiler made up: the last real line before it in the sequence stands in.
 */
#ifndef HF_DWARF_LINE_H
#define HF_DWARF_LINE_H

#include "base/containers/arena.h"
#include "dwarf/queries.h"
#include "dwarf/ranges.h"

/*
 * Fills file and line of every query of the unit that it owns. Damage ends the program; what was
 * found holds, and is reported as HF_ERR_INPUT.
 */
HF_MUST_CHECK enum hf_status hf_unit_find_lines(const struct hf_unit *unit, uint32_t unit_index,
    const struct hf_dwarf_sections *sections, struct hf_queries *queries, struct hf_error *err);

/*
 * The ranges of the sequences of the unit's line table: where its code is, if the root entry does
 * not say it (DWARF 2 has no list of ranges). Damage ends the list, and is HF_ERR_INPUT.
 */
HF_MUST_CHECK enum hf_status hf_unit_line_ranges(const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, hf_range_fn visit, void *context,
    struct hf_error *err);

struct hf_line_file {
    struct hf_text name, path; /* path.data NULL: not joined yet */
    uint64_t folder;
};

/* The file table of one unit. All-zero is empty. Names are borrowed from the sections. */
struct hf_line_files {
    struct hf_text comp_dir;
    struct hf_line_file *folders, *files; /* files by number, as rows and DW_AT_call_file use it */
    size_t folder_count, file_count;
    bool has_unit_folder; /* folder 0 is the unit's (DWARF 5), and not below it */
};

/* Reads the tables of folders and files. What was read before a damage holds. */
HF_MUST_CHECK enum hf_status hf_line_files_read(struct hf_line_files *files,
    const struct hf_unit *unit, const struct hf_dwarf_sections *sections, struct hf_error *err);
void hf_line_files_done(struct hf_line_files *files);

/*
 * The path of a file: joined with its folder and the unit's, "." and "//" removed, ".." kept.
 * Empty if the number is unknown or memory ran out. In `arena`; joined once.
 */
struct hf_text hf_line_files_path(
    struct hf_line_files *files, uint32_t number, struct hf_arena *arena);

#endif
