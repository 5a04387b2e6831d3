/*
 * strings.h: strings of PHP (zend_string): names of functions and classes, paths.
 *
 * They are bytes, of no encoding. What follows a NUL tells anonymous classes apart for PHP alone,
 * and is left out. Of a long one its end counts, at most HF_PHP_TEXT_MAX bytes.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_UNWIND_PHP_STRINGS_H
#define HF_UNWIND_PHP_STRINGS_H

#include "unwind/php/offsets.h"

#define HF_PHP_TEXT_MAX 256u
#define HF_PHP_STRING_MAX (1u << 20) /* bytes; no name or path is longer */

struct hf_php_text {
    uint64_t at; /* the first byte */
    uint32_t size;
};

/* The string at `address`. False: there is none. */
HF_MUST_CHECK bool hf_php_text_find(const struct hf_php_layout *layout,
    const struct hf_interpreted_memory *memory, uint64_t address, struct hf_php_text *out_text);

/* Mixes the size and the last bytes into a hash. False: they are not there. */
HF_MUST_CHECK bool hf_php_text_hash(
    const struct hf_interpreted_memory *memory, const struct hf_php_text *text, uint64_t *hash);

/* Writes at most HF_PHP_TEXT_MAX bytes, without a NUL; returns how many, 0 if they are not there.
 */
size_t hf_php_text_write(
    const struct hf_interpreted_memory *memory, const struct hf_php_text *text, char *out);

#endif
