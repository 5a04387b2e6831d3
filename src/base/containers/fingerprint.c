#include "base/containers/fingerprint.h"

#include <errno.h>
#include <sys/random.h>

#define BLOCK_BYTES (HF_FINGERPRINT_BLOCK_WORDS * sizeof(uint64_t))
#define PAIR_BYTES (2 * sizeof(uint64_t))
#define PRIME ((UINT64_C(1) << 61) - 1)
#define PIECE_BITS 43 /* a third of a sum */

__extension__ typedef unsigned __int128 u128;

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
    for (size_t i = 0; i < 2; i++)
        out_key->points[i] %= PRIME;
    return HF_OK;
}

/* Adds the products of some pairs, whose first word has the key `key`. */
static void add_products(
    uint64_t sums[2][2], const uint64_t *key, const char *data, size_t size_bytes)
{
    u128 first = (u128)sums[0][1] << 64 | sums[0][0];
    u128 second = (u128)sums[1][1] << 64 | sums[1][0];
    for (; size_bytes != 0; size_bytes -= PAIR_BYTES, data += PAIR_BYTES, key += 2) {
        uint64_t pair[2];
        memcpy(pair, data, sizeof pair);
        first += (u128)(pair[0] + key[0]) * (pair[1] + key[1]);
        second += (u128)(pair[0] + key[2]) * (pair[1] + key[3]);
    }
    sums[0][0] = (uint64_t)first;
    sums[0][1] = (uint64_t)(first >> 64);
    sums[1][0] = (uint64_t)second;
    sums[1][1] = (uint64_t)(second >> 64);
}

static uint64_t next_term(uint64_t value, uint64_t point, uint64_t coefficient)
{
    u128 product = (u128)value * point;
    uint64_t sum = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61) + coefficient;
    sum = (sum & PRIME) + (sum >> 61);
    return sum >= PRIME ? sum - PRIME : sum;
}

/* The terms of a block, each sum in three pieces. */
static struct hf_fingerprint fingerprint_add_block(
    const struct hf_fingerprint_key *key, struct hf_fingerprint print, const uint64_t sums[2][2])
{
    for (size_t i = 0; i < 2; i++) {
        u128 sum = (u128)sums[i][1] << 64 | sums[i][0];
        for (unsigned shift = 0; shift < 128; shift += PIECE_BITS)
            print.halves[i] = next_term(print.halves[i], key->points[i],
                (uint64_t)(sum >> shift) & ((UINT64_C(1) << PIECE_BITS) - 1));
    }
    return print;
}

void hf_fingerprint_start(
    struct hf_fingerprint_run *run, const struct hf_fingerprint_key *key, struct hf_text text)
{
    *run = (struct hf_fingerprint_run){.key = key, .data = text.data};
}

struct hf_fingerprint hf_fingerprint_next(struct hf_fingerprint_run *run, size_t size)
{
    const struct hf_fingerprint_key *key = run->key;
    size_t whole = size - size % PAIR_BYTES;
    while (run->done_bytes != whole) {
        size_t at = run->done_bytes % BLOCK_BYTES, left = whole - run->done_bytes;
        size_t part = left < BLOCK_BYTES - at ? left : BLOCK_BYTES - at;
        add_products(
            run->sums, key->words + at / sizeof(uint64_t), run->data + run->done_bytes, part);
        run->done_bytes += part;
        if (at + part == BLOCK_BYTES) {
            run->blocks = fingerprint_add_block(key, run->blocks, run->sums);
            memset(run->sums, 0, sizeof run->sums);
        }
    }
    struct hf_fingerprint print = run->blocks;
    uint64_t sums[2][2];
    memcpy(sums, run->sums, sizeof sums);
    if (whole != size) {
        char last[PAIR_BYTES] = {0};
        memcpy(last, run->data + whole, size - whole);
        add_products(sums, key->words + whole % BLOCK_BYTES / sizeof(uint64_t), last, sizeof last);
    }
    if (size % BLOCK_BYTES != 0)
        print = fingerprint_add_block(key, print, sums);
    for (size_t i = 0; i < 2; i++)
        print.halves[i] = next_term(print.halves[i], key->points[i], size);
    return print;
}

struct hf_fingerprint hf_fingerprint_of(const struct hf_fingerprint_key *key, struct hf_text text)
{
    struct hf_fingerprint_run run;
    hf_fingerprint_start(&run, key, text);
    return hf_fingerprint_next(&run, text.size);
}
