/* Which file's code is where: of this process, which maps files and memory as the cases ask. */
#include "attach/images.h"

#include "check.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u
#define FAR UINT64_C(0x500000000000) /* where nothing is mapped */

static struct hf_images images;

static int begin(void **state)
{
    (void)state;
    return hf_images_open(&images, (uint32_t)getpid(), NULL) == HF_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    hf_images_close(&images);
    return 0;
}

static void add(uint64_t start, uint64_t pages, const char *path, uint64_t inode, uint64_t offset)
{
    struct hf_error err;
    const struct hf_map_line line = {.start = start,
        .end = start + pages * PAGE,
        .file_offset = offset,
        .inode = inode,
        .is_executable = true,
        .path = hf_text_of(path)};
    check_ok(hf_images_add(&images, &line, &err), &err);
}

/* The file at an address, and the offset in it; NULL: none. */
static const char *path_at(uint64_t address, uint64_t *out_offset)
{
    const struct hf_code_segment *segment = hf_images_at(&images, address);
    *out_offset = segment != NULL ? address - segment->start + segment->file_offset : 0;
    return segment != NULL ? images.images[segment->image].path : NULL;
}

static void check_at(uint64_t address, const char *path, uint64_t offset)
{
    uint64_t found;
    const char *there = path_at(address, &found);
    if (path == NULL) {
        assert_null(there);
        return;
    }
    assert_non_null(there);
    assert_string_equal(there, path);
    assert_int_equal(found, offset);
}

static void check_sorted(void)
{
    for (size_t i = 1; i < images.segment_count; i++)
        assert_true(images.segments[i - 1].end <= images.segments[i].start);
    for (size_t i = 1; i < images.jit_count; i++)
        assert_true(images.jits[i - 1].end < images.jits[i].start);
}

static void test_added(void **state)
{
    (void)state;
    size_t before = images.segment_count, known = images.image_count;
    add(FAR + 4 * PAGE, 4, "/of/nobody", 7, 0x1000);
    assert_int_equal(images.segment_count, before + 1);
    assert_int_equal(images.image_count, known + 1);
    check_at(FAR + 4 * PAGE - 1, NULL, 0);
    check_at(FAR + 4 * PAGE, "/of/nobody", 0x1000);
    check_at(FAR + 8 * PAGE - 1, "/of/nobody", 0x1000 + 4 * PAGE - 1);
    check_at(FAR + 8 * PAGE, NULL, 0);
    add(FAR + 4 * PAGE, 4, "/of/nobody", 7, 0x1000); /* told again */
    assert_int_equal(images.segment_count, before + 1);
    add(FAR + 8 * PAGE, 1, "/of/nobody", 7, 0); /* the file is known */
    assert_int_equal(images.image_count, known + 1);
    add(FAR, 1, "/of/nobody", 8, 0); /* another file of that name */
    assert_int_equal(images.image_count, known + 2);
    add(FAR + PAGE, 1, "/of/another", 7, 0);
    assert_int_equal(images.image_count, known + 3);
    check_sorted();
    /* A part of it becomes another's: all of it is of before. */
    add(FAR + 6 * PAGE, 1, "/of/another", 7, 0x5000);
    check_sorted();
    check_at(FAR + 6 * PAGE, "/of/another", 0x5000);
    check_at(FAR + 4 * PAGE, "/of/nobody", 0x1000); /* nothing else is there */
    assert_int_equal(images.gone_count, 1);
    check_at(FAR + 8 * PAGE, "/of/nobody", 0);
    add(FAR + 20 * PAGE, 1, "//toolong", 1, 0); /* as perf calls what is of no file */
    add(FAR + 21 * PAGE, 1, "[vdso]", 1, 0);
    check_at(FAR + 20 * PAGE, NULL, 0);
    check_at(FAR + 21 * PAGE, NULL, 0);
    assert_false(hf_images_is_jit(&images, FAR + 20 * PAGE));
}

/* What is not mapped any more is known still, the last of it; a refresh sees that it is gone. */
static void test_gone(void **state)
{
    (void)state;
    struct hf_error err;
    add(FAR + 100 * PAGE, 2, "/of/nobody", 7, 0);
    check_ok(hf_images_refresh(&images, &err), &err);
    assert_null(hf_images_find(&images, FAR + 90 * PAGE));
    check_at(FAR + 101 * PAGE, "/of/nobody", PAGE);
    for (size_t i = 0; i < HF_IMAGES_GONE; i++) {
        add(FAR + (200 + i) * PAGE, 1, "/of/nobody", 7, i * PAGE);
        check_ok(i % 64 == 63 ? hf_images_refresh(&images, &err) : HF_OK, &err);
    }
    assert_int_equal(images.gone_count, HF_IMAGES_GONE);
    check_at(FAR + 101 * PAGE, NULL, 0); /* the first of them is forgotten */
    check_at(FAR + 455 * PAGE, "/of/nobody", 255 * PAGE);
    check_at(FAR + 200 * PAGE, "/of/nobody", 0);
}

static void test_jits(void **state)
{
    (void)state;
    uint64_t at = FAR + 1000 * PAGE;
    size_t before = images.jit_count;
    add(at, 1, "//anon", 0, 0);
    assert_false(hf_images_is_jit(&images, at - 1));
    assert_true(hf_images_is_jit(&images, at));
    assert_true(hf_images_is_jit(&images, at + PAGE - 1));
    assert_false(hf_images_is_jit(&images, at + PAGE));
    add(at + 4 * PAGE, 1, "//anon", 0, 0);
    add(at + 2 * PAGE, 1, "//anon", 0, 0);
    assert_int_equal(images.jit_count, before + 3);
    check_sorted();
    add(at + PAGE, 1, "//anon", 0, 0); /* joins the two that it touches */
    assert_int_equal(images.jit_count, before + 2);
    assert_true(hf_images_is_jit(&images, at + 3 * PAGE - 1));
    assert_false(hf_images_is_jit(&images, at + 3 * PAGE));
    add(at - PAGE, 7, "//anon", 0, 0); /* and all that it covers */
    assert_int_equal(images.jit_count, before + 1);
    assert_true(hf_images_is_jit(&images, at - PAGE));
    assert_true(hf_images_is_jit(&images, at + 5 * PAGE));
    assert_false(hf_images_is_jit(&images, at + 6 * PAGE));
    add(at + PAGE, 1, "//anon", 0, 0); /* a part of it changes nothing */
    assert_int_equal(images.jit_count, before + 1);
    assert_true(hf_images_is_jit(&images, at + 5 * PAGE));
}

/* A file that is mapped and unmapped. */
static void test_of_a_file(void **state)
{
    (void)state;
    struct hf_error err;
    uint64_t offset;
    char name[] = "/tmp/images-XXXXXX";
    char bytes[3 * PAGE] = {0};
    int fd = mkstemp(name);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    char *code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, PAGE);
    assert_true(code != MAP_FAILED);
    uint64_t at = (uint64_t)(uintptr_t)code;
    check_ok(hf_images_refresh(&images, &err), &err);
    check_at(at + 5, name, PAGE + 5);
    uint32_t replaced = images.replaced_count;
    check_ok(hf_images_refresh(&images, &err), &err);
    assert_int_equal(images.replaced_count, replaced);
    assert_true(mmap(code, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) == code);
    check_ok(hf_images_refresh(&images, &err), &err);
    assert_int_equal(images.replaced_count, replaced + 1);
    check_at(at + 5, name, 5);
    assert_int_equal(munmap(code, 2 * PAGE), 0);
    check_ok(hf_images_refresh(&images, &err), &err);
    assert_non_null(path_at(at, &offset));
    /* Memory of no file. */
    code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *data = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check_ok(hf_images_refresh(&images, &err), &err);
    assert_true(hf_images_is_jit(&images, (uint64_t)(uintptr_t)code));
    assert_false(hf_images_is_jit(&images, (uint64_t)(uintptr_t)data));
    munmap(code, PAGE);
    munmap(data, PAGE);
    close(fd);
    unlink(name);
}

static void test_functions(void **state)
{
    (void)state;
    uint64_t function = (uint64_t)(uintptr_t)test_functions;
    const struct hf_code_segment *segment = hf_images_find(&images, function);
    assert_non_null(segment);
    const struct hf_code_image *image = &images.images[segment->image];
    assert_true(hf_code_image_is_whole(image));
    assert_true(image->elf.segment_count != 0);
    assert_int_equal(hf_images_function(&images, function + 10), function);
    assert_int_equal(hf_images_function(&images, function + 1), function);
    assert_int_equal(hf_images_function(&images, FAR), 0);
    assert_int_not_equal(hf_images_rule(&images, function, false).bits, 0);
    assert_int_equal(hf_images_rule(&images, FAR, false).bits, 0);
    assert_false(hf_images_have_go(&images));
    struct hf_text name = hf_images_go_function(&images, function + 10);
    check_text(name, "");
}

static bool commit(void *at, size_t bytes)
{
    (void)at, (void)bytes;
    return true;
}

/* Frames of a live table: modules and segments are told once. */
static void test_frames(void **state)
{
    (void)state;
    static _Alignas(HF_LIVE_PAGE_BYTES) uint8_t memory[HF_LIVE_TABLE_MIN];
    struct hf_live_table table;
    struct hf_live_head head = {.magic = HF_LIVE_MAGIC, .major = HF_LIVE_MAJOR, .period_bytes = 1};
    hf_live_plan(&head, sizeof memory);
    assert_true(hf_live_begin(&table, memory, &head, commit));
    uint64_t function = (uint64_t)(uintptr_t)test_frames;
    const struct hf_code_segment *segment = hf_images_find(&images, function);
    uint64_t offset = function - segment->start + segment->file_offset;
    uint64_t frame = hf_images_frame(&images, &table, function + 1);
    assert_int_equal(frame, hf_live_frame(1, offset));
    assert_int_equal(hf_images_frame(&images, &table, function + 1), frame);
    assert_true(hf_images_at(&images, function)->is_told);
    add(FAR + 2000 * PAGE, 1, "//anon", 0, 0);
    assert_int_equal(hf_images_frame(&images, &table, FAR + 2000 * PAGE + 6),
        hf_live_frame(2, FAR + 2000 * PAGE + 5));
    assert_int_equal(hf_images_frame(&images, &table, FAR + 3000 * PAGE),
        hf_live_frame(0, FAR + 3000 * PAGE - 1));
    add(FAR + 2500 * PAGE, 1, "/of/a/third", 9, 0x3000);
    assert_int_equal(
        hf_images_frame(&images, &table, FAR + 2500 * PAGE + 1), hf_live_frame(3, 0x3000));
}

static void test_nobody(void **state)
{
    (void)state;
    struct hf_images none;
    struct hf_error err;
    assert_int_equal(hf_images_open(&none, 4000000, &err), HF_ERR_SYSTEM);
    assert_int_equal(none.image_count, 0);
    hf_images_close(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_added, begin, end),
        cmocka_unit_test_setup_teardown(test_gone, begin, end),
        cmocka_unit_test_setup_teardown(test_jits, begin, end),
        cmocka_unit_test_setup_teardown(test_of_a_file, begin, end),
        cmocka_unit_test_setup_teardown(test_functions, begin, end),
        cmocka_unit_test_setup_teardown(test_frames, begin, end),
        cmocka_unit_test(test_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
