/*
 * decimal.h: decimal numbers, put where there is room for them: for pictures, which have ten
 * thousands.
 *
 * Safety: any context. Nothing here fails; the caller has made sure of HF_DECIMAL_MAX bytes.
 */
#ifndef HF_BASE_DECIMAL_H
#define HF_BASE_DECIMAL_H

#include <stdint.h>
#include <string.h>

#define HF_DECIMAL_MAX 20         /* bytes of 64 bits */
#define HF_DECIMAL_GROUPED_MAX 26 /* with a comma after each three */

extern const char hf_decimal_pairs[200]; /* "00", "01", ... "99" */

/* More than four digits; use hf_decimal_put. */
char *hf_decimal_put_many(char *to, uint64_t value);

/* Writes `value` without leading zeros; returns where it ends. */
static inline char *hf_decimal_put(char *to, uint64_t value)
{
    if (value >= 10000)
        return hf_decimal_put_many(to, value);
    uint32_t small = (uint32_t)value, high = small / 100, low = small % 100;
    if (high >= 10) {
        memcpy(to, hf_decimal_pairs + (size_t)high * 2, 2);
        to += 2;
    } else if (high != 0) {
        *to++ = (char)('0' + high);
    } else if (low < 10) {
        *to = (char)('0' + low);
        return to + 1;
    }
    memcpy(to, hf_decimal_pairs + (size_t)low * 2, 2);
    return to + 2;
}

/* The same with commas: 1,234,567. */
char *hf_decimal_put_grouped(char *to, uint64_t value);

#endif
