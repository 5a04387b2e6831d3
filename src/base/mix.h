/*
 * mix.h: one step of mixing: the 128-bit product of two words, its halves combined by xor (the
 * principle of wyhash and mum-hash). Not keyed, so whoever knows both words can choose the result:
 * a table whose keys come from outside takes base/containers/hash.h.
 *
 * Safety: any context, safe inside malloc.
 *
 * Example:
 *
 *     uint64_t random = hf_mix(0x9e3779b97f4a7c15, 42);
 *     hf_out_hex(out, random);
 */
#ifndef HF_BASE_MIX_H
#define HF_BASE_MIX_H

#include <stdint.h>

static inline uint64_t hf_mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
