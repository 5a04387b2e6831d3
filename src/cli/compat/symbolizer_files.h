/*
 * symbolizer_files.h: the files that one llvm-symbolizer is asked about, found again by their path.
 *
 * What has been read of a file stays (symbol/lookup/module_files.h) as long as it is among the last
 * HF_SYMBOLIZER_FILES. One that cannot be opened is remembered, too: it is not tried again.
 */
#ifndef HF_CLI_SYMBOLIZER_FILES_H
#define HF_CLI_SYMBOLIZER_FILES_H

#include "base/budget.h"
#include "symbol/lookup/module_files.h"
#include "symbol/names/printed_texts.h"

#define HF_SYMBOLIZER_FILES 16

struct hf_symbolizer_file {
    struct hf_module_files files;
    struct hf_printed_texts names;
    uint64_t given_bytes; /* of its budget: as far as it is read */
    uint64_t last_use;    /* 0: the place is free */
    bool is_open, has_told;
    char why[512]; /* it is not open */
};

/* All-zero is empty. */
struct hf_symbolizer_files {
    struct hf_symbolizer_file items[HF_SYMBOLIZER_FILES];
    uint64_t uses;
};

/* The file at `path`, opened now if it was not. NULL: no memory. Stays until the next call. */
struct hf_symbolizer_file *hf_symbolizer_files_at(
    struct hf_symbolizer_files *files, const char *path);
void hf_symbolizer_files_done(struct hf_symbolizer_files *files);

#endif
