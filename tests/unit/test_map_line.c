/* Lines of /proc/PID/maps, as proc(5) has them. */
#include "os/process/map_line.h"

#include "check.h"

#include <sys/sysmacros.h>

static const struct {
    const char *line;
    bool is_one;
    struct hf_map_line map;
    const char *path;
} cases[] = {
    {"00400000-00401000 r-xp 00001000 fe:01 12  /usr/bin/env", true,
        {.start = 0x400000,
            .end = 0x401000,
            .file_offset = 0x1000,
            .inode = 12,
            .is_executable = true},
        "/usr/bin/env"},
    {"7f00-8000 rw-p 0 00:00 0", true, {.start = 0x7f00, .end = 0x8000}, ""},
    {"7f00-8000 r--s 0 00:00 0 [vvar]", true, {.start = 0x7f00, .end = 0x8000}, "[vvar]"},
    {"1-2 --xp 0 00:00 0     [anon:name of it]", true,
        {.start = 1, .end = 2, .is_executable = true}, ""},
    {"1-2 r-xp 0 fe:01 7 /a b (deleted)", true,
        {.start = 1, .end = 2, .inode = 7, .is_executable = true, .is_deleted = true}, "/a b"},
    {"1-2 r-xp 0 fe:01 7 /a (deleted) b", true,
        {.start = 1, .end = 2, .inode = 7, .is_executable = true}, "/a (deleted) b"},
    {"2-2 r-xp 0 00:00 0", false, {0}, ""},
    {"3-2 r-xp 0 00:00 0", false, {0}, ""},
    {"1 r-xp 0 00:00 0", false, {0}, ""},
    {"x-2 r-xp 0 00:00 0", false, {0}, ""},
    {"1-2 r-x 0 00:00 0", false, {0}, ""},
    {"1-2 r-xps 0 00:00 0", false, {0}, ""},
    {"1-2 r-xp g 00:00 0", false, {0}, ""},
    {"1-2 r-xp 0 0000 0", false, {0}, ""},
    {"1-2 r-xp 0 00: 0", false, {0}, ""},
    {"1-2 r-xp 0 00:00 x", false, {0}, ""},
    {"1-2 r-xp 0 00:00", false, {0}, ""},
    {"", false, {0}, ""},
};

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_map_line map;
        check_case = cases[i].line;
        assert_int_equal(hf_map_line_parse(hf_text_of(cases[i].line), &map), cases[i].is_one);
        if (!cases[i].is_one)
            continue;
        assert_int_equal(map.start, cases[i].map.start);
        assert_int_equal(map.end, cases[i].map.end);
        assert_int_equal(map.file_offset, cases[i].map.file_offset);
        assert_int_equal(map.inode, cases[i].map.inode);
        assert_int_equal(map.is_executable, cases[i].map.is_executable);
        assert_int_equal(map.is_deleted, cases[i].map.is_deleted);
        check_text(map.path, cases[i].path);
    }
    check_case = "";
}

/* Numbers of devices are those of stat(2). */
static void test_devices(void **state)
{
    static const unsigned numbers[][2] = {
        {0, 0}, {0xfe, 1}, {8, 0xff}, {8, 0x100}, {0xfff, 0xfffff}, {0x12, 0x34567}};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(numbers); i++) {
        char line[64];
        struct hf_map_line map;
        (void)snprintf(
            line, sizeof line, "1-2 r-xp 0 %02x:%02x 1 /a", numbers[i][0], numbers[i][1]);
        assert_true(hf_map_line_parse(hf_text_of(line), &map));
        assert_int_equal(map.device, makedev(numbers[i][0], numbers[i][1]));
    }
}

static void test_newlines(void **state)
{
    static const struct {
        const char *path, *plain;
    } paths[] = {{"/a\\012b", "/a\nb"}, {"\\012", "\n"}, {"/a\\01", "/a\\01"},
        {"\\012\\012x\\013", "\n\nx\\013"}, {"/plain", "/plain"}, {"", ""}};
    (void)state;
    for (size_t i = 0; i < HF_COUNT(paths); i++) {
        char path[32];
        size_t size = strlen(paths[i].path);
        memcpy(path, paths[i].path, size);
        struct hf_text text = {path, hf_map_line_unescape(path, size)};
        check_text(text, paths[i].plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_newlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
