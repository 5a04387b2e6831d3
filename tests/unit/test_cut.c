/* A module's files that are cut short or written to between two reads: no name is taken from them.
 */
#include "symbol/lookup/lookup.h"

#include "attach/images.h"
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t here, offset; /* of main: as linked, and in the file */

/* A copy of this program, older than any clock's tick, so that the cache may keep what it says. */
static int copy_program(const char *name)
{
    struct hf_error err = {0};
    struct hf_file_map map;
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    check_ok(hf_file_map_open(&map, "/proc/self/exe", &err), &err);
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    assert_int_equal(write(fd, map.data, map.size), map.size);
    assert_int_equal(futimens(fd, times), 0);
    hf_file_map_close(&map);
    return fd;
}

static size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return count;
}

static void find_main(void)
{
    struct hf_error err = {0};
    struct hf_module_files files;
    struct hf_symbol_query query = {.name = HF_TEXT("main")};
    check_ok(hf_module_files_open_any(&files, "/proc/self/exe", &err), &err);
    check_ok(hf_symtab_find(&files.image, &query, 1, &err), &err);
    assert_true(query.is_found);
    here = query.address;
    assert_true(hf_elf_offset_of_address(&files.image, here, &offset));
    hf_module_files_close(&files);
}

static void leave(int fd)
{
    (void)fd;
}

static void cut(int fd)
{
    assert_int_equal(ftruncate(fd, 4096), 0);
}

/* As a linker that writes over a library: as long as it was, another time. */
static void write_to(int fd)
{
    assert_int_equal(pwrite(fd, "", 1, 100), 1);
}

static void look_up(void (*change)(int fd), const char *cache, bool is_known)
{
    struct hf_error err = {0};
    struct hf_module_files files;
    struct hf_lookup lookup;
    struct hf_notes notes = {0};
    const struct hf_symbol_options options = {.cache_folder = cache};
    int fd = copy_program("program");
    check_ok(hf_module_files_open_any(&files, "program", &err), &err);
    change(fd);
    check_ok(hf_lookup_run(&lookup, &files, &options, &here, 1, &notes, &err), &err);
    assert_int_equal(lookup.is_void, !is_known);
    assert_int_equal(notes.count, 0); /* no word on damage that is none of the file's */
    if (is_known) {
        check_text(lookup.findings[0].symbol, "main");
        assert_true(lookup.findings[0].place.count != 0);
        cut(fd); /* what was found stays what it was */
        check_text(lookup.findings[0].symbol, "main");
        check_text(lookup.findings[0].place.frames[0].name, "main");
    } else {
        assert_int_equal(lookup.findings[0].place.count + lookup.findings[0].symbol.size, 0);
        assert_int_equal(lookup.findings[0].start, 0);
        check_text(hf_text_of(files.why),
            "program was cut short or written to while it was read, so "
            "nothing of it is used; try again when no process writes to it");
    }
    hf_lookup_done(&lookup);
    hf_module_files_close(&files);
    hf_notes_done(&notes);
    close(fd);
}

static void names_of_a_file_that_changes_are_not_believed(void **state)
{
    (void)state;
    find_main();
    look_up(cut, "cache-cut", false);
    look_up(write_to, "cache-written", false);
    look_up(leave, NULL, true);
    assert_int_equal(count_entries("cache-cut") + count_entries("cache-written"), 0);
}

/* Closed before anybody asked for more: what was found while the file was whole may be kept. */
static void sound_answers_are_kept(void **state)
{
    (void)state;
    struct hf_error err = {0};
    struct hf_module_files files;
    struct hf_lookup lookup;
    struct hf_notes notes = {0};
    const struct hf_symbol_options options = {.cache_folder = "cache"};
    struct stat info;
    assert_int_equal(stat("/proc/self/exe", &info), 0);
    while (time(NULL) - info.st_mtime < 3) /* a file that was written a moment ago is not trusted */
        sleep(1);
    find_main();
    close(copy_program("program"));
    check_ok(hf_module_files_open_any(&files, "program", &err), &err);
    check_ok(hf_lookup_run(&lookup, &files, &options, &here, 1, &notes, &err), &err);
    assert_false(lookup.is_void);
    hf_lookup_done(&lookup);
    hf_module_files_close(&files);
    hf_notes_done(&notes);
    assert_int_equal(count_entries("cache"), 1);
}

/* As attach sees a process, here this one: its code has rules until its file is cut. */
static void code_of_a_file_that_is_cut_is_not_known(void **state)
{
    (void)state;
    struct hf_error err = {0};
    struct hf_images images;
    const struct hf_unwind_rule unknown = {HF_UNWIND_UNKNOWN};
    struct hf_file_stamp stamp;
    int fd = copy_program("mapped");
    assert_true(hf_file_stamp_of("mapped", &stamp));
    const uint8_t *code = mmap(NULL, stamp.size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(code, MAP_FAILED);
    if (hf_images_open(&images, (uint32_t)getpid(), &err) != HF_OK)
        fail();
    uint64_t at = (uint64_t)(uintptr_t)code + offset, own = (uint64_t)(uintptr_t)find_main;
    assert_int_not_equal(hf_images_rule(&images, at, false).bits, unknown.bits);
    assert_int_equal(hf_images_function(&images, at + 1), at);
    cut(fd);
    assert_int_equal(hf_images_rule(&images, at, false).bits, unknown.bits);
    assert_int_equal(hf_images_function(&images, at + 1), 0);
    assert_int_not_equal(hf_images_rule(&images, own, false).bits, unknown.bits);
    hf_images_close(&images);
    assert_int_equal(munmap((void *)(uintptr_t)code, stamp.size), 0);
    close(fd);
}

/* Cut while it is opened: a mapping that is short already is no whole ELF file, which is said. */
static void opening_says_why(void **state)
{
    (void)state;
    struct hf_error err = {0};
    struct hf_module_files files;
    int fd = copy_program("short");
    cut(fd);
    assert_int_not_equal(hf_module_files_open_any(&files, "short", &err), HF_OK);
    hf_module_files_close(&files);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_a_file_that_changes_are_not_believed),
        cmocka_unit_test(sound_answers_are_kept),
        cmocka_unit_test(code_of_a_file_that_is_cut_is_not_known),
        cmocka_unit_test(opening_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
