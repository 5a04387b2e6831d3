/*
 * Everything between "this allocation is to be recorded" and the live table, driven as the hooks
 * do, in a process of one thread whose agent is the test's own.
 */
#include "check.h"

#include "../../agent/agent.h"
#include "../../agent/event.h"
#include "../../agent/real.h"
#include "../../agent/record.h"
#include "../../agent/thread.h"
#include "live/ended.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

struct hf_agent hf_agent;
struct hf_real hf_real;
__thread struct hf_agent_tls hf_agent_tls;

static struct hf_recorded_thread *thread;
static uint64_t stack_end;
extern void *__libc_stack_end; /* of glibc */

/* Of agent/thread.c: all of this thread's stack up to main can be read. */
struct hf_unwind_stack hf_thread_find_stack(struct hf_recorded_thread *of, uint64_t sp)
{
    (void)of;
    return (struct hf_unwind_stack){.low = sp, .high = stack_end};
}

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

static void begin(uint64_t period_bytes, uint64_t table_bytes)
{
    struct hf_live_head head = {.period_bytes = period_bytes};
    hf_live_plan(&head, table_bytes);
    void *memory = mmap(NULL, table_bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(memory != MAP_FAILED && hf_live_begin(&hf_agent.table, memory, &head, commit));
    hf_agent.period_bytes = period_bytes;
    hf_agent.is_exact = period_bytes == 1;
    assert_true(
        hf_modules_begin(&hf_agent.modules, &hf_agent.table, &hf_agent.cache, "/proc/self/maps"));
    thread = calloc(1, sizeof *thread);
    thread->number = HF_LIVE_NONE;
}

static int end(void **state)
{
    (void)state;
    hf_blocks_forget(&hf_agent.blocks);
    hf_stacks_forget(&hf_agent.stacks);
    hf_modules_forget(&hf_agent.modules);
    hf_record_forget();
    free(thread);
    return munmap(hf_agent.table.head, hf_agent.table.head->table_bytes);
}

HF_HOOK_SLOW static void on_malloc(uintptr_t address, size_t size)
{
    hf_record_alloc(thread, address, size, HF_HOOK_CALLER());
}

HF_HOOK_SLOW static void on_free(uintptr_t address)
{
    hf_record_free(thread, address, HF_HOOK_CALLER());
}

/* As the hooks do it: what the real realloc made of it is known by then. */
HF_HOOK_SLOW static void on_realloc(uintptr_t from, uintptr_t to, size_t size)
{
    uint32_t slot = hf_record_take(from);
    if (slot != HF_LIVE_NONE && to == 0)
        hf_record_put_back(thread, from, slot);
    else if (slot != HF_LIVE_NONE)
        hf_record_drop(thread, from, slot, HF_HOOK_CALLER());
    if (to != 0)
        hf_record_alloc(thread, to, size, HF_HOOK_CALLER());
}

/* What readers see in use, and what was ever allocated. */
struct totals {
    uint64_t live_objects, live_bytes, objects, bytes;
};

static struct totals sum(void)
{
    struct totals sum = {0};
    const struct hf_live_state *counts = hf_agent.table.state;
    for (uint32_t i = 0; i < counts->counts[HF_LIVE_BLOCKS]; i++) {
        const struct hf_live_block *block = hf_live_block(&hf_agent.table, i);
        bool is_live = hf_live_word_address(block->word) != 0;
        sum.live_objects += is_live;
        sum.live_bytes += is_live ? block->size : 0;
    }
    const struct hf_live_stack *stacks =
        (const struct hf_live_stack *)(void *)hf_agent.table.regions[HF_LIVE_STACKS];
    for (uint32_t i = 0; i < counts->counts[HF_LIVE_STACKS]; i++) {
        sum.objects += stacks[i].objects;
        sum.bytes += stacks[i].bytes;
    }
    sum.objects /= HF_LIVE_OBJECT;
    return sum;
}

static void check_sum(struct totals expected)
{
    struct totals found = sum();
    assert_int_equal(found.live_objects, expected.live_objects);
    assert_int_equal(found.live_bytes, expected.live_bytes);
    assert_int_equal(found.objects, expected.objects);
    assert_int_equal(found.bytes, expected.bytes);
    if (hf_agent.is_exact)
        assert_int_equal(hf_agent.table.state->usage.bytes, expected.live_bytes);
}

static uint64_t stack_count(void)
{
    return hf_agent.table.state->counts[HF_LIVE_STACKS];
}

#define BLOCKS 5003

/* Any order of the three, against a model: exact. */
static void test_exact(void **state)
{
    (void)state;
    begin(1, UINT64_C(16) << 20);
    static size_t sizes[2 * BLOCKS]; /* + 1; 0: not in use */
    struct totals model = {0};
    uint64_t seed = 3;
    for (size_t i = 0; i < 100000; i++) {
        uint32_t number = check_random(&seed) % BLOCKS, to = number + BLOCKS;
        size_t size = check_random(&seed) % 1000;
        uintptr_t at = 0x10000 + number * UINT64_C(32), other = 0x10000 + to * UINT64_C(32);
        if (sizes[number] == 0) {
            on_malloc(at, size);
            sizes[number] = size + 1;
        } else if (check_random(&seed) % 2 == 0) {
            on_free(at);
            model.live_objects--;
            model.live_bytes -= sizes[number] - 1;
            sizes[number] = 0;
            continue;
        } else {
            bool fails = size % 7 == 0, moves = size % 2 == 0 && sizes[to] == 0;
            on_realloc(at, fails ? 0 : moves ? other : at, size);
            if (fails)
                continue;
            model.live_objects--;
            model.live_bytes -= sizes[number] - 1;
            sizes[number] = 0;
            sizes[moves ? to : number] = size + 1;
        }
        model.live_objects++;
        model.live_bytes += size;
        model.objects++;
        model.bytes += size;
    }
    assert_true(model.live_objects > BLOCKS / 4);
    check_sum(model);
    for (size_t i = 0; i < HF_LIVE_LOSSES; i++)
        assert_int_equal(hf_agent.table.state->lost_objects[i], 0);
}

/* Two places are two stacks, however often; and each one's frames lie in this program. */
static void test_stacks(void **state)
{
    (void)state;
    begin(1, HF_LIVE_TABLE_MIN);
    for (uintptr_t i = 0; i < 10; i++)
        on_malloc(0x1000 + i * 16, 1);
    assert_int_equal(stack_count(), 1);
    on_malloc(0x2000, 1);
    assert_int_equal(stack_count(), 2);
    const struct hf_live_stack *stack =
        (const struct hf_live_stack *)(void *)hf_agent.table.regions[HF_LIVE_STACKS];
    const uint64_t *frames = (const uint64_t *)(void *)hf_agent.table.regions[HF_LIVE_FRAMES];
    assert_true(stack->frame_count > 2);
    assert_int_equal(stack->flags, 0);
    assert_int_not_equal(hf_live_frame_module(frames[0]), 0);
    assert_int_equal(hf_live_block(&hf_agent.table, HF_LIVE_SLOTS / 2 - 1)->stack, 0);
}

/* Sampled: weights in the totals, the filter knows what is live, and each free has its place. */
static void test_sampled(void **state)
{
    (void)state;
    begin(4096, HF_LIVE_TABLE_MIN);
    for (uintptr_t i = 1; i <= 10; i++)
        on_malloc(i << 20, 1000);
    struct totals expected = {10, 10000, 46, 46160}; /* 1 / (1 - exp(-1000 / 4096)) = 4.616 */
    check_sum(expected);
    for (uintptr_t i = 1; i <= 10; i++)
        assert_true(hf_filter_may_hold(i << 20));
    on_realloc(1 << 20, 0, 2000);
    assert_true(hf_filter_may_hold(1 << 20));
    on_free(1 << 20);
    assert_false(hf_filter_may_hold(1 << 20));
    for (uintptr_t i = 2; i <= 10; i++)
        on_free(i << 20);
    for (uintptr_t i = 1; i <= 10; i++)
        assert_false(hf_filter_may_hold(i << 20));
    check_sum((struct totals){0, 0, 46, 46160});
    const struct hf_live_frees *frees =
        (const struct hf_live_frees *)(void *)hf_agent.table.regions[HF_LIVE_FREES];
    assert_int_equal(hf_agent.table.state->counts[HF_LIVE_FREES], 1);
    assert_int_equal(frees->counts[0], 1);
    assert_int_equal(frees->counts[1], 9);
}

static void test_unknown_and_missed(void **state)
{
    (void)state;
    begin(1, HF_LIVE_TABLE_MIN);
    on_free(0x1000);
    on_realloc(0x1000, 0x2000, 7);
    check_sum((struct totals){1, 7, 1, 7});
    on_malloc(0x2000, 8); /* it was freed, and nobody saw it */
    check_sum((struct totals){1, 8, 2, 15});
}

/* Blocks that do not fit are in the totals, and counted as lost; a stack that does not is all
 * lost. */
static void test_full(void **state)
{
    (void)state;
    begin(1, HF_LIVE_TABLE_MIN);
    uint64_t capacity = hf_agent.table.head->regions[HF_LIVE_BLOCKS].capacity;
    for (uint64_t i = 1; i <= capacity + 3; i++)
        on_malloc(i * 16, 1);
    check_sum((struct totals){capacity, capacity, capacity + 3, capacity + 3});
    assert_int_equal(hf_agent.table.state->lost_objects[HF_LIVE_LOST_BLOCK], 3);
    uint64_t frame = 0;
    while (hf_live_add_stack(&hf_agent.table, &frame, 1, 0) != HF_LIVE_NONE) {
    }
    on_malloc(16, 5);
    assert_int_equal(hf_agent.table.state->lost_objects[HF_LIVE_LOST_STACK], 1);
    assert_int_equal(hf_agent.table.state->lost_bytes[HF_LIVE_LOST_STACK], 5);
}

static void write_map(const char *path)
{
    char text[200];
    uintptr_t page = (uintptr_t)on_malloc & ~UINT64_C(0xfffff);
    int size = snprintf(
        text, sizeof text, "%lx-%lx r-xp 00000000 08:01 1 %s\n", page, page + 0x200000, path);
    int fd = open("maps", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, text, (size_t)size), size);
    assert_int_equal(close(fd), 0);
    hf_agent.modules.map_path = "maps";
    hf_modules_unloaded(&hf_agent.modules);
}

/* Other code at the same addresses: other stacks; the first code again: the first stacks. */
static void test_generations(void **state)
{
    (void)state;
    static const char *const paths[] = {"/a", "/b", "/a", "/b"};
    begin(1, HF_LIVE_TABLE_MIN);
    for (uintptr_t i = 0; i < HF_COUNT(paths); i++) {
        write_map(paths[i]);
        on_malloc(0x1000 + 16 * i, 1);
        assert_int_equal(stack_count(), i < 2 ? i + 1 : 2);
        assert_int_equal(
            hf_live_block(&hf_agent.table, HF_LIVE_SLOTS / 2 - 1 - (uint32_t)i)->stack, i % 2);
    }
    assert_int_equal(hf_modules_generation(&hf_agent.modules), 4);
    assert_int_equal(unlink("maps"), 0);
}

/* Of all that was freed: how much was temporary. */
static uint64_t temporary_objects(void)
{
    uint64_t sum = 0;
    const struct hf_live_frees *frees =
        (const struct hf_live_frees *)(void *)hf_agent.table.regions[HF_LIVE_FREES];
    for (uint32_t i = 0; i < hf_agent.table.state->counts[HF_LIVE_FREES]; i++)
        sum += frees[i].temporary_objects;
    return sum / HF_LIVE_OBJECT;
}

/* Temporary is what its thread frees before it allocates or frees anything else. */
static void test_temporary(void **state)
{
    (void)state;
    begin(1, HF_LIVE_TABLE_MIN);
    on_malloc(0x10000, 100);
    on_malloc(0x20000, 100);
    on_free(0x10000);
    on_free(0x20000); /* another came before */
    assert_int_equal(temporary_objects(), 0);
    on_malloc(0x10000, 100);
    on_free(0x10000);
    assert_int_equal(temporary_objects(), 1);
    on_malloc(0x10000, 100);
    on_realloc(0x10000, 0x30000, 200);
    assert_int_equal(temporary_objects(), 2);
    on_realloc(0x30000, 0, 300); /* failed */
    on_free(0x30000);
    assert_int_equal(temporary_objects(), 3);
}

/* A sample knows by what its thread may still allocate unrecorded whether it did. */
static void test_temporary_samples(void **state)
{
    (void)state;
    begin(4096, HF_LIVE_TABLE_MIN);
    hf_agent_tls.left = 5000;
    on_malloc(0x10000, 100000);
    on_free(0x10000);
    assert_int_equal(temporary_objects(), 1);
    on_malloc(0x10000, 100000);
    hf_agent_tls.left -= 10;
    on_free(0x10000);
    assert_int_equal(temporary_objects(), 1);
}

/* So many blocks of one stack are allocated and freed; as how many they are counted by their ages.
 */
HF_HOOK_SLOW static uint64_t count_ended(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        on_malloc(0x10000, 100);
        on_free(0x10000);
    }
    const struct hf_live_frees *frees =
        (const struct hf_live_frees *)(void *)hf_agent.table.regions[HF_LIVE_FREES];
    uint64_t sum = 0;
    for (size_t i = 0; i < hf_agent.table.state->counts[HF_LIVE_FREES] * HF_LIVE_AGES; i++)
        sum += frees[i / HF_LIVE_AGES].ages[i % HF_LIVE_AGES].objects;
    return sum / HF_LIVE_OBJECT;
}

/* The first blocks of a stack are counted each, then one in several; temporary ones always each. */
static void test_frequent_frees(void **state)
{
    (void)state;
    begin(1, HF_LIVE_TABLE_MIN);
    hf_sampler_seed(&thread->sampler, 1);
    uint64_t sum = 0;
    for (uint32_t more = HF_ENDED_ALL; more <= 100000; more += 100000 - HF_ENDED_ALL) {
        sum = count_ended(more);
        if (more == HF_ENDED_ALL)
            assert_int_equal(sum, HF_ENDED_ALL);
    }
    assert_in_range(sum, 98000, 104000);
    assert_int_not_equal(sum, HF_ENDED_ALL + 100000); /* it is an estimate */
    assert_int_equal(temporary_objects(), HF_ENDED_ALL + 100000);
}

int main(void)
{
    stack_end = (uint64_t)(uintptr_t)__libc_stack_end;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_temporary, end),
        cmocka_unit_test_teardown(test_temporary_samples, end),
        cmocka_unit_test_teardown(test_frequent_frees, end),
        cmocka_unit_test_teardown(test_exact, end),
        cmocka_unit_test_teardown(test_stacks, end),
        cmocka_unit_test_teardown(test_sampled, end),
        cmocka_unit_test_teardown(test_unknown_and_missed, end),
        cmocka_unit_test_teardown(test_full, end),
        cmocka_unit_test_teardown(test_generations, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
