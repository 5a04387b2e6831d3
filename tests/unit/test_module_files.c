/* Which file on this machine a module is in, and which debug file belongs to it: by its mappings,
 * build-id, CRC and name. The files are made here. */
#include "check.h"
#include "folder.h"
#include "symbol/lookup/module_files.h"
#include "symbol/lookup/module_search.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Code at the pages 1 and 2 of the file, linked at other ones, and the last 0x10 bytes of page 3;
 * data elsewhere. */
static struct hf_elf_segment parts[] = {
    {.type = PT_LOAD, .flags = PF_R, .offset = 0, .file_size = 0x800},
    {.type = PT_LOAD,
        .flags = PF_R | PF_X,
        .offset = 0x1010,
        .address = 0x5010,
        .file_size = 0x1100},
    {.type = PT_LOAD, .flags = PF_R | PF_X, .offset = 0x3ff0, .address = 0x8ff0, .file_size = 0x10},
    {.type = PT_LOAD,
        .flags = PF_R | PF_W,
        .offset = 0x4000,
        .address = 0xa000,
        .file_size = 0x2000},
    {.type = PT_GNU_STACK, .flags = PF_R | PF_X, .offset = 0x6000, .file_size = 0x1000},
};

static void test_fit(void **state)
{
    static const struct {
        struct hf_segment segments[3];
        size_t count;
        bool fits;
    } rows[] = {
        {{{0}}, 0, true},
        {{{0x5000, 0x7000, 0x1000, true}}, 1, true},
        {{{0x5000, 0x7000, 0x1000, true}, {0x8000, 0x9000, 0x3000, true}}, 2, true},
        {{{0x5000, 0x6000, 0x1000, true}}, 1, false}, /* it ends early */
        {{{0x6000, 0x7000, 0x2000, true}}, 1, true},  /* a cut, whose rest moved away */
        {{{0x6000, 0x7000, 0x2000, true}, {0x5000, 0x6000, 0x1000, true}}, 2, true},
        {{{0x5000, 0x8000, 0x1000, true}}, 1, false}, /* nor longer than it is */
        {{{0x5000, 0x7000, 0, true}}, 1, false},
        {{{0x5000, 0x7000, 0x1000, true}, {0, 0x1000, 0, true}}, 2, false}, /* data is no code */
        {{{0x5000, 0x7000, 0x1000, true}, {0, 0x1000, 0, false}}, 2, true},
        {{{0, 0x1000, 0x4000, true}}, 1, false},
        {{{0, 0x1000, 0x6000, true}}, 1, false}, /* no part that is loaded */
        {{{0, 0x1000, 0x9000, false}}, 1, true},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        struct hf_module_files files = {.path = (char[]){"/bin/x"},
            .image = {.segments = parts, .segment_count = HF_COUNT(parts)}};
        struct hf_segment segments[3];
        memcpy(segments, rows[i].segments, sizeof segments);
        const struct hf_module module = {.segments = segments, .segment_count = rows[i].count};
        if (hf_module_files_fit(&files, &module) != rows[i].fits)
            fail_msg("row %zu", i);
        assert_string_equal(files.why,
            rows[i].fits
                ? ""
                : "/bin/x is not the file that was profiled: its code is not where the profile "
                  "mapped it (it was replaced, or is another build); give the right one with "
                  "--exe or --symdir");
    }
}

/* A return address less one, as an offset, as linked, or from a symbol. */
static void test_follows_call(void **state)
{
    static char code[0x20] = {[0x13] = (char)0xe8}; /* a call that ends at 0x18 */
    static struct hf_elf_segment whole[] = {{.type = PT_LOAD,
        .flags = PF_X,
        .address = 0x1000,
        .file_size = sizeof code,
        .memory_size = sizeof code}};
    const struct hf_elf image = {
        .bytes = {code, sizeof code}, .segments = whole, .segment_count = 1};
    static const struct {
        struct hf_wanted wanted;
        bool follows;
    } rows[] = {
        {{.symbol = HF_NO_STRING, .offset = 0x17}, true},
        {{.symbol = HF_NO_STRING, .offset = 0x16}, false},
        {{.symbol = HF_NO_STRING, .offset = 0x18}, false},
        {{.symbol = HF_NO_STRING, .offset = 0x1017}, false},
        {{.symbol = HF_NO_STRING, .offset = 0x1017, .is_linked = true}, true},
        {{.symbol = HF_NO_STRING, .offset = 0x17, .is_linked = true}, false},
        {{.symbol = HF_NO_STRING, .offset = 0x17, .address = 0x1016}, true},
        {{.symbol = 3, .offset = 5, .address = 0}, true}, /* where it is, is not known */
        {{.symbol = 3, .offset = 0x17, .address = 0x1016}, false},
        {{.symbol = 3, .offset = 5, .address = 0x1017}, true},
        {{.symbol = 3, .offset = 5, .address = 0x17}, false},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        if (hf_wanted_follows_call(&rows[i].wanted, &image) != rows[i].follows)
            fail_msg("row %zu", i);
    }
}

#define ID_BYTES 4

/* An image: a build-id or none, a link to a debug file or none, debug information or none. */
struct made {
    const char *id; /* ID_BYTES, or NULL */
    const char *link;
    uint32_t crc;
    bool has_dwarf;
    const char *common, *common_id; /* where what is shared with other files is; NULL: nowhere */
};

#ifdef __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

static const char names[] =
    "\0.note.gnu.build-id\0.gnu_debuglink\0.debug_info\0.shstrtab\0.gnu_debugaltlink";
enum { NAME_ID = 1, NAME_LINK = 20, NAME_INFO = 35, NAME_NAMES = 47, NAME_COMMON = 57 };
#define SECTIONS 6

static void add_section(struct hf_out *bytes, Elf64_Shdr sections[SECTIONS], size_t *count,
    uint32_t name, uint32_t type, struct hf_text data)
{
    while (bytes->size % 8 != 0)
        hf_out_char(bytes, '\0');
    sections[(*count)++] = (Elf64_Shdr){.sh_name = name,
        .sh_type = type,
        .sh_offset = bytes->size,
        .sh_size = data.size,
        .sh_addralign = 4};
    hf_out_text(bytes, data);
}

static void make(const struct made *made, struct hf_out *bytes)
{
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = MACHINE,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof head,
        .e_shentsize = sizeof(Elf64_Shdr)};
    Elf64_Shdr sections[SECTIONS] = {{0}};
    size_t count = 1;
    struct hf_out data = {0};
    hf_out_bytes(bytes, (const char *)&head, sizeof head);
    if (made->id != NULL) {
        static const char note[] = "\4\0\0\0\4\0\0\0\3\0\0\0GNU";
        hf_out_bytes(&data, note, sizeof note);
        hf_out_bytes(&data, made->id, ID_BYTES);
        add_section(bytes, sections, &count, NAME_ID, SHT_NOTE, hf_out_view(&data));
        data.size = 0;
    }
    if (made->link != NULL) {
        hf_out_bytes(&data, made->link, strlen(made->link) + 1);
        while (data.size % 4 != 0)
            hf_out_char(&data, '\0');
        hf_out_bytes(&data, (const char *)&made->crc, sizeof made->crc);
        add_section(bytes, sections, &count, NAME_LINK, SHT_PROGBITS, hf_out_view(&data));
    }
    if (made->has_dwarf)
        add_section(bytes, sections, &count, NAME_INFO, SHT_PROGBITS, HF_TEXT("\0\0\0\0"));
    if (made->common != NULL) {
        data.size = 0;
        hf_out_bytes(&data, made->common, strlen(made->common) + 1);
        hf_out_bytes(&data, made->common_id, ID_BYTES);
        add_section(bytes, sections, &count, NAME_COMMON, SHT_PROGBITS, hf_out_view(&data));
    }
    head.e_shstrndx = (uint16_t)count;
    const struct hf_text text = {names, sizeof names};
    add_section(bytes, sections, &count, NAME_NAMES, SHT_STRTAB, text);
    while (bytes->size % 8 != 0)
        hf_out_char(bytes, '\0');
    head.e_shoff = bytes->size;
    head.e_shnum = (uint16_t)count;
    hf_out_bytes(bytes, (const char *)sections, count * sizeof *sections);
    memcpy(bytes->data, &head, sizeof head);
    hf_out_done(&data);
}

static uint32_t crc_of_made(const struct made *made)
{
    struct hf_out bytes = {0};
    make(made, &bytes);
    uLong crc = crc32(0, (const Bytef *)bytes.data, (uInt)bytes.size);
    hf_out_done(&bytes);
    return (uint32_t)crc;
}

static void save(const char *path, const struct made *made)
{
    struct hf_out bytes = {0};
    make(made, &bytes);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && write(fd, bytes.data, bytes.size) == (ssize_t)bytes.size);
    close(fd);
    hf_out_done(&bytes);
}

static const struct made debug = {.id = "\xab\xcd\xef\1", .has_dwarf = true};

/* What becomes of an image whose debug file is at `place` below a folder of its own. */
static void check_found(const struct made *image, const struct made *beside, const char *place,
    bool is_symdir, enum hf_debug_verdict verdict)
{
    static const char *const folders[] = {
        "/bin", "/sym", "/sym/.build-id", "/sym/.build-id/ab", "/bin/.debug"};
    char folder[] = "/tmp/heapflame-test-XXXXXX", path[PATH_MAX], symdir[PATH_MAX];
    const char *const symdirs[] = {symdir};
    const struct hf_symbol_options options = {.symdirs = symdirs, .symdir_count = is_symdir};
    struct hf_module_files files;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < HF_COUNT(folders); i++) {
        snprintf(path, sizeof path, "%s%s", folder, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(symdir, sizeof symdir, "%s/sym", folder);
    snprintf(path, sizeof path, "%s%s", folder, place);
    if (beside != NULL)
        save(path, beside);
    char own[PATH_MAX];
    snprintf(own, sizeof own, "%s/bin/program", folder);
    save(own, image);
    check_case = place;
    assert_true(hf_module_files_open(&files, own));
    hf_module_files_find_debug(&files, &options);
    hf_module_files_find_debug(&files, &options); /* it was */
    assert_true(hf_module_files_are_sound(&files));
    assert_int_equal(files.debug_path != NULL, verdict == HF_DEBUG_TAKEN);
    assert_int_equal(files.debug_map.size != 0, verdict == HF_DEBUG_TAKEN);
    if (files.debug_path != NULL)
        assert_string_equal(files.debug_path, path);
    bool is_tried = false;
    for (size_t i = 0; i < files.tried_count; i++) {
        bool is_it = strcmp(files.tried[i].path, path) == 0;
        is_tried = is_tried || is_it;
        assert_int_equal(files.tried[i].verdict, is_it ? verdict : HF_DEBUG_MISSING);
    }
    assert_true(is_tried);
    if (verdict == HF_DEBUG_TAKEN)
        assert_string_equal(files.why, "");
    else if (image->id != NULL)
        assert_string_equal(files.why,
            "it has no debug information, and none was found as "
            "/usr/lib/debug/.build-id/ab/cdef01.debug; install its debug symbols or give "
            "their folder with --symdir");
    hf_module_files_close(&files);
    assert_int_equal(folder_remove(folder), 0);
}

static void test_debug_files(void **state)
{
    static const char by_id[] = "/sym/.build-id/ab/cdef01.debug";
    static const struct made other = {.id = "\xab\xcd\xef\2", .has_dwarf = true},
                             nameless = {.has_dwarf = true};
    struct made image = {.id = debug.id};
    (void)state;
    unsetenv("DEBUGINFOD_URLS");
    check_found(&image, &debug, by_id, true, HF_DEBUG_TAKEN);
    check_found(&image, &other, by_id, true, HF_DEBUG_ANOTHER);
    check_found(&image, &nameless, by_id, true, HF_DEBUG_ANOTHER); /* its CRC is not known */
    check_found(&image, NULL, by_id, true, HF_DEBUG_MISSING);
    image.link = "p.debug"; /* a name alone: the build-id tells */
    static const char *const linked[] = {"/bin/p.debug", "/bin/.debug/p.debug", "/sym/p.debug"};
    for (size_t i = 0; i < HF_COUNT(linked); i++) {
        check_found(&image, &debug, linked[i], true, HF_DEBUG_TAKEN);
        check_found(&image, &other, linked[i], true, HF_DEBUG_ANOTHER);
    }
    check_found(&image, &debug, linked[0], false, HF_DEBUG_TAKEN);
    image.id = NULL; /* or, without one, the CRC */
    image.crc = crc_of_made(&nameless);
    for (size_t i = 0; i < HF_COUNT(linked); i++) {
        check_found(&image, &nameless, linked[i], true, HF_DEBUG_TAKEN);
        check_found(&image, &debug, linked[i], true, HF_DEBUG_ANOTHER);
    }
    image.crc = crc_of_made(&debug);
    check_found(&image, &debug, linked[0], false, HF_DEBUG_TAKEN);
    image.crc++;
    check_found(&image, &debug, linked[0], false, HF_DEBUG_ANOTHER);
    image.link = "program"; /* itself is not its debug file */
    check_found(&image, NULL, "/bin/program", false, HF_DEBUG_ANOTHER);
}

/* Where `common` is looked for: the file at `place` below a folder of its own is the one of `id`.
 */
static void check_common(
    const char *common, const char *id, const char *place, bool is_symdir, bool is_found)
{
    static const char *const folders[] = {
        "/bin", "/bin/sub", "/sym", "/sym/deep", "/sym/.build-id", "/sym/.build-id/ab"};
    char folder[] = "/tmp/heapflame-test-XXXXXX", path[PATH_MAX], symdir[PATH_MAX], own[PATH_MAX];
    const char *const symdirs[] = {symdir};
    const struct hf_symbol_options options = {.symdirs = symdirs, .symdir_count = is_symdir};
    struct hf_module_files files;
    char named[PATH_MAX];
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < HF_COUNT(folders); i++) {
        snprintf(path, sizeof path, "%s%s", folder, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(symdir, sizeof symdir, "%s/sym", folder);
    snprintf(own, sizeof own, "%s/bin/program", folder);
    snprintf(path, sizeof path, "%s%s", folder, place);
    snprintf(named, sizeof named, "%s%s", common[0] == '@' ? folder : "",
        common[0] == '@' ? common + 1 : common);
    const struct made shared = {.id = id, .has_dwarf = true};
    const struct made image = {
        .id = "\1\2\3\4", .has_dwarf = true, .common = named, .common_id = debug.id};
    save(path, &shared);
    save(own, &image);
    check_case = place;
    assert_true(hf_module_files_open(&files, own));
    hf_module_files_find_debug(&files, &options);
    assert_int_equal(files.supplement.path != NULL, is_found);
    assert_int_equal(files.sections.supplement != NULL, is_found);
    if (is_found) {
        char found[PATH_MAX];
        assert_non_null(realpath(files.supplement.path, found));
        assert_string_equal(found, path);
        assert_string_equal(files.why, "");
    } else {
        char why[PATH_MAX + 200];
        snprintf(why, sizeof why,
            "its debug information continues in %s, which was not found, nor "
            "/usr/lib/debug/.build-id/ab/cdef01.debug; install its debug symbols or give their "
            "folder with --symdir",
            named);
        assert_string_equal(files.why, why);
    }
    hf_module_files_close(&files);
    assert_int_equal(folder_remove(folder), 0);
}

/* "@" is the folder of the test. */
static void test_common(void **state)
{
    static const char by_id[] = "/sym/.build-id/ab/cdef01.debug";
    (void)state;
    check_common("@/bin/sub/c.debug", debug.id, "/bin/sub/c.debug", false, true);
    check_common("@/bin/sub/c.debug", "\xab\xcd\xef\2", "/bin/sub/c.debug", true, false);
    check_common("@/bin/sub/d.debug", debug.id, "/bin/sub/c.debug", true, false);
    check_common("sub/c.debug", debug.id, "/bin/sub/c.debug", false, true);
    check_common("../sym/c.debug", debug.id, "/sym/c.debug", false, true);
    check_common("c.debug", debug.id, "/bin/sub/c.debug", true, false);
    check_common("/nowhere/deep/c.debug", debug.id, "/sym/deep/c.debug", true, true);
    check_common("/nowhere/deep/c.debug", debug.id, "/sym/c.debug", true, true);
    check_common("/nowhere/deep/c.debug", debug.id, "/sym/c.debug", false, false);
    check_common("/nowhere/deep/c.debug", "\xab\xcd\xef\2", "/sym/c.debug", true, false);
    check_common("c.debug", debug.id, "/sym/c.debug", true, false); /* that is for absolute ones */
    check_common("c.debug", debug.id, by_id, true, true);
    check_common("/nowhere/c.debug", debug.id, by_id, true, true);
    check_common("/nowhere/c.debug", debug.id, by_id, false, false);
}

static void test_not_opened(void **state)
{
    struct hf_module_files files;
    struct hf_error err;
    (void)state;
    assert_false(hf_module_files_open(&files, "/nowhere/x"));
    assert_string_equal(files.why, "cannot open /nowhere/x: No such file or directory");
    hf_module_files_close(&files);
    assert_int_equal(hf_module_files_open_any(&files, "/nowhere/x", &err), HF_ERR_SYSTEM);
    hf_module_files_close(&files);
    assert_int_equal(
        hf_module_files_open_memory(&files, "[x]", HF_TEXT("no image"), &err), HF_ERR_INPUT);
    hf_module_files_close(&files);
    struct hf_out bytes = {0};
    make(&debug, &bytes);
    check_ok(hf_module_files_open_memory(&files, "[x]", hf_out_view(&bytes), &err), &err);
    memset(bytes.data, 0, bytes.size); /* the build-id is a copy */
    check_text(files.image.build_id, "\xab\xcd\xef\1");
    assert_string_equal(files.path, "[x]");
    hf_module_files_close(&files);
    assert_null(files.path);
    hf_out_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_follows_call),
        cmocka_unit_test(test_debug_files),
        cmocka_unit_test(test_common),
        cmocka_unit_test(test_not_opened),
    };
    return cmocka_run_group_tests_name("module_files", tests, NULL, NULL);
}
