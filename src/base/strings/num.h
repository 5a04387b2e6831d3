/*
 * num.h: turns text into numbers. The whole text must be the number; no sign, blank or locale.
 *
 * Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     uint64_t bytes;
 *     if (!hf_num_u64(HF_TEXT("4096"), &bytes))
 *         return hf_error_set(err, HF_ERR_INPUT, "expected a number");
 */
#ifndef HF_BASE_NUM_H
#define HF_BASE_NUM_H

#include "base/attr.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Decimal digits only, 0 .. 2^64-1. False (output untouched) for anything else. */
HF_MUST_CHECK bool hf_num_u64(struct hf_text text, uint64_t *out_value);

/* Hexadecimal digits, with or without 0x. */
HF_MUST_CHECK bool hf_num_hex(struct hf_text text, uint64_t *out_value);

/*
 * The same for the digits at the front of *text, which are taken off; hexadecimal ones without 0x.
 * False, and nothing is taken, if there is none or they are too many.
 */
HF_MUST_CHECK bool hf_num_take_u64(struct hf_text *text, uint64_t *out_value);
HF_MUST_CHECK bool hf_num_take_hex(struct hf_text *text, uint64_t *out_value);

/* Digits with an optional fraction and exponent, at least 0: "12", ".5", "1e3". */
HF_MUST_CHECK bool hf_num_real(struct hf_text text, double *out_value);

#endif
