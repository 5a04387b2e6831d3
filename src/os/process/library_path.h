/*
 * library_path.h: where the dynamic linker would find a library, without running anything.
 *
 * Source: ld.so(8). In this order: the run path of the file that needs it, with $ORIGIN;
 * /etc/ld.so.cache; the usual folders. LD_LIBRARY_PATH belongs to the environment of the program
 * and is not known here.
 */
#ifndef HF_OS_LIBRARY_PATH_H
#define HF_OS_LIBRARY_PATH_H

#include "base/attr.h"
#include "base/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The path of the library `name` for the ELF machine `machine`. `run_path`: DT_RUNPATH or DT_RPATH
 * of the file at `needed_by`. False if it is nowhere.
 */
HF_MUST_CHECK bool hf_library_path_find(struct hf_text name, uint16_t machine,
    struct hf_text run_path, const char *needed_by, char out_path[PATH_MAX]);

/* A cache file of glibc 2.2 and later ("glibc-ld.so.cache1.1"): the path of `name` in it. */
HF_MUST_CHECK bool hf_library_cache_find(
    struct hf_text cache, struct hf_text name, uint16_t machine, struct hf_text *out_path);

#endif
