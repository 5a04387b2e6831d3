/*
 * checksum.h: a 64-bit checksum of bytes that are kept in files of ours: against damage, not
 * forgery.
 *
 * Four lanes of multiply-and-fold (base/mix.h), so that it runs at the speed of memory:
 *
 *     step(h, w) = fold((h ^ w) * P), where fold adds the halves of the 128-bit product by xor
 *     lane i takes the little-endian words i, i + 4, ...; the last words are filled up with zeros
 *     the result is the size, stepped with lanes 0, 1, 2, 3
 *
 * The value is part of file formats: another definition is another version of theirs.
 *
 * Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     static const char block[] = "what is kept";
 *     hf_out_hex(out, hf_checksum(block, sizeof block));
 */
#ifndef HF_BASE_CHECKSUM_H
#define HF_BASE_CHECKSUM_H

#include "base/mix.h"

#include <stddef.h>
#include <string.h>

#define HF_CHECKSUM_FACTOR UINT64_C(0xa0761d6478bd642f)

static inline uint64_t hf_checksum(const void *data, size_t size)
{
    enum { LANES = 4, STRIPE = LANES * sizeof(uint64_t) };
    uint64_t lanes[LANES] = {1, 2, 3, 4}, words[LANES], sum = size;
    const unsigned char *at = data;
    for (size_t left = size; left != 0;) {
        size_t part = left < STRIPE ? left : STRIPE;
        if (part < STRIPE)
            memset(words, 0, sizeof words);
        memcpy(words, at, part);
        for (size_t i = 0; i < LANES; i++)
            lanes[i] = hf_mix(lanes[i] ^ words[i], HF_CHECKSUM_FACTOR);
        at += part;
        left -= part;
    }
    for (size_t i = 0; i < LANES; i++)
        sum = hf_mix(sum ^ lanes[i], HF_CHECKSUM_FACTOR);
    return sum;
}

#endif
