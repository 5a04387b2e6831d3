#include "base/containers/fingerprint.h"

#include "base/mix.h"

#include <errno.h>
#include <sys/random.h>

#define BLOCK_BYTES (HF_FINGERPRINT_BLOCK_WORDS * sizeof(uint64_t))
#define PAIR_BYTES (2 * sizeof(uint64_t))
#define PRIME ((UINT64_C(1) << 61) - 1)
#define PIECE_BITS 43 /* a third of a sum */

__extension__ typedef unsigned __int128 u128;

/* Modulo PRIME, of a sum below 2^125. */
static uint64_t modulo_prime(u128 sum)
{
    uint64_t rest = (uint64_t)(sum & PRIME) + (uint64_t)(sum >> 61);
    rest = (rest & PRIME) + (rest >> 61);
    return rest >= PRIME ? rest - PRIME : rest;
}

static void set_powers(struct hf_fingerprint_key *key)
{
    for (size_t i = 0; i < 2; i++) {
        uint64_t *powers = key->powers[i];
        powers[0] %= PRIME;
        powers[1] = modulo_prime((u128)powers[0] * powers[0]);
        powers[2] = modulo_prime((u128)powers[1] * powers[0]);
    }
}

void hf_fingerprint_key_fixed(uint64_t number, struct hf_fingerprint_key *out_key)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15), factor = UINT64_C(0xa0761d6478bd642f);
    uint64_t *words = (uint64_t *)out_key;
    for (size_t i = 0; i < sizeof *out_key / sizeof *words; i++)
        words[i] = hf_mix(hf_mix(number + golden * (i + 1), factor), golden);
    set_powers(out_key);
}

enum hf_status hf_fingerprint_key_draw(struct hf_fingerprint_key *out_key, struct hf_error *err)
{
    /* Above 256 bytes a signal may cut it short. */
    unsigned char *at = (unsigned char *)out_key, *end = at + sizeof *out_key;
    while (at != end) {
        ssize_t got = getrandom(at, (size_t)(end - at), 0);
        if (got < 0 && errno != EINTR)
            return hf_error_system(err, errno, "cannot get random numbers");
        at += got < 0 ? 0 : got;
    }
    set_powers(out_key);
    return HF_OK;
}

/* Adds the products of a pair, whose first word has the key `key`. */
static HF_ALWAYS_INLINE void add_products(u128 sums[2], const uint64_t *key, const uint64_t pair[2])
{
    sums[0] += (u128)(pair[0] + key[0]) * (pair[1] + key[1]);
    sums[1] += (u128)(pair[0] + key[2]) * (pair[1] + key[3]);
}

/* The same of some pairs. */
static HF_ALWAYS_INLINE void add_pairs(
    uint64_t sums[2][2], const uint64_t *key, const char *data, size_t size_bytes)
{
    u128 added[2];
    memcpy(added, sums, sizeof added);
    for (; size_bytes != 0; size_bytes -= PAIR_BYTES, data += PAIR_BYTES, key += 2) {
        uint64_t pair[2];
        memcpy(pair, data, sizeof pair);
        add_products(added, key, pair);
    }
    memcpy(sums, added, sizeof added);
}

/* The last bytes of a text, fewer than a pair, followed by zeros. */
static HF_ALWAYS_INLINE void last_pair(const char *data, size_t size, uint64_t out_pair[2])
{
    u128 last = 0;
    size_t count = size % PAIR_BYTES;
    if (size < PAIR_BYTES) {
        memcpy(&last, data, count);
    } else { /* with those before, in one step */
        memcpy(&last, data + size - PAIR_BYTES, sizeof last);
        last >>= 8 * (PAIR_BYTES - count);
    }
    memcpy(out_pair, &last, sizeof last);
}

/* The terms of a block: each sum in three pieces, which are brought below PRIME together. */
static HF_ALWAYS_INLINE struct hf_fingerprint fingerprint_add_block(
    const struct hf_fingerprint_key *key, struct hf_fingerprint print, const u128 sums[2])
{
    const uint64_t piece = (UINT64_C(1) << PIECE_BITS) - 1;
    for (size_t i = 0; i < 2; i++) {
        const uint64_t *powers = key->powers[i];
        uint64_t first = (uint64_t)sums[i] & piece;
        uint64_t second = (uint64_t)(sums[i] >> PIECE_BITS) & piece;
        uint64_t third = (uint64_t)(sums[i] >> 2 * PIECE_BITS);
        print.halves[i] = modulo_prime((u128)print.halves[i] * powers[2] + (u128)first * powers[1] +
                                       (u128)second * powers[0] + third);
    }
    return print;
}

void hf_fingerprint_start(
    struct hf_fingerprint_run *run, const struct hf_fingerprint_key *key, struct hf_text text)
{
    *run = (struct hf_fingerprint_run){.key = key, .data = text.data};
}

/* Brings the sums to `whole`, a number of pairs. */
static HF_ALWAYS_INLINE void add_whole_pairs(struct hf_fingerprint_run *run, size_t whole)
{
    const struct hf_fingerprint_key *key = run->key;
    while (run->done_bytes != whole) {
        size_t at = run->done_bytes % BLOCK_BYTES, left = whole - run->done_bytes;
        size_t part = left < BLOCK_BYTES - at ? left : BLOCK_BYTES - at;
        add_pairs(run->sums, key->words + at / sizeof(uint64_t), run->data + run->done_bytes, part);
        run->done_bytes += part;
        if (at + part == BLOCK_BYTES) {
            u128 sums[2];
            memcpy(sums, run->sums, sizeof sums);
            run->blocks = fingerprint_add_block(key, run->blocks, sums);
            memset(run->sums, 0, sizeof run->sums);
        }
    }
}

struct hf_fingerprint hf_fingerprint_next(struct hf_fingerprint_run *run, size_t size)
{
    const struct hf_fingerprint_key *key = run->key;
    size_t whole = size - size % PAIR_BYTES;
    add_whole_pairs(run, whole);
    struct hf_fingerprint print = run->blocks;
    u128 sums[2];
    memcpy(sums, run->sums, sizeof sums);
    if (whole != size) {
        uint64_t last[2];
        last_pair(run->data, size, last);
        add_products(sums, key->words + whole % BLOCK_BYTES / sizeof(uint64_t), last);
    }
    if (size % BLOCK_BYTES != 0)
        print = fingerprint_add_block(key, print, sums);
    for (size_t i = 0; i < 2; i++)
        print.halves[i] = modulo_prime((u128)print.halves[i] * key->powers[i][0] + size);
    return print;
}

struct hf_fingerprint hf_fingerprint_of(const struct hf_fingerprint_key *key, struct hf_text text)
{
    struct hf_fingerprint_run run;
    hf_fingerprint_start(&run, key, text);
    return hf_fingerprint_next(&run, text.size);
}
