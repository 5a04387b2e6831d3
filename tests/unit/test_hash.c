/*
 * hash.h against whoever knows all of it but the key: what collides under one key does so under
 * another by chance only, and no pattern of names or numbers crowds the slots of a table.
 */
#include "base/containers/hash.h"

#include "base/attr.h"
#include "base/strings/num.h"
#include "base/text.h"
#include "check.h"
#include "os/process/process.h"

#include <inttypes.h>
#include <stdio.h>

#define KEYS 24
#define SLOTS 4096u /* as many as there are items */

static struct hf_hash_key key_of(uint64_t number)
{
    if (number == 0)
        return hf_hash_key;
    struct hf_hash_key key;
    for (size_t i = 0; i < HF_COUNT(key.words); i++)
        key.words[i] = hf_mix(
            number * 4 + i + UINT64_C(0x2d358dccaa6c78a5), UINT64_C(0x8bb84b93962eacc9) * (i + 3));
    return key;
}

/* The names of an attack, all of the same size, one after the other; or numbers of 8 bytes. */
struct items {
    unsigned char bytes[SLOTS * 64];
    size_t size;
};

/*
 * How many pairs of items meet in a slot, in a table by the low bits and in one by the high ones:
 * the worse of them. By chance: half of SLOTS, give or take 45.
 */
static size_t meetings(const struct items *items, const struct hf_hash_key *key, bool is_number)
{
    static unsigned low[SLOTS], high[SLOTS];
    size_t low_pairs = 0, high_pairs = 0;
    memset(low, 0, sizeof low);
    memset(high, 0, sizeof high);
    for (size_t i = 0; i < SLOTS; i++) {
        const unsigned char *item = items->bytes + i * items->size;
        uint64_t number;
        memcpy(&number, item, sizeof number);
        uint64_t hash =
            is_number ? hf_hash_u64_by(key, number) : hf_hash_bytes_by(key, item, items->size);
        low_pairs += low[hash % SLOTS]++;
        high_pairs += high[(hash >> 32) * SLOTS >> 32]++;
    }
    return low_pairs > high_pairs ? low_pairs : high_pairs;
}

static void expect_chance(const struct items *items, bool is_number, const char *what)
{
    for (uint64_t k = 0; k < KEYS; k++) {
        struct hf_hash_key key = key_of(k);
        size_t pairs = meetings(items, &key, is_number);
        if (pairs > SLOTS / 4 * 3)
            fail_msg("%s, key %d: %zu pairs of %u items meet in a slot; by chance: %u", what,
                (int)k, pairs, SLOTS, SLOTS / 2);
    }
}

/* A key that the one who attacks drew himself: all that he does not know is which one is used. */
static const struct hf_hash_key guessed = {
    {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210), UINT64_C(0x55aa55aa55aa55aa), 42}};

static void expect_that_it_works(const struct items *items, bool is_number)
{
    assert_true(meetings(items, &guessed, is_number) == (size_t)SLOTS * (SLOTS - 1) / 2);
}

static void put(struct items *items, size_t item, size_t at, uint64_t word)
{
    memcpy(items->bytes + item * items->size + at, &word, sizeof word);
}

/* One factor is zero, whatever the other one is. */
static void zeros_of_another_key_do_not_meet(void **state)
{
    (void)state;
    struct items items = {.size = 16};
    for (size_t i = 0; i < SLOTS; i++) {
        put(&items, i, 0, guessed.words[1]);
        put(&items, i, 8, i);
    }
    expect_that_it_works(&items, false);
    expect_chance(&items, false, "zeros");
}

/* The same product from other factors, in one of the blocks of a longer name. */
static void products_of_another_key_do_not_meet(void **state)
{
    (void)state;
    static const uint64_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    _Static_assert(1u << HF_COUNT(primes) == SLOTS, "a product for each subset");
    struct items items = {.size = 48};
    for (size_t i = 0; i < SLOTS; i++) {
        uint64_t factors[2] = {1, 1};
        for (size_t p = 0; p < HF_COUNT(primes); p++)
            factors[i >> p & 1] *= primes[p];
        put(&items, i, 0, guessed.words[1] ^ factors[0]);
        put(&items, i, 8, guessed.words[0] ^ factors[1]);
        put(&items, i, 16, UINT64_C(0x6e6f697463656966));
    }
    expect_that_it_works(&items, false);
    expect_chance(&items, false, "products");
}

/* What collided under the hash that had no key, in words of 8 bytes and one factor known. */
static void names_against_the_hash_without_key_do_not_meet(void **state)
{
    (void)state;
    struct items items = {.size = 16};
    const uint64_t start = UINT64_C(0x2d358dccaa6c78a5) ^ 16;
    for (size_t i = 0; i < SLOTS; i++) {
        put(&items, i, 0, i);
        put(&items, i, 8, hf_mix(start ^ i, UINT64_C(0x8bb84b93962eacc9)) ^ 0x4141414141414141);
    }
    expect_chance(&items, false, "names against the hash without key");
}

/* No knowledge of a key at all: items that differ in few bits, in one place or in two. */
static void patterns_do_not_meet(void **state)
{
    (void)state;
    static const size_t sizes[] = {8, 12, 16, 17, 24, 32, 40, 64};
    static const unsigned shifts[] = {0, 3, 20, 32, 52};
    struct items items;
    for (size_t s = 0; s < HF_COUNT(sizes); s++) {
        for (size_t at = 0; at + 8 <= sizes[s]; at += 4) {
            for (size_t bits = 0; bits < HF_COUNT(shifts); bits++) {
                for (uint64_t fill = 0; fill <= 255; fill += 255) {
                    items.size = sizes[s];
                    memset(items.bytes, (int)fill, sizeof items.bytes);
                    for (uint64_t i = 0; i < SLOTS; i++) {
                        put(&items, i, at, i << shifts[bits]);
                        if (at >= 8)
                            put(&items, i, at - 8, i % 2 != 0 ? i << shifts[bits] : ~i);
                    }
                    expect_chance(&items, false, "patterns");
                }
            }
        }
    }
}

static void numbers_do_not_meet(void **state)
{
    (void)state;
    struct items items = {.size = 8};
    for (unsigned shift = 0; shift <= 52; shift++) {
        for (uint64_t i = 0; i < SLOTS; i++)
            put(&items, i, 0, i << shift);
        expect_chance(&items, true, "steps");
    }
    for (uint64_t i = 0; i < SLOTS; i++) /* both halves the same, as parent and frame may be */
        put(&items, i, 0, i << 32 | i);
    expect_chance(&items, true, "the same halves");
    for (uint64_t i = 0; i < SLOTS; i++) /* a caller and a callee of 64 each */
        put(&items, i, 0, i / 64 << 32 | i % 64);
    expect_chance(&items, true, "grid");
    for (uint64_t i = 0; i < SLOTS; i++) /* inverses of what the hash without key multiplied by */
        put(&items, i, 0, i * UINT64_C(0x2127599bf4325c37) ^ UINT64_C(0x9e3779b97f4a7c15));
    expect_chance(&items, true, "multiples");
}

static uint64_t hash_of_another_process(void)
{
    const char *const again[] = {"/proc/self/exe", "print", NULL};
    struct hf_out out = {0};
    struct hf_error err;
    uint64_t hash;
    check_ok(hf_process_run(again, (struct hf_text){0}, &out, &err), &err);
    assert_true(hf_num_u64((struct hf_text){out.data, out.size}, &hash));
    hf_out_done(&out);
    return hash;
}

static void each_process_has_a_key_of_its_own(void **state)
{
    (void)state;
    uint64_t here = hf_hash_bytes("main", 4);
    uint64_t one = hash_of_another_process(), two = hash_of_another_process();
    assert_true(here != one && one != two && two != here);
}

int main(int argc, char **argv)
{
    if (argc == 2 && hf_text_is(hf_text_of(argv[1]), "print"))
        return printf("%" PRIu64, hf_hash_bytes("main", 4)) < 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_of_another_key_do_not_meet),
        cmocka_unit_test(products_of_another_key_do_not_meet),
        cmocka_unit_test(names_against_the_hash_without_key_do_not_meet),
        cmocka_unit_test(patterns_do_not_meet),
        cmocka_unit_test(numbers_do_not_meet),
        cmocka_unit_test(each_process_has_a_key_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
