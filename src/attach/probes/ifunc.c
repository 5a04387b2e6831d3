#include "attach/probes/ifunc.h"

#include "attach/probes/malloc_owner.h"
#include "base/cursor.h"

struct ifunc_search {
    const struct hf_images *images;
    uint32_t image; /* of the symbol */
    const struct hf_symbol *symbol;
};

static bool ifunc_has_name(const struct hf_elf *elf, const struct hf_elf_section *table,
    uint64_t index, struct hf_text name)
{
    Elf64_Sym raw;
    struct hf_text bytes = hf_elf_section_bytes(elf, table);
    if (index >= bytes.size / sizeof raw || table->link >= elf->section_count)
        return false;
    memcpy(&raw, bytes.data + index * sizeof raw, sizeof raw);
    struct hf_text strings = hf_elf_section_bytes(elf, &elf->sections[table->link]);
    struct hf_cursor c = hf_cursor_of(strings.data, strings.size, elf->name);
    hf_cursor_seek(&c, raw.st_name);
    return hf_text_equal(hf_cursor_string(&c), name);
}

/* True if what the relocation puts into its place is the chosen function. */
static bool is_of_symbol(const struct ifunc_search *s, uint32_t image, const struct hf_elf *elf,
    const struct hf_elf_section *section, const Elf64_Rela *rela)
{
    switch (ELF64_R_TYPE(rela->r_info)) {
    case R_X86_64_IRELATIVE:
        return image == s->image && (uint64_t)rela->r_addend == s->symbol->address;
    case R_X86_64_JUMP_SLOT:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_64:
        return section->link < elf->section_count &&
               ifunc_has_name(
                   elf, &elf->sections[section->link], ELF64_R_SYM(rela->r_info), s->symbol->name);
    default: return false;
    }
}

/* An entry of a procedure linkage table stands in a slot until the function is called first. */
static bool is_function(const struct ifunc_search *s, uint64_t address)
{
    uint64_t in_image;
    const struct hf_code_segment *segment = hf_images_at(s->images, address);
    if (segment == NULL || segment->image != s->image)
        return false;
    const struct hf_elf *elf = &s->images->images[s->image].elf;
    if (!hf_elf_address_of_offset(elf, address - segment->start + segment->file_offset, &in_image))
        return false;
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct hf_elf_section *section = &elf->sections[i];
        if (in_image - section->address < section->size && (section->flags & SHF_EXECINSTR) != 0 &&
            (hf_text_starts(section->name, ".plt") || hf_text_is(section->name, ".iplt")))
            return false;
    }
    return true;
}

/* Looks at what stands in the process where an image's relocations of the symbol put it. */
static bool ifunc_find_in(const struct ifunc_search *s, uint32_t image, uint64_t *out_address)
{
    uint64_t bias, value;
    const struct hf_elf *elf = &s->images->images[image].elf;
    if (!hf_images_bias(s->images, image, &bias))
        return false;
    for (size_t i = 0; i < elf->section_count; i++) {
        const struct hf_elf_section *section = &elf->sections[i];
        struct hf_text bytes = hf_elf_section_bytes(elf, section);
        Elf64_Rela rela;
        for (size_t at = 0; section->type == SHT_RELA && at + sizeof rela <= bytes.size;
             at += sizeof rela) {
            memcpy(&rela, bytes.data + at, sizeof rela);
            if (!is_of_symbol(s, image, elf, section, &rela) ||
                !hf_memory_copy(&s->images->memory, rela.r_offset + bias, &value, sizeof value) ||
                !is_function(s, value))
                continue;
            *out_address = value;
            return true;
        }
    }
    return false;
}

bool hf_ifunc_target(const struct hf_images *images, uint32_t image, const struct hf_symbol *symbol,
    uint64_t *out_address)
{
    struct ifunc_search s = {images, image, symbol};
    for (uint32_t i = 0; i < images->image_count; i++)
        if (ifunc_find_in(&s, i, out_address))
            return true;
    return false;
}
