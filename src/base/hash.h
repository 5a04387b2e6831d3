/*
 * hash.h: hashing of bytes and integers for our own tables.
 *
 * Multiply-and-fold over 8-byte words (the principle of wyhash and mum-hash: the 128-bit product
 * of two words, halves combined). Not keyed: a table may be made slow by chosen input, so tables
 * keep full hashes and inputs are bounded in size. The value is never stored or printed.
 *
 * Safety: any context, safe inside malloc.
 */
#ifndef HF_BASE_HASH_H
#define HF_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hf_hash_fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hf_hash_u64(uint64_t value)
{
    return hf_hash_fold(value ^ UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xd6e8feb86659fd93));
}

static inline uint64_t hf_hash_bytes(const void *data, size_t size)
{
    const unsigned char *at = data;
    uint64_t hash = UINT64_C(0x2d358dccaa6c78a5) ^ size;
    uint64_t word;
    for (; size >= 8; size -= 8, at += 8) {
        memcpy(&word, at, 8);
        hash = hf_hash_fold(hash ^ word, UINT64_C(0x8bb84b93962eacc9));
    }
    if (size != 0) {
        word = 0;
        memcpy(&word, at, size);
        hash = hf_hash_fold(hash ^ word, UINT64_C(0x4b33a62ed433d4a3));
    }
    return hf_hash_fold(hash, UINT64_C(0x9e3779b97f4a7c15));
}

#endif
