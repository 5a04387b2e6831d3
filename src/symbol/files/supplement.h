/*
 * supplement.h: the supplementary file of debug information, which dwz makes of what several files
 * have in common. Distributions ship one for all debug files of a package.
 *
 * It is looked for at the path that the debug information says, from the folder of that file if it
 * is not absolute; in each --symdir at an absolute path below it and by its build-id; and by
 * build-id in /usr/lib/debug. Only the file with the id that is asked for is taken.
 * Source: dwz(1), option -M; GDB manual, "Debugging Information in Separate Files".
 */
#ifndef HF_SYMBOL_SUPPLEMENT_H
#define HF_SYMBOL_SUPPLEMENT_H

#include "symbol/files/debug_file.h"
#include "symbol/options.h"

/*
 * Finds and loads what the debug information of `elf`, the file at `path`, refers to; where it
 * looks is added to `sightings`. False with the reason if that is missing or damaged; true without
 * a path if it refers to nothing.
 */
HF_MUST_CHECK bool hf_supplement_find(struct hf_debug_file *supplement, const struct hf_elf *elf,
    const char *path, const struct hf_symbol_options *options, struct hf_sightings *sightings,
    struct hf_error *err);

#endif
