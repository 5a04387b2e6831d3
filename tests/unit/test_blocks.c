/* The index of blocks against a model that is too simple to be wrong. */
#include "check.h"

#include "../../agent/blocks.h"
#include "memory_model.h"

#include <sys/mman.h>

#define TABLE_BYTES (UINT64_C(64) << 20)

static struct hf_live_table table;
static struct hf_live_slots slots;
static struct hf_blocks blocks;

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

static int begin(void **state)
{
    struct hf_live_head head = {.period_bytes = 1};
    hf_live_plan(&head, TABLE_BYTES);
    void *memory = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *state = memory;
    slots = (struct hf_live_slots){0};
    return memory != MAP_FAILED && hf_live_begin(&table, memory, &head, commit) ? 0 : -1;
}

/* As where every allocation is recorded. */
static int begin_with_shadow(void **state)
{
    return hf_shadow_begin(&blocks.shadow) ? begin(state) : -1;
}

static int end(void **state)
{
    memory_left = SIZE_MAX;
    hf_blocks_forget(&blocks);
    return munmap(*state, TABLE_BYTES);
}

static uint32_t put(uintptr_t address)
{
    uint32_t slot = hf_live_put(&table, &slots, address, 1, 0, HF_LIVE_NONE, 0);
    assert_int_not_equal(slot, HF_LIVE_NONE);
    return slot;
}

static bool add(uintptr_t address)
{
    uint32_t old, slot = put(address);
    bool is_added = hf_blocks_add(&blocks, &table, address, slot, &old);
    assert_int_equal(old, HF_LIVE_NONE);
    if (!is_added)
        hf_live_remove(&table, &slots, slot);
    return is_added;
}

static void take(uintptr_t address)
{
    uint32_t slot;
    assert_int_equal(hf_blocks_take(&blocks, &table, address, &slot), HF_BLOCKS_TAKEN);
    assert_int_equal(hf_live_address_of(&table, slot), address);
    hf_live_remove(&table, &slots, slot);
}

#define ADDRESSES 65536

/* Small blocks side by side, pages, blocks 64 GiB apart, and anything a machine can address. */
static uintptr_t address_of(uint32_t number)
{
    uint64_t seed = number;
    switch (number % 4) {
    case 0: return UINT64_C(0x555500000000) + number * 4;
    case 1: return UINT64_C(0x7f0000000000) + number * UINT64_C(4096);
    case 2: return UINT64_C(0x1000) + (UINT64_C(1) << 36) * (number % 1024) + number / 1024 * 8;
    default:
        return (uintptr_t)check_random(&seed) << 16 | (uintptr_t)number << 3 | UINT64_C(1) << 46;
    }
}

static void test_random_operations(void **state)
{
    (void)state;
    static bool is_live[ADDRESSES];
    memset(is_live, 0, sizeof is_live);
    uint64_t seed = 5;
    uint32_t slot, live = 0;
    for (size_t i = 0; i < 1000000; i++) {
        /* From few blocks to many and back: shards grow, and what was passed is taken out again. */
        uint32_t range = i / 100000 % 2 == 0 ? ADDRESSES : 512;
        uint32_t number = check_random(&seed) % range;
        uintptr_t address = address_of(number);
        if (is_live[number])
            take(address);
        else if (check_random(&seed) % 4 != 0)
            assert_true(add(address));
        else {
            assert_int_equal(hf_blocks_take(&blocks, &table, address, &slot), HF_BLOCKS_UNKNOWN);
            continue;
        }
        is_live[number] = !is_live[number];
        live += is_live[number] ? 1 : UINT32_MAX;
    }
    assert_true(live > ADDRESSES / 4);
    for (uint32_t number = 0; number < ADDRESSES; number++) {
        if (is_live[number])
            take(address_of(number));
        assert_int_equal(
            hf_blocks_take(&blocks, &table, address_of(number), &slot), HF_BLOCKS_UNKNOWN);
    }
    for (size_t i = 0; i < HF_BLOCKS_SHARDS; i++)
        assert_int_equal(blocks.shards[i].count, 0);
}

/* A million blocks of 32 bytes one after the other: at most 32 bytes for each, beside the slot. */
static void test_memory(void **state)
{
    (void)state;
    for (uintptr_t i = 0; i < 1000000; i++)
        assert_true(add(UINT64_C(0x7f1200000010) + i * 32));
    size_t bytes = 0;
    for (size_t i = 0; i < HF_BLOCKS_SHARDS; i++)
        bytes += blocks.shards[i].bucket_count * 64;
    assert_true(bytes <= 32 * 1000000);
    for (uintptr_t i = 0; i < 1000000; i++)
        take(UINT64_C(0x7f1200000010) + i * 32);
}

/* A block that comes again was freed unseen: its old slot is handed back. */
static void test_missed_free(void **state)
{
    (void)state;
    uint32_t first = put(0x1000), second = put(0x1000), old, slot;
    assert_true(hf_blocks_add(&blocks, &table, 0x1000, first, &old));
    assert_int_equal(old, HF_LIVE_NONE);
    assert_true(hf_blocks_add(&blocks, &table, 0x1000, second, &old));
    assert_int_equal(old, first);
    assert_int_equal(hf_blocks_take(&blocks, &table, 0x1000, &slot), HF_BLOCKS_TAKEN);
    assert_int_equal(slot, second);
}

/* Without memory: what has room goes in, the rest is refused, and nothing is lost. */
static void test_no_memory(void **state)
{
    (void)state;
    memory_left = 0;
    assert_false(add(0x1000));
    memory_left = 64 * 64; /* one page, for one shard */
    uintptr_t count = 0;
    while (add(0x10000 + count * 16))
        count++;
    assert_int_equal(count, 64 * 7);
    for (uintptr_t i = 0; i < count; i++)
        take(0x10000 + i * 16);
    assert_true(add(0x10000));
}

/* A cell of 32 bytes has room for one block: the others are in the shards, and as well known. */
static void test_one_cell(void **state)
{
    (void)state;
    uint32_t slot;
    for (uintptr_t i = 0; i < 4; i++)
        assert_true(add(0x1000 + 8 * i));
    take(0x1000);
    assert_int_equal(hf_blocks_take(&blocks, &table, 0x1000, &slot), HF_BLOCKS_UNKNOWN);
    assert_true(add(0x1000));
    for (uintptr_t i = 0; i < 4; i++)
        take(0x1000 + 8 * i);
}

/* Without memory for cells, the shards do. Addresses that no program has are no trouble. */
static void test_no_memory_for_shadow(void **state)
{
    (void)state;
    uint32_t slot;
    assert_int_equal(hf_blocks_take(&blocks, &table, UINTPTR_MAX, &slot), HF_BLOCKS_UNKNOWN);
    assert_true(add(0x1000));
    assert_int_equal(
        hf_blocks_take(&blocks, &table, 0x1000 | UINT64_C(1) << 47, &slot), HF_BLOCKS_UNKNOWN);
    memory_left = 64 * 64;
    assert_true(add(HF_SHADOW_PIECE_BYTES));
    take(HF_SHADOW_PIECE_BYTES);
    take(0x1000);
    memory_left = 0;
    hf_shadow_forget(&blocks.shadow);
    assert_false(hf_shadow_begin(&blocks.shadow));
    assert_true(add(HF_SHADOW_PIECE_BYTES));
    take(HF_SHADOW_PIECE_BYTES);
}

static void test_locked(void **state)
{
    (void)state;
    uint32_t slot;
    assert_true(add(0x1000));
    for (size_t i = 0; i < HF_BLOCKS_SHARDS; i++)
        assert_true(hf_spinlock_take(&blocks.shards[i].lock));
    assert_int_equal(hf_blocks_take(&blocks, &table, 0x1000, &slot), HF_BLOCKS_BUSY);
    assert_false(hf_blocks_add(&blocks, &table, 0x2000, 0, &slot));
    for (size_t i = 0; i < HF_BLOCKS_SHARDS; i++)
        hf_spinlock_release(&blocks.shards[i].lock);
    take(0x1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_operations, begin, end),
        cmocka_unit_test_setup_teardown(test_random_operations, begin_with_shadow, end),
        cmocka_unit_test_setup_teardown(test_memory, begin, end),
        cmocka_unit_test_setup_teardown(test_memory, begin_with_shadow, end),
        cmocka_unit_test_setup_teardown(test_missed_free, begin, end),
        cmocka_unit_test_setup_teardown(test_missed_free, begin_with_shadow, end),
        cmocka_unit_test_setup_teardown(test_one_cell, begin, end),
        cmocka_unit_test_setup_teardown(test_one_cell, begin_with_shadow, end),
        cmocka_unit_test_setup_teardown(test_no_memory, begin, end),
        cmocka_unit_test_setup_teardown(test_no_memory_for_shadow, begin_with_shadow, end),
        cmocka_unit_test_setup_teardown(test_locked, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
