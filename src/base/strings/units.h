/*
 * units.h: numbers in the form in which people read and write them.
 *
 * Bytes are binary: 1 KiB = 1024 bytes, 1 MiB = 2^20. One decimal, as jeprof prints.
 *
 * Example:
 *
 *     char size[HF_UNITS_MAX];
 *     hf_out_string(out, hf_units_bytes(1572864, size));
 *     uint64_t wanted;
 *     if (!hf_units_parse_bytes(HF_TEXT("1.5MiB"), &wanted))
 *         return hf_error_set(err, HF_ERR_USAGE, "expected bytes, e.g. 64MiB");
 */
#ifndef HF_BASE_UNITS_H
#define HF_BASE_UNITS_H

#include "base/attr.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HF_UNITS_MAX 32 /* bytes that every writer below needs at most, NUL included */

/* "0 B", "512 B", "1.5 KiB", "62.6 MiB", "1.2 GiB" ... */
const char *hf_units_bytes(uint64_t bytes, char out[HF_UNITS_MAX]);

/* 1234567 -> "1,234,567" */
const char *hf_units_grouped(uint64_t value, char out[HF_UNITS_MAX]);

/* 524288 -> "512 KiB", 1000 -> "1,000 bytes": without decimals, for what is a power of two. */
const char *hf_units_exact(uint64_t bytes, char out[HF_UNITS_MAX]);

/* part of whole in percent; 0 when whole is 0. For display only. */
double hf_units_percent(uint64_t part, uint64_t whole);

/*
 * "512KiB", "1.5MiB", "2G", "100" (bytes): a number, then an optional binary unit. With a unit it
 * may have a fraction, and is rounded to a byte.
 */
HF_MUST_CHECK bool hf_units_parse_bytes(struct hf_text text, uint64_t *out_bytes);

/* The same, not rounded; a fraction needs no unit: "0.5". At least 0. */
HF_MUST_CHECK bool hf_units_parse_amount(struct hf_text text, double *out_amount);

/* "100ms", "30s", "5m", "1.5h"; without a unit seconds. At most 10^18 ns. */
HF_MUST_CHECK bool hf_units_parse_time(struct hf_text text, uint64_t *out_ns);

#endif
