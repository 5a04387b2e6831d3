/*
 * page_function.h: one function of page_code.h: its instructions around some places, as JSON.
 */
#ifndef HF_RENDER_PAGE_FUNCTION_H
#define HF_RENDER_PAGE_FUNCTION_H

#include "code/disassembler.h"
#include "render/page/page_lines.h"
#include "symbol/lookup/function_code.h"

/* An address in it: that a call returns to, less one, or of what a sample was taken at. */
struct hf_page_hot {
    uint64_t address;
    bool is_return;                  /* the former */
    const struct hf_page_line *line; /* what it holds */
};

struct hf_page_function {
    struct hf_text name, module; /* raw */
    struct hf_function_code code;
    const struct hf_page_hot *hot; /* by address */
    size_t hot_count;
};

/* What is the same for all functions of a page, or of a module. */
struct hf_page_function_context {
    const struct hf_disassembler *disassembler;
    const struct hf_symbol_options *symbols;
    const struct hf_page_lines *lines;
    const size_t *types; /* of the page, in the lines' profile */
    size_t type_count;
    struct hf_module_files *files;
};

/*
 * Appends it to `out`. False in *out_is_shown, and nothing appended: the calls are not where the
 * profile has them, or the file was written to meanwhile.
 */
HF_MUST_CHECK enum hf_status hf_page_function_put(const struct hf_page_function_context *context,
    const struct hf_page_function *function, struct hf_out *out, bool *out_is_shown,
    struct hf_error *err);

#endif
