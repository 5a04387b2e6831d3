/*
 * checked.h: arithmetic on numbers from outside. Every sum or product of such numbers goes through
 * here: it fails (returns false, output untouched) rather than wraps, or saturates and says so.
 *
 * Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     uint64_t count = 3, size = 16, bytes;
 *     if (!hf_mul_u64(count, size, &bytes))
 *         return hf_error_set(err, HF_ERR_INPUT, "says more bytes than 64 bits can count");
 */
#ifndef HF_BASE_CHECKED_H
#define HF_BASE_CHECKED_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HF_MUST_CHECK static inline bool hf_add_u64(uint64_t a, uint64_t b, uint64_t *out_sum)
{
    uint64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out_sum = sum;
    return true;
}

HF_MUST_CHECK static inline bool hf_mul_u64(uint64_t a, uint64_t b, uint64_t *out_product)
{
    uint64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out_product = product;
    return true;
}

HF_MUST_CHECK static inline bool hf_mul_i64(int64_t a, int64_t b, int64_t *out_product)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out_product = product;
    return true;
}

HF_MUST_CHECK static inline bool hf_add_size(size_t a, size_t b, size_t *out_sum)
{
    size_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return false;
    *out_sum = sum;
    return true;
}

HF_MUST_CHECK static inline bool hf_mul_size(size_t a, size_t b, size_t *out_product)
{
    size_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return false;
    *out_product = product;
    return true;
}

/* a + b, or UINT64_MAX with *saturated set. *saturated is never cleared here. */
static inline uint64_t hf_add_saturating(uint64_t a, uint64_t b, bool *saturated)
{
    uint64_t sum;
    if (HF_UNLIKELY(__builtin_add_overflow(a, b, &sum))) {
        *saturated = true;
        return UINT64_MAX;
    }
    return sum;
}

#endif
