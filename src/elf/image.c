#include "elf/image.h"

#include "base/checked.h"
#include "base/cursor.h"
#include "base/limits.h"
#include "elf/notes.h"

#include <inttypes.h>

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

#define ZDEBUG_MAGIC "ZLIB"

static enum hf_status image_refuse(
    const struct hf_elf *elf, uint64_t offset, struct hf_error *err, const char *sentence)
{
    hf_error_set(err, HF_ERR_INPUT, "%s", sentence);
    hf_error_at_offset(err, elf->name, offset);
    return HF_ERR_INPUT;
}

/* The part of the file at [offset, offset + size), or empty if it is not all there. */
static struct hf_text image_part(const struct hf_elf *elf, uint64_t offset, uint64_t size)
{
    uint64_t end;
    if (!hf_add_u64(offset, size, &end) || end > elf->bytes.size)
        return (struct hf_text){NULL, 0};
    return (struct hf_text){elf->bytes.data + offset, (size_t)size};
}

static enum hf_status image_read_header(struct hf_elf *elf, Elf64_Ehdr *out, struct hf_error *err)
{
    if (elf->bytes.size < sizeof *out || !hf_text_starts(elf->bytes, ELFMAG))
        return image_refuse(elf, 0, err, "is not an ELF file");
    memcpy(out, elf->bytes.data, sizeof *out);
    if (out->e_ident[EI_CLASS] != ELFCLASS64 || out->e_ident[EI_DATA] != ELFDATA2LSB)
        return image_refuse(elf, EI_CLASS, err,
            "is a 32-bit or big-endian ELF file; only 64-bit little-endian ones are read");
    if (out->e_machine != EM_X86_64 && out->e_machine != EM_AARCH64) {
        hf_error_set(err, HF_ERR_INPUT,
            "is an ELF file for machine %u; only x86-64 (62) and AArch64 (183) are read",
            out->e_machine);
        hf_error_at_offset(err, elf->name, offsetof(Elf64_Ehdr, e_machine));
        return HF_ERR_INPUT;
    }
    elf->type = out->e_type;
    elf->machine = out->e_machine;
    return HF_OK;
}

static enum hf_status read_segments(
    struct hf_elf *elf, const Elf64_Ehdr *header, struct hf_error *err)
{
    if (header->e_phnum == 0)
        return HF_OK;
    if (header->e_phentsize != sizeof(Elf64_Phdr))
        return image_refuse(elf, header->e_phoff, err, "has program headers of an unknown kind");
    if (header->e_phnum > HF_LIMIT_SEGMENTS)
        return image_refuse(
            elf, header->e_phoff, err, "has too many program headers (HF_LIMIT_SEGMENTS)");
    struct hf_text table =
        image_part(elf, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr));
    if (table.size == 0)
        return image_refuse(elf, header->e_phoff, err, "ends before its program headers");
    elf->segments = hf_arena_alloc(&elf->arena, header->e_phnum * sizeof *elf->segments);
    if (elf->segments == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, table.data + i * sizeof p, sizeof p);
        elf->segments[i] = (struct hf_elf_segment){
            p.p_type, p.p_flags, p.p_offset, p.p_vaddr, p.p_filesz, p.p_memsz, p.p_align};
    }
    elf->segment_count = header->e_phnum;
    return HF_OK;
}

/* Names of sections are strings in the section that e_shstrndx names. */
static void name_sections(struct hf_elf *elf, const uint32_t *name_offsets, uint32_t names_index)
{
    if (names_index >= elf->section_count)
        return;
    struct hf_text names = hf_elf_section_bytes(elf, &elf->sections[names_index]);
    for (size_t i = 0; i < elf->section_count; i++) {
        struct hf_cursor c = hf_cursor_of(names.data, names.size, elf->name);
        hf_cursor_seek(&c, name_offsets[i]);
        elf->sections[i].name = hf_cursor_string(&c);
    }
}

static enum hf_status read_sections(
    struct hf_elf *elf, const Elf64_Ehdr *header, struct hf_error *err)
{
    if (header->e_shoff == 0 || header->e_shentsize != sizeof(Elf64_Shdr))
        return HF_OK;
    struct hf_text first = image_part(elf, header->e_shoff, sizeof(Elf64_Shdr));
    if (first.size == 0)
        return image_refuse(elf, header->e_shoff, err, "ends before its section headers");
    Elf64_Shdr s;
    memcpy(&s, first.data, sizeof s);
    /* More than 65,279 sections: the numbers are in the first header (gABI, "Section Header"). */
    uint64_t count = header->e_shnum != 0 ? header->e_shnum : s.sh_size;
    uint32_t names_index = header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx : s.sh_link;
    if (count > HF_LIMIT_SECTIONS)
        return image_refuse(elf, header->e_shoff, err, "has too many sections (HF_LIMIT_SECTIONS)");
    struct hf_text table = image_part(elf, header->e_shoff, count * sizeof s);
    if (table.size == 0)
        return image_refuse(
            elf, header->e_shoff, err, "ends before the end of its section headers");
    elf->sections = hf_arena_alloc(&elf->arena, count * sizeof *elf->sections);
    uint32_t *name_offsets = hf_arena_alloc(&elf->arena, count * sizeof *name_offsets);
    if (elf->sections == NULL || name_offsets == NULL)
        return hf_error_memory(err);
    for (size_t i = 0; i < count; i++) {
        memcpy(&s, table.data + i * sizeof s, sizeof s);
        name_offsets[i] = s.sh_name;
        elf->sections[i] = (struct hf_elf_section){.type = s.sh_type,
            .link = s.sh_link,
            .flags = s.sh_flags,
            .address = s.sh_addr,
            .offset = s.sh_offset,
            .size = s.sh_size,
            .entry_size = s.sh_entsize};
    }
    elf->section_count = (size_t)count;
    name_sections(elf, name_offsets, names_index);
    return HF_OK;
}

static enum hf_status look_in_notes(
    struct hf_elf *elf, struct hf_text notes, uint64_t offset, struct hf_error *err)
{
    if (notes.size > HF_LIMIT_NOTE_BYTES)
        return image_refuse(
            elf, offset, err, "has a section or segment of notes too large (HF_LIMIT_NOTE_BYTES)");
    elf->build_id = hf_elf_note_build_id(notes);
    return HF_OK;
}

static enum hf_status image_read_build_id(struct hf_elf *elf, struct hf_error *err)
{
    enum hf_status status = HF_OK;
    const struct hf_elf_section *section = hf_elf_section(elf, ".note.gnu.build-id");
    if (section != NULL)
        status = look_in_notes(elf, hf_elf_section_bytes(elf, section), section->offset, err);
    for (size_t i = 0; i < elf->segment_count && elf->build_id.size == 0 && status == HF_OK; i++) {
        const struct hf_elf_segment *s = &elf->segments[i];
        if (s->type == PT_NOTE)
            status = look_in_notes(elf, image_part(elf, s->offset, s->file_size), s->offset, err);
    }
    return status;
}

enum hf_status hf_elf_open(
    struct hf_elf *elf, struct hf_text bytes, const char *name, struct hf_error *err)
{
    *elf = (struct hf_elf){.name = name, .bytes = bytes};
    Elf64_Ehdr header;
    enum hf_status status = image_read_header(elf, &header, err);
    if (status == HF_OK)
        status = read_segments(elf, &header, err);
    if (status == HF_OK)
        status = read_sections(elf, &header, err);
    if (status == HF_OK)
        status = image_read_build_id(elf, err);
    if (status != HF_OK)
        hf_elf_close(elf);
    return status;
}

void hf_elf_close(struct hf_elf *elf)
{
    hf_arena_done(&elf->arena);
    *elf = (struct hf_elf){0};
}

const struct hf_elf_section *hf_elf_section(const struct hf_elf *elf, const char *name)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        if (hf_text_is(elf->sections[i].name, name))
            return &elf->sections[i];
    }
    return NULL;
}

struct hf_text hf_elf_section_bytes(const struct hf_elf *elf, const struct hf_elf_section *section)
{
    if (section->type == SHT_NOBITS)
        return (struct hf_text){NULL, 0};
    return image_part(elf, section->offset, section->size);
}

/* ".zdebug_x": "ZLIB", then the size as 8 bytes, big-endian (binutils before 2.26). */
static enum hf_status old_compression(const struct hf_elf *elf, struct hf_text bytes,
    uint64_t offset, struct hf_elf_compression *out, struct hf_error *err)
{
    if (bytes.size < 12 || !hf_text_starts(bytes, ZDEBUG_MAGIC))
        return image_refuse(elf, offset, err, "a .zdebug_ section does not start with 'ZLIB'");
    out->type = ELFCOMPRESS_ZLIB;
    for (size_t i = 4; i < 12; i++)
        out->size = out->size << 8 | (uint8_t)bytes.data[i];
    out->payload = hf_text_from(bytes, 12);
    return HF_OK;
}

enum hf_status hf_elf_compression(const struct hf_elf *elf, const struct hf_elf_section *section,
    struct hf_elf_compression *out, struct hf_error *err)
{
    struct hf_text bytes = hf_elf_section_bytes(elf, section);
    *out = (struct hf_elf_compression){.payload = bytes, .size = bytes.size};
    if (hf_text_starts(section->name, ".zdebug_")) {
        out->size = 0;
        return old_compression(elf, bytes, section->offset, out, err);
    }
    if ((section->flags & SHF_COMPRESSED) == 0)
        return HF_OK;
    Elf64_Chdr header;
    if (bytes.size < sizeof header)
        return image_refuse(elf, section->offset, err, "a compressed section has no header");
    memcpy(&header, bytes.data, sizeof header);
    if (header.ch_type != ELFCOMPRESS_ZLIB && header.ch_type != ELFCOMPRESS_ZSTD) {
        hf_error_set(err, HF_ERR_INPUT,
            "a section is compressed by method %u; known are 1 (zlib) and 2 (zstd)",
            header.ch_type);
        hf_error_at_offset(err, elf->name, section->offset);
        return HF_ERR_INPUT;
    }
    *out = (struct hf_elf_compression){
        header.ch_type, header.ch_size, hf_text_from(bytes, sizeof header)};
    return HF_OK;
}

bool hf_elf_address_of_offset(const struct hf_elf *elf, uint64_t file_offset, uint64_t *out_address)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct hf_elf_segment *s = &elf->segments[i];
        if (s->type == PT_LOAD && file_offset >= s->offset &&
            file_offset - s->offset < s->file_size) {
            *out_address = file_offset - s->offset + s->address;
            return true;
        }
    }
    return false;
}

bool hf_elf_offset_of_address(const struct hf_elf *elf, uint64_t address, uint64_t *out_file_offset)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct hf_elf_segment *s = &elf->segments[i];
        if (s->type == PT_LOAD && address >= s->address && address - s->address < s->file_size) {
            *out_file_offset = address - s->address + s->offset;
            return true;
        }
    }
    return false;
}

bool hf_elf_has_dwarf(const struct hf_elf *elf)
{
    const struct hf_elf_section *section = hf_elf_section(elf, ".debug_info");
    if (section == NULL)
        section = hf_elf_section(elf, ".zdebug_info");
    return section != NULL && section->type != SHT_NOBITS && section->size != 0;
}
