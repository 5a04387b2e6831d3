/*
 * cache_folder.h: the folder that keeps answers about symbols between runs.
 *
 * $XDG_CACHE_HOME/heapflame, else ~/.cache/heapflame. Source: XDG Base Directory Specification 0.8.
 *
 * Example:
 *
 *     char path[PATH_MAX];
 *     const char *folder = hf_cache_folder(false, path);
 *     if (folder != NULL)
 *         hf_out_string(out, folder);
 */
#ifndef HF_SYMBOL_CACHE_FOLDER_H
#define HF_SYMBOL_CACHE_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/* The folder, in `path`; NULL if there shall be none. */
const char *hf_cache_folder(bool no_cache, char path[PATH_MAX]);

#endif
