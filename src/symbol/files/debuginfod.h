/*
 * debuginfod.h: debug files by build-id from servers, as distributions run them, and from the cache
 * of what was fetched before, by whatever program.
 *
 *     CACHE/HEX/debuginfo            CACHE: $DEBUGINFOD_CACHE_PATH, or debuginfod_client in
 *                                    $XDG_CACHE_HOME or ~/.cache
 *     GET URL/buildid/HEX/debuginfo  each URL of $DEBUGINFOD_URLS, which blanks separate
 *
 * Source: debuginfod(8), debuginfod_find_debuginfo(3). Nothing is asked of the network unless
 * $DEBUGINFOD_URLS is set. A file is kept, and used, only if it has the build-id that was asked
 * for. Limits: HF_LIMIT_HTTP_* (base/limits.h).
 */
#ifndef HF_SYMBOL_DEBUGINFOD_H
#define HF_SYMBOL_DEBUGINFOD_H

#include "base/error.h"
#include "base/text.h"

#include <limits.h>
#include <stdbool.h>

/* $DEBUGINFOD_URLS; "" if it is not set. */
const char *hf_debuginfod_servers(void);

/* Where the cache has the debug file of an image; false if there can be none. */
HF_MUST_CHECK bool hf_debuginfod_path(struct hf_text build_id, char out_path[PATH_MAX]);

/*
 * Asks the servers, in their order, for the debug file, and puts it at `path`, which is
 * hf_debuginfod_path's. HF_ERR_NETWORK: none has it; the error is the last one's.
 */
HF_MUST_CHECK enum hf_status hf_debuginfod_fetch(
    struct hf_text build_id, const char *path, struct hf_error *err);

/* The folder of its cache, one folder in it for each build-id. False: there is none to be used. */
HF_MUST_CHECK bool hf_debuginfod_folder(char out_path[PATH_MAX]);

/* What the file in such a folder is called. */
#define HF_DEBUGINFOD_NAME "debuginfo"

#endif
