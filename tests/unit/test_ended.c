/*
 * What becomes of blocks: ages, sizes and epochs of random ones, against sums by the block.
 */
#include "check.h"

#include "live/ended.h"

#define BLOCKS 20000
#define START_NS UINT64_C(7000000000)

static _Alignas(HF_LIVE_PAGE_BYTES) uint8_t memory[HF_LIVE_TABLE_MIN];

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

static void begin(struct hf_live_table *table)
{
    struct hf_live_head head = {.magic = HF_LIVE_MAGIC,
        .major = HF_LIVE_MAJOR,
        .period_bytes = 1,
        .monotonic_ns = START_NS};
    memset(memory, 0, sizeof memory);
    hf_live_plan(&head, sizeof memory);
    assert_true(hf_live_begin(table, memory, &head, commit));
    for (uint64_t i = 0; i < 2; i++)
        assert_int_equal(hf_live_add_stack(table, &i, 1, 0), i);
}

static struct hf_live_frees *frees_of_stack(struct hf_live_table *table, uint32_t stack)
{
    uint32_t number = hf_live_stack(table, stack)->frees;
    assert_int_not_equal(number, 0);
    return (struct hf_live_frees *)(void *)table->regions[HF_LIVE_FREES] + number - 1;
}

static void end_one(struct hf_live_table *table, uint64_t size, uint64_t birth, uint64_t now)
{
    struct hf_live_ended block = {size, HF_LIVE_OBJECT, size, START_NS + birth, START_NS + now};
    hf_live_count_ended(table, 0, &block);
}

static uint64_t random_of(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 16;
}

static void test_sums_by_the_block(void **state)
{
    (void)state;
    static struct {
        uint64_t size, birth;
    } blocks[BLOCKS];
    struct hf_live_table table;
    uint64_t random = 1, now = 0, ages[HF_LIVE_AGES] = {0}, old_bytes[HF_LIVE_AGES] = {0},
             sizes[HF_LIVE_SIZES] = {0}, born[HF_LIVE_EPOCHS] = {0};
    begin(&table);
    for (size_t i = 0; i < BLOCKS; i++) {
        now += random_of(&random) % 40000000; /* 400 s in the end */
        uint64_t age = random_of(&random) % (UINT64_C(1) << random_of(&random) % 40);
        blocks[i].size = random_of(&random) % (UINT64_C(1) << random_of(&random) % 26);
        blocks[i].birth = age < now ? now - age : 0;
        age = now - blocks[i].birth;
        end_one(&table, blocks[i].size, blocks[i].birth, now);
        size_t step = 0, size = 0;
        while (step < HF_LIVE_AGES - 1 && age >= UINT64_C(1) << (20 + step))
            step++;
        while (size < HF_LIVE_SIZES - 1 && blocks[i].size > UINT64_C(8) << size)
            size++;
        ages[step]++;
        old_bytes[step] += blocks[i].size;
        sizes[size]++;
    }
    const struct hf_live_frees *frees = frees_of_stack(&table, 0);
    assert_true(now >> frees->epoch_shift < HF_LIVE_EPOCHS);
    assert_true(now >> frees->epoch_shift >= HF_LIVE_EPOCHS / 2 - 1);
    for (size_t i = 0; i < BLOCKS; i++)
        born[blocks[i].birth >> frees->epoch_shift] += blocks[i].size;
    for (size_t i = 0; i < HF_LIVE_AGES; i++) {
        assert_int_equal(frees->ages[i].objects, ages[i] * HF_LIVE_OBJECT);
        assert_int_equal(frees->ages[i].bytes, old_bytes[i]);
    }
    for (size_t i = 0; i < HF_LIVE_SIZES; i++)
        assert_int_equal(frees->sizes[i], sizes[i] * HF_LIVE_OBJECT);
    for (size_t i = 0; i < HF_LIVE_EPOCHS; i++)
        assert_int_equal(frees->born_bytes[i], born[i]);
}

/* After a year at once; a birth before the table, and one after the free: clocks are what they are.
 */
static void test_times_far_away(void **state)
{
    (void)state;
    struct hf_live_table table;
    begin(&table);
    uint64_t year = UINT64_C(31536000000000000);
    end_one(&table, 10, year, year + 5);
    assert_int_equal(
        frees_of_stack(&table, 0)->born_bytes[year >> frees_of_stack(&table, 0)->epoch_shift], 10);
    end_one(&table, 20, 0 - START_NS, 7);
    assert_int_equal(frees_of_stack(&table, 0)->born_bytes[0], 20);
    end_one(&table, 30, 50, 10);
    assert_int_equal(frees_of_stack(&table, 0)->born_bytes[0], 50);
    assert_int_equal(frees_of_stack(&table, 0)->ages[0].bytes, 10 + 30);
}

/* Whoever left while epochs became fewer has lost nothing, and the next one ends it. */
static void test_merge_cut_short(void **state)
{
    (void)state;
    struct hf_live_table table;
    begin(&table);
    end_one(&table, 10, 0, 0);
    struct hf_live_frees *frees = frees_of_stack(&table, 0);
    uint32_t shift = frees->epoch_shift;
    frees->epoch_shift = (shift + 1) | HF_LIVE_MERGING;
    end_one(&table, 20, UINT64_C(1) << (shift + 1), UINT64_C(1) << (shift + 2));
    assert_int_equal(
        frees_of_stack(&table, 0)->born_bytes[0] + frees_of_stack(&table, 0)->born_bytes[1], 30);
    end_one(&table, 20, UINT64_C(32) << (shift + 1), UINT64_C(33) << (shift + 2));
    assert_int_equal(frees->epoch_shift, shift + 2);
}

/* Without room for the record nothing is counted, and nothing else happens. */
static void test_no_room(void **state)
{
    (void)state;
    struct hf_live_table table;
    begin(&table);
    table.head->regions[HF_LIVE_FREES].capacity = 0;
    end_one(&table, 10, 0, 0);
    assert_int_equal(hf_live_stack(&table, 0)->frees, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_by_the_block),
        cmocka_unit_test(test_times_far_away),
        cmocka_unit_test(test_merge_cut_short),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
