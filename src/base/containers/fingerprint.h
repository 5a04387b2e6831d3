/*
 * fingerprint.h: 122 bits that stand for a text, so that a table of long texts need not hold them.
 *
 * Equal texts have equal fingerprints. Two different ones have the same by chance only, a chance
 * that nobody can aim at: the key is drawn from the system's random numbers for each table. It is
 * below (3 + size/341)^2 / 2^122 for two texts of that many bytes: a file of 10^9 lines of 400
 * bytes, half of them different, would meet it once in 10^15 readings.
 *
 * How: the text is cut into blocks of 1 KiB. Of each, two sums of products (the family NH of UMAC,
 * whose second key is the first shifted) make 128 bits each, with a chance of 2^-64 each; the sums
 * of all blocks, and the size of the text, are the coefficients of two polynomials, taken at two
 * secret points modulo 2^61 - 1.
 *
 * Safety: any context, but for making the key.
 */
#ifndef HF_BASE_FINGERPRINT_H
#define HF_BASE_FINGERPRINT_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define HF_FINGERPRINT_BLOCK_WORDS 128

struct hf_fingerprint_key {
    uint64_t words[HF_FINGERPRINT_BLOCK_WORDS + 2];
    uint64_t powers[2][3]; /* of each point: itself, its square, its cube */
};

struct hf_fingerprint {
    uint64_t halves[2]; /* 61 bits each */
};

/* Draws a key. HF_ERR_SYSTEM: there are no random numbers. */
HF_MUST_CHECK enum hf_status hf_fingerprint_key_draw(
    struct hf_fingerprint_key *out_key, struct hf_error *err);

/*
 * A key that is the same everywhere, for fingerprints that are kept or compared between machines:
 * equal ones are as rare by chance, but whoever wants to can make two texts that have them.
 */
void hf_fingerprint_key_fixed(uint64_t number, struct hf_fingerprint_key *out_key);

struct hf_fingerprint hf_fingerprint_of(const struct hf_fingerprint_key *key, struct hf_text text);

/* The fingerprints of many beginnings of one text, for little more than that of the longest. */
struct hf_fingerprint_run {
    const struct hf_fingerprint_key *key;
    const char *data;
    size_t done_bytes;
    uint64_t sums[2][2]; /* of the block that is not full; low half first */
    struct hf_fingerprint blocks;
};

void hf_fingerprint_start(
    struct hf_fingerprint_run *run, const struct hf_fingerprint_key *key, struct hf_text text);

/* That of the first `size` bytes, not fewer than at the call before. */
struct hf_fingerprint hf_fingerprint_next(struct hf_fingerprint_run *run, size_t size);

static inline bool hf_fingerprint_equal(struct hf_fingerprint a, struct hf_fingerprint b)
{
    return a.halves[0] == b.halves[0] && a.halves[1] == b.halves[1];
}

/* 64 of its bits, for base/containers/index.h. */
static inline uint64_t hf_fingerprint_hash(struct hf_fingerprint print)
{
    return print.halves[0] << 3 ^ print.halves[1];
}

#endif
