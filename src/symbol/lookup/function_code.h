/*
 * function_code.h: the bytes of the function around an address of an image.
 *
 * Where it begins and ends say the symbol that contains the address, if it has a size, or else the
 * call frame information, which a stripped image has as well. What neither of them bounds is not
 * known: instructions are told apart only from the first on. A part that the compiler moved away
 * (foo.cold) is a function of its own.
 */
#ifndef HF_SYMBOL_FUNCTION_CODE_H
#define HF_SYMBOL_FUNCTION_CODE_H

#include "symbol/lookup/module_files.h"

struct hf_function_code {
    uint64_t start;       /* address of its first byte */
    struct hf_text bytes; /* of the image, borrowed; empty: unknown */
};

/*
 * For each of `count` sorted addresses of the image, whose debug file was looked for
 * (hf_module_files_find_debug).
 */
HF_MUST_CHECK enum hf_status hf_function_code_find(const struct hf_module_files *files,
    const uint64_t *addresses, size_t count, struct hf_function_code *out_code,
    struct hf_error *err);

#endif
