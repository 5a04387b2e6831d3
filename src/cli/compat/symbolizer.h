/*
 * symbolizer.h: answers requests as LLVM's llvm-symbolizer does.
 *
 * Requests for code of one file that come together are looked up together: they wait until one
 * comes for another file or of another kind, or until they are told to be answered.
 */
#ifndef HF_CLI_COMPAT_SYMBOLIZER_H
#define HF_CLI_COMPAT_SYMBOLIZER_H

#include "cli/command.h"
#include "cli/compat/symbolizer_files.h"
#include "cli/compat/symbolizer_print.h"
#include "cli/compat/symbolizer_request.h"

enum { HF_SYMBOLIZER_NAMES_SHORT = 1, HF_SYMBOLIZER_NAMES_LINKAGE };

/* All-zero but for what is asked for and an open output. Free with hf_symbolizer_done. */
struct hf_symbolizer {
    const char *obj; /* the file of requests that name none; NULL: each names one */
    bool basenames, relative_names, is_relative; /* files; addresses */
    struct hf_symbolizer_format format;
    struct hf_symbol_options symbols;
    char cache_folder[PATH_MAX];
    uint64_t adjust;
    int names; /* HF_SYMBOLIZER_NAMES_..., or 0: none */
    bool has_inlines, is_demangled, has_answered;
    struct hf_symbolizer_files files;
    char *module; /* of the requests that wait */
    uint64_t *asked;
    size_t count, capacity;
    struct hf_output output;
    struct hf_notes notes;
    struct hf_budget budget;
};

/* Takes a request, and answers those before it that have waited long enough. */
HF_MUST_CHECK enum hf_status hf_symbolizer_take(
    struct hf_symbolizer *s, struct hf_text text, struct hf_error *err);

/* Answers what waits, all of it of one file. */
HF_MUST_CHECK enum hf_status hf_symbolizer_flush(
    struct hf_symbolizer *s, enum hf_symbolizer_kind kind, struct hf_error *err);

/* Not the output, which is closed before. */
void hf_symbolizer_done(struct hf_symbolizer *s);

#endif
