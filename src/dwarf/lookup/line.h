/*
 * line.h: line tables: which file and line an address comes from.
 *
 * Source: DWARF 5, section 6.2; versions 2 to 4 likewise. No table of rows is built: the program
 * is run once, each row compared with the next asked-for address, until all have their row. Of
 * several rows at one address the last counts; an end_sequence row answers nothing. A row with
 * line 0 is code the compiler made up: the last real line before it in the sequence stands in, and
 * is marked (is_near).
 */
#ifndef HF_DWARF_LINE_H
#define HF_DWARF_LINE_H

#include "base/containers/intern.h"
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

/* From here on up to the next row, or the end of its run. */
struct hf_line_row {
    uint32_t offset; /* from the start of the run */
    uint32_t file;
    uint32_t line : 31, is_near : 1;
};

/* Rows whose addresses ascend. */
struct hf_line_run {
    uint64_t start, end;
    size_t first, count; /* of its rows */
};

/* The whole line table of a unit. Runs are in the order of the program. All-zero is empty. */
struct hf_line_list {
    struct hf_line_row *rows;
    struct hf_line_run *runs;
    uint16_t *columns; /* by row, if they are asked for */
    size_t row_count, row_capacity, run_count, run_capacity, column_capacity;
    bool has_columns; /* given */
};

/*
 * Lists what hf_unit_find_lines answers by: of several runs at an address the first counts. Fails
 * if a part of it is damaged, or a run is longer than 4 GiB.
 */
HF_MUST_CHECK enum hf_status hf_unit_list_lines(const struct hf_unit *unit,
    const struct hf_dwarf_sections *sections, struct hf_line_list *list, struct hf_error *err);
void hf_line_list_done(struct hf_line_list *list);

struct hf_line_file {
    struct hf_text name, path; /* path.data NULL: not joined yet */
    uint64_t folder;
    uint16_t
        unit_folder_bytes; /* of the path: the unit's folder, which neither name nor folder has */
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
 * A file whose path is joined with its folder and the unit's, "." and "//" removed, ".." kept.
 * Its path is empty if the number is unknown or memory ran out. In `texts`; joined once.
 */
struct hf_line_file hf_line_files_find(
    struct hf_line_files *files, uint32_t number, struct hf_intern *texts);

#endif
