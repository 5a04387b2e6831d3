/*
 * hash.h: hashing of bytes and integers for our own tables, keyed for each process.
 *
 * Input is hostile: with a hash that is known, whoever writes a profile chooses names that all fall
 * on one slot, and a table becomes a list. So the key is drawn anew for each process, from the
 * system's random numbers, before main; and in each multiplication (base/mix.h) both factors hold
 * a secret, so that no chosen word makes one known: not zero, not an inverse of the other, not the
 * exchange of both. Whoever knows all but the key finds a collision as often as by chance.
 *
 * The value is another one in each run. It is never stored or printed, and no order depends on it.
 *
 * Example:
 *
 *     size_t slot_count = 64;
 *     size_t slot = hf_hash_bytes("main", 4) & (slot_count - 1);
 *     hf_out_u64(out, slot);
 */
#ifndef HF_BASE_HASH_H
#define HF_BASE_HASH_H

#include "base/mix.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hf_hash_key {
    uint64_t words[4];
};

/* That of this process, constant from before main on. */
extern struct hf_hash_key hf_hash_key;

static inline uint64_t hf_hash_u64_by(const struct hf_hash_key *key, uint64_t value)
{
    /* Two steps: by one, numbers in equal steps crowd now and then, under one key of a hundred. */
    return hf_mix(hf_mix(value ^ key->words[0], key->words[1]), value ^ key->words[2]);
}

static inline uint64_t hf_hash_bytes_by(
    const struct hf_hash_key *key, const void *data, size_t size)
{
    const unsigned char *at = data;
    uint64_t hash = key->words[0], a = 0, b = 0;
    size_t left = size;
    for (; left > 16; left -= 16, at += 16) {
        memcpy(&a, at, 8);
        memcpy(&b, at + 8, 8);
        hash = hf_mix(a ^ key->words[1], b ^ hash);
    }
    /* The last 1 to 16 bytes: their first and their last 8, 4 or 1, which may be the same ones. */
    if (left >= 8) {
        memcpy(&a, at, 8);
        memcpy(&b, at + left - 8, 8);
    } else if (left >= 4) {
        uint32_t first, last;
        memcpy(&first, at, 4);
        memcpy(&last, at + left - 4, 4);
        a = first;
        b = last;
    } else if (left != 0) {
        a = (uint64_t)at[0] << 16 | (uint64_t)at[left / 2] << 8 | at[left - 1];
        b = 0;
    }
    hash = hf_mix(a ^ key->words[1], b ^ hash);
    return hf_mix(hash ^ key->words[2], size ^ key->words[3]);
}

static inline uint64_t hf_hash_u64(uint64_t value)
{
    return hf_hash_u64_by(&hf_hash_key, value);
}

static inline uint64_t hf_hash_bytes(const void *data, size_t size)
{
    return hf_hash_bytes_by(&hf_hash_key, data, size);
}

#endif
