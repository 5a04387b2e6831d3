/* Where the resident memory of a process lies, as smaps says it, and of this process itself. */
#include "check.h"
#include "os/process/proc.h"
#include "os/process/resident.h"

#include <sys/mman.h>
#include <unistd.h>

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1) << 20)

struct resident_row {
    const char *name, *smaps;
    uint64_t kilobytes[HF_RESIDENT_PARTS]; /* mapped, heap, data, stack, files, table */
};

#define PROGRAM "1000-2000 rw-p 00000000 fe:01 9 /opt/my app\n"
#define FIELDS(rss, anonymous) "Rss: " rss " kB\nPss: 1 kB\nAnonymous: " anonymous " kB\n"

static const struct resident_row rows[] = {
    {"nothing", "", {0}},
    {"fields of no mapping", FIELDS("8", "4"), {0}},
    {"a file, changed in part", PROGRAM FIELDS("12", "8"), {0, 0, 8, 0, 4, 0}},
    {"zeroed data behind the program", PROGRAM "2000-9000 rw-p 0 00:00 0\n" FIELDS("20", "20"),
        {0, 0, 20, 0, 0, 0}},
    {"a mapping with a gap before it", PROGRAM "3000-9000 rw-p 0 00:00 0\n" FIELDS("20", "20"),
        {20, 0, 0, 0, 0, 0}},
    {"a mapping behind a library",
        PROGRAM "5000-6000 rw-p 0 fe:01 10 /lib\n6000-9000 rw-p 0 00:00 0\n" FIELDS("20", "20"),
        {20, 0, 0, 0, 0, 0}},
    {"a mapping with a name", PROGRAM "5000-6000 rw-p 0 00:00 0 [anon:v8]\n" FIELDS("16", "16"),
        {16, 0, 0, 0, 0, 0}},
    {"heap and stack",
        "5000-6000 rw-p 0 00:00 0 [heap]\n" FIELDS(
            "16", "16") "7000-8000 rw-p 0 00:00 0 [stack]\n" FIELDS("4", "4"),
        {0, 16, 0, 4, 0, 0}},
    {"shared memory", PROGRAM "5000-6000 rw-s 0 00:01 3 /dev/zero (deleted)\n" FIELDS("8", "0"),
        {0, 0, 0, 0, 8, 0}},
    {"the table", PROGRAM "5000-6000 rw-s 0 fe:01 7 /t.live\n" FIELDS("8", "4"),
        {0, 0, 0, 0, 0, 8}},
    {"the same number on another device",
        PROGRAM "5000-6000 rw-s 0 fe:02 7 /t.live\n" FIELDS("8", "0"), {0, 0, 0, 0, 8, 0}},
    {"more anonymous than resident", PROGRAM FIELDS("4", "8"), {0, 0, 4, 0, 0, 0}},
    {"no number", PROGRAM "Rss: x kB\nRss:\nAnonymous: 4\n", {0}},
    {"a number that is too large",
        PROGRAM "Rss: 18446744073709551615 kB\n5000-6000 rw-p 0 fe:01 9 /a\n" FIELDS("4", "0"),
        {0, 0, 0, 0, 4, 0}},
    {"a sum that is too large",
        PROGRAM "Rss: 18014398509481983 kB\n5000-6000 rw-p 0 fe:01 9 /a\n" FIELDS("4", "0"),
        {0, 0, 0, 0, UINT64_C(18014398509481983), 0}},
    {"lines of another form", "Rss 4 kB\n" PROGRAM "VmFlags: rd\n\n" FIELDS("4", "0"),
        {0, 0, 0, 0, 4, 0}},
};

static void test_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_error err;
        struct hf_input smaps;
        struct hf_resident got;
        uint64_t total = 0;
        check_case = rows[i].name;
        hf_input_open_memory(&smaps, hf_text_of(rows[i].smaps), "smaps");
        check_ok(hf_resident_read(&smaps, (struct hf_mapped_file){0xfe01, 7}, &got, &err), &err);
        for (size_t part = 0; part < HF_RESIDENT_PARTS; part++) {
            if (got.parts[part] != rows[i].kilobytes[part] * KIB)
                print_error("%s: part %zu\n", check_case, part);
            assert_int_equal(got.parts[part], rows[i].kilobytes[part] * KIB);
            total += got.parts[part];
        }
        assert_int_equal(got.total_bytes, total);
        hf_input_close(&smaps);
    }
}

/* What was touched is there, and what was not is not. */
static void test_this_process(void **state)
{
    (void)state;
    struct hf_resident before, after;
    assert_true(hf_resident_of((uint32_t)getpid(), (struct hf_mapped_file){0}, &before));
    char *pages = mmap(
        NULL, 64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(pages != MAP_FAILED);
    memset(pages, 1, 24 * MIB);
    assert_true(hf_resident_of((uint32_t)getpid(), (struct hf_mapped_file){0}, &after));
    uint64_t more = after.parts[HF_RESIDENT_MAPPED] - before.parts[HF_RESIDENT_MAPPED];
    assert_in_range(more, 24 * MIB - MIB / 2, 24 * MIB + MIB / 2); /* its reader has buffers */
    assert_int_equal(munmap(pages, 64 * MIB), 0);
}

/* By both ways the same, but for what the kernel has yet to add up. */
static void test_in_all(void **state)
{
    (void)state;
    struct hf_proc_memory memory;
    struct hf_resident resident;
    char *pages = malloc(16 * MIB);
    assert_non_null(pages);
    memset(pages, 1, 16 * MIB);
    assert_true(hf_proc_memory((uint32_t)getpid(), &memory));
    assert_true(hf_resident_of((uint32_t)getpid(), (struct hf_mapped_file){0}, &resident));
    uint64_t files = resident.parts[HF_RESIDENT_FILES];
    assert_in_range(memory.resident_bytes, resident.total_bytes - MIB, resident.total_bytes + MIB);
    assert_in_range(memory.anonymous_bytes, resident.total_bytes - files - MIB,
        resident.total_bytes - files + MIB);
    assert_true(pages[16 * MIB - 1] == 1);
    free(pages);
}

static void test_no_process(void **state)
{
    (void)state;
    struct hf_resident resident;
    struct hf_proc_memory memory;
    assert_false(hf_proc_memory(UINT32_MAX, &memory));
    assert_false(hf_resident_of(UINT32_MAX, (struct hf_mapped_file){0}, &resident));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_this_process),
        cmocka_unit_test(test_in_all),
        cmocka_unit_test(test_no_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
