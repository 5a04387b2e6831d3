/* ELF images made by hand: headers, notes, which symbol contains an address, cut files. */
#include "check.h"
#include "elf/image.h"
#include "elf/links.h"
#include "elf/symtab.h"

#define TEXT_ADDRESS 0x1000
#define TEXT_SIZE 0x100
#define FUNCTION(binding) ELF64_ST_INFO(binding, STT_FUNC)
#define LABEL(binding) ELF64_ST_INFO(binding, STT_NOTYPE)

struct symbol_row {
    const char *name;
    uint64_t address, size;
    unsigned char info;
};

/* The file being made: bytes, and how many there are. */
struct file {
    char bytes[8192];
    size_t size;
};

static uint64_t append(struct file *file, const void *bytes, size_t size)
{
    uint64_t offset = (file->size + 7) & ~(size_t)7;
    assert_true(offset + size <= sizeof file->bytes);
    memcpy(file->bytes + offset, bytes, size);
    file->size = offset + size;
    return offset;
}

static uint32_t add_string(struct hf_out *strings, const char *string)
{
    size_t at = strings->size;
    hf_out_string(strings, string);
    hf_out_char(strings, '\0');
    return (uint32_t)at;
}

static uint64_t append_symbols(
    struct file *file, struct hf_out *strings, const struct symbol_row *rows, size_t count)
{
    Elf64_Sym symbols[32] = {0};
    assert_true(count < 32);
    for (size_t i = 0; i < count; i++) {
        symbols[i + 1].st_name = add_string(strings, rows[i].name);
        symbols[i + 1].st_value = rows[i].address;
        symbols[i + 1].st_size = rows[i].size;
        symbols[i + 1].st_info = rows[i].info;
        symbols[i + 1].st_shndx = 1;
    }
    return append(file, symbols, (count + 1) * sizeof *symbols);
}

/* Sections: nothing, .text, the symbols, their strings, a build-id, links to other files. */
static void make_image(struct file *file, uint16_t machine, uint32_t table_type,
    const struct symbol_row *rows, size_t count)
{
    static const char note[] = "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\xde\xad\xbe\xef";
    static const char link[] = "a.debug\0\x78\x56\x34\x12";
    static const char alt_link[] = "../b.debug\0\xca\xfe";
    static const char sup[] = "\5\0\1\0\3\xfe\xed\xfa";
    struct hf_out strings = {0};
    Elf64_Ehdr header = {
        .e_type = ET_DYN, .e_machine = machine, .e_shnum = 8, .e_shstrndx = 3, .e_phnum = 1};
    memcpy(header.e_ident, ELFMAG "\2\1\1", 7);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    *file = (struct file){.size = sizeof header};
    Elf64_Shdr sections[8] = {0};
    hf_out_char(&strings, '\0');
    sections[1] = (Elf64_Shdr){.sh_name = add_string(&strings, ".text"),
        .sh_type = SHT_NOBITS,
        .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
        .sh_addr = TEXT_ADDRESS,
        .sh_size = TEXT_SIZE};
    sections[2] = (Elf64_Shdr){.sh_name = add_string(&strings, ".symtab"),
        .sh_type = table_type,
        .sh_link = 3,
        .sh_entsize = sizeof(Elf64_Sym),
        .sh_size = (count + 1) * sizeof(Elf64_Sym)};
    sections[2].sh_offset = append_symbols(file, &strings, rows, count);
    sections[4] = (Elf64_Shdr){.sh_name = add_string(&strings, ".note.gnu.build-id"),
        .sh_type = SHT_NOTE,
        .sh_size = sizeof note - 1};
    sections[4].sh_offset = append(file, note, sizeof note - 1);
    sections[5] = (Elf64_Shdr){.sh_name = add_string(&strings, ".gnu_debuglink"),
        .sh_type = SHT_PROGBITS,
        .sh_size = sizeof link - 1};
    sections[5].sh_offset = append(file, link, sizeof link - 1);
    sections[6] = (Elf64_Shdr){.sh_name = add_string(&strings, ".gnu_debugaltlink"),
        .sh_type = SHT_PROGBITS,
        .sh_size = sizeof alt_link - 1};
    sections[6].sh_offset = append(file, alt_link, sizeof alt_link - 1);
    sections[7] = (Elf64_Shdr){.sh_name = add_string(&strings, ".debug_sup"),
        .sh_type = SHT_PROGBITS,
        .sh_size = sizeof sup - 1};
    sections[7].sh_offset = append(file, sup, sizeof sup - 1);
    sections[3] = (Elf64_Shdr){.sh_name = add_string(&strings, ".strtab"), .sh_type = SHT_STRTAB};
    sections[3].sh_size = strings.size;
    sections[3].sh_offset = append(file, strings.data, strings.size);
    Elf64_Phdr segment = {.p_type = PT_LOAD,
        .p_flags = PF_X | PF_R,
        .p_offset = 0x400,
        .p_vaddr = TEXT_ADDRESS,
        .p_filesz = TEXT_SIZE,
        .p_memsz = TEXT_SIZE};
    header.e_phoff = append(file, &segment, sizeof segment);
    header.e_shoff = append(file, sections, sizeof sections);
    memcpy(file->bytes, &header, sizeof header);
    hf_out_done(&strings);
}

static const struct symbol_row plain[] = {
    {"first", 0x1000, 0x10, FUNCTION(STB_GLOBAL)}, {"second", 0x1010, 0x10, FUNCTION(STB_LOCAL)}};

static void reads_headers(void **state)
{
    (void)state;
    struct hf_error err;
    struct file file;
    struct hf_elf elf;
    make_image(&file, EM_X86_64, SHT_SYMTAB, plain, HF_COUNT(plain));
    check_ok(hf_elf_open(&elf, (struct hf_text){file.bytes, file.size}, "file", &err), &err);
    assert_int_equal(elf.section_count, 8);
    assert_int_equal(elf.segment_count, 1);
    assert_non_null(hf_elf_section(&elf, ".text"));
    assert_null(hf_elf_section(&elf, ".data"));
    check_text(elf.build_id, "\xde\xad\xbe\xef");
    struct hf_text link, id;
    uint32_t crc;
    assert_true(hf_elf_debuglink(&elf, &link, &crc));
    check_text(link, "a.debug");
    assert_int_equal(crc, 0x12345678);
    assert_true(hf_elf_supplement(&elf, &link, &id));
    check_text(link, "../b.debug");
    check_text(id, "\xca\xfe");
    check_text(hf_elf_supplement_id(&elf), "\xfe\xed\xfa");
    assert_false(hf_elf_has_dwarf(&elf));
    uint64_t address;
    assert_true(hf_elf_address_of_offset(&elf, 0x410, &address));
    assert_int_equal(address, 0x1010);
    assert_false(hf_elf_address_of_offset(&elf, 0x3ff, &address));
    assert_false(hf_elf_address_of_offset(&elf, 0x500, &address));
    hf_elf_close(&elf);
}

/* Which symbol each address has, as "address name" of those that have one. */
static void check_symbols(
    struct file *file, const uint64_t *addresses, size_t count, const char *const *expected)
{
    struct hf_error err;
    struct hf_elf elf;
    struct hf_symbol symbols[32] = {0};
    check_ok(hf_elf_open(&elf, (struct hf_text){file->bytes, file->size}, "file", &err), &err);
    check_ok(hf_symtab_resolve(&elf, addresses, count, symbols, &err), &err);
    for (size_t i = 0; i < count; i++)
        check_text(symbols[i].name, expected[i]);
    hf_elf_close(&elf);
}

static void finds_symbols(void **state)
{
    static const uint64_t addresses[] = {
        0xfff, 0x1000, 0x100f, 0x1010, 0x1018, 0x1020, 0x10ff, 0x1100};
    static const struct {
        const char *name;
        struct symbol_row symbols[4];
        const char *expected[HF_COUNT(addresses)];
    } rows[] = {
        {"bounded by size",
            {{"a", 0x1000, 0x10, FUNCTION(STB_GLOBAL)}, {"b", 0x1018, 8, FUNCTION(STB_GLOBAL)}},
            {"", "a", "a", "", "b", "", "", ""}},
        {"global before weak before local",
            {{"local", 0x1000, 0x20, FUNCTION(STB_LOCAL)},
                {"global", 0x1000, 0x20, FUNCTION(STB_GLOBAL)},
                {"weak", 0x1000, 0x20, FUNCTION(STB_WEAK)}},
            {"", "global", "global", "global", "global", "", "", ""}},
        {"fewer underscores, then the shorter, then the order of bytes",
            {{"__b", 0x1000, 0x10, FUNCTION(STB_GLOBAL)},
                {"bb", 0x1000, 0x10, FUNCTION(STB_GLOBAL)},
                {"c", 0x1000, 0x10, FUNCTION(STB_GLOBAL)},
                {"a", 0x1000, 0x10, FUNCTION(STB_GLOBAL)}},
            {"", "a", "a", "", "", "", "", ""}},
        {"a function before a label",
            {{"a", 0x1000, 0x10, LABEL(STB_GLOBAL)}, {"long", 0x1000, 0x10, FUNCTION(STB_GLOBAL)}},
            {"", "long", "long", "", "", "", "", ""}},
        {"without size: to the next symbol",
            {{"bare", 0x1000, 0, FUNCTION(STB_GLOBAL)}, {"b", 0x1010, 8, FUNCTION(STB_GLOBAL)}},
            {"", "bare", "bare", "b", "", "", "", ""}},
        {"without size: to the end of the section", {{"bare", 0x1010, 0, LABEL(STB_LOCAL)}},
            {"", "", "", "bare", "bare", "bare", "bare", ""}},
        {"without size, two at one place",
            {{"local", 0x1010, 0, LABEL(STB_LOCAL)}, {"global", 0x1010, 0, FUNCTION(STB_GLOBAL)}},
            {"", "", "", "global", "global", "global", "global", ""}},
        {"a size that wraps", {{"huge", 0x1010, UINT64_MAX, FUNCTION(STB_GLOBAL)}},
            {"", "", "", "huge", "huge", "huge", "huge", "huge"}},
        {"data is no code", {{"object", 0x1000, 0x100, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)}},
            {"", "", "", "", "", "", "", ""}},
    };
    (void)state;
    for (size_t i = 0; i < HF_COUNT(rows); i++) {
        size_t count = 0;
        struct file file;
        while (count < HF_COUNT(rows[i].symbols) && rows[i].symbols[count].name != NULL)
            count++;
        check_case = rows[i].name;
        make_image(&file, EM_X86_64, SHT_SYMTAB, rows[i].symbols, count);
        check_symbols(&file, addresses, HF_COUNT(addresses), rows[i].expected);
    }
}

/* Equal functions that were folded into one: the one that debug information describes. */
static void prefers_the_plain_name(void **state)
{
    static const struct symbol_row rows[] = {{"_ZN1a4nextEv", 0x1000, 8, FUNCTION(STB_GLOBAL)},
        {"_ZN1a4prev13next_and_prevEv", 0x1000, 8, FUNCTION(STB_LOCAL)},
        {"_ZN1a3getIiEEvv", 0x1000, 8, FUNCTION(STB_WEAK)}};
    static const char *const cases[][2] = {
        {"", "_ZN1a4nextEv"},
        {"next", "_ZN1a4nextEv"},
        {"prev", "_ZN1a4prev13next_and_prevEv"},
        {"get<int>", "_ZN1a3getIiEEvv"},
        {"and_prev", "_ZN1a4nextEv"},
    };
    static const uint64_t address = 0x1000;
    (void)state;
    struct hf_error err;
    struct hf_elf elf;
    struct file file;
    make_image(&file, EM_X86_64, SHT_SYMTAB, rows, HF_COUNT(rows));
    check_ok(hf_elf_open(&elf, (struct hf_text){file.bytes, file.size}, "file", &err), &err);
    for (size_t i = 0; i < HF_COUNT(cases); i++) {
        struct hf_symbol symbol = {.plain = hf_text_of(cases[i][0])};
        check_case = cases[i][0];
        check_ok(hf_symtab_resolve(&elf, &address, 1, &symbol, &err), &err);
        check_text(symbol.name, cases[i][1]);
        check_text(symbol.plain, cases[i][0]);
    }
    hf_elf_close(&elf);
}

/* The nearest export before an address is not its name. */
static void names_nothing_by_the_nearest_export(void **state)
{
    static const struct symbol_row rows[] = {
        {"bare", 0x1000, 0, FUNCTION(STB_GLOBAL)}, {"sized", 0x1010, 8, FUNCTION(STB_GLOBAL)}};
    static const uint64_t addresses[] = {0x1000, 0x1008, 0x1017, 0x1018};
    static const char *const expected[] = {"", "", "sized", ""};
    (void)state;
    struct file file;
    check_case = ".dynsym";
    make_image(&file, EM_X86_64, SHT_DYNSYM, rows, HF_COUNT(rows));
    check_symbols(&file, addresses, HF_COUNT(addresses), expected);
}

static void passes_over_mapping_symbols(void **state)
{
    static const struct symbol_row rows[] = {{"$x", 0x1000, 0, LABEL(STB_LOCAL)},
        {"memcpy", 0x1000, 0, LABEL(STB_LOCAL)}, {"$d.1", 0x1008, 0, LABEL(STB_LOCAL)}};
    static const uint64_t addresses[] = {0x1000, 0x1010};
    static const char *const arm[] = {"memcpy", "memcpy"}, *const intel[] = {"$x", "$d.1"};
    (void)state;
    struct file file;
    check_case = "AArch64";
    make_image(&file, EM_AARCH64, SHT_SYMTAB, rows, HF_COUNT(rows));
    check_symbols(&file, addresses, 2, arm);
    check_case = "x86-64";
    make_image(&file, EM_X86_64, SHT_SYMTAB, rows, HF_COUNT(rows));
    check_symbols(&file, addresses, 2, intel);
}

static void use_image(const char *bytes, size_t size)
{
    static const uint64_t addresses[] = {0x1000, 0x1008, 0x1018, 0x1100};
    struct hf_error err;
    struct hf_elf elf;
    struct hf_symbol symbols[HF_COUNT(addresses)] = {0};
    struct hf_text link, id;
    uint32_t crc;
    char *copy = malloc(size != 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    if (hf_elf_open(&elf, (struct hf_text){copy, size}, "file", &err) == HF_OK) {
        check_ok(hf_symtab_resolve(&elf, addresses, HF_COUNT(addresses), symbols, &err), &err);
        (void)!hf_elf_debuglink(&elf, &link, &crc);
        (void)!hf_elf_supplement(&elf, &link, &id);
        (void)hf_elf_supplement_id(&elf);
        hf_elf_close(&elf);
    } else {
        assert_int_equal(err.status, HF_ERR_INPUT);
    }
    free(copy);
}

/* A cut file is refused or read as far as it goes; the section headers are its end. */
static void survives_cut_and_changed_files(void **state)
{
    (void)state;
    struct file file;
    make_image(&file, EM_X86_64, SHT_SYMTAB, plain, HF_COUNT(plain));
    for (size_t size = 0; size < file.size; size++)
        use_image(file.bytes, size);
    for (size_t at = 0; at < file.size; at++) {
        static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
        char old = file.bytes[at];
        for (size_t i = 0; i < sizeof values; i++) {
            file.bytes[at] = (char)values[i];
            use_image(file.bytes, file.size);
        }
        file.bytes[at] = old;
    }
}

static void refuses_other_files(void **state)
{
    (void)state;
    struct hf_error err;
    struct hf_elf elf;
    struct file file;
    make_image(&file, EM_ARM, SHT_SYMTAB, plain, HF_COUNT(plain));
    struct hf_text bytes = {file.bytes, file.size};
    assert_int_equal(hf_elf_open(&elf, bytes, "file", &err), HF_ERR_INPUT);
    check_error(&err, "file: offset 0x12: is an ELF file for machine 40; only x86-64 (62) and "
                      "AArch64 (183) are read");
    file.bytes[EI_CLASS] = ELFCLASS32;
    assert_int_equal(hf_elf_open(&elf, bytes, "file", &err), HF_ERR_INPUT);
    check_error(&err, "file: offset 0x4: is a 32-bit or big-endian ELF file; only 64-bit "
                      "little-endian ones are read");
    file.bytes[0] = 'x';
    assert_int_equal(hf_elf_open(&elf, bytes, "file", &err), HF_ERR_INPUT);
    check_error(&err, "file: offset 0x0: is not an ELF file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_headers),
        cmocka_unit_test(finds_symbols),
        cmocka_unit_test(prefers_the_plain_name),
        cmocka_unit_test(names_nothing_by_the_nearest_export),
        cmocka_unit_test(passes_over_mapping_symbols),
        cmocka_unit_test(survives_cut_and_changed_files),
        cmocka_unit_test(refuses_other_files),
    };
    return cmocka_run_group_tests_name("elf", tests, NULL, NULL);
}
