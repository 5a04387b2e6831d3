#include "symbol/files/debug_parts.h"

#include "base/strings/out.h"
#include "net/debug_servers.h"
#include "os/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECTION_ALIGN 8
#define BUILD_ID_SECTION ".note.gnu.build-id"

enum { PARTS_SYMTAB, PARTS_STRTAB, PARTS_FIRST_OF_DWARF };

static const char *const part_names[] = {
    ".symtab",
    ".strtab",
    ".debug_abbrev",
    ".debug_line",
    ".debug_line_str",
    ".debug_str",
    ".debug_str_offsets",
    ".debug_addr",
    ".debug_ranges",
    ".debug_rnglists",
    ".gnu_debugaltlink",
    ".debug_info",
};

struct parts {
    const struct hf_elf *image;
    struct hf_file_map maps[HF_COUNT(part_names)];
    bool is_there[HF_COUNT(part_names)];
    uint64_t left; /* bytes that are wanted still */
    uint32_t refused;
};

static enum hf_status fetch_one(struct parts *p, size_t part, const char *what,
    struct hf_debug_servers_answer *answer, struct hf_error *err)
{
    struct hf_out path = {0};
    hf_out_string(&path, "buildid/");
    hf_out_hex_bytes(&path, p->image->build_id);
    hf_out_printf(&path, "/section/%s", part_names[part]);
    hf_out_bytes(&path, "", 1);
    enum hf_status status = hf_out_finish(&path, err);
    const struct hf_debug_servers_question question = {
        .path = path.data,
        .what = what,
        .refused = p->refused,
        .most_bytes = p->left,
    };
    if (status == HF_OK)
        status = hf_debug_servers_ask(&question, answer, err);
    hf_out_done(&path);
    if (status != HF_OK || answer->outcome != HF_DEBUG_SERVERS_FOUND)
        return status;
    p->refused = ~((uint32_t)1 << answer->server); /* all of one server */
    status = hf_file_map_descriptor(&p->maps[part], answer->fd, part_names[part], err);
    close(answer->fd);
    p->is_there[part] = status == HF_OK;
    if (status == HF_OK)
        p->left -= p->maps[part].size < p->left ? p->maps[part].size : p->left - 1;
    return status;
}

static void drop_dwarf(struct parts *p)
{
    for (size_t i = PARTS_FIRST_OF_DWARF; i < HF_COUNT(part_names); i++) {
        hf_file_map_close(&p->maps[i]);
        p->maps[i] = (struct hf_file_map){0};
        p->is_there[i] = false;
    }
}

static enum hf_status fetch_all(
    struct parts *p, const char *what, char out_why[HF_DEBUG_PARTS_WHY], struct hf_error *err)
{
    struct hf_debug_servers_answer answer = {0};
    enum hf_status status = HF_OK;
    for (size_t i = 0; i < HF_COUNT(part_names) && status == HF_OK; i++) {
        status = fetch_one(p, i, what, &answer, err);
        bool is_fine = answer.outcome == HF_DEBUG_SERVERS_FOUND ||
                       (answer.outcome == HF_DEBUG_SERVERS_ABSENT && i + 1 != HF_COUNT(part_names));
        if (status != HF_OK || is_fine)
            continue;
        (void)snprintf(out_why, HF_DEBUG_PARTS_WHY, "%s", answer.said);
        break;
    }
    if (status == HF_OK && out_why[0] != '\0')
        drop_dwarf(p);
    return status;
}

static void put_aligned(struct hf_out *out)
{
    while (out->size % SECTION_ALIGN != 0 && out->error.status == HF_OK)
        hf_out_bytes(out, "", 1);
}

static void put_section(
    struct hf_out *out, Elf64_Shdr *header, struct hf_out *names, const char *name)
{
    header->sh_name = (Elf64_Word)names->size;
    header->sh_addralign = 1;
    header->sh_offset = out->size;
    hf_out_bytes(names, name, strlen(name) + 1);
}

static void parts_put_build_id(
    struct hf_out *out, Elf64_Shdr *header, struct hf_out *names, struct hf_text id)
{
    const Elf64_Nhdr note = {.n_namesz = sizeof ELF_NOTE_GNU,
        .n_descsz = (Elf64_Word)id.size,
        .n_type = NT_GNU_BUILD_ID};
    put_aligned(out);
    put_section(out, header, names, BUILD_ID_SECTION);
    header->sh_type = SHT_NOTE;
    hf_out_bytes(out, (const char *)&note, sizeof note);
    hf_out_bytes(out, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU);
    hf_out_text(out, id);
    header->sh_size = out->size - header->sh_offset;
}

static bool is_compressed(struct hf_text bytes)
{
    Elf64_Chdr header;
    if (bytes.size < sizeof header)
        return false;
    memcpy(&header, bytes.data, sizeof header);
    return (header.ch_type == ELFCOMPRESS_ZLIB || header.ch_type == 2 /* zstd */) &&
           header.ch_reserved == 0 && header.ch_size != 0;
}

static void parts_put_one(struct hf_out *out, Elf64_Shdr *header, struct hf_out *names,
    const struct hf_file_map *map, size_t part, size_t strtab)
{
    struct hf_text bytes = {(const char *)map->data, map->size};
    put_aligned(out);
    put_section(out, header, names, part_names[part]);
    header->sh_type = part == PARTS_SYMTAB   ? SHT_SYMTAB
                      : part == PARTS_STRTAB ? SHT_STRTAB
                                             : SHT_PROGBITS;
    header->sh_size = bytes.size;
    if (part >= PARTS_FIRST_OF_DWARF && is_compressed(bytes))
        header->sh_flags = SHF_COMPRESSED;
    if (part == PARTS_SYMTAB) {
        header->sh_entsize = sizeof(Elf64_Sym);
        header->sh_link = (Elf64_Word)strtab;
    }
    hf_out_text(out, bytes);
}

/* The sections of the image, which are elsewhere, then ours. */
static void assemble(const struct parts *p, Elf64_Shdr *headers, struct hf_out *out)
{
    const struct hf_elf *image = p->image;
    struct hf_out names = {0};
    size_t count = 1;
    Elf64_Ehdr head = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = image->type,
        .e_machine = image->machine,
        .e_version = EV_CURRENT,
        .e_ehsize = sizeof head,
        .e_shentsize = sizeof *headers};
    hf_out_bytes(out, (const char *)&head, sizeof head);
    hf_out_bytes(&names, "", 1);
    for (; count < image->section_count; count++) {
        const struct hf_elf_section *section = &image->sections[count];
        headers[count] = (Elf64_Shdr){.sh_type = SHT_NOBITS,
            .sh_flags = section->flags & ~(uint64_t)SHF_COMPRESSED,
            .sh_addr = section->address,
            .sh_size = section->size};
    }
    parts_put_build_id(out, &headers[count++], &names, image->build_id);
    size_t strtab = count + 1;
    for (size_t i = 0; i < HF_COUNT(part_names); i++) {
        if (p->is_there[i])
            parts_put_one(out, &headers[count++], &names, &p->maps[i], i, strtab);
    }
    put_section(out, &headers[count], &names, ".shstrtab");
    headers[count].sh_type = SHT_STRTAB;
    headers[count].sh_size = names.size;
    hf_out_text(out, hf_out_view(&names));
    put_aligned(out);
    head.e_shoff = out->size;
    head.e_shstrndx = (Elf64_Half)count++;
    head.e_shnum = (Elf64_Half)count;
    hf_out_bytes(out, (const char *)headers, count * sizeof *headers);
    if (out->error.status == HF_OK && names.error.status == HF_OK)
        memcpy(out->data, &head, sizeof head);
    else
        out->error.status = HF_ERR_MEMORY;
    hf_out_done(&names);
}

static enum hf_status parts_write(struct hf_text bytes, int *out_fd, struct hf_error *err)
{
    int fd = memfd_create("parts", MFD_CLOEXEC);
    while (fd >= 0 && bytes.size != 0) {
        ssize_t written = write(fd, bytes.data, bytes.size);
        if (written < 0 && errno != EINTR) {
            close(fd);
            fd = -1;
        }
        bytes = hf_text_from(bytes, written > 0 ? (size_t)written : 0);
    }
    if (fd < 0)
        return hf_error_memory(err);
    *out_fd = fd;
    return HF_OK;
}

static enum hf_status parts_make_file(const struct parts *p, int *out_fd, struct hf_error *err)
{
    size_t most = p->image->section_count + HF_COUNT(part_names) + 4;
    Elf64_Shdr *headers = calloc(most, sizeof *headers);
    struct hf_out out = {0};
    if (headers == NULL)
        return hf_error_memory(err);
    assemble(p, headers, &out);
    enum hf_status status = hf_out_finish(&out, err);
    if (status == HF_OK)
        status = parts_write(hf_out_view(&out), out_fd, err);
    hf_out_done(&out);
    free(headers);
    return status;
}

enum hf_status hf_debug_parts_fetch(const struct hf_elf *image, const char *what, int *out_fd,
    char out_why[HF_DEBUG_PARTS_WHY], struct hf_error *err)
{
    struct parts p = {.image = image, .left = hf_debug_servers_most_bytes()};
    *out_fd = -1;
    out_why[0] = '\0';
    if (image->section_count + HF_COUNT(part_names) + 4 >= SHN_LORESERVE)
        return HF_OK;
    enum hf_status status = fetch_all(&p, what, out_why, err);
    bool has_symbols = p.is_there[PARTS_SYMTAB] && p.is_there[PARTS_STRTAB];
    if (status == HF_OK && has_symbols)
        status = parts_make_file(&p, out_fd, err);
    for (size_t i = 0; i < HF_COUNT(part_names); i++)
        hf_file_map_close(&p.maps[i]);
    return status;
}
