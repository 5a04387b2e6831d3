/* What of which mapping is resident, as smaps says it, and of this process itself. */
#include "base/strings/out.h"
#include "check.h"
#include "os/process/page_map.h"
#include "os/process/proc.h"
#include "os/process/resident.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1) << 20)

struct resident_row {
    const char *name, *smaps;
    const char *places; /* "kind resident/anonymous", kilobytes, of each */
};

#define PROGRAM "1000-2000 rw-p 00000000 fe:01 9 /opt/my app\n"
#define FIELDS(rss, anonymous) "Rss: " rss " kB\nPss: 1 kB\nAnonymous: " anonymous " kB\n"
#define NAMELESS(range, perms) range " " perms " 0 00:00 0\n"

static const struct resident_row rows[] = {
    {"nothing", "", ""},
    {"fields of no mapping", FIELDS("8", "4"), ""},
    {"a file, changed in part", PROGRAM FIELDS("12", "8"), "file 12/8"},
    {"nothing resident", PROGRAM FIELDS("0", "0"), ""},
    {"zeroed data behind the program", PROGRAM NAMELESS("2000-9000", "rw-p") FIELDS("20", "20"),
        "file 20/20"},
    {"a mapping with a gap before it", PROGRAM NAMELESS("3000-9000", "rw-p") FIELDS("20", "20"),
        "mapped 20/20"},
    {"a mapping behind a library",
        PROGRAM "5000-6000 rw-p 0 fe:01 10 /lib\n" NAMELESS("6000-9000", "rw-p") FIELDS("20", "20"),
        "behind mapped 20/20"},
    {"a mapping with a name", PROGRAM "5000-6000 rw-p 0 00:00 0 [anon:v8]\n" FIELDS("16", "16"),
        "mapped 16/16"},
    {"heap and stack",
        "5000-6000 rw-p 0 00:00 0 [heap]\n" FIELDS(
            "16", "16") "7000-8000 rw-p 0 00:00 0 [stack]\n" FIELDS("4", "4"),
        "heap 16/16, stack 4/4"},
    {"shared memory",
        "5000-6000 rw-s 0 00:01 3 /dev/zero (deleted)\n" FIELDS(
            "8", "0") "6000-7000 rw-s 0 00:01 3 /memfd:x (deleted)\n" FIELDS("8",
            "0") "7000-8000 rw-s 0 00:01 3 /SYSV0000 (deleted)\n" FIELDS("8", "0"),
        "shared 8/0, shared 8/0, shared 8/0"},
    {"behind a guard",
        NAMELESS("1000-2000", "---p") FIELDS("0", "0") NAMELESS("2000-9000", "rw-p")
            FIELDS("8", "8"),
        "guarded mapped 8/8"},
    {"behind a reservation",
        NAMELESS("1000-2001000", "---p") FIELDS("0", "0") NAMELESS("2001000-2009000", "rw-p")
            FIELDS("8", "8"),
        "mapped 8/8"},
    {"not right behind a guard",
        NAMELESS("1000-2000", "---p") NAMELESS("3000-9000", "rw-p") FIELDS("8", "8"), "mapped 8/8"},
    {"more anonymous than resident", PROGRAM FIELDS("4", "8"), "file 4/4"},
    {"no number", PROGRAM "Rss: x kB\nRss:\nAnonymous: 4\n", ""},
    {"a number that is too large",
        PROGRAM "Rss: 18446744073709551615 kB\n5000-6000 rw-p 0 fe:01 9 /a\n" FIELDS("4", "0"),
        "file 4/0"},
    {"lines of another form", "Rss 4 kB\n" PROGRAM "VmFlags: rd\n\n" FIELDS("4", "0"), "file 4/0"},
};

static enum hf_status write_place(
    void *context, const struct hf_resident_place *place, struct hf_error *err)
{
    (void)err;
    static const char *const kinds[] = {"mapped", "shared", "heap", "stack", "file"};
    struct hf_out *out = context;
    hf_out_printf(out, "%s%s%s%s %" PRIu64 "/%" PRIu64, out->size != 0 ? ", " : "",
        place->is_behind_guard ? "guarded " : "",
        place->is_behind_file && place->kind == HF_RESIDENT_MAPPED ? "behind " : "",
        kinds[place->kind], place->resident_bytes / KIB, place->anonymous_bytes / KIB);
    return HF_OK;
}

static void test_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_error err;
        struct hf_input smaps;
        struct hf_out out = {0};
        check_case = rows[i].name;
        hf_input_open_memory(&smaps, hf_text_of(rows[i].smaps), "smaps");
        check_ok(hf_resident_read(&smaps, write_place, &out, &err), &err);
        hf_out_char(&out, '\0');
        assert_string_equal(out.data, rows[i].places);
        hf_out_done(&out);
        hf_input_close(&smaps);
    }
}

struct sum {
    uint64_t resident_bytes, anonymous_bytes, mapped_bytes;
};

static enum hf_status add_place(
    void *context, const struct hf_resident_place *place, struct hf_error *err)
{
    (void)err;
    struct sum *sum = context;
    sum->resident_bytes += place->resident_bytes;
    sum->anonymous_bytes += place->anonymous_bytes;
    if (place->kind == HF_RESIDENT_MAPPED)
        sum->mapped_bytes += place->resident_bytes;
    return HF_OK;
}

static struct sum sum_of_this_process(void)
{
    struct hf_error err;
    struct sum sum = {0};
    check_ok(hf_resident_read_process((uint32_t)getpid(), add_place, &sum, &err), &err);
    return sum;
}

static enum hf_status refuse_place(
    void *context, const struct hf_resident_place *place, struct hf_error *err)
{
    (void)context;
    return hf_error_set(err, HF_ERR_LIMIT, "%" PRIu64, place->start);
}

static void test_an_error_ends_it(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_input smaps;
    hf_input_open_memory(
        &smaps, HF_TEXT(PROGRAM FIELDS("4", "0") PROGRAM FIELDS("4", "0")), "smaps");
    assert_int_equal(hf_resident_read(&smaps, refuse_place, NULL, &err), HF_ERR_LIMIT);
    assert_string_equal(err.text, "4096");
    hf_input_close(&smaps);
}

/* What was touched is there, and what was not is not. */
static void test_this_process(void **state)
{
    (void)state;
    uint64_t before = sum_of_this_process().mapped_bytes;
    char *pages = mmap(
        NULL, 64 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(pages != MAP_FAILED);
    (void)madvise(pages, 64 * MIB, MADV_NOHUGEPAGE);
    memset(pages, 1, 24 * MIB);
    uint64_t more = sum_of_this_process().mapped_bytes - before, start = (uintptr_t)pages;
    assert_in_range(more, 24 * MIB - MIB / 2, 24 * MIB + MIB / 2); /* its reader has buffers */
    int map = hf_page_map_open((uint32_t)getpid());
    assert_true(map >= 0);
    assert_int_equal(hf_page_map_resident(map, start, start + 64 * MIB), 24 * MIB);
    assert_int_equal(hf_page_map_resident(map, start + 20 * MIB, start + 30 * MIB), 4 * MIB);
    assert_int_equal(hf_page_map_resident(map, start, start), 0);
    assert_int_equal(hf_page_map_resident(-1, start, start + MIB), 0);
    close(map);
    assert_int_equal(munmap(pages, 64 * MIB), 0);
}

/* What is reserved and not touched is passed over; a kernel before 6.7 leaves that to the reader.
 */
static void test_next_page(void **state)
{
    (void)state;
    size_t size = (size_t)4 << 40, touched = 3 * (size_t)1 << 40;
    char *pages = mmap(
        NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(pages != MAP_FAILED);
    (void)madvise(pages, size, MADV_NOHUGEPAGE);
    int map = hf_page_map_open((uint32_t)getpid());
    assert_true(map >= 0);
    uint64_t start = (uintptr_t)pages, end = start + size;
    bool is_known = hf_page_map_next(map, start, end) == end;
    pages[touched] = pages[size - 1] = 1;
    uint64_t last = end - 4096;
    assert_true(hf_page_map_next(map, start, end) == (is_known ? start + touched : start));
    assert_true(hf_page_map_next(map, start + touched, end) == start + touched);
    assert_true(hf_page_map_next(map, last, end) == last);
    if (is_known) {
        assert_true(hf_page_map_next(map, start + touched + 4096, end) == last);
        assert_true(hf_page_map_next(map, start + touched + 4096, last) == last);
        assert_int_equal(hf_page_map_resident(map, start, end), 2 * 4096);
    }
    assert_true(hf_page_map_next(map, start, start) == start);
    assert_true(hf_page_map_next(-1, start, end) == start);
    close(map);
    assert_int_equal(munmap(pages, size), 0);
}

static void test_in_all(void **state)
{
    (void)state;
    struct hf_proc_memory memory;
    char *pages = malloc(16 * MIB);
    assert_non_null(pages);
    memset(pages, 1, 16 * MIB);
    assert_true(hf_proc_memory((uint32_t)getpid(), &memory));
    struct sum sum = sum_of_this_process();
    assert_in_range(memory.resident_bytes, sum.resident_bytes - MIB, sum.resident_bytes + MIB);
    assert_in_range(memory.anonymous_bytes, sum.anonymous_bytes - MIB, sum.anonymous_bytes + MIB);
    assert_true(pages[16 * MIB - 1] == 1);
    free(pages);
}

/* From the moment that a child is no more, or another program, its map tells nothing. */
static void test_memory_that_is_gone(void **state)
{
    (void)state;
    int begun[2];
    char byte;
    assert_int_equal(pipe(begun), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)!write(begun[1], "", 1);
        for (;;)
            pause();
    }
    assert_int_equal(read(begun[0], &byte, 1), 1);
    close(begun[0]);
    close(begun[1]);
    int map = hf_page_map_open((uint32_t)child);
    assert_true(map >= 0 && hf_page_map_is_live(map));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(hf_page_map_is_live(map));
    close(map);
    assert_false(hf_page_map_is_live(-1));
}

static void test_no_process(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_proc_memory memory;
    assert_false(hf_proc_memory(UINT32_MAX, &memory));
    assert_int_equal(hf_resident_read_process(UINT32_MAX, add_place, NULL, &err), HF_ERR_SYSTEM);
    assert_int_equal(hf_page_map_open(UINT32_MAX), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_an_error_ends_it),
        cmocka_unit_test(test_this_process),
        cmocka_unit_test(test_next_page),
        cmocka_unit_test(test_in_all),
        cmocka_unit_test(test_memory_that_is_gone),
        cmocka_unit_test(test_no_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
