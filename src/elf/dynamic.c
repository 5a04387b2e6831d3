#include "elf/dynamic.h"

#include "base/cursor.h"
#include "base/limits.h"

struct hf_text hf_dynamic_bytes_at(const struct hf_elf *elf, uint64_t address)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct hf_elf_segment *s = &elf->segments[i];
        if (s->type != PT_LOAD || address < s->address || address - s->address >= s->file_size)
            continue;
        struct hf_text bytes = hf_text_from(elf->bytes, s->offset);
        bytes = hf_text_first(bytes, s->file_size);
        return hf_text_from(bytes, address - s->address);
    }
    return (struct hf_text){NULL, 0};
}

/* The string at the start of `bytes`; false if it does not end. */
static bool dynamic_string_of(struct hf_text bytes, struct hf_text *out_string)
{
    *out_string = hf_text_first(bytes, hf_text_find(bytes, '\0'));
    return out_string->size < bytes.size;
}

static struct hf_text dynamic_table(const struct hf_elf *elf)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct hf_elf_segment *s = &elf->segments[i];
        if (s->type == PT_DYNAMIC)
            return hf_text_first(hf_text_from(elf->bytes, s->offset), (size_t)s->file_size);
    }
    return (struct hf_text){NULL, 0};
}

/* Value of the next entry with that tag, of those that `table` still has. */
static bool dynamic_next(struct hf_text *table, int64_t tag, uint64_t *out_value)
{
    Elf64_Dyn entry;
    while (table->size >= sizeof entry) {
        memcpy(&entry, table->data, sizeof entry);
        *table =
            entry.d_tag != DT_NULL ? hf_text_from(*table, sizeof entry) : hf_text_first(*table, 0);
        if (entry.d_tag == tag && tag != DT_NULL) {
            *out_value = entry.d_un.d_val;
            return true;
        }
    }
    return false;
}

static bool find_entry(const struct hf_elf *elf, int64_t tag, uint64_t *out_value)
{
    struct hf_text table = dynamic_table(elf);
    return dynamic_next(&table, tag, out_value);
}

struct hf_dynamic_strings hf_dynamic_strings_of(const struct hf_elf *elf, int64_t tag)
{
    uint64_t strings;
    struct hf_dynamic_strings all = {.table = dynamic_table(elf), .tag = tag};
    if (find_entry(elf, DT_STRTAB, &strings))
        all.strings = hf_dynamic_bytes_at(elf, strings);
    return all;
}

bool hf_dynamic_string_next(struct hf_dynamic_strings *strings, struct hf_text *out_string)
{
    uint64_t offset;
    return dynamic_next(&strings->table, strings->tag, &offset) && offset < strings->strings.size &&
           dynamic_string_of(hf_text_from(strings->strings, (size_t)offset), out_string);
}

/* The address of a defined variable of that name, as large as a pointer. */
static bool find_pointer(const struct hf_elf *elf, struct hf_text name, uint64_t *out_address)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct hf_elf_section *table = &elf->sections[i];
        bool is_table = table->type == SHT_SYMTAB || table->type == SHT_DYNSYM;
        if (!is_table || table->link >= elf->section_count)
            continue;
        struct hf_text symbols = hf_elf_section_bytes(elf, table);
        struct hf_text names = hf_elf_section_bytes(elf, &elf->sections[table->link]);
        Elf64_Sym symbol;
        for (size_t at = 0; at + sizeof symbol <= symbols.size; at += sizeof symbol) {
            memcpy(&symbol, symbols.data + at, sizeof symbol);
            struct hf_text found = hf_text_from(names, symbol.st_name);
            if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF ||
                symbol.st_size != sizeof(uint64_t) || found.size <= name.size ||
                found.data[name.size] != '\0' ||
                !hf_text_equal(hf_text_first(found, name.size), name))
                continue;
            *out_address = symbol.st_value;
            return true;
        }
    }
    return false;
}

/* What the dynamic linker will store at `address`, if it is the place of something in the file. */
static bool find_relocation(const struct hf_elf *elf, uint64_t address, uint64_t *out_value)
{
    uint64_t start, size;
    if (!find_entry(elf, DT_RELA, &start) || !find_entry(elf, DT_RELASZ, &size))
        return false;
    struct hf_text table = hf_text_first(hf_dynamic_bytes_at(elf, start), (size_t)size);
    uint32_t relative = elf->machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
    Elf64_Rela entry;
    for (size_t at = 0; at + sizeof entry <= table.size; at += sizeof entry) {
        memcpy(&entry, table.data + at, sizeof entry);
        if (entry.r_offset != address || ELF64_R_TYPE(entry.r_info) != relative)
            continue;
        *out_value = (uint64_t)entry.r_addend;
        return true;
    }
    return false;
}

bool hf_dynamic_pointed_text(
    const struct hf_elf *elf, struct hf_text name, struct hf_text *out_text)
{
    uint64_t place, value;
    if (!find_pointer(elf, name, &place))
        return false;
    if (!find_relocation(elf, place, &value)) {
        struct hf_text bytes = hf_dynamic_bytes_at(elf, place);
        if (bytes.size < sizeof value)
            return false;
        memcpy(&value, bytes.data, sizeof value);
    }
    return value != 0 && dynamic_string_of(hf_dynamic_bytes_at(elf, value), out_text);
}
