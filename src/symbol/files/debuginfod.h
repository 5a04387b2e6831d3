/*
 * debuginfod.h: debug files by build-id from servers, as distributions run them, and from the cache
 * of what was fetched before, by whatever program.
 *
 *     CACHE/HEX/debuginfo            CACHE: $DEBUGINFOD_CACHE_PATH, ~/.debuginfod_client_cache if
 *                                    it is there, or debuginfod_client in $XDG_CACHE_HOME or
 *                                    ~/.cache. Empty: no server had it when the file was written,
 *                                    which is believed for CACHE/cache_miss_s seconds (600)
 *     CACHE/HEX/heapflame-sections   ours: an ELF file made of the sections that names come from
 *     GET URL/buildid/HEX/debuginfo  by net/debug_servers.h
 *     GET URL/buildid/HEX/section/.debug_line
 *
 * Source: debuginfod(8), debuginfod-client-config(7); the empty file and its name are what
 * elfutils' client leaves. Nothing is asked of the network unless $DEBUGINFOD_URLS is set. A file
 * is kept, and used, only if it has the build-id that was asked for.
 *
 * Sections are fetched alone where the file is more than is wanted (DEBUGINFOD_MAXSIZE,
 * HF_LIMIT_HTTP_BODY). Else they do not pay: what names need is 76 to 88 % of the debug files of
 * Debian's libc, libstdc++ and the like, and each section is a request. If those of DWARF are more
 * than is wanted as well, or the server does not know of sections, the symbols remain, or nothing.
 */
#ifndef HF_SYMBOL_DEBUGINFOD_H
#define HF_SYMBOL_DEBUGINFOD_H

#include "base/error.h"
#include "base/text.h"
#include "elf/image.h"

#include <limits.h>
#include <stdbool.h>

/* What the files in a folder of its cache are called. */
#define HF_DEBUGINFOD_NAME "debuginfo"
#define HF_DEBUGINFOD_PARTS "heapflame-sections"

/* The folder of its cache, one folder in it for each build-id. False: there is none to be used. */
HF_MUST_CHECK bool hf_debuginfod_folder(char out_path[PATH_MAX]);

/* Where the cache has the file `name` of an image; false if there can be none. */
HF_MUST_CHECK bool hf_debuginfod_path(
    struct hf_text build_id, const char *name, char out_path[PATH_MAX]);

/* True if no server had it a short while ago: there is an empty file at `path`. */
bool hf_debuginfod_is_missed(const char *path);

/* Keeps bytes under a path of hf_debuginfod_path; false: they cannot be kept. */
HF_MUST_CHECK bool hf_debuginfod_keep(struct hf_text bytes, const char *path, const char *name);

/* What was fetched. */
struct hf_debuginfod_file {
    int fd;           /* the file, for the caller to close; -1: there is none */
    const char *name; /* as what it is in the cache */
    bool is_kept;     /* in the cache */
    char why[1024];   /* what is missing; "" if nothing is, or if no server has the file */
};

/*
 * Asks the servers for the debug file of `image`, and keeps it. HF_ERR_NETWORK: no server has it,
 * which is `is_absent`, or none gave it; else an error is our own.
 */
HF_MUST_CHECK enum hf_status hf_debuginfod_fetch(const struct hf_elf *image, const char *path,
    struct hf_debuginfod_file *out_file, bool *out_is_absent, struct hf_error *err);

#endif
