/*
 * utf8.h: reading UTF-8 that may be broken, and which code points may be shown as they are.
 *
 * Valid means The Unicode Standard, table 3-7: shortest form, no surrogates, at most U+10FFFF.
 * Safety: any context.
 *
 * Example:
 *
 *     uint32_t point;
 *     size_t size = hf_utf8_next(HF_TEXT("\xc3\xa9"), &point);
 *     if (point != HF_UTF8_INVALID && hf_utf8_is_visible(point))
 *         hf_out_bytes(out, "\xc3\xa9", size);
 */
#ifndef HF_BASE_UTF8_H
#define HF_BASE_UTF8_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define HF_UTF8_INVALID UINT32_MAX

/*
 * Decodes the code point at the start of non-empty `text`. Returns its size in bytes; for a byte
 * that starts no valid sequence returns 1 and sets *out_point to HF_UTF8_INVALID.
 */
size_t hf_utf8_next(struct hf_text text, uint32_t *out_point);

/* Columns of valid text, as far as that is known: combining and wide characters count as one. */
size_t hf_utf8_columns(struct hf_text text);

/*
 * False for code points that can hide or reorder what a reader sees, or that XML 1.0 forbids:
 * controls (C0, DEL, C1), bidi marks and overrides, zero-width characters, line and paragraph
 * separators, noncharacters. Such are written as an escape, never raw.
 */
bool hf_utf8_is_visible(uint32_t point);

#endif
