/*
 * image.h: an ELF image as a table of sections and segments over borrowed bytes.
 *
 * Source: System V ABI, chapters 4 and 5; gABI "Object Files". Accepted: 64-bit little-endian
 * images for x86-64 and AArch64, of any type (executable, shared object, debug file). Section
 * headers may be missing (a stripped-down image): then only segments are known. Nothing is
 * decompressed here: a compressed section is handed out as it is, with its header read.
 *
 * All offsets and counts of the file are checked once, at open; later accessors cannot leave it.
 * The bytes are borrowed and must outlive the object. Read-only after open: any thread.
 *
 * Example:
 *
 *     #include "os/file.h"
 *
 *     struct hf_file_map map;
 *     struct hf_elf elf;
 *     status = hf_file_map_open(&map, "/usr/bin/env", err);
 *     if (status != HF_OK)
 *         return status;
 *     struct hf_text bytes = {(const char *)map.data, map.size};
 *     status = hf_elf_open(&elf, bytes, "/usr/bin/env", err);
 *     if (status == HF_OK)
 *         hf_out_hex_bytes(out, elf.build_id);
 *     hf_elf_close(&elf);
 *     hf_file_map_close(&map);
 */
#ifndef HF_ELF_IMAGE_H
#define HF_ELF_IMAGE_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_elf_section {
    struct hf_text name;
    uint32_t type, link;
    uint64_t flags, address, offset, size; /* size in the file for a compressed section */
    uint64_t entry_size;
};

struct hf_elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, file_size, memory_size, alignment;
};

struct hf_elf {
    const char *name; /* for messages; borrowed */
    struct hf_text bytes;
    uint16_t type, machine; /* ET_*, EM_* */
    struct hf_elf_section *sections;
    size_t section_count;
    struct hf_elf_segment *segments;
    size_t segment_count;
    struct hf_text build_id; /* raw bytes; empty if there is none */
    struct hf_arena arena;
};

/* Reads the headers. HF_ERR_INPUT with the offset if this is no such image. */
HF_MUST_CHECK enum hf_status hf_elf_open(
    struct hf_elf *elf, struct hf_text bytes, const char *name, struct hf_error *err);
void hf_elf_close(struct hf_elf *elf);

/* The first section of that name, or NULL. */
const struct hf_elf_section *hf_elf_section(const struct hf_elf *elf, const char *name);

/* The bytes of a section in the file; empty for SHT_NOBITS or if it does not lie in the file. */
struct hf_text hf_elf_section_bytes(const struct hf_elf *elf, const struct hf_elf_section *section);

/* Header of a compressed section (SHF_COMPRESSED, or the old .zdebug_ with magic "ZLIB"). */
struct hf_elf_compression {
    uint32_t type; /* ELFCOMPRESS_ZLIB or ELFCOMPRESS_ZSTD; 0: not compressed */
    uint64_t size; /* after decompression, as the header claims */
    struct hf_text payload;
};
HF_MUST_CHECK enum hf_status hf_elf_compression(const struct hf_elf *elf,
    const struct hf_elf_section *section, struct hf_elf_compression *out, struct hf_error *err);

/* The virtual address that the loaded byte at `file_offset` has; false if no segment loads it. */
HF_MUST_CHECK bool hf_elf_address_of_offset(
    const struct hf_elf *elf, uint64_t file_offset, uint64_t *out_address);

/* The other way round. */
HF_MUST_CHECK bool hf_elf_offset_of_address(
    const struct hf_elf *elf, uint64_t address, uint64_t *out_file_offset);

/* True if the image has the section of DWARF units, compressed or not. */
bool hf_elf_has_dwarf(const struct hf_elf *elf);

#endif
