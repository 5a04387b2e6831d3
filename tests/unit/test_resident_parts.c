/* What is resident, by name: of made processes, whose mappings and pages the test has chosen. */
#include "answer/heap/resident_parts.h"
#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

#define PAGE UINT64_C(4096)

struct made {
    struct hf_process_image image;
    struct hf_heap heap;
    struct hf_resident_places places;
    struct hf_resident_parts parts;
    int pages;
};

static void begin_made(struct made *made, const char *maps)
{
    struct hf_error err;
    *made = (struct made){.pages = memfd_create("pages", MFD_CLOEXEC)};
    assert_true(made->pages >= 0);
    assert_int_equal(ftruncate(made->pages, 4096), 0); /* up to 2 MiB */
    check_ok(hf_process_image_add_maps(&made->image, hf_text_of(maps), &err), &err);
    made->image.pages = &made->pages;
}

/* Pages as pagemap has them: in memory, or swapped out. */
static void add_pages(struct made *made, uint64_t start, uint64_t count, bool is_swapped)
{
    uint64_t word = UINT64_C(1) << (is_swapped ? 62 : 63);
    for (uint64_t page = start / PAGE; page < start / PAGE + count; page++)
        assert_int_equal(
            pwrite(made->pages, &word, sizeof word, (off_t)(page * sizeof word)), sizeof word);
}

static void make_parts(struct made *made, const char *smaps)
{
    struct hf_error err;
    struct hf_input input;
    hf_input_open_memory(&input, hf_text_of(smaps), "smaps");
    check_ok(hf_resident_places_read(&made->places, &input, &err), &err);
    hf_input_close(&input);
    hf_heap_sort(&made->heap);
    check_ok(
        hf_resident_parts_make(&made->parts, &made->places, &made->heap, &made->image, &err), &err);
}

static void end_made(struct made *made)
{
    hf_resident_parts_done(&made->parts);
    hf_resident_places_done(&made->places);
    hf_heap_done(&made->heap);
    hf_process_image_done(&made->image);
    assert_int_equal(close(made->pages), 0);
}

static void add_region(struct made *made, struct hf_heap_region region)
{
    struct hf_heap_region *added = hf_heap_add_region(&made->heap);
    assert_non_null(added);
    *added = region;
}

static void check_part(const struct made *made, enum hf_resident_part_kind kind, uint64_t bytes)
{
    assert_int_equal(hf_resident_parts_bytes(&made->parts, kind), bytes);
}

/* Blocks by their bytes, the rest of their pages is the allocator's; a swapped page is nobody's. */
static void test_heap(void **state)
{
    struct made made;
    (void)state;
    begin_made(&made, "10000-20000 rw-p 0 0:0 0 [heap]\n20000-28000 rw-p 0 0:0 0 \n");
    add_region(&made, (struct hf_heap_region){
                          .start = 0x10000, .end = 0x20000, .allocator = "glibc", .part = "main"});
    add_region(&made, (struct hf_heap_region){.start = 0x20000,
                          .end = 0x24000,
                          .allocator = "mimalloc",
                          .part = "blocks",
                          .unknown_bytes = PAGE + 100});
    check_ok(hf_heap_add(&made.heap, 0x10010, 0x1000, NULL), NULL);   /* in two pages */
    check_ok(hf_heap_add(&made.heap, 0x15000, 3 * PAGE, NULL), NULL); /* one of them swapped out */
    check_ok(hf_heap_add(&made.heap, 0x1f000, PAGE, NULL), NULL);     /* not there */
    add_pages(&made, 0x10000, 2, false);
    add_pages(&made, 0x15000, 2, false);
    add_pages(&made, 0x17000, 1, true);
    add_pages(&made, 0x20000, 3, false);
    add_pages(&made, 0x24000, 1, false);
    make_parts(&made, "10000-20000 rw-p 0 0:0 0 [heap]\nRss: 16 kB\nAnonymous: 16 kB\n"
                      "20000-28000 rw-p 0 0:0 0 \nRss: 16 kB\nAnonymous: 16 kB\n");
    check_part(&made, HF_PART_BLOCKS, 0x1000 + 2 * PAGE);
    check_part(&made, HF_PART_FREE, PAGE + 2 * PAGE - 100);
    check_part(&made, HF_PART_UNREAD, PAGE + 100);
    check_part(&made, HF_PART_UNKNOWN, PAGE);
    assert_int_equal(made.parts.bytes, 8 * PAGE);
    assert_int_equal(made.parts.count, 5);
    assert_string_equal(made.parts.items[0].allocator, "glibc"); /* most first */
    end_made(&made);
}

/* Pages of zeroes are in pagemap, and not in Rss; files and what is shared are not in a copy. */
static void test_kernel_is_right(void **state)
{
    struct made made;
    (void)state;
    begin_made(&made, "10000-18000 rw-p 0 0:0 0 [heap]\n40000-48000 rw-p 0 0:0 0 \n");
    add_region(&made, (struct hf_heap_region){
                          .start = 0x10000, .end = 0x18000, .allocator = "glibc", .part = "main"});
    check_ok(hf_heap_add(&made.heap, 0x10010, 5 * PAGE, NULL), NULL);
    add_pages(&made, 0x10000, 6, false);
    make_parts(&made, "10000-18000 rw-p 0 0:0 0 [heap]\nRss: 12 kB\nAnonymous: 12 kB\n"
                      "40000-48000 rw-p 0 0:0 0 \nRss: 8 kB\nAnonymous: 8 kB\n"
                      "50000-58000 rw-s 0 0:0 7 /dev/shm/ring\nRss: 8 kB\n"
                      "60000-68000 r-xp 0 8:1 9 /usr/bin/env\nRss: 16 kB\nAnonymous: 4 kB\n");
    check_part(&made, HF_PART_BLOCKS, 2 * PAGE);
    check_part(&made, HF_PART_FREE, PAGE);
    check_part(&made, HF_PART_UNKNOWN, 2 * PAGE);

    check_part(&made, HF_PART_SHARED, 2 * PAGE);
    check_part(&made, HF_PART_GLOBALS, PAGE);
    check_part(&made, HF_PART_FILES, 3 * PAGE);
    assert_int_equal(made.parts.bytes, 11 * PAGE);
    end_made(&made);
}

/* A thread's stack by its pointer, one of a thread that is gone by its guard. */
static void test_stacks_and_recorder(void **state)
{
    static const struct hf_process_range recorder[] = {{0x30000, 0x34000}};
    struct made made;
    (void)state;
    begin_made(&made, "10000-18000 rw-p 0 0:0 0 \n"
                      "20000-21000 ---p 0 0:0 0 \n21000-28000 rw-p 0 0:0 0 \n"
                      "30000-38000 rw-p 0 0:0 0 \n");
    const struct hf_stopped_thread thread = {.tid = 7, .registers.rsp = 0x17000};
    made.image.threads = &thread;
    made.image.thread_count = 1;
    made.image.recorder = recorder;
    made.image.recorder_count = 1;
    add_pages(&made, 0x10000, 8, false);
    add_pages(&made, 0x21000, 2, false);
    add_pages(&made, 0x30000, 8, false);
    make_parts(&made, "10000-18000 rw-p 0 0:0 0 \nRss: 32 kB\nAnonymous: 32 kB\n"
                      "20000-21000 ---p 0 0:0 0 \nRss: 0 kB\n"
                      "21000-28000 rw-p 0 0:0 0 \nRss: 8 kB\nAnonymous: 8 kB\n"
                      "30000-38000 rw-p 0 0:0 0 \nRss: 32 kB\nAnonymous: 32 kB\n");
    check_part(&made, HF_PART_STACKS, 10 * PAGE);
    check_part(&made, HF_PART_RECORDER, 4 * PAGE);
    check_part(&made, HF_PART_UNKNOWN, 4 * PAGE);
    assert_int_equal(made.parts.items[0].mappings, 2);
    end_made(&made);
}

/* Where only smaps says which mapping is a sanitizer's shadow, that is not walked; a smaller one,
 * or one that is part of a core file, is. */
static void test_shadow(void **state)
{
    static const char smaps[] =
        "10000-20000 rw-p 0 0:0 0 \nRss: 4 kB\nVmFlags: rd wr mr mw me ac dd \n"
        "10000000000-30000000000 rw-p 0 0:0 0 \nRss: 280 kB\nVmFlags: rd wr mr mw me nr dd nh \n"
        "VmFlags: dd \n"
        "30000000000-40000000000 rw-p 0 0:0 0 \nRss: 4 kB\nVmFlags: rd wr mr mw me add nr\n";
    struct made made;
    (void)state;
    begin_made(&made, smaps);
    assert_int_equal(made.image.count, 2);
    assert_int_equal(made.image.mappings[0].start, 0x10000);
    assert_int_equal(made.image.mappings[1].start, UINT64_C(0x30000000000));
    add_pages(&made, 0x10000, 1, false);
    make_parts(&made, smaps);
    check_part(&made, HF_PART_UNKNOWN, 288 << 10);
    end_made(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heap),
        cmocka_unit_test(test_kernel_is_right),
        cmocka_unit_test(test_stacks_and_recorder),
        cmocka_unit_test(test_shadow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
