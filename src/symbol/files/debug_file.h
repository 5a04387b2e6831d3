/*
 * debug_file.h: a file that holds debug information and is not the image: opened, and its sections.
 */
#ifndef HF_SYMBOL_DEBUG_FILE_H
#define HF_SYMBOL_DEBUG_FILE_H

#include "os/file.h"
#include "symbol/files/debug_sections.h"
#include "symbol/sightings.h"

/* All-zero: there is none. */
struct hf_debug_file {
    char *path; /* NULL: not open */
    struct hf_file_map map;
    struct hf_elf elf;
    struct hf_dwarf_sections sections; /* what hf_debug_sections_load put there */
    struct hf_inflated inflated;
};

/*
 * Opens the ELF file at `path`; false, and nothing is open, if there is none that can be read. What
 * is there is added to `sightings`.
 */
HF_MUST_CHECK bool hf_debug_file_open(
    struct hf_debug_file *file, const char *path, struct hf_sightings *sightings);
void hf_debug_file_close(struct hf_debug_file *file);

#endif
