/*
 * debug_source.h: source files by build-id from the servers of debug files, and from the cache of
 * what was fetched before, by whatever program.
 *
 *     CACHE/HEX/source##usr##src##a.c     CACHE: as in debuginfod.h; a '#' of the path is "#_".
 *                                         Empty: no server had it when the file was written
 *     GET URL/buildid/HEX/source/usr/src/a.c
 *
 * Source: debuginfod(8); the name of the file is that of elfutils' client up to 0.191. What has a
 * longer name than files may have is fetched, but not kept.
 *
 * Nothing says whether an answer is the right file: it is as good as the server is. Nothing is
 * asked of the network unless $DEBUGINFOD_URLS is set.
 */
#ifndef HF_SYMBOL_DEBUG_SOURCE_H
#define HF_SYMBOL_DEBUG_SOURCE_H

#include "base/attr.h"
#include "base/text.h"

#include <stdbool.h>

/* What the names of its files in the cache begin with. */
#define HF_DEBUG_SOURCE_NAME "source##"

/*
 * Opens the source file of an image; `path` is its own, without the slash in front, "." and "..".
 * False: no server has it, or could be asked. The descriptor is the caller's to close.
 */
HF_MUST_CHECK bool hf_debug_source_open(struct hf_text build_id, struct hf_text path, int *out_fd);

#endif
