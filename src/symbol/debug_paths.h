/*
 * debug_paths.h: where files with debug information are.
 *
 * Source: GDB manual, "Debugging Information in Separate Files".
 *
 * Example:
 *
 *     char path[PATH_MAX];
 *     if (hf_build_id_path(HF_TEXT("\x6f\x3c\x11"), HF_DEBUG_FOLDER, path))
 *         hf_out_string(out, path);
 */
#ifndef HF_SYMBOL_DEBUG_PATHS_H
#define HF_SYMBOL_DEBUG_PATHS_H

#include "base/text.h"

#include <limits.h>
#include <stdbool.h>

#define HF_DEBUG_FOLDER "/usr/lib/debug"

/* "FOLDER/.build-id/ab/cdef.debug"; false if `id` cannot be a build-id. */
bool hf_build_id_path(struct hf_text id, const char *folder, char out_path[PATH_MAX]);

/* The folder that the file itself is in, whatever links lead to it; false if there is no file. */
bool hf_folder_of(const char *path, char out_folder[PATH_MAX]);

#endif
