/* Arena, map, index, intern table, growing arrays, checked sums. */
#include "base/budget.h"
#include "base/checked.h"
#include "base/containers/arena.h"
#include "base/containers/hash.h"
#include "base/containers/index.h"
#include "base/containers/intern.h"
#include "base/containers/map.h"
#include "base/containers/ordered.h"
#include "base/containers/vec.h"
#include "os/process/map_line.h"

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void arena_aligns_and_keeps(void **state)
{
    (void)state;
    struct hf_arena arena = {0};
    char *pieces[2000];
    for (size_t i = 0; i < HF_COUNT(pieces); i++) {
        size_t size = i * 7 % 97;
        pieces[i] = hf_arena_alloc(&arena, size);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % (size >= 16 ? 16 : 8), 0);
        for (size_t b = 0; b < size; b++)
            assert_int_equal(pieces[i][b], 0);
        memset(pieces[i], (int)(i & 0xff), size);
    }
    for (size_t i = 0; i < HF_COUNT(pieces); i++) {
        for (size_t b = 0; b < i * 7 % 97; b++)
            assert_int_equal((unsigned char)pieces[i][b], i & 0xff);
    }
    assert_string_equal(hf_arena_copy(&arena, "abc", 3), "abc");
    assert_string_equal(hf_arena_copy(&arena, NULL, 0), "");
    assert_null(hf_arena_alloc(&arena, SIZE_MAX));
    assert_null(hf_arena_alloc(&arena, SIZE_MAX - 8));
    assert_null(hf_arena_copy(&arena, "x", SIZE_MAX));
    char *large = hf_arena_alloc(&arena, (size_t)3 << 20);
    assert_non_null(large);
    large[((size_t)3 << 20) - 1] = 1;
    hf_arena_done(&arena);
    assert_int_equal(arena.total_bytes, 0);
    hf_arena_done(&arena);
}

static void map_holds_what_was_put(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    struct hf_map map = {0};
    assert_null(hf_map_find(&map, 0));
    for (uint32_t i = 0; i < COUNT; i++) {
        bool is_new = false;
        uint32_t *value = hf_map_put(&map, (uint64_t)i << 32, i, &is_new);
        assert_non_null(value);
        assert_true(is_new);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        bool is_new = true;
        assert_int_equal(*hf_map_find(&map, (uint64_t)i << 32), i);
        assert_int_equal(*hf_map_put(&map, (uint64_t)i << 32, 7, &is_new), i);
        assert_false(is_new);
    }
    assert_null(hf_map_find(&map, 1));
    assert_non_null(hf_map_put(&map, UINT64_MAX, 5, NULL));
    assert_int_equal(*hf_map_find(&map, UINT64_MAX), 5);
    assert_int_equal(map.count, COUNT + 1);
    hf_map_done(&map);
    assert_null(hf_map_find(&map, 0));
}

/* Against a plain array of what is there; keys close together and at both ends of the range. */
static void ordered_keeps_its_order(void **state)
{
    (void)state;
    enum { KEYS = 4096, STEPS = 60000 };
    static uint32_t values[KEYS]; /* 0: not there */
    struct hf_ordered map = {0};
    uint64_t seed = 1, key;
    uint32_t value, count = 0;
    assert_false(hf_ordered_floor(&map, UINT64_MAX, &key, &value));
    hf_ordered_remove(&map, 5);
    for (uint32_t step = 1; step <= STEPS; step++) {
        /* It fills, empties, and fills again. */
        bool grows =
            step / (STEPS / 3) != 1 ? check_random(&seed) % 4 != 0 : check_random(&seed) % 64 == 0;
        uint32_t i = check_random(&seed) % KEYS;
        uint64_t at = i < KEYS / 2 ? i : UINT64_MAX - (KEYS - 1 - i);
        assert_int_equal(hf_ordered_find(&map, at, &value), values[i] != 0);
        assert_true(values[i] == 0 || value == values[i]);
        if (grows && values[i] == 0) {
            assert_true(hf_ordered_add(&map, at, values[i] = step));
            count++;
        } else if (!grows) {
            hf_ordered_remove(&map, at);
            count -= values[i] != 0;
            values[i] = 0;
        }
        assert_int_equal(map.count, count);
        uint32_t below = i;
        while (below != 0 && values[below] == 0)
            below--;
        assert_int_equal(hf_ordered_floor(&map, at, &key, &value), values[below] != 0);
        assert_true(values[below] == 0 || value == values[below]);
    }
    hf_ordered_done(&map);
    assert_int_equal(map.leaf_count, 0);
}

static bool index_find(struct hf_index *index, const uint32_t *items, uint32_t wanted,
    uint64_t hash, uint32_t *out_position)
{
    struct hf_index_probe probe = hf_index_start(index, hash);
    while (hf_index_next(index, &probe, out_position)) {
        if (items[*out_position] == wanted)
            return true;
    }
    return false;
}

/* Of any size, at any place in a page. */
static void large_pages_change_nothing(void **state)
{
    (void)state;
    enum { LARGE = 6 << 20 };
    hf_budget_prefer_large_pages(NULL, LARGE);
    unsigned char *items = malloc(LARGE);
    assert_non_null(items);
    for (size_t i = 0; i < LARGE; i++)
        items[i] = (unsigned char)(i % 251);
    errno = ENOENT;
    hf_budget_prefer_large_pages(items, LARGE);
    hf_budget_prefer_large_pages(items + 1, LARGE - 1);
    hf_budget_prefer_large_pages(items, 1);
    assert_int_equal(errno, ENOENT);
    for (size_t i = 0; i < LARGE; i++)
        assert_int_equal(items[i], i % 251);
    free(items);
}

/* The mapping that has this address, as /proc/self/smaps shows it, up to the next one. */
static struct hf_text mapping_of(const char *smaps, const void *address, struct hf_map_line *out)
{
    struct hf_text rest = hf_text_of(smaps), found = {NULL, 0};
    while (rest.size != 0) {
        struct hf_text line = hf_text_first(rest, hf_text_find(rest, '\n'));
        struct hf_map_line map;
        bool begins = hf_map_line_parse(line, &map);
        if (begins && found.data != NULL)
            return (struct hf_text){found.data, (size_t)(line.data - found.data)};
        if (begins && (uintptr_t)address >= map.start && (uintptr_t)address < map.end) {
            *out = map;
            found.data = line.data;
        }
        rest = hf_text_from(rest, line.size + 1);
    }
    fail_msg("no mapping has the address");
    return rest;
}

static char *read_smaps(void)
{
    enum { SIZE = 1 << 20 };
    char *smaps = calloc(1, SIZE);
    FILE *file = fopen("/proc/self/smaps", "re");
    assert_true(smaps != NULL && file != NULL);
    assert_true(fread(smaps, 1, SIZE - 1, file) != 0);
    fclose(file);
    return smaps;
}

/* realloc moves the pages of one mapping; of two it would copy the bytes. */
static void large_arrays_stay_one_mapping(void **state)
{
    (void)state;
    enum { LARGE = 6 << 20 };
    char *items = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(items != MAP_FAILED);
    hf_budget_prefer_large_pages(items + 16, LARGE - 16);
    char *smaps = read_smaps();
    struct hf_map_line map;
    (void)mapping_of(smaps, items + LARGE / 2, &map);
    assert_true(map.start <= (uintptr_t)items && map.end >= (uintptr_t)items + LARGE);
    free(smaps);
    munmap(items, LARGE);
}

/* What malloc gives out next lies there, but where a sanitizer has a malloc of its own. */
static void heaps_have_large_pages(void **state)
{
    (void)state;
    enum { SMALL = 1 << 20 };
    hf_budget_prefer_large_heap();
    char *items = malloc(SMALL), *smaps = read_smaps();
    assert_non_null(items);
    memset(items, 7, SMALL);
    struct hf_map_line map;
    struct hf_text lines = mapping_of(smaps, items, &map);
    bool has_own_malloc = !hf_text_is(map.path, "[heap]");
    bool has_none = access("/sys/kernel/mm/transparent_hugepage", F_OK) != 0;
    assert_true(has_own_malloc || has_none || hf_text_has(lines, " hg"));
    free(smaps);
    free(items);
}

static void index_finds_what_its_owner_holds(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static const uint64_t masks[] = {UINT64_MAX, UINT64_C(0xff) << 56, 0}; /* good to bad hashes */
    for (size_t m = 0; m < HF_COUNT(masks); m++) {
        uint32_t count = masks[m] == 0 ? COUNT / 20 : COUNT, position;
        uint32_t *items = calloc(count, sizeof *items);
        assert_non_null(items);
        struct hf_index index = {0};
        for (uint32_t i = 0; i < count; i++) {
            if (index.room == 0) {
                assert_true(hf_index_reset(&index, i));
                for (uint32_t k = 0; k < i; k++)
                    hf_index_add(&index, hf_hash_u64(items[k]) & masks[m], k);
            }
            items[i] = i * 3;
            assert_false(
                index_find(&index, items, i * 3, hf_hash_u64(i * 3) & masks[m], &position));
            hf_index_add(&index, hf_hash_u64(i * 3) & masks[m], i);
        }
        for (uint32_t i = 0; i < count; i++) {
            assert_true(index_find(&index, items, i * 3, hf_hash_u64(i * 3) & masks[m], &position));
            assert_int_equal(position, i);
        }
        assert_false(index_find(&index, items, 1, hf_hash_u64(1) & masks[m], &position));
        assert_true(index.capacity < (size_t)4 * count);
        hf_index_done(&index);
        assert_int_equal(index.room, 0);
        free(items);
    }
    struct hf_index index = {0};
    assert_false(hf_index_reset(&index, HF_INDEX_LIMIT));
}

static void intern_gives_equal_bytes_one_id(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    struct hf_intern table = {0};
    uint32_t id;
    assert_true(hf_intern_put(&table, "", 0, &id));
    assert_int_equal(id, 0);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 1; i < COUNT; i++) {
            char text[32];
            size_t size = (size_t)snprintf(text, sizeof text, "name %u", i);
            assert_true(hf_intern_put(&table, text, size, &id));
            assert_int_equal(id, i);
        }
    }
    assert_int_equal(table.count, COUNT);
    check_text(hf_intern_at(&table, 17), "name 17");
    assert_string_equal(hf_intern_at(&table, 17).data, "name 17");
    assert_int_equal((uintptr_t)hf_intern_at(&table, 17).data % 8, 0);
    /* Bytes, not strings: a NUL is a byte like any other. */
    assert_true(hf_intern_put(&table, "a\0b", 3, &id));
    assert_int_equal(id, COUNT);
    assert_true(hf_intern_put(&table, "a\0c", 3, &id));
    assert_int_equal(id, COUNT + 1);
    assert_int_equal(hf_intern_at(&table, COUNT).size, 3);
    assert_true(hf_intern_put(&table, NULL, 0, &id));
    assert_int_equal(id, 0);
    hf_intern_done(&table);
    assert_int_equal(table.count, 0);
}

static void arrays_grow_or_stay(void **state)
{
    (void)state;
    uint32_t *items = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(hf_vec_reserve(&items, &capacity, i + 1, sizeof *items));
        items[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    size_t before = capacity;
    uint32_t *where = items;
    assert_false(hf_vec_reserve(&items, &capacity, SIZE_MAX / 2, sizeof *items));
    assert_int_equal(capacity, before);
    assert_ptr_equal(items, where);
    free(items);
}

static void sums_fail_rather_than_wrap(void **state)
{
    (void)state;
    uint64_t value = 42;
    size_t size = 42;
    assert_true(hf_add_u64(UINT64_MAX - 1, 1, &value));
    assert_true(value == UINT64_MAX);
    assert_false(hf_add_u64(UINT64_MAX, 1, &value));
    assert_false(hf_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &value));
    assert_true(value == UINT64_MAX);
    assert_true(hf_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 31, &value));
    assert_true(value == UINT64_C(1) << 63);
    assert_false(hf_add_size(SIZE_MAX, 1, &size));
    assert_false(hf_mul_size(SIZE_MAX, 2, &size));
    assert_int_equal(size, 42);
    bool saturated = false;
    assert_true(hf_add_saturating(1, 2, &saturated) == 3);
    assert_false(saturated);
    assert_true(hf_add_saturating(UINT64_MAX, 2, &saturated) == UINT64_MAX);
    assert_true(saturated);
    assert_true(hf_add_saturating(1, 2, &saturated) == 3);
    assert_true(saturated);
}

static void hash_sees_every_byte(void **state)
{
    (void)state;
    unsigned char bytes[40] = {0};
    uint64_t plain = hf_hash_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = 1;
        assert_true(hf_hash_bytes(bytes, sizeof bytes) != plain);
        bytes[i] = 0;
    }
    for (size_t size = 0; size < sizeof bytes; size++)
        assert_true(hf_hash_bytes(bytes, size) != plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_aligns_and_keeps),
        cmocka_unit_test(map_holds_what_was_put),
        cmocka_unit_test(ordered_keeps_its_order),
        cmocka_unit_test(large_pages_change_nothing),
        cmocka_unit_test(large_arrays_stay_one_mapping),
        cmocka_unit_test(heaps_have_large_pages),
        cmocka_unit_test(index_finds_what_its_owner_holds),
        cmocka_unit_test(intern_gives_equal_bytes_one_id),
        cmocka_unit_test(arrays_grow_or_stay),
        cmocka_unit_test(sums_fail_rather_than_wrap),
        cmocka_unit_test(hash_sees_every_byte),
    };
    return cmocka_run_group_tests_name("containers", tests, NULL, NULL);
}
