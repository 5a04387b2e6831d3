/* Whose the resident memory of a recorded process is: of this one, which writes a table of itself.
 */
#include "base/strings/num.h"
#include "check.h"
#include "live/residency.h"
#include "live/writer.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE UINT64_C(4096)
#define MIB (UINT64_C(1) << 20)
#define ARENA (64 * MIB)
#define PLACES 15            /* below the arena */
#define PLACE_MIB 4          /* from one to the next */
#define NOISE_BYTES (MIB)    /* what the rest of the process may take meanwhile */
#define SEEN_BYTES (2 * MIB) /* what is taken where there is noise */

static struct hf_live_table table;
static struct hf_live_slots slots;
static uint8_t *memory, *reserved, *base; /* the base is where an arena of glibc's might begin */
static int file = -1;

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

static int begin_table(void **state)
{
    (void)state;
    struct hf_live_head head = {
        .magic = HF_LIVE_MAGIC, .major = HF_LIVE_MAJOR, .minor = HF_LIVE_MINOR, .period_bytes = 1};
    hf_live_plan(&head, HF_LIVE_TABLE_MIN);
    file = memfd_create("table", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, HF_LIVE_TABLE_MIN) != 0)
        return 1;
    memory = mmap(NULL, HF_LIVE_TABLE_MIN, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    reserved = mmap(NULL, 3 * ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || reserved == MAP_FAILED)
        return 1;
    base = reserved + (ARENA - (uintptr_t)reserved % ARENA);
    slots = (struct hf_live_slots){0};
    return !hf_live_begin(&table, memory, &head, commit);
}

static int end_table(void **state)
{
    (void)state;
    munmap(reserved, 3 * ARENA);
    munmap(memory, HF_LIVE_TABLE_MIN);
    return close(file);
}

/* Memory that may be used, with a large gap before and behind it. */
static uint8_t *place(unsigned number, uint64_t bytes)
{
    uint8_t *at = base + number * PLACE_MIB * MIB;
    assert_true(number <= PLACES + 1 && bytes <= (PLACE_MIB - 1) * MIB);
    assert_int_equal(mprotect(at, bytes, PROT_READ | PROT_WRITE), 0);
    (void)madvise(at, bytes, MADV_NOHUGEPAGE); /* so that a page that is touched is one page */
    return at;
}

static void touch(uint8_t *at, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += PAGE)
        ((volatile uint8_t *)at)[i] = 1;
}

static void record(const uint8_t *at, uint64_t bytes, uint32_t stack)
{
    const struct hf_live_mapped mapped = {
        .start = (uintptr_t)at, .end = (uintptr_t)at + bytes, .stack = stack};
    assert_true(hf_live_lock(&table));
    uint32_t slot = hf_live_add_mapping(&table);
    hf_live_unlock(&table);
    assert_int_not_equal(slot, HF_LIVE_NONE);
    hf_live_map(&table, slot, &mapped);
}

static struct hf_live_resident_memory take(void)
{
    struct hf_error err;
    struct hf_live_resident_memory found;
    check_ok(hf_residency_take(file, "the table", (uint32_t)getpid(), &found, &err), &err);
    assert_true(found.is_known);
    return found;
}

static uint64_t part(enum hf_live_part which)
{
    struct hf_live_resident_memory found = take();
    uint64_t bytes = found.parts[which];
    hf_live_resident_memory_done(&found);
    return bytes;
}

static uint64_t allocator(void)
{
    return part(HF_LIVE_PART_IN_USE) + part(HF_LIVE_PART_FREE);
}

static void check_grew(uint64_t before, uint64_t now)
{
    assert_in_range(now, before + SEEN_BYTES - NOISE_BYTES / 2, before + SEEN_BYTES + NOISE_BYTES);
}

static void check_resident(
    const struct hf_live_resident_memory *found, uint32_t stack, uint64_t bytes)
{
    uint64_t all = 0;
    for (size_t i = 0; i < found->count; i++)
        all += found->residents[i].stack == stack ? found->residents[i].bytes : 0;
    assert_int_equal(all, bytes);
}

static void test_one_owner(void **state)
{
    (void)state;
    uint8_t *at = place(1, 64 * PAGE);
    record(at, 64 * PAGE, 7);
    touch(at + PAGE, 3 * PAGE);
    struct hf_live_resident_memory found = take();
    assert_int_equal(found.count, 1);
    check_resident(&found, 7, 3 * PAGE);
    assert_int_equal(found.parts[HF_LIVE_PART_MAPPED], 3 * PAGE);
    hf_live_resident_memory_done(&found);
}

/* Of one mapping of the kernel's: the largest piece is behind, between, and before the others. */
static void test_pieces_of_one_mapping(void **state)
{
    (void)state;
    for (unsigned large = 0; large < 3; large++) {
        uint8_t *at = place(1 + large, 100 * PAGE);
        uint64_t first = large == 0 ? 80 : 4, second = large == 1 ? 80 : 4,
                 third = large == 2 ? 80 : 4;
        uint32_t stack = 10 * (large + 1);
        record(at + (first + second) * PAGE, third * PAGE, stack + 3);
        record(at, first * PAGE, stack + 1);
        record(at + first * PAGE, second * PAGE, stack + 2);
        touch(at, PAGE);
        touch(at + (first - 1) * PAGE, PAGE);
        touch(at + first * PAGE, PAGE);
        touch(at + (first + second) * PAGE, 3 * PAGE);
        touch(at + (first + second + third) * PAGE, PAGE); /* nobody's */
    }
    struct hf_live_resident_memory found = take();
    assert_int_equal(found.count, 9);
    for (uint32_t stack = 10; stack <= 30; stack += 10) {
        check_resident(&found, stack + 1, 2 * PAGE);
        check_resident(&found, stack + 2, PAGE);
        check_resident(&found, stack + 3, 3 * PAGE);
    }
    assert_int_equal(found.parts[HF_LIVE_PART_MAPPED], 18 * PAGE);
    hf_live_resident_memory_done(&found);
}

/* A record over several mappings of the kernel's, in each of which others are, too. */
static void test_stack_in_several_places(void **state)
{
    (void)state;
    for (unsigned number = 1; number <= 3; number++) {
        uint8_t *at = place(number, 20 * PAGE);
        record(at, 10 * PAGE, 1);
        record(at + 10 * PAGE, 10 * PAGE, 1 + number);
        touch(at, 2 * PAGE);
        touch(at + 10 * PAGE, number * PAGE);
    }
    record(place(5, 4 * PAGE), 4 * PAGE, 9); /* nothing of it is resident */
    struct hf_live_resident_memory found = take();
    assert_int_equal(found.count, 4);
    check_resident(&found, 1, 6 * PAGE);
    for (uint32_t number = 1; number <= 3; number++)
        check_resident(&found, 1 + number, number * PAGE);
    hf_live_resident_memory_done(&found);
}

static void test_records_that_overlap(void **state)
{
    (void)state;
    uint8_t *at = place(1, 40 * PAGE);
    record(at + 2 * PAGE, 6 * PAGE, 2); /* [4, 8) is left of it */
    record(at + 3 * PAGE, PAGE, 3);     /* nothing is */
    record(at, 4 * PAGE, 1);
    record(at + 20 * PAGE, 20 * PAGE, 4);
    touch(at, 8 * PAGE);
    struct hf_live_resident_memory found = take();
    check_resident(&found, 1, 4 * PAGE);
    check_resident(&found, 2, 4 * PAGE);
    check_resident(&found, 3, 0);
    check_resident(&found, 4, 0);
    assert_int_equal(found.count, 2);
    hf_live_resident_memory_done(&found);
}

static void test_agent_and_allocator(void **state)
{
    (void)state;
    uint64_t before = allocator();
    uint8_t *at = place(1, 3 * PAGE), *more = place(2, SEEN_BYTES);
    record(at, 3 * PAGE, HF_LIVE_BY_AGENT);
    record(more, SEEN_BYTES, HF_LIVE_BY_ALLOCATOR);
    touch(at, 2 * PAGE);
    touch(more, SEEN_BYTES);
    struct hf_live_resident_memory found = take();
    assert_int_equal(found.count, 0);
    assert_int_equal(found.parts[HF_LIVE_PART_AGENT], 2 * PAGE);
    assert_int_equal(found.parts[HF_LIVE_PART_MAPPED], 0);
    hf_live_resident_memory_done(&found);
    check_grew(before, allocator());
}

/* What its blocks are by their sizes may be more than what is resident. */
static void test_blocks_in_use(void **state)
{
    (void)state;
    uint8_t *at = place(1, SEEN_BYTES);
    record(at, SEEN_BYTES, HF_LIVE_BY_ALLOCATOR);
    touch(at, SEEN_BYTES);
    assert_int_equal(part(HF_LIVE_PART_IN_USE), 0);
    assert_true(part(HF_LIVE_PART_FREE) >= SEEN_BYTES);
    atomic_store(&table.state->usage.bytes, 12345);
    assert_int_equal(part(HF_LIVE_PART_IN_USE), 12345);
    assert_true(part(HF_LIVE_PART_FREE) >= SEEN_BYTES - 12345);
    atomic_store(&table.state->usage.bytes, UINT64_C(1) << 50);
    assert_in_range(part(HF_LIVE_PART_IN_USE), SEEN_BYTES, UINT64_C(1) << 49);
    assert_int_equal(part(HF_LIVE_PART_FREE), 0);
}

static void test_nobodys(void **state)
{
    (void)state;
    uint64_t before = part(HF_LIVE_PART_UNKNOWN);
    touch(place(1, SEEN_BYTES), SEEN_BYTES);
    check_grew(before, part(HF_LIVE_PART_UNKNOWN));
}

/* Between two that have owners. */
static void test_nobodys_piece(void **state)
{
    (void)state;
    uint64_t before = part(HF_LIVE_PART_UNKNOWN), all = SEEN_BYTES + 8 * PAGE;
    uint8_t *at = place(1, all);
    record(at, 4 * PAGE, 1);
    record(at + 4 * PAGE + SEEN_BYTES, 4 * PAGE, 2);
    touch(at, all);
    check_grew(before, part(HF_LIVE_PART_UNKNOWN));
    assert_int_equal(part(HF_LIVE_PART_MAPPED), 8 * PAGE);
}

/* In front of the largest piece, which has an owner. */
static void test_nobodys_small_piece(void **state)
{
    (void)state;
    uint64_t before = part(HF_LIVE_PART_UNKNOWN);
    uint8_t *at = place(1, (PLACE_MIB - 1) * MIB);
    record(at + MIB, 2 * MIB, 1);
    touch(at, MIB + 5 * PAGE);
    assert_int_equal(part(HF_LIVE_PART_MAPPED), 5 * PAGE);
    assert_in_range(part(HF_LIVE_PART_UNKNOWN), before + MIB / 2, before + MIB + NOISE_BYTES);
}

static void test_arena(void **state)
{
    (void)state;
    uint64_t before = allocator(), unknown = part(HF_LIVE_PART_UNKNOWN);
    touch(place(0, SEEN_BYTES), SEEN_BYTES);
    check_grew(before, allocator());
    assert_true(part(HF_LIVE_PART_UNKNOWN) < unknown + NOISE_BYTES);
}

static void test_behind_guard(void **state)
{
    (void)state;
    uint64_t before = part(HF_LIVE_PART_STACKS);
    uint8_t *at = place(1, SEEN_BYTES + 2 * PAGE);
    assert_int_equal(mprotect(at + PAGE, PAGE, PROT_NONE), 0);
    touch(at + 2 * PAGE, SEEN_BYTES);
    check_grew(before, part(HF_LIVE_PART_STACKS));
}

static void test_shared(void **state)
{
    (void)state;
    uint64_t before = part(HF_LIVE_PART_SHARED);
    uint8_t *at = mmap(NULL, SEEN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    touch(at, SEEN_BYTES);
    assert_int_equal(part(HF_LIVE_PART_SHARED), before + SEEN_BYTES);
    munmap(at, SEEN_BYTES);
}

/* What nobody mapped is the allocator's where it gave out a large block of it. */
static void test_large_blocks(void **state)
{
    (void)state;
    static const struct {
        int64_t offset; /* from the second of three places */
        uint64_t size;
        bool is_allocators;
    } cases[] = {
        {0, 64 << 10, true},
        {0, (64 << 10) - 1, false},
        {SEEN_BYTES - 1, 1 << 20, true},
        {SEEN_BYTES, 1 << 20, false},
        {-1, 1 << 20, false},
        {16, 1 << 20, true},
    };
    uint8_t *first = place(1, PAGE), *last = place(9, PAGE);
    touch(first, PAGE);
    touch(last, PAGE);
    uint64_t unknown = part(HF_LIVE_PART_UNKNOWN), allocators = allocator();
    uint8_t *at = place(5, SEEN_BYTES);
    touch(at, SEEN_BYTES);
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        uint64_t address = (uint64_t)((int64_t)(uintptr_t)at + cases[i].offset);
        uint32_t slot = hf_live_put(&table, &slots, address, cases[i].size, 0, HF_LIVE_NONE, 0);
        assert_int_not_equal(slot, HF_LIVE_NONE);
        if (cases[i].is_allocators) {
            check_grew(allocators, allocator());
            assert_true(part(HF_LIVE_PART_UNKNOWN) < unknown + NOISE_BYTES);
        } else {
            check_grew(unknown, part(HF_LIVE_PART_UNKNOWN));
        }
        hf_live_remove(&table, &slots, slot);
    }
}

static uint64_t own_resident_bytes(void)
{
    char line[256];
    uint64_t kib = 0;
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    assert_non_null(rollup);
    while (fgets(line, sizeof line, rollup) != NULL) {
        struct hf_text text = hf_text_of(line);
        if (!hf_text_take(&text, "Rss:"))
            continue;
        while (hf_text_take(&text, " ")) {
        }
        assert_true(hf_num_take_u64(&text, &kib));
    }
    fclose(rollup);
    return kib * 1024;
}

static void test_parts_add_up(void **state)
{
    (void)state;
    struct hf_live_resident_memory found = take();
    uint64_t all = own_resident_bytes();
    assert_in_range(hf_residency_total(&found), all - NOISE_BYTES, all + NOISE_BYTES);
    assert_true(found.parts[HF_LIVE_PART_FILES] != 0 && found.parts[HF_LIVE_PART_DATA] != 0);
    assert_true(found.parts[HF_LIVE_PART_STACKS] != 0);
    assert_in_range(found.parts[HF_LIVE_PART_TABLE], PAGE, HF_LIVE_TABLE_MIN);
    hf_live_resident_memory_done(&found);
    struct hf_live_resident_memory numbers = {0};
    for (size_t i = 0; i < HF_LIVE_PARTS; i++)
        numbers.parts[i] = UINT64_C(1) << i;
    assert_int_equal(hf_residency_total(&numbers), (1 << HF_LIVE_PARTS) - 1);
}

/* The process became another program, or its table is gone. */
static void test_table_of_nobody(void **state)
{
    (void)state;
    char expected[100];
    struct hf_error err;
    struct hf_live_resident_memory found;
    int other = memfd_create("other", MFD_CLOEXEC);
    assert_int_equal(write(other, memory, HF_LIVE_TABLE_MIN), HF_LIVE_TABLE_MIN);
    assert_int_equal(
        hf_residency_take(other, "old.live", (uint32_t)getpid(), &found, &err), HF_ERR_SYSTEM);
    snprintf(expected, sizeof expected, "process %d no longer writes old.live", (int)getpid());
    check_error(&err, expected);
    assert_false(found.is_known);
    hf_live_resident_memory_done(&found);
    close(other);
}

static void test_no_table(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_live_resident_memory found;
    uint32_t pid = (uint32_t)getpid();
    int none = memfd_create("none", MFD_CLOEXEC);
    assert_int_equal(hf_residency_take(none, "none", pid, &found, &err), HF_ERR_INPUT);
    assert_false(found.is_known);
    close(none);
    assert_int_equal(hf_residency_take(-1, "gone", pid, &found, &err), HF_ERR_SYSTEM);
    assert_true(hf_text_starts(hf_text_of(err.text), "cannot look at gone"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_table, end_table)
    const struct CMUnitTest tests[] = {
        TEST(test_one_owner),
        TEST(test_pieces_of_one_mapping),
        TEST(test_stack_in_several_places),
        TEST(test_records_that_overlap),
        TEST(test_agent_and_allocator),
        TEST(test_blocks_in_use),
        TEST(test_nobodys),
        TEST(test_nobodys_piece),
        TEST(test_nobodys_small_piece),
        TEST(test_arena),
        TEST(test_behind_guard),
        TEST(test_shared),
        TEST(test_large_blocks),
        TEST(test_parts_add_up),
        TEST(test_table_of_nobody),
        TEST(test_no_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
