/*
 * Four threads at once in the filter, the index of blocks and the index of stacks, and in the live
 * table under them; built with ThreadSanitizer, which fails the program at the first race.
 */
#include "check.h"

#include "../../agent/blocks.h"
#include "../../agent/filter.h"
#include "../../agent/stacks.h"

#include <pthread.h>
#include <sys/mman.h>

#define THREADS 4
#define ROUNDS 20000
#define TABLE_BYTES (UINT64_C(16) << 20)
#define STACKS 3000

static struct hf_live_table table;
static struct hf_blocks blocks;
static struct hf_stacks stacks;

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

static void begin(void)
{
    struct hf_live_head head = {.period_bytes = 1};
    hf_live_plan(&head, TABLE_BYTES);
    void *memory =
        mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED && hf_live_begin(&table, memory, &head, commit));
}

static uint64_t hash_of(uint64_t number)
{
    return (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* As agent/record.c does it: look without the lock, and again with it. */
static uint32_t stack_of(uint64_t number)
{
    uint32_t stack = hf_stacks_find(&stacks, hash_of(number), 1);
    while (stack == HF_STACKS_NONE) {
        if (!hf_live_lock(&table))
            continue;
        stack = hf_stacks_find(&stacks, hash_of(number), 1);
        if (stack == HF_STACKS_NONE) {
            stack = hf_live_add_stack(&table, &number, 1, 0);
            if (!hf_stacks_add(&stacks, hash_of(number), 1, stack))
                abort();
        }
        hf_live_unlock(&table);
    }
    return stack;
}

/* Blocks side by side with those of the other threads, so that they meet in cells, shards, pages.
 */
static uintptr_t address_of(size_t thread, uint32_t number)
{
    return UINT64_C(0x7f0000000000) + (number * THREADS + thread) * 16;
}

static void *work(void *argument)
{
    size_t thread = (size_t)(uintptr_t)argument;
    struct hf_live_slots slots = {0};
    static uint32_t held[THREADS][1024];
    uint64_t seed = thread;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t number = check_random(&seed) % 1024, slot, old;
        uintptr_t address = address_of(thread, number);
        if (held[thread][number] == 0) {
            uint32_t stack = stack_of(check_random(&seed) % STACKS);
            hf_live_count(&table, stack, HF_LIVE_OBJECT, 16);
            do
                slot = hf_live_put(&table, &slots, address, 16, stack, HF_LIVE_NONE, i);
            while (slot == HF_LIVE_NONE);
            while (!hf_blocks_add(&blocks, &table, address, slot, &old)) {
            }
            hf_filter_add(address);
            held[thread][number] = slot + 1;
        } else {
            if (!hf_filter_may_hold(address))
                abort();
            hf_filter_remove(address);
            while (hf_blocks_take(&blocks, &table, address, &slot) != HF_BLOCKS_TAKEN) {
            }
            if (slot + 1 != held[thread][number])
                abort();
            hf_live_remove(&table, &slots, slot);
            held[thread][number] = 0;
        }
    }
    for (uint32_t number = 0; number < 1024; number++) {
        uint32_t slot;
        if (held[thread][number] == 0)
            continue;
        hf_filter_remove(address_of(thread, number));
        while (
            hf_blocks_take(&blocks, &table, address_of(thread, number), &slot) == HF_BLOCKS_BUSY) {
        }
        hf_live_remove(&table, &slots, slot);
        held[thread][number] = 0;
    }
    hf_live_slots_return(&table, &slots);
    return NULL;
}

static void work_in_four_threads(void)
{
    begin();
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < HF_BLOCKS_SHARDS; i++)
        assert_int_equal(blocks.shards[i].count, 0);
    for (uint32_t i = 0; i < THREADS * 1024; i++)
        assert_false(hf_filter_may_hold(address_of(0, i)));
    assert_int_equal(table.state->counts[HF_LIVE_STACKS], STACKS);
    uint64_t objects = 0;
    for (uint32_t i = 0; i < STACKS; i++) {
        uint32_t stack = hf_stacks_find(&stacks, hash_of(i), 1);
        const struct hf_live_stack *all = (const void *)table.regions[HF_LIVE_STACKS];
        assert_true(stack < STACKS);
        objects += all[stack].objects / HF_LIVE_OBJECT;
    }
    assert_in_range(objects, THREADS * ROUNDS / 2, THREADS * (ROUNDS + 1024) / 2);
    hf_blocks_forget(&blocks);
    hf_stacks_forget(&stacks);
    assert_int_equal(munmap(table.head, TABLE_BYTES), 0);
}

static void test_without_shadow(void **state)
{
    (void)state;
    work_in_four_threads();
}

static void test_with_shadow(void **state)
{
    (void)state;
    assert_true(hf_shadow_begin(&blocks.shadow));
    work_in_four_threads();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_shadow),
        cmocka_unit_test(test_with_shadow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
