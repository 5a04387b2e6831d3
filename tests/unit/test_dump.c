/*
 * agent/dump.c: dumps of a table, read by heapflame's own reader of heap_v2 as those of jemalloc
 * are, so that the correction for sampling is undone by who will do it. tests/e2e/ctl.py has
 * jeprof read dumps of real programs.
 */
#include "../../agent/dump.h"

#include "live/writer.h"
#include "reading.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#define TABLE_BYTES HF_LIVE_TABLE_MIN

static _Alignas(HF_LIVE_PAGE_BYTES) uint8_t memory[TABLE_BYTES];
static struct hf_live_table table;
static struct hf_live_slots slots;
static struct hf_dump_base base;
static const uint8_t no_build_id[1];

static bool commit(void *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return true;
}

/* Modules at 0x1000 and 0x20000; stacks main > parse > alloc and main > cache. */
static void begin(uint64_t period_bytes)
{
    struct hf_live_head head = {.magic = HF_LIVE_MAGIC, .major = 1, .period_bytes = period_bytes};
    memset(memory, 0, sizeof memory);
    memset(&slots, 0, sizeof slots);
    hf_live_plan(&head, TABLE_BYTES);
    assert_true(hf_live_begin(&table, memory, &head, commit));
    assert_int_equal(hf_live_add_module(&table, "/bin/server", 11, no_build_id, 0, 1, 2), 0);
    assert_int_equal(hf_live_add_module(&table, "/lib/libx.so", 12, no_build_id, 0, 1, 3), 1);
    struct hf_live_segment server = {0x1000, 0x9000, 0x1000, 0, 1};
    struct hf_live_segment library = {0x20000, 0x29000, 0x400, 1, 1};
    assert_int_equal(hf_live_add_segment(&table, &server), 0);
    assert_int_equal(hf_live_add_segment(&table, &library), 1);
    uint64_t deep[] = {hf_live_frame(2, 0x500), hf_live_frame(1, 0x2000), hf_live_frame(1, 0x1100)};
    uint64_t flat[] = {hf_live_frame(0, 0x7000000), hf_live_frame(1, 0x1100)};
    assert_int_equal(hf_live_add_stack(&table, deep, HF_COUNT(deep), 0), 0);
    assert_int_equal(hf_live_add_stack(&table, flat, HF_COUNT(flat), 0), 1);
}

static uint32_t put(uint64_t size, uint32_t stack)
{
    static uint64_t address;
    hf_live_count(&table, stack, HF_LIVE_OBJECT, size);
    return hf_live_put(&table, &slots, address += 0x1000, size, stack, HF_LIVE_NONE, 0);
}

static char text[1 << 16];

/* The dump's text without the memory map, which is this program's. */
static char *dump(uint64_t period_bytes, bool has_totals)
{
    struct hf_dump_summary summary;
    struct hf_dump dump = {&table, &base, period_bytes, has_totals};
    int fd = memfd_create("dump", MFD_CLOEXEC);
    assert_true(fd >= 0 && hf_dump_write(&dump, fd, &summary));
    ssize_t size = pread(fd, text, sizeof text - 1, 0);
    assert_true(size > 0);
    text[size] = '\0';
    close(fd);
    char *maps = strstr(text, "\nMAPPED_LIBRARIES:\n");
    assert_non_null(maps);
    assert_non_null(strstr(maps, "test_dump"));
    *maps = '\0';
    return text;
}

static void test_every_allocation(void **state)
{
    (void)state;
    begin(1);
    put(100, 0);
    uint32_t gone = put(1000, 0);
    put(0, 1);
    hf_live_remove(&table, &slots, gone);
    assert_string_equal(dump(1, false), "heap_v2/1\n  t*: 2: 100 [0: 0]\n"
                                        "@ 0x20101 0x2001 0x1101\n  t*: 1: 100 [0: 0]\n"
                                        "@ 0x7000001 0x1101\n  t*: 1: 0 [0: 0]\n");
    assert_string_equal(dump(1, true), "heap_v2/1\n  t*: 2: 100 [3: 1100]\n"
                                       "@ 0x20101 0x2001 0x1101\n  t*: 1: 100 [2: 1100]\n"
                                       "@ 0x7000001 0x1101\n  t*: 1: 0 [1: 0]\n");
}

/* Another file lies now where libx.so did. */
static void test_a_file_that_is_gone(void **state)
{
    (void)state;
    begin(1);
    put(100, 0);
    assert_int_equal(hf_live_add_module(&table, "/lib/liby.so", 12, no_build_id, 0, 1, 4), 2);
    struct hf_live_segment other = {0x28000, 0x2a000, 0, 2, 1};
    assert_int_equal(hf_live_add_segment(&table, &other), 2);
    assert_string_equal(dump(1, false),
        "heap_v2/1\n  t*: 1: 100 [0: 0]\n"
        "@ 0x4000000000020101 0x2001 0x1101\n  t*: 1: 100 [0: 0]\n");
}

static void test_reset(void **state)
{
    (void)state;
    begin(1);
    put(100, 0);
    uint32_t reused = put(200, 1);
    assert_true(hf_dump_base_take(&base, &table));
    assert_string_equal(dump(1, true), "heap_v2/1\n  t*: 0: 0 [0: 0]\n");
    hf_live_remove(&table, &slots, reused);
    put(7, 1);
    assert_string_equal(dump(1, true), "heap_v2/1\n  t*: 1: 7 [1: 7]\n"
                                       "@ 0x7000001 0x1101\n  t*: 1: 7 [1: 7]\n");
    assert_true(hf_dump_base_take(&base, &table));
    put(8, 0);
    assert_string_equal(dump(1, true), "heap_v2/1\n  t*: 1: 8 [1: 8]\n"
                                       "@ 0x20101 0x2001 0x1101\n  t*: 1: 8 [1: 8]\n");
    hf_dump_base_drop(&base);
    assert_string_equal(dump(1, false), "heap_v2/1\n  t*: 3: 115 [0: 0]\n"
                                        "@ 0x20101 0x2001 0x1101\n  t*: 2: 108 [0: 0]\n"
                                        "@ 0x7000001 0x1101\n  t*: 1: 7 [0: 0]\n");
}

/* The value of the one stack of the dump, as it is read. */
static uint64_t read_back(uint64_t period_bytes, size_t type)
{
    char *maps = strchr(dump(period_bytes, false), '\0');
    *maps = '\n';
    struct hf_profile *profile = read_text(text);
    check_notes(profile, "in: 3 of 3 addresses are in no mapping: their files were unmapped before "
                         "the dump\n"); /* the table's files are made up */
    uint64_t value = hf_profile_total(profile, type, HF_THREAD_ALL).value;
    hf_profile_free(profile);
    return value;
}

static void check_near(uint64_t value, double expected, double tolerance)
{
    if (fabs((double)value - expected) > tolerance * expected + 0.5) /* a reader rounds */
        fail_msg("%llu is not %.1f within %.6f", (unsigned long long)value, expected, tolerance);
}

/* Blocks of one size come out as they were sampled, so their estimate is exact: weights have 16
 * bits behind the point. */
static void test_one_size(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 8, 192, 524288, 10000019, UINT64_C(1) << 40};
    for (size_t i = 0; i < HF_COUNT(sizes); i++) {
        begin(524288);
        for (int n = 0; n < 13; n++)
            put(sizes[i], 0);
        assert_ptr_equal(strstr(dump(524288, false), "heap_v2/524288\n  t*: 13: "), text);
        double weight = 1 / -expm1(-(double)sizes[i] / 524288);
        check_near(read_back(524288, HF_INUSE_OBJECTS), 13 * weight, 1e-5);
        check_near(read_back(524288, HF_INUSE_SPACE), 13 * weight * (double)sizes[i], 1e-5);
    }
}

/* Of mixed sizes the sum of weighed samples comes back, up to rounding to whole objects. */
static void test_mixed_sizes(void **state)
{
    (void)state;
    const uint64_t period = 524288;
    double objects = 0, bytes = 0;
    begin(period);
    for (int i = 0; i < 1000; i++) {
        uint64_t size = i % 2 == 0 ? 100 : (uint64_t)1 << 20;
        double weight = 1 / -expm1(-(double)size / (double)period);
        put(size, 0);
        objects += weight;
        bytes += weight * (double)size;
    }
    check_near(read_back(period, HF_INUSE_OBJECTS), objects, 1e-3);
    check_near(read_back(period, HF_INUSE_SPACE), bytes, 1e-3);
}

/* A disk that is full, a descriptor that is none. */
static void test_what_cannot_be_written(void **state)
{
    (void)state;
    struct hf_dump_summary summary;
    struct hf_dump dump = {&table, &base, 1, false};
    begin(1);
    put(1, 0);
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_false(hf_dump_write(&dump, fileno(full), &summary));
    (void)fclose(full);
    assert_false(hf_dump_write(&dump, -1, &summary));
}

/* A stack of the greatest depth is longer than the buffer. */
static void test_deep_stacks(void **state)
{
    (void)state;
    uint64_t frames[2000];
    for (size_t i = 0; i < HF_COUNT(frames); i++)
        frames[i] = hf_live_frame(1, 0x1000 + i);
    begin(1);
    assert_int_equal(hf_live_add_stack(&table, frames, HF_COUNT(frames), 0), 2);
    put(5, 2);
    const char *written = dump(1, false);
    assert_non_null(strstr(written, " 0x17cf 0x17d0\n  t*: 1: 5 [0: 0]\n"));
    assert_int_equal(
        strlen(written), strlen("heap_v2/1\n  t*: 1: 5 [0: 0]\n@\n  t*: 1: 5 [0: 0]\n") +
                             HF_COUNT(frames) * strlen(" 0x1001"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation),
        cmocka_unit_test(test_a_file_that_is_gone),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_one_size),
        cmocka_unit_test(test_mixed_sizes),
        cmocka_unit_test(test_what_cannot_be_written),
        cmocka_unit_test(test_deep_stacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
