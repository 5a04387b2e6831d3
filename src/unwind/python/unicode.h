/*
 * unicode.h: strings of a Python interpreter (struct PyASCIIObject and its successors), as UTF-8.
 *
 * Only compact ones, which all names and paths are. Of a long one its end counts, at most
 * HF_PYTHON_TEXT_MAX characters, for there is what tells it from others. What is half of a
 * surrogate pair, as in paths that are not UTF-8, is a question mark.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_UNWIND_PYTHON_UNICODE_H
#define HF_UNWIND_PYTHON_UNICODE_H

#include "unwind/python/versions.h"

#define HF_PYTHON_TEXT_MAX 256u
#define HF_PYTHON_TEXT_BYTES (4 * HF_PYTHON_TEXT_MAX) /* of its UTF-8, at most */

struct hf_python_text {
    uint64_t at;          /* the first character that counts */
    uint32_t count, unit; /* characters, and bytes of each: 1, 2 or 4 */
};

/* The string object at `address`, whose type must lie at `type`. False: there is none. */
HF_MUST_CHECK bool hf_python_text_find(const struct hf_python_layout *layout,
    const struct hf_interpreted_memory *memory, uint64_t type, uint64_t address,
    struct hf_python_text *out_text);

/* Mixes the length and the last characters into a hash. False: they are not there. */
#define HF_PYTHON_TEXT_HASHED 32 /* bytes */
HF_MUST_CHECK bool hf_python_text_hash(
    const struct hf_interpreted_memory *memory, const struct hf_python_text *text, uint64_t *hash);

/* Writes at most HF_PYTHON_TEXT_BYTES, without a NUL; returns how many, 0 if they are not there. */
size_t hf_python_text_write(
    const struct hf_interpreted_memory *memory, const struct hf_python_text *text, char *out);

#endif
