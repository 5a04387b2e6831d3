/* The file that is made of the sections which a server has of a debug file. The server is this
 * test's own. */
#include "symbol/files/debug_parts.h"

#include "check.h"
#include "elf/image.h"
#include "net/debug_servers.h"
#include "os/file.h"

#include <sys/mman.h>
#include <unistd.h>

static const char compressed[] =
    "\1\0\0\0\0\0\0\0\11\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0zlib"; /* 9 bytes */

/* In the order in which they are asked for. */
static struct {
    const char *name;
    struct hf_text bytes; /* data NULL: absent */
} parts[] = {
    {".symtab", {NULL, 0}},
    {".strtab", {NULL, 0}},
    {".debug_abbrev", {NULL, 0}},
    {".debug_line", {NULL, 0}},
    {".debug_line_str", {NULL, 0}},
    {".debug_str", {NULL, 0}},
    {".debug_str_offsets", {NULL, 0}},
    {".debug_addr", {NULL, 0}},
    {".debug_ranges", {NULL, 0}},
    {".debug_rnglists", {NULL, 0}},
    {".gnu_debugaltlink", {NULL, 0}},
    {".debug_info", {NULL, 0}},
};
enum { SYMTAB, STRTAB, ABBREV, LINE, LINE_STR, STR, INFO = 11 };

static size_t asked, failing; /* how many were; the one that cannot be fetched */
static uint64_t most;

uint64_t hf_debug_servers_most_bytes(void)
{
    return most;
}

enum hf_status hf_debug_servers_ask(const struct hf_debug_servers_question *question,
    struct hf_debug_servers_answer *out_answer, struct hf_error *err)
{
    char path[100];
    uint64_t left = most;
    size_t found = 0;
    (void)err;
    for (size_t i = 0; i < asked; i++) {
        found += parts[i].bytes.data != NULL;
        left -= parts[i].bytes.size < left ? parts[i].bytes.size : left - 1;
    }
    snprintf(path, sizeof path, "buildid/abcd/section/%s", parts[asked].name);
    assert_string_equal(question->path, path);
    assert_string_equal(question->what, "the debug file of x");
    assert_int_equal(question->most_bytes, left);
    assert_int_equal(question->refused, found != 0 ? ~(uint32_t)(1 << 2) : 0); /* one server's */
    *out_answer = (struct hf_debug_servers_answer){.fd = -1};
    if (asked == failing) {
        out_answer->outcome = HF_DEBUG_SERVERS_FAILED;
        snprintf(out_answer->said, sizeof out_answer->said, "too slow");
    } else if (parts[asked].bytes.data == NULL) {
        out_answer->outcome = HF_DEBUG_SERVERS_ABSENT;
        snprintf(out_answer->said, sizeof out_answer->said, "it has none");
    } else {
        out_answer->outcome = HF_DEBUG_SERVERS_FOUND;
        out_answer->server = 2;
        out_answer->fd = memfd_create("part", MFD_CLOEXEC);
        struct hf_text bytes = parts[asked].bytes;
        assert_int_equal(write(out_answer->fd, bytes.data, bytes.size), bytes.size);
    }
    asked++;
    return HF_OK;
}

static struct hf_elf_section own[] = {{.type = SHT_NULL},
    {.type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000, .size = 0x123},
    {.type = SHT_PROGBITS, .flags = SHF_COMPRESSED | SHF_ALLOC, .address = 0x3000, .size = 5}};

static const struct hf_elf image = {.type = ET_DYN,
    .machine = EM_X86_64,
    .sections = own,
    .section_count = HF_COUNT(own),
    .build_id = {"\xab\xcd", 2}};

/* -1: there is none, and `why` is what is said of it. */
static int fetch(const char *why)
{
    struct hf_error err;
    char said[HF_DEBUG_PARTS_WHY];
    int fd = -2;
    asked = 0;
    check_ok(hf_debug_parts_fetch(&image, "the debug file of x", &fd, said, &err), &err);
    assert_string_equal(said, why);
    return fd;
}

static void give(size_t part, const char *bytes, size_t size)
{
    parts[part].bytes = (struct hf_text){bytes, size};
}

static void give_all(void)
{
    static const Elf64_Sym symbols[] = {{0}, {.st_name = 1, .st_value = 0x1010}};
    for (size_t i = 0; i < HF_COUNT(parts); i++)
        parts[i].bytes = (struct hf_text){NULL, 0};
    give(SYMTAB, (const char *)symbols, sizeof symbols);
    give(STRTAB, "\0function", 10);
    give(ABBREV, "abbreviations", 13);
    give(STR, compressed, sizeof compressed - 1);
    give(INFO, "information", 11);
    failing = HF_COUNT(parts);
    most = 1000;
}

static void check_section(const struct hf_elf *elf, size_t at, const char *name, uint32_t type,
    uint64_t flags, struct hf_text bytes)
{
    const struct hf_elf_section *section = &elf->sections[at];
    check_text(section->name, name);
    assert_int_equal(section->type, type);
    assert_int_equal(section->flags, flags);
    assert_true(hf_text_equal(hf_elf_section_bytes(elf, section), bytes));
}

static void check_image(const struct hf_elf *elf)
{
    assert_int_equal(elf->type, ET_DYN);
    assert_int_equal(elf->machine, EM_X86_64);
    check_text(elf->build_id, "\xab\xcd");
    for (size_t i = 1; i < HF_COUNT(own); i++) { /* where they are, and that they are elsewhere */
        assert_int_equal(elf->sections[i].type, SHT_NOBITS);
        assert_int_equal(elf->sections[i].address, own[i].address);
        assert_int_equal(elf->sections[i].size, own[i].size);
        assert_int_equal(elf->sections[i].flags, own[i].flags & ~(uint64_t)SHF_COMPRESSED);
    }
    check_text(elf->sections[3].name, ".note.gnu.build-id");
    assert_int_equal(elf->sections[3].offset % 8, 0);
}

static void test_whole(void **state)
{
    struct hf_error err;
    struct hf_file_map map;
    struct hf_elf elf;
    (void)state;
    give_all();
    int fd = fetch("");
    assert_int_equal(asked, HF_COUNT(parts));
    check_ok(hf_file_map_descriptor(&map, fd, "made", &err), &err);
    const struct hf_text bytes = {(const char *)map.data, map.size};
    check_ok(hf_elf_open(&elf, bytes, "made", &err), &err);
    check_image(&elf);
    assert_int_equal(elf.section_count, 3 + 1 + 5 + 1);
    check_section(&elf, 4, ".symtab", SHT_SYMTAB, 0, parts[SYMTAB].bytes);
    assert_int_equal(elf.sections[4].link, 5);
    assert_int_equal(elf.sections[4].entry_size, sizeof(Elf64_Sym));
    assert_int_equal(elf.sections[4].offset % 8, 0);
    check_section(&elf, 5, ".strtab", SHT_STRTAB, 0, parts[STRTAB].bytes);
    check_section(&elf, 6, ".debug_abbrev", SHT_PROGBITS, 0, parts[ABBREV].bytes);
    check_section(&elf, 7, ".debug_str", SHT_PROGBITS, SHF_COMPRESSED, parts[STR].bytes);
    check_section(&elf, 8, ".debug_info", SHT_PROGBITS, 0, parts[INFO].bytes);
    check_text(elf.sections[9].name, ".shstrtab");
    hf_elf_close(&elf);
    hf_file_map_close(&map);
    close(fd);
}

/* What only looks as if it were compressed is as it is. */
static void test_compressed(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        bool is_compressed;
    } rows[] = {
        {compressed, 24, true},
        {compressed, 23, false},
        {"\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24, true},
        {"\3\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24, false},
        {"\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24, false},
        {"\1\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24, false},
        {"\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 24, false},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_error err;
        struct hf_file_map map;
        struct hf_elf elf;
        give_all();
        give(STRTAB, rows[i].bytes, rows[i].size); /* names never are */
        give(ABBREV, rows[i].bytes, rows[i].size);
        int fd = fetch("");
        check_ok(hf_file_map_descriptor(&map, fd, "made", &err), &err);
        const struct hf_text bytes = {(const char *)map.data, map.size};
        check_ok(hf_elf_open(&elf, bytes, "made", &err), &err);
        assert_int_equal(elf.sections[5].flags, 0);
        if (elf.sections[6].flags != (rows[i].is_compressed ? SHF_COMPRESSED : 0))
            fail_msg("row %zu", i);
        hf_elf_close(&elf);
        hf_file_map_close(&map);
        close(fd);
    }
}

/* Without one section of DWARF that there is, symbols are all; without symbols there is nothing. */
static void test_missing(void **state)
{
    struct hf_error err;
    struct hf_file_map map;
    struct hf_elf elf;
    (void)state;
    for (int i = 0; i < 2; i++) {
        give_all();
        if (i == 0)
            give(INFO, NULL, 0);
        else
            failing = LINE;
        int fd = fetch(i == 0 ? "it has none" : "too slow");
        assert_int_equal(asked, i == 0 ? HF_COUNT(parts) : LINE + 1);
        check_ok(hf_file_map_descriptor(&map, fd, "made", &err), &err);
        const struct hf_text bytes = {(const char *)map.data, map.size};
        check_ok(hf_elf_open(&elf, bytes, "made", &err), &err);
        check_image(&elf);
        assert_int_equal(elf.section_count, 3 + 1 + 2 + 1);
        check_section(&elf, 5, ".strtab", SHT_STRTAB, 0, parts[STRTAB].bytes);
        hf_elf_close(&elf);
        hf_file_map_close(&map);
        close(fd);
    }
    give_all();
    give(SYMTAB, NULL, 0);
    assert_int_equal(fetch(""), -1);
    give_all();
    give(STRTAB, NULL, 0);
    assert_int_equal(fetch(""), -1);
}

/* What is left of the bytes that are wanted is never nothing, which would mean as many as it has.
 */
static void test_most_bytes(void **state)
{
    (void)state;
    for (most = 1; most < 200; most++) {
        uint64_t wanted = most;
        give_all();
        most = wanted;
        int fd = fetch("");
        assert_true(fd >= 0);
        close(fd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_most_bytes),
    };
    return cmocka_run_group_tests_name("debug_parts", tests, NULL, NULL);
}
