/*
 * cache_folder.h: where answers about symbols are kept between runs.
 *
 * $XDG_CACHE_HOME/heapflame, else ~/.cache/heapflame. Source: XDG Base Directory Specification 0.8.
 */
#ifndef HF_CLI_CACHE_FOLDER_H
#define HF_CLI_CACHE_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/* One row of every command that names addresses; the variable is a bool. */
#define HF_OPTION_NO_CACHE(offset)                                                                 \
    {                                                                                              \
        "no-cache", 0, HF_OPTION_FLAG, 0, offset, NULL,                                            \
            "neither use nor keep what earlier runs found out"                                     \
    }

/* The folder, in `path`; NULL if there shall be none. */
const char *hf_cache_folder(bool no_cache, char path[PATH_MAX]);

#endif
