/* Files that stay open from one profile to the next: what was read of them is not read again, and
 * nothing of a file that was replaced is believed. */
#include "symbol/lookup/kept_files.h"

#include "base/strings/out.h"
#include "dwarf/lookup/resolver.h"
#include "reading.h"
#include "symbol/lookup/symbolize.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Functions of two units. */
static const struct {
    const void *code;
    const char *name;
} asked[] = {
    {(const void *)hf_symbolize, "hf_symbolize"},
    {(const void *)hf_kept_files_put, "hf_kept_files_put"},
    {(const void *)hf_symbolize_readable, "hf_symbolize_readable"},
    {(const void *)hf_kept_files_done, "hf_kept_files_done"},
};

static char program[PATH_MAX + sizeof "/program"];

static void copy_file(const char *from, const char *to)
{
    struct hf_error err;
    struct hf_file_map map;
    check_ok(hf_file_map_open(&map, from, &err), &err);
    int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    assert_int_equal(write(fd, map.data, map.size), map.size);
    close(fd);
    hf_file_map_close(&map);
}

/* This process's mappings, with the copy in the place of its program. */
static void put_maps(struct hf_out *out)
{
    char line[PATH_MAX + 200], own[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
    assert_true(size > 0);
    own[size] = '\0';
    FILE *maps = fopen("/proc/self/maps", "re");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        char *path = strstr(line, own);
        if (path != NULL)
            hf_out_printf(out, "%.*s%s\n", (int)(path - line), line, program);
    }
    (void)fclose(maps);
}

/* A profile of each of these functions alone, named; true if it has all their names. */
static bool names_are_found(struct hf_kept_files *kept, size_t first, size_t count)
{
    struct hf_error err;
    struct hf_out text = {0};
    const struct hf_symbol_options options = {.kept = kept};
    bool is_found = true;
    hf_out_printf(&text, "heap_v2/1\n  t*: %zu: 80 [0: 0]\n", count);
    for (size_t i = first; i < first + count; i++)
        hf_out_printf(&text, "@ 0x%llx\n  t*: 1: 10 [0: 0]\n",
            (unsigned long long)(uintptr_t)asked[i].code + 1);
    hf_out_string(&text, "\nMAPPED_LIBRARIES:\n");
    put_maps(&text);
    hf_out_char(&text, '\0');
    assert_int_equal(hf_out_finish(&text, &err), HF_OK);
    struct hf_profile *profile = read_text(text.data);
    uint32_t frames = profile->frames.count;
    check_ok(hf_symbolize(profile, &options, &err), &err);
    for (size_t i = first; i < first + count; i++) {
        bool has_name = false;
        for (uint32_t f = 0; f < frames; f++) {
            size_t named;
            uint32_t frame = f;
            const uint32_t *found = hf_profile_expansion(profile, &frame, &named);
            for (size_t n = 0; n < named; n++) {
                uint32_t name = hf_profile_frame_at(profile, found[n])->name;
                has_name = has_name || hf_text_is(hf_profile_text(profile, name), asked[i].name);
            }
        }
        is_found = is_found && has_name;
    }
    hf_profile_free(profile);
    hf_out_done(&text);
    return is_found;
}

static void each_unit_is_decoded_at_most_twice(void **state)
{
    (void)state;
    struct hf_kept_files kept = {0};
    assert_true(names_are_found(&kept, 0, 2));
    uint64_t once = kept.units_decoded;
    assert_true(once >= 2);
    assert_true(names_are_found(&kept, 0, 2)); /* it is asked again: now it gets an index */
    uint64_t twice = kept.units_decoded;
    assert_true(twice <= 2 * once);
    for (size_t i = 0; i < 5; i++)
        assert_true(names_are_found(&kept, i % 3, 2)); /* other functions of these units, too */
    assert_int_equal(kept.units_decoded, twice);
    assert_int_equal(kept.count, 1);
    hf_kept_files_done(&kept);
}

static void what_was_replaced_is_not_believed(void **state)
{
    (void)state;
    struct hf_kept_files kept = {0};
    assert_true(names_are_found(&kept, 0, 2));
    assert_true(names_are_found(&kept, 0, 2));
    assert_int_equal(rename(program, "aside"), 0);
    assert_false(names_are_found(&kept, 0, 2));
    assert_int_equal(kept.count, 0);
    copy_file("/bin/true", program);
    assert_false(names_are_found(&kept, 0, 2));
    assert_int_equal(rename("aside", program), 0);
    assert_true(names_are_found(&kept, 0, 2));
    hf_kept_files_done(&kept);
}

int main(void)
{
    char folder[PATH_MAX];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_unit_is_decoded_at_most_twice),
        cmocka_unit_test(what_was_replaced_is_not_believed),
    };
    if (getcwd(folder, sizeof folder) == NULL)
        return 1;
    (void)snprintf(program, sizeof program, "%s/program", folder);
    copy_file("/proc/self/exe", program);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
