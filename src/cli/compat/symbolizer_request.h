/*
 * symbolizer_request.h: what llvm-symbolizer is asked (LLVM 14, llvm-symbolizer.cpp).
 *
 *     request = ["CODE " | "DATA " | "FRAME "] [file] address
 *     file    = path | '"' path '"' | "'" path "'"    ; not with --obj
 *     address = as C writes numbers: 0x1f, 31, 037, 0b11111
 */
#ifndef HF_CLI_SYMBOLIZER_REQUEST_H
#define HF_CLI_SYMBOLIZER_REQUEST_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum hf_symbolizer_kind { HF_SYMBOLIZER_CODE, HF_SYMBOLIZER_DATA, HF_SYMBOLIZER_FRAME };

struct hf_symbolizer_request {
    enum hf_symbolizer_kind kind;
    struct hf_text module; /* borrowed */
    uint64_t address;
};

/* As LLVM reads numbers: by what they begin with. All of the text, and it fits. */
bool hf_symbolizer_number(struct hf_text text, uint64_t *out_value);

/* `module` is what --obj names, NULL: the request does. False: it is not understood. */
bool hf_symbolizer_read(struct hf_text text, const char *module, struct hf_symbolizer_request *out);

#endif
