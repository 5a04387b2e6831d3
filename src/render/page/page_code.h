/*
 * page_code.h: the instructions of the places that matter, for an HTML page: what stands around
 * them in their functions, and what each call holds.
 *
 *     functions = [ { "name": text, "module": name, "start": address, "size": bytes,
 *         "files": [ path ], "chains": [ [ file, line, ... ] ],
 *         "pieces": [ [ [ offset, text, target, chain ], ... ] ],
 *         "held": [ [ offset, total, self, ... ] ] } ]
 *
 * Offsets count from the start of the function. `target` is the name of what is called or jumped
 * to, which then stands for the operand of `text`; or "". A chain is the source lines of an
 * instruction, that of the innermost inlined call first; `files` has their paths, and chain 0 is
 * empty. `held` has a total and a self (page_lines.h) for each type of the page, of the stacks that
 * return behind that instruction. Functions are in the order of their most important place.
 * web/src/code.ts reads it.
 *
 * The bytes are those of the file that named the addresses (symbol/lookup/module_search.h), which
 * fits what was profiled; a function in which a call does not end where one returns to is left out.
 * Only x86-64 is decoded (code/disassembler.h). What is missing is a note.
 *
 * Up to HF_LIMIT_CODE_BYTES go into a page, and a function of more than
 * HF_LIMIT_CODE_FUNCTION_BYTES is not shown; a note says so.
 */
#ifndef HF_RENDER_PAGE_CODE_H
#define HF_RENDER_PAGE_CODE_H

#include "render/trie_data.h"
#include "symbol/options.h"

struct hf_page_code_options {
    const struct hf_profile *by_address; /* folded with keeps_addresses; NULL: no code is wanted */
    uint64_t places;                     /* so many calls, with what is around them */
    const struct hf_symbol_options *symbols;
    const struct hf_profile *shown; /* as in hf_page_sources_options, and so are these */
    size_t type;
    const struct hf_trie_data *trie;
    const uint32_t *owners;
};

/* Writes them as JSON; nothing if there are none. */
HF_MUST_CHECK enum hf_status hf_page_code(const struct hf_page_code_options *options,
    struct hf_notes *notes, struct hf_out *out, struct hf_error *err);

#endif
