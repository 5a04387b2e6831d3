/*
 * symbolizer_print.h: answers as llvm-symbolizer writes them (LLVM 14, DIPrinter.cpp).
 *
 *     LLVM  name, "file:line:column" for each call, an empty line behind the last
 *     GNU   the same without column and empty line
 *     JSON  an object for each request: {"Address", "ModuleName", and "Symbol", "Data", "Frame" or
 *           "Error"}; members in the order of their names
 *
 * What is not known is "??" and 0, in JSON "" and 0. Where a function begins is never known.
 */
#ifndef HF_CLI_SYMBOLIZER_PRINT_H
#define HF_CLI_SYMBOLIZER_PRINT_H

#include "base/strings/out.h"
#include "cli/compat/symbolizer_request.h"

#include <stdbool.h>
#include <stdint.h>

enum hf_symbolizer_style { HF_SYMBOLIZER_LLVM, HF_SYMBOLIZER_GNU, HF_SYMBOLIZER_JSON };

struct hf_symbolizer_format {
    enum hf_symbolizer_style style;
    bool addresses, functions, pretty, verbose;
    bool is_list; /* JSON: the answers are an array */
};

/* One of the calls at an address. The name is escaped for the style. */
struct hf_symbolizer_call {
    struct hf_text name, file;
    uint32_t line, column;
    uint32_t twins; /* of the function: how many have its bytes; 0: one */
};

/* Of code: begin, a call for each, the innermost first, end. */
void hf_symbolizer_begin(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_request *request);
void hf_symbolizer_call(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_call *call, bool is_first);
void hf_symbolizer_end(struct hf_out *out, const struct hf_symbolizer_format *format);

/* A variable; the empty name: none is there. */
void hf_symbolizer_variable(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_request *request, struct hf_text name, uint64_t start,
    uint64_t size);

/* Variables of a frame, of which none is ever known. */
void hf_symbolizer_frame(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_request *request);

/* JSON alone: why there is no answer. `has_address`: the request was understood. */
void hf_symbolizer_error(struct hf_out *out, const struct hf_symbolizer_format *format,
    const struct hf_symbolizer_request *request, bool has_address, struct hf_text message);

#endif
