/*
 * ELF images: headers, notes, links to other files, compression headers, and symbols at a sweep of
 * addresses.
 *
 * An image is a web of offsets: the mutator changes the header, one entry of the tables or one
 * section in place, so that the rest stays where it is said to be.
 */
#include "elf/dynamic.h"
#include "elf/links.h"
#include "elf/plt.h"
#include "elf/symtab.h"
#include "fuzz.h"
#include "input.h"
#include "tell.h"

#define ADDRESSES 64

/* Of table `at` with entries of `bytes`, of which `count` are said to be there. */
static size_t entry_at(uint64_t at, uint64_t count, size_t bytes, unsigned int choice)
{
    return count != 0 ? (size_t)(at + choice % count * bytes) : SIZE_MAX;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
    Elf64_Ehdr head;
    Elf64_Shdr section;
    unsigned int choice = seed / 8;
    if (size < sizeof head || seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, most);
    memcpy(&head, data, sizeof head);
    size_t at = entry_at(head.e_shoff, head.e_shnum, sizeof section, choice);
    switch (seed % 8) {
    case 1: fuzz_mutate_part(data, size, 16, sizeof head - 16); break;
    case 2:
        at = entry_at(head.e_phoff, head.e_phnum, sizeof(Elf64_Phdr), choice);
        fuzz_mutate_part(data, size, at, sizeof(Elf64_Phdr));
        break;
    case 3:
    case 4: fuzz_mutate_part(data, size, at, sizeof section); break;
    default:
        if (at < size && sizeof section <= size - at) {
            memcpy(&section, data + at, sizeof section);
            fuzz_mutate_part(data, size, section.sh_offset, section.sh_size);
        }
    }
    return size;
}

static void tell_section(const struct hf_elf *elf, const struct hf_elf_section *section)
{
    fuzz_tell("section ");
    fuzz_tell_text(section->name);
    fuzz_tell(" of type %u: 0x%llx, %llu bytes at 0x%llx, flags 0x%llx, link %u, here %zu bytes\n",
        section->type, (unsigned long long)section->address, (unsigned long long)section->size,
        (unsigned long long)section->offset, (unsigned long long)section->flags, section->link,
        hf_elf_section_bytes(elf, section).size);
}

static void tell_symbol(uint64_t address, const struct hf_symbol *symbol)
{
    fuzz_tell("0x%llx: 0x%llx, %llu bytes, %u twins, ", (unsigned long long)address,
        (unsigned long long)symbol->address, (unsigned long long)symbol->size, symbol->twins);
    fuzz_tell_named("symbol", symbol->name);
}

static void look_at_sections(const struct hf_elf *elf)
{
    struct hf_error err;
    struct hf_elf_compression compression;
    struct hf_text link, id;
    uint32_t crc;
    for (size_t i = 0; i < elf->section_count; i++) {
        enum hf_status status = hf_elf_compression(elf, &elf->sections[i], &compression, &err);
        tell_section(elf, &elf->sections[i]);
        fuzz_tell_error(status, &err);
        if (status == HF_OK && compression.type != 0)
            fuzz_tell("  packed as %u, of %llu bytes, here %zu\n", compression.type,
                (unsigned long long)compression.size, compression.payload.size);
    }
    if (hf_elf_debuglink(elf, &link, &crc)) {
        fuzz_tell("0x%x ", crc);
        fuzz_tell_named("link", link);
    }
    bool has_supplement = hf_elf_supplement(elf, &link, &id);
    if (has_supplement && (link.size == 0 || id.size == 0))
        abort();
    if (has_supplement) {
        fuzz_tell_named("supplement", link);
        fuzz_tell_named("of id", id);
    }
    fuzz_tell_named("is a supplement of id", hf_elf_supplement_id(elf));
    fuzz_tell(hf_elf_has_dwarf(elf) ? "has DWARF\n" : "has no DWARF\n");
}

static void look_up_symbols(const struct hf_elf *elf)
{
    struct hf_error err;
    uint64_t addresses[ADDRESSES];
    struct hf_symbol symbols[ADDRESSES] = {0};
    for (size_t i = 0; i < elf->segment_count && i < 4; i++) {
        const struct hf_elf_segment *s = &elf->segments[i];
        uint64_t address = 0, before = 0;
        bool is_mapped = hf_elf_address_of_offset(elf, s->offset, &address);
        fuzz_tell("segment %u at 0x%llx is at 0x%llx%s\n", s->type, (unsigned long long)s->offset,
            (unsigned long long)address, is_mapped ? "" : ", not mapped");
        size_t count = fuzz_sweep(addresses, ADDRESSES, s->address, s->memory_size / ADDRESSES + 1);
        enum hf_status status = hf_symtab_resolve(elf, addresses, count, symbols, &err);
        if (status != HF_OK && status != HF_ERR_LIMIT)
            abort();
        for (size_t a = 0; a < count; a++) {
            bool is_sized = symbols[a].size != 0;
            bool is_new = a == 0 || symbols[a].address != before;
            if (symbols[a].name.size != 0 && is_new)
                tell_symbol(addresses[a], &symbols[a]);
            before = symbols[a].address;
            bool is_inside = addresses[a] - symbols[a].address < symbols[a].size;
            if (symbols[a].name.size != 0 && is_sized && !is_inside)
                abort();
            symbols[a] = (struct hf_symbol){0};
        }
        fuzz_tell_error(status, &err);
    }
}

/* Addresses in entries of linkage tables, which are where they may be, get a name that says so. */
static void look_up_entries(const struct hf_elf *elf)
{
    struct hf_error err;
    uint64_t addresses[ADDRESSES];
    struct hf_symbol symbols[ADDRESSES] = {0};
    struct hf_arena names = {0};
    const struct hf_elf_section *table = hf_elf_section(elf, ".plt");
    if (table == NULL)
        return;
    size_t count = fuzz_sweep(addresses, ADDRESSES, table->address, 5);
    if (hf_plt_resolve(elf, addresses, count, symbols, &names, &err) != HF_OK)
        abort();
    for (size_t i = 0; i < count; i++) {
        if (symbols[i].name.size != 0)
            tell_symbol(addresses[i], &symbols[i]);
        if (symbols[i].name.size != 0 && (!hf_text_ends(symbols[i].name, "@plt") ||
                                             addresses[i] - symbols[i].address >= symbols[i].size))
            abort();
    }
    hf_arena_done(&names);
}

/* Strings of the dynamic section and of a variable lie in the file and end there. */
static void look_at_dynamic(const struct hf_elf *elf)
{
    static const int64_t tags[] = {DT_NEEDED, DT_RUNPATH, DT_RPATH, DT_SONAME};
    struct hf_text text;
    for (size_t i = 0; i < HF_COUNT(tags); i++) {
        struct hf_dynamic_strings all = hf_dynamic_strings_of(elf, tags[i]);
        for (size_t at = 0; at < 8 && hf_dynamic_string_next(&all, &text); at++) {
            if (text.data[text.size] != '\0')
                abort();
            fuzz_tell_named("dynamic", text);
        }
    }
    bool is_pointed = hf_dynamic_pointed_text(elf, HF_TEXT("malloc_conf"), &text);
    if (is_pointed && text.data[text.size] != '\0')
        abort();
    fuzz_tell_named("malloc_conf", is_pointed ? text : HF_TEXT("not there"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hf_error err;
    struct hf_elf elf;
    enum hf_status status =
        hf_elf_open(&elf, (struct hf_text){(const char *)data, size}, "input", &err);
    fuzz_tell_error(status, &err);
    if (status != HF_OK)
        return 0;
    fuzz_tell("type %u, machine %u, ", elf.type, elf.machine);
    fuzz_tell_named("build-id", elf.build_id);
    look_at_sections(&elf);
    look_up_symbols(&elf);
    look_up_entries(&elf);
    look_at_dynamic(&elf);
    hf_elf_close(&elf);
    return 0;
}
