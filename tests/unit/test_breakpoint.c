/* Breakpoints that a process has and its file has not: this one puts some into code of its own. */
#include "attach/probes/breakpoint.h"

#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

#define BYTES 12288u

/* Three pages of code that nobody calls, with one breakpoint of the file's own. */
extern unsigned char never_called[];
__asm__(".text\n"
        ".balign 4096\n"
        "never_called:\n"
        ".fill 100, 1, 0x90\n"
        ".byte 0xcc\n"
        ".fill 12187, 1, 0x90\n");

struct seen {
    uint32_t image;
    uint64_t offsets[8];
    size_t count;
};

static void take(void *context, const struct hf_code_segment *segment, uint64_t file_offset)
{
    struct seen *seen = context;
    if (segment->image != seen->image)
        return;
    assert_true(seen->count < HF_COUNT(seen->offsets));
    seen->offsets[seen->count++] = file_offset;
}

static void write_code(size_t at, unsigned char byte)
{
    assert_int_equal(mprotect(never_called, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
    never_called[at] = byte;
    assert_int_equal(mprotect(never_called, BYTES, PROT_READ | PROT_EXEC), 0);
}

static uint64_t address_of(size_t at)
{
    return (uint64_t)(uintptr_t)(never_called + at);
}

static uint64_t offset_of(const struct hf_images *images, size_t at)
{
    const struct hf_code_segment *segment = hf_images_at(images, address_of(at));
    assert_non_null(segment);
    return address_of(at) - segment->start + segment->file_offset;
}

static void test_own(void **state)
{
    static const size_t places[] = {0, 99, 4096, 8191, 12287};
    (void)state;
    struct hf_images images;
    struct hf_error err;
    struct seen seen = {0};
    check_ok(hf_images_open(&images, (uint32_t)getpid(), &err), &err);
    seen.image = hf_images_at(&images, address_of(0))->image;
    hf_breakpoints_each(&images, take, &seen);
    assert_int_equal(seen.count, 0);
    assert_false(hf_breakpoint_is_at(&images, address_of(100)));
    for (size_t i = 0; i < HF_COUNT(places); i++)
        write_code(places[i], 0xcc);
    write_code(50, 0xcd); /* changed, but not a breakpoint */
    check_ok(hf_images_refresh(&images, &err), &err);
    hf_breakpoints_each(&images, take, &seen);
    assert_int_equal(seen.count, HF_COUNT(places));
    for (size_t i = 0; i < HF_COUNT(places); i++) {
        assert_int_equal(seen.offsets[i], offset_of(&images, places[i]));
        assert_true(hf_breakpoint_is_at(&images, address_of(places[i])));
    }
    assert_false(hf_breakpoint_is_at(&images, address_of(1)));
    assert_false(hf_breakpoint_is_at(&images, address_of(50)));
    assert_false(hf_breakpoint_is_at(&images, address_of(100)));
    assert_false(hf_breakpoint_is_at(&images, (uint64_t)(uintptr_t)&seen)); /* no code */
    for (size_t i = 0; i < HF_COUNT(places); i++)
        write_code(places[i], 0x90);
    assert_false(hf_breakpoint_is_at(&images, address_of(99)));
    hf_images_close(&images);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
