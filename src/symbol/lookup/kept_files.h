/*
 * kept_files.h: the files of modules that stay open from one profile to the next.
 *
 * Who names profiles of one process again and again (`top --live`, a series, both sides of a
 * comparison) need not read the same debug information each time: what a resolver has made of it
 * stays (dwarf/lookup/unit_store.h), as long as the file, and every other that was looked for, is
 * as it was. All that stays takes at most HF_LIMIT_RESIDENT_BYTES; the files that were used longest
 * ago go. The files themselves are mapped, which is the system's memory.
 *
 * Those who name with the same options may share them, one at a time.
 *
 * Example:
 *
 *     struct hf_kept_files kept = {0};
 *     bool is_open;
 *     struct hf_module_files *files = hf_kept_files_take(&kept, "/bin/sh", &is_open);
 *     if (files != NULL)
 *         hf_kept_files_put(&kept, files);
 *     hf_kept_files_done(&kept);
 */
#ifndef HF_SYMBOL_KEPT_FILES_H
#define HF_SYMBOL_KEPT_FILES_H

#include "symbol/lookup/module_files.h"

struct hf_kept_file;

/* All-zero is empty. */
struct hf_kept_files {
    struct hf_kept_file **items; /* those that nobody has, the one used longest ago first */
    size_t count, capacity;
    uint64_t units_decoded; /* for all that were given back */
};

/*
 * The files whose image is at `path`: kept ones, or opened now, with the reason in files->why if
 * they could not be: *out_is_open. NULL: no memory. `kept` may be NULL, and so may `path`: nothing
 * is opened. Give them back with put,
 * or with drop if they are of no use.
 */
HF_MUST_CHECK struct hf_module_files *hf_kept_files_take(
    struct hf_kept_files *kept, const char *path, bool *out_is_open);
void hf_kept_files_put(struct hf_kept_files *kept, struct hf_module_files *files);
void hf_kept_files_drop(struct hf_module_files *files);
void hf_kept_files_done(struct hf_kept_files *kept);

#endif
