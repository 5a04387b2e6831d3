/* Procedure linkage tables made by hand: which entry an address is in, and what is too much. */
#include "check.h"
#include "elf/plt.h"

#define FILE_BYTES 4096
#define ZEROS_AT 2048 /* so many bytes of nothing: relocations that say nothing */
#define SECTIONS 12

enum { NONE, ENTRIES, GOT, RELOCATIONS, SYMBOLS, STRINGS, TEXT, FILLERS };

struct plt_file {
    char bytes[FILE_BYTES];
    size_t size;
    struct hf_elf_section sections[SECTIONS];
    struct hf_elf elf;
};

static uint64_t plt_append(struct plt_file *file, const void *bytes, size_t size)
{
    uint64_t at = (file->size + 7) & ~(size_t)7;
    memcpy(file->bytes + at, bytes, size);
    file->size = at + size;
    assert_true(file->size <= ZEROS_AT);
    return at;
}

static void add_section(struct plt_file *file, int index, const char *name, uint32_t type,
    const void *bytes, size_t size)
{
    file->sections[index] = (struct hf_elf_section){.name = hf_text_of(name),
        .type = type,
        .offset = plt_append(file, bytes, size),
        .size = size};
}

/* "jmp *slot(%rip)" behind `prefix`, at `code` of the table that begins at `address`. */
static void put_jump(char *code, const char *prefix, uint64_t table, size_t offset, uint64_t slot)
{
    size_t head = strlen(prefix);
    uint64_t next = table + offset + head + 6;
    int32_t distance = (int32_t)(slot - next);
    memcpy(code + offset, prefix, head);
    memcpy(code + offset + head, "\xff\x25", 2);
    memcpy(code + offset + head + 2, &distance, sizeof distance);
}

/* .plt.sec with four entries of 16 bytes, the last without a jump; .plt.got with two of 8. */
static void make_plt_file(struct plt_file *file)
{
    static const char strings[] = "\0alloc@V\0free\0copy";
    static const Elf64_Sym symbols[] = {{0}, {.st_name = 1}, {.st_name = 9},
        {.st_name = 14,
            .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
            .st_value = 0x2000,
            .st_shndx = TEXT,
            .st_size = 16}};
    static const Elf64_Rela relocations[] = {
        {.r_offset = 0x3000, .r_info = ELF64_R_INFO(1, R_X86_64_JUMP_SLOT)},
        {.r_offset = 0x3008, .r_info = ELF64_R_INFO(2, R_X86_64_GLOB_DAT)},
        {.r_offset = 0x3010, .r_info = ELF64_R_INFO(0, R_X86_64_IRELATIVE), .r_addend = 0x2000},
        {.r_offset = 0x3000, .r_info = ELF64_R_INFO(2, R_X86_64_JUMP_SLOT)}, /* comes too late */
        {.r_offset = 0x3018, .r_info = ELF64_R_INFO(2, R_X86_64_64)}};
    char code[64], got[16];
    memset(code, 0x90, sizeof code);
    memset(got, 0x90, sizeof got);
    put_jump(code, "\xf3\x0f\x1e\xfa\xf2", 0x1000, 0, 0x3000);
    put_jump(code, "\xf3\x0f\x1e\xfa", 0x1000, 16, 0x3008);
    put_jump(code, "", 0x1000, 32, 0x3010);
    put_jump(got, "", 0x1100, 0, 0x3018);
    put_jump(got, "", 0x1100, 8, 0x3008);
    *file = (struct plt_file){.size = 64};
    add_section(file, ENTRIES, ".plt.sec", SHT_PROGBITS, code, sizeof code);
    add_section(file, GOT, ".plt.got", SHT_PROGBITS, got, sizeof got);
    add_section(file, RELOCATIONS, ".rela.plt", SHT_RELA, relocations, sizeof relocations);
    add_section(file, SYMBOLS, ".dynsym", SHT_DYNSYM, symbols, sizeof symbols);
    add_section(file, STRINGS, ".dynstr", SHT_STRTAB, strings, sizeof strings);
    file->sections[TEXT] = (struct hf_elf_section){.name = HF_TEXT(".text"),
        .type = SHT_NOBITS,
        .flags = SHF_ALLOC | SHF_EXECINSTR,
        .address = 0x2000,
        .size = 256};
    file->sections[ENTRIES].address = 0x1000;
    file->sections[ENTRIES].entry_size = 16;
    file->sections[GOT].address = 0x1100;
    file->sections[RELOCATIONS].link = SYMBOLS;
    file->sections[SYMBOLS].link = STRINGS;
    file->sections[SYMBOLS].entry_size = sizeof(Elf64_Sym);
    file->elf = (struct hf_elf){.name = "file",
        .bytes = {file->bytes, FILE_BYTES},
        .machine = EM_X86_64,
        .sections = file->sections,
        .section_count = SECTIONS};
}

struct expected_entry {
    uint64_t address;
    const char *name; /* "" for none */
    uint64_t start, size;
};

static const struct expected_entry entries[] = {{0xfff, "", 0, 0},
    {0x1000, "alloc@plt", 0x1000, 16}, {0x1005, "alloc@plt", 0x1000, 16},
    {0x100f, "alloc@plt", 0x1000, 16}, {0x1010, "free@plt", 0x1010, 16},
    {0x102f, "copy@plt", 0x1020, 16}, {0x1030, "", 0, 0}, {0x1040, "", 0, 0}, {0x1100, "", 0, 0},
    {0x1107, "", 0, 0}, {0x1108, "free@plt", 0x1108, 8}, {0x110f, "free@plt", 0x1108, 8},
    {0x1110, "", 0, 0}};

static void check_entries(struct plt_file *file, const char *unnamed)
{
    struct hf_error err;
    struct hf_arena names = {0};
    uint64_t addresses[HF_COUNT(entries)];
    struct hf_symbol symbols[HF_COUNT(entries)] = {0};
    for (size_t i = 0; i < HF_COUNT(entries); i++)
        addresses[i] = entries[i].address;
    check_ok(hf_plt_resolve(&file->elf, addresses, HF_COUNT(entries), symbols, &names, &err), &err);
    for (size_t i = 0; i < HF_COUNT(entries); i++) {
        char address[32];
        (void)snprintf(address, sizeof address, "0x%llx", (unsigned long long)addresses[i]);
        check_case = address;
        bool is_named = entries[i].name[0] != '\0' && strcmp(entries[i].name, unnamed) != 0;
        check_text(symbols[i].name, is_named ? entries[i].name : "");
        assert_int_equal(symbols[i].address, is_named ? entries[i].start : 0);
        assert_int_equal(symbols[i].size, is_named ? entries[i].size : 0);
    }
    hf_arena_done(&names);
}

static void names_entries(void **state)
{
    (void)state;
    struct plt_file file;
    make_plt_file(&file);
    check_entries(&file, "");
}

static void leaves_symbols_that_are_there(void **state)
{
    (void)state;
    struct plt_file file;
    struct hf_error err;
    struct hf_arena names = {0};
    const uint64_t addresses[] = {0x1000, 0x1001, 0x1010};
    struct hf_symbol symbols[3] = {[1] = {.name = HF_TEXT("mine"), .address = 0x1001, .size = 2}};
    make_plt_file(&file);
    check_ok(hf_plt_resolve(&file.elf, addresses, 3, symbols, &names, &err), &err);
    check_text(symbols[0].name, "alloc@plt");
    check_text(symbols[1].name, "mine");
    check_text(symbols[2].name, "free@plt");
    assert_int_equal(symbols[1].size, 2);
    hf_arena_done(&names);
    struct hf_symbol others[3] = {0};
    file.elf.machine = EM_AARCH64;
    check_ok(hf_plt_resolve(&file.elf, addresses, 3, others, &names, &err), &err);
    assert_int_equal(others[0].name.size, 0);
}

/*
 * Twice the bytes of the file may be read and written. Read: the relocations, "alloc@V" and "free";
 * written: "alloc", "free" twice (two entries lead there), "copy".
 */
static void names_no_more_than_a_sound_file_has(void **state)
{
    (void)state;
    const size_t used = 5 * sizeof(Elf64_Rela) + 7 + 4 + 5 + 4 + 4 + 4;
    const size_t zeros = FILE_BYTES - ZEROS_AT;
    for (size_t more = 0; more <= 1; more++) {
        struct plt_file file;
        make_plt_file(&file);
        size_t left = 2 * FILE_BYTES - used + more;
        for (size_t i = FILLERS; left != 0; i++) {
            assert_true(i < SECTIONS);
            size_t size = left < zeros ? left : zeros;
            file.sections[i] = (struct hf_elf_section){
                .name = HF_TEXT(".rela.x"), .type = SHT_RELA, .offset = ZEROS_AT, .size = size};
            left -= size;
        }
        check_entries(&file, more != 0 ? "copy@plt" : "");
    }
}

/* A link that leads to no section, an index behind the symbols, a name without an end. */
static void passes_over_damage(void **state)
{
    (void)state;
    for (int damage = 0; damage < 4; damage++) {
        struct plt_file file;
        struct hf_error err;
        struct hf_arena names = {0};
        const uint64_t address = 0x1010;
        struct hf_symbol symbol = {0};
        make_plt_file(&file);
        if (damage == 0)
            file.sections[RELOCATIONS].link = SECTIONS;
        else if (damage == 1)
            file.sections[SYMBOLS].link = SECTIONS;
        else if (damage == 2)
            file.sections[SYMBOLS].size = 2 * sizeof(Elf64_Sym);
        else
            file.sections[STRINGS].size = 13; /* "free", not its end */
        check_ok(hf_plt_resolve(&file.elf, &address, 1, &symbol, &names, &err), &err);
        check_text(symbol.name, "");
        hf_arena_done(&names);
    }
}

/* By the slot itself, as code calls it: the function, without a mark of a table. */
static void names_slots(void **state)
{
    (void)state;
    struct plt_file file;
    struct hf_error err;
    struct hf_arena names = {0};
    static const uint64_t slots[] = {0x2ff8, 0x3000, 0x3000, 0x3008, 0x3010, 0x3018, 0x3020};
    static const char *const told[] = {"", "alloc", "alloc", "free", "copy", "", ""};
    struct hf_symbol symbols[HF_COUNT(slots)] = {0};
    make_plt_file(&file);
    check_ok(hf_plt_resolve_slots(&file.elf, slots, HF_COUNT(slots), symbols, &names, &err), &err);
    for (size_t i = 0; i < HF_COUNT(slots); i++)
        check_text(symbols[i].name, told[i]);
    struct hf_symbol others[HF_COUNT(slots)] = {0};
    file.elf.machine = EM_AARCH64;
    check_ok(hf_plt_resolve_slots(&file.elf, slots, HF_COUNT(slots), others, &names, &err), &err);
    for (size_t i = 0; i < HF_COUNT(slots); i++)
        check_text(others[i].name, "");
    hf_arena_done(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_entries),
        cmocka_unit_test(leaves_symbols_that_are_there),
        cmocka_unit_test(names_no_more_than_a_sound_file_has),
        cmocka_unit_test(passes_over_damage),
        cmocka_unit_test(names_slots),
    };
    return cmocka_run_group_tests_name("plt", tests, NULL, NULL);
}
