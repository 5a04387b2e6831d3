/*
 * page_sources.h: the source of the places that matter, for an HTML page: what stands around them
 * in their files, and what each of those lines holds.
 *
 *     files = [ { "file": path, "isNewer": bool, "pieces": [ { "first": number, "lines": [text] }
 * ], "held": [ [ number, total, self, ... ] ] } ]
 *
 * `held` has a total and a self (page_lines.h) for each type of the page. Files are in the order of
 * their most important line. web/src/source.ts reads it.
 *
 * A file is looked for below each folder that was named, at its whole path, then without its first
 * folders, one after the other; then, if its path is absolute, there, and last by the build-id of
 * its module on the servers of debug files (symbol/files/debug_source.h). Paths come out of a
 * profile, and pages are shared: only what is called like source is opened, only regular files, and
 * `..` never leads out of a folder that was named. What has a NUL is no text.
 *
 * Up to HF_LIMIT_SOURCE_BYTES go into a page, and a file of more than HF_LIMIT_SOURCE_FILE_BYTES is
 * not read; a note says so.
 */
#ifndef HF_RENDER_PAGE_SOURCES_H
#define HF_RENDER_PAGE_SOURCES_H

#include "render/page/page_lines.h"

#define HF_PAGE_SOURCE_PLACES 20u          /* unless somebody asks for another number */
#define HF_PAGE_SOURCES_UNASKED UINT64_MAX /* that many, without a word if there are none */

/* Which to take. */
struct hf_page_sources_options {
    const struct hf_profile *by_line; /* folded by line; NULL: there are no lines */
    uint64_t places;                  /* so many lines, or HF_PAGE_SOURCES_UNASKED */
    const char *const *folders;       /* to look for files in */
    size_t folder_count;
    const struct hf_profile *shown;  /* the page's, whose types are told */
    size_t type;                     /* of those the one that ranks */
    const struct hf_trie_data *trie; /* with `owners`: as hf_page_lines_init has them */
    const uint32_t *owners;
};

/* Writes them as JSON; nothing if there are none, which is a note where it was asked for. */
HF_MUST_CHECK enum hf_status hf_page_sources(const struct hf_page_sources_options *options,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err);

#endif
