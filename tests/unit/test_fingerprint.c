/* Fingerprints of texts: equal ones for equal texts only, and those of beginnings. */
#include "base/containers/fingerprint.h"
#include "base/containers/print_map.h"

#include "check.h"

#define SIZE 2600u /* two blocks and a half */

static struct hf_fingerprint_key draw(void)
{
    struct hf_fingerprint_key key;
    struct hf_error err;
    check_ok(hf_fingerprint_key_draw(&key, &err), &err);
    return key;
}

static void fill(char *text)
{
    uint64_t random = 1;
    for (size_t i = 0; i < SIZE; i++)
        text[i] = (char)check_random(&random);
}

static void beginnings_have_their_own(void **state)
{
    static struct hf_fingerprint all[SIZE + 1];
    char text[SIZE], zeros[SIZE] = {0};
    (void)state;
    fill(text);
    const char *const texts[] = {text, zeros};
    struct hf_fingerprint_key key = draw();
    for (size_t t = 0; t < HF_COUNT(texts); t++) {
        struct hf_fingerprint_run run;
        hf_fingerprint_start(&run, &key, (struct hf_text){texts[t], SIZE});
        for (size_t size = 0; size <= SIZE; size++) {
            all[size] = hf_fingerprint_of(&key, (struct hf_text){texts[t], size});
            assert_true(hf_fingerprint_equal(all[size], hf_fingerprint_next(&run, size)));
            for (size_t i = 0; i < size; i++)
                assert_false(hf_fingerprint_equal(all[i], all[size]));
        }
    }
}

/* By the definition in the header, a step at a time. */
static uint64_t half_as_defined(const struct hf_fingerprint_key *key, const char *text, size_t half)
{
    __extension__ typedef unsigned __int128 u128;
    const uint64_t prime = (UINT64_C(1) << 61) - 1, piece = (UINT64_C(1) << 43) - 1;
    u128 print = 0, sum = 0;
    for (size_t at = 0; at < SIZE; at += 16) {
        uint64_t pair[2] = {0, 0};
        memcpy(pair, text + at, SIZE - at < 16 ? SIZE - at : 16);
        const uint64_t *words = key->words + at % 1024 / 8 + 2 * half;
        sum += (u128)(pair[0] + words[0]) * (pair[1] + words[1]);
        if (at % 1024 != 1008 && at + 16 < SIZE)
            continue;
        for (unsigned shift = 0; shift < 128; shift += 43)
            print = (print * key->powers[half][0] + ((uint64_t)(sum >> shift) & piece)) % prime;
        sum = 0;
    }
    return (uint64_t)((print * key->powers[half][0] + SIZE) % prime);
}

static void are_as_defined(void **state)
{
    char text[SIZE];
    (void)state;
    fill(text);
    struct hf_fingerprint_key key = draw();
    struct hf_fingerprint print = hf_fingerprint_of(&key, (struct hf_text){text, SIZE});
    for (size_t half = 0; half < 2; half++)
        assert_true(print.halves[half] == half_as_defined(&key, text, half));
}

/* No byte of a text goes unseen by either half. */
static void each_byte_counts(void **state)
{
    char text[SIZE];
    (void)state;
    fill(text);
    struct hf_fingerprint_key key = draw();
    struct hf_fingerprint print = hf_fingerprint_of(&key, (struct hf_text){text, SIZE});
    for (size_t i = 0; i < SIZE; i++) {
        text[i] = (char)(text[i] ^ 0x10);
        struct hf_fingerprint other = hf_fingerprint_of(&key, (struct hf_text){text, SIZE});
        text[i] = (char)(text[i] ^ 0x10);
        assert_true(print.halves[0] != other.halves[0] && print.halves[1] != other.halves[1]);
    }
}

static void bytes_have_places(void **state)
{
    static const char *const texts[] = {"aaaaaaaabbbbbbbbccccccccdddddddd",
        "bbbbbbbbaaaaaaaaccccccccdddddddd", "ccccccccddddddddaaaaaaaabbbbbbbb",
        "ddddddddccccccccbbbbbbbbaaaaaaaa"};
    (void)state;
    struct hf_fingerprint_key key = draw();
    for (size_t i = 0; i < HF_COUNT(texts); i++) {
        for (size_t j = 0; j < i; j++)
            assert_false(hf_fingerprint_equal(hf_fingerprint_of(&key, hf_text_of(texts[i])),
                hf_fingerprint_of(&key, hf_text_of(texts[j]))));
    }
}

static void keys_are_drawn(void **state)
{
    (void)state;
    struct hf_fingerprint_key keys[] = {draw(), draw()};
    assert_false(hf_fingerprint_equal(hf_fingerprint_of(&keys[0], HF_TEXT("main;parse")),
        hf_fingerprint_of(&keys[1], HF_TEXT("main;parse"))));
}

static void maps_hold_what_was_put(void **state)
{
    enum { COUNT = 5000 };
    (void)state;
    struct hf_fingerprint_key key = draw();
    struct hf_print_map map = {0};
    struct hf_fingerprint prints[2 * COUNT];
    for (uint32_t i = 0; i < 2 * COUNT; i++)
        prints[i] = hf_fingerprint_of(&key, (struct hf_text){(const char *)&i, sizeof i});
    assert_null(hf_print_map_find(&map, prints[0]));
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(hf_print_map_put(&map, prints[i], i));
        assert_true(hf_print_map_put(&map, prints[i / 2], COUNT + i / 2));
    }
    assert_int_equal(map.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t *value = hf_print_map_find(&map, prints[i]);
        assert_non_null(value);
        assert_int_equal(*value, i < COUNT / 2 ? COUNT + i : i);
        assert_null(hf_print_map_find(&map, prints[COUNT + i]));
    }
    hf_print_map_done(&map);
    assert_null(hf_print_map_find(&map, prints[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beginnings_have_their_own),
        cmocka_unit_test(are_as_defined),
        cmocka_unit_test(each_byte_counts),
        cmocka_unit_test(bytes_have_places),
        cmocka_unit_test(keys_are_drawn),
        cmocka_unit_test(maps_hold_what_was_put),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
