/* How much memory of the kernel the maps take that are asked for. */
#include "attach/keeper/bpf_room.h"

#include "attach/keeper/bpf_shared.h"

#include "check.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define GIB(n) ((uint64_t)(n) << 30)

static struct hf_bpf_room room_of(
    struct hf_bpf_wish wish, uint32_t processors, uint64_t memory_bytes)
{
    const struct hf_bpf_machine machine = {processors, memory_bytes};
    return hf_bpf_room_of(&wish, &machine);
}

static void test_everything(void **state)
{
    (void)state;
    for (uint64_t period = 0; period <= 1; period++) {
        struct hf_bpf_room room = room_of((struct hf_bpf_wish){.period_bytes = period}, 2, GIB(8));
        assert_int_equal(room.blocks, 1 << 20);
        assert_int_equal(room.gaps, 1);
        assert_int_equal(room.contexts, 1);
        assert_int_equal(room.short_lived, 1);
        assert_int_equal(room.seen_stacks, 1 << 15);
        assert_int_equal(room.ring_bytes, 8 << 20);
    }
}

static void test_samples(void **state)
{
    (void)state;
    const struct {
        uint64_t period_bytes, memory_bytes;
        uint32_t blocks;
    } cases[] = {
        {KIB(64), GIB(8), 1 << 17},
        {KIB(64), GIB(8) + KIB(64), 1 << 18},
        {KIB(64), GIB(512), 1 << 20},
        {KIB(1024), GIB(8), 1 << 16},
        {2, GIB(8), 1 << 20},
        {UINT64_MAX, UINT64_MAX, 1 << 16},
        {KIB(64), 0, 1 << 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hf_bpf_room room = room_of(
            (struct hf_bpf_wish){.period_bytes = cases[i].period_bytes}, 2, cases[i].memory_bytes);
        assert_int_equal(room.blocks, cases[i].blocks);
        assert_int_equal(room.gaps, HF_BPF_GAPS);
        assert_int_equal(room.seen_stacks, 1 << 14);
        assert_int_equal(room.ring_bytes, 4 << 20);
    }
}

static void test_one_of_many(void **state)
{
    (void)state;
    struct hf_bpf_room room = room_of((struct hf_bpf_wish){.is_one_of_many = 1}, 2, GIB(8));
    assert_int_equal(room.blocks, 1 << 18);
    assert_int_equal(room.ring_bytes, 4 << 20);
    const struct hf_bpf_wish sampled = {.is_one_of_many = 1, .period_bytes = KIB(64)};
    assert_int_equal(room_of(sampled, 2, GIB(512)).blocks, 1 << 18);
    assert_int_equal(room_of(sampled, 2, GIB(8)).blocks, 1 << 17);
}

static void test_contexts(void **state)
{
    (void)state;
    const struct {
        uint64_t count;
        uint32_t is_one_of_many, room;
    } cases[] = {
        {0, 0, 1 << 20},
        {80128, 0, 1 << 20},
        {200, 1, 1 << 18},
        {65536, 1, 1 << 18},
        {65537, 1, 1 << 19},
        {1000000, 1, 1 << 20},
        {UINT64_MAX, 1, 1 << 20},
        {UINT64_MAX / 4 + 1, 1, 1 << 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct hf_bpf_wish wish = {.has_contexts = 1,
            .context_count = cases[i].count,
            .is_one_of_many = cases[i].is_one_of_many};
        assert_int_equal(room_of(wish, 2, GIB(8)).contexts, cases[i].room);
        assert_int_equal(room_of(wish, 2, GIB(8)).short_lived, 4096);
        assert_int_equal(room_of(wish, 1, GIB(8)).ring_bytes, 8 << 20);
        assert_int_equal(room_of(wish, 16, GIB(8)).ring_bytes, 16 << 20);
    }
}

static void test_processors(void **state)
{
    (void)state;
    const struct {
        uint32_t processors, alone, sampled;
    } cases[] = {
        {0, 4, 4}, {1, 4, 4}, {2, 8, 4}, {3, 16, 8}, {4, 16, 8}, {8, 16, 16}, {UINT32_MAX, 16, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hf_bpf_room alone = room_of((struct hf_bpf_wish){0}, cases[i].processors, GIB(8));
        struct hf_bpf_room sampled =
            room_of((struct hf_bpf_wish){.period_bytes = KIB(64)}, cases[i].processors, GIB(8));
        assert_int_equal(alone.ring_bytes, cases[i].alone << 20);
        assert_int_equal(sampled.ring_bytes, cases[i].sampled << 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_one_of_many),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_processors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
