#include "image.h"

#include "base/gate.h"
#include "elf/notes.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#define SEGMENTS_MAX 24
#define NOTES_MAX 256
#define PAGE_MASK UINT64_C(4095)

#define DYNAMIC_MAX 128
#define CHAIN_MAX 4096 /* symbols of one hash that are looked at */
#define RELOCATIONS_MAX 65536
#define RELOCATIONS_AT_ONCE 64

#if defined(__aarch64__)
#define RELOCATION_OF_MODULE R_AARCH64_TLS_DTPMOD
#else
#define RELOCATION_OF_MODULE R_X86_64_DTPMOD64
#endif

/* DT_GNU_HASH: this, bloom_words words, bucket_count numbers of symbols, and from symbol
 * first_symbol on their hashes, of which the last of a bucket is odd. */
struct hash_head {
    uint32_t bucket_count, first_symbol, bloom_words, bloom_shift;
};

struct image_symbols {
    uint64_t hash, symbols, strings, relocations; /* addresses in the process; 0: not there */
    uint64_t relocation_bytes;
};

struct headers {
    Elf64_Ehdr header;
    Elf64_Phdr segments[SEGMENTS_MAX];
    unsigned count;
    uint64_t bias; /* of an address in the process over that in the file */
};

bool hf_image_copy(void *to, const void *from, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};
    long got = HF_CALL(SYS_process_vm_readv, HF_CALL(SYS_getpid), &here, 1, &there, 1, 0);
    if (got < 0 && errno != EFAULT) {
        memcpy(to, from, size);
        return true;
    }
    return got == (long)size;
}

bool hf_image_copy_surely(void *to, const void *from, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};
    return HF_CALL(SYS_process_vm_readv, HF_CALL(SYS_getpid), &here, 1, &there, 1, 0) == (long)size;
}

static bool image_copy(uint64_t address, void *out, size_t size)
{
    return hf_image_copy(out, (const void *)(uintptr_t)address, size);
}

/* The bias follows from the segment that shows the file's start. */
static bool read_headers(struct headers *h, uint64_t start)
{
    const Elf64_Ehdr *header = &h->header;
    if (!image_copy(start, &h->header, sizeof h->header) ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_phentsize != sizeof h->segments[0])
        return false;
    h->count = header->e_phnum < SEGMENTS_MAX ? header->e_phnum : SEGMENTS_MAX;
    if (!image_copy(start + header->e_phoff, h->segments, h->count * sizeof h->segments[0]))
        return false;
    for (unsigned i = 0; i < h->count; i++) {
        const Elf64_Phdr *segment = &h->segments[i];
        if (segment->p_type == PT_LOAD && segment->p_offset <= PAGE_MASK) {
            h->bias = start - (segment->p_vaddr & ~PAGE_MASK);
            return true;
        }
    }
    return false;
}

static void agent_image_read_build_id(
    struct hf_image *image, const struct headers *h, const Elf64_Phdr *notes)
{
    char bytes[NOTES_MAX];
    size_t size = notes->p_memsz < sizeof bytes ? notes->p_memsz : sizeof bytes;
    if (image->build_id_bytes != 0 || !image_copy(h->bias + notes->p_vaddr, bytes, size))
        return;
    struct hf_text id = hf_elf_note_build_id((struct hf_text){bytes, size});
    if (id.size != 0 && id.size <= sizeof image->build_id) {
        memcpy(image->build_id, id.data, id.size);
        image->build_id_bytes = id.size;
    }
}

/* Bytes of the process from `address` to the end of the segment it lies in; empty if in none. */
static struct hf_text bytes_from(const struct headers *h, uint64_t address)
{
    for (unsigned i = 0; i < h->count; i++) {
        const Elf64_Phdr *segment = &h->segments[i];
        uint64_t at = address - h->bias - segment->p_vaddr;
        if (segment->p_type == PT_LOAD && at < segment->p_filesz)
            return (struct hf_text){(const char *)(uintptr_t)address, segment->p_filesz - at};
    }
    return (struct hf_text){NULL, 0};
}

static void find_callframes(
    struct hf_image *image, const struct headers *h, const Elf64_Phdr *segment)
{
    uint64_t address = h->bias + segment->p_vaddr;
    struct hf_text header = hf_text_first(bytes_from(h, address), segment->p_memsz);
    char bytes[HF_CALLFRAMES_START_BYTES];
    struct hf_text start = {bytes, header.size < sizeof bytes ? header.size : sizeof bytes};
    if (!image_copy(address, bytes, start.size) ||
        !hf_callframes_read_header(&image->callframes, start, header, address))
        return;
    image->callframes.frames = bytes_from(h, image->callframes.frames_address);
}

void hf_image_read(struct hf_image *image, uint64_t start)
{
    struct headers h;
    *image = (struct hf_image){0};
    if (!read_headers(&h, start))
        return;
    for (unsigned i = 0; i < h.count; i++) {
        if (h.segments[i].p_type == PT_NOTE)
            agent_image_read_build_id(image, &h, &h.segments[i]);
        else if (h.segments[i].p_type == PT_GNU_EH_FRAME)
            find_callframes(image, &h, &h.segments[i]);
    }
}

uint64_t hf_image_bytes(uint64_t start)
{
    struct headers h;
    uint64_t end = start;
    if (!read_headers(&h, start))
        return 0;
    for (unsigned i = 0; i < h.count; i++) {
        uint64_t segment_end = h.bias + h.segments[i].p_vaddr + h.segments[i].p_memsz;
        if (h.segments[i].p_type == PT_LOAD && segment_end > end)
            end = segment_end;
    }
    return end - start;
}

/* The loader writes addresses over those of the file, in most places. */
static uint64_t dynamic_address(const struct headers *h, uint64_t value)
{
    return value < h->bias ? value + h->bias : value;
}

static struct image_symbols image_find_symbols(const struct headers *h)
{
    struct image_symbols found = {0};
    Elf64_Dyn entry = {.d_tag = DT_NULL};
    uint64_t at = 0;
    for (unsigned i = 0; i < h->count; i++) {
        if (h->segments[i].p_type == PT_DYNAMIC)
            at = h->bias + h->segments[i].p_vaddr;
    }
    for (unsigned i = 0; at != 0 && i < DYNAMIC_MAX; i++, at += sizeof entry) {
        if (!image_copy(at, &entry, sizeof entry) || entry.d_tag == DT_NULL)
            break;
        uint64_t address = dynamic_address(h, entry.d_un.d_ptr);
        found.hash = entry.d_tag == DT_GNU_HASH ? address : found.hash;
        found.symbols = entry.d_tag == DT_SYMTAB ? address : found.symbols;
        found.strings = entry.d_tag == DT_STRTAB ? address : found.strings;
        found.relocations = entry.d_tag == DT_RELA ? address : found.relocations;
        if (entry.d_tag == DT_RELASZ)
            found.relocation_bytes = entry.d_un.d_val;
    }
    return found;
}

/* True if the symbol is called so. */
static bool image_is_symbol(
    const struct image_symbols *of, uint32_t number, const char *name, Elf64_Sym *out_symbol)
{
    char text[96]; /* no name that is asked for is longer */
    size_t size = strlen(name) + 1;
    if (!image_copy(of->symbols + number * sizeof *out_symbol, out_symbol, sizeof *out_symbol) ||
        size > sizeof text || out_symbol->st_shndx == SHN_UNDEF ||
        !image_copy(of->strings + out_symbol->st_name, text, size))
        return false;
    return memcmp(text, name, size) == 0;
}

static uint32_t image_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++)
        hash = hash * 33 + (uint8_t)*name;
    return hash;
}

/* What is exported by that name; false: nothing is. */
static bool image_find(
    const struct image_symbols *of, const char *name, Elf64_Sym *out_symbol, uint32_t *out_number)
{
    struct hash_head head;
    uint32_t wanted = image_hash(name), number, hash = 0;
    if (of->hash == 0 || of->symbols == 0 || of->strings == 0 ||
        !image_copy(of->hash, &head, sizeof head) || head.bucket_count == 0)
        return false;
    uint64_t buckets = of->hash + sizeof head + head.bloom_words * UINT64_C(8);
    uint64_t hashes = buckets + head.bucket_count * UINT64_C(4);
    if (!image_copy(buckets + wanted % head.bucket_count * UINT64_C(4), &number, sizeof number) ||
        number < head.first_symbol)
        return false;
    for (uint32_t i = 0; i < CHAIN_MAX && (hash & 1) == 0; i++, number++) {
        if (!image_copy(hashes + (number - head.first_symbol) * UINT64_C(4), &hash, sizeof hash))
            return false;
        *out_number = number;
        if ((hash | 1) == (wanted | 1) && image_is_symbol(of, number, name, out_symbol))
            return true;
    }
    return false;
}

uint64_t hf_image_find_symbol(uint64_t start, const char *name, uint64_t *out_bytes)
{
    struct headers h;
    Elf64_Sym symbol;
    uint32_t number;
    if (!read_headers(&h, start))
        return 0;
    struct image_symbols of = image_find_symbols(&h);
    if (!image_find(&of, name, &symbol, &number))
        return 0;
    if (out_bytes != NULL)
        *out_bytes = symbol.st_size;
    return h.bias + symbol.st_value;
}

/* The word in which the loader wrote the number of a symbol's module; 0: there is none. */
static uint64_t image_find_module_word(
    const struct headers *h, const struct image_symbols *of, uint32_t number)
{
    Elf64_Rela some[RELOCATIONS_AT_ONCE];
    uint64_t left = of->relocation_bytes / sizeof some[0], at = of->relocations;
    left = at == 0 ? 0 : left < RELOCATIONS_MAX ? left : RELOCATIONS_MAX;
    for (size_t count; left != 0; left -= count, at += count * sizeof some[0]) {
        count = left < HF_COUNT(some) ? (size_t)left : HF_COUNT(some);
        if (!image_copy(at, some, count * sizeof some[0]))
            return 0;
        for (size_t i = 0; i < count; i++) {
            if (ELF64_R_TYPE(some[i].r_info) == RELOCATION_OF_MODULE &&
                ELF64_R_SYM(some[i].r_info) == number)
                return h->bias + some[i].r_offset;
        }
    }
    return 0;
}

bool hf_image_find_thread_variable(
    uint64_t start, const char *name, struct hf_image_variable *out_variable)
{
    struct headers h;
    Elf64_Sym symbol;
    uint32_t number;
    if (!read_headers(&h, start))
        return false;
    struct image_symbols of = image_find_symbols(&h);
    if (!image_find(&of, name, &symbol, &number) || ELF64_ST_TYPE(symbol.st_info) != STT_TLS)
        return false;
    uint64_t word = image_find_module_word(&h, &of, number);
    out_variable->offset = symbol.st_value;
    return word != 0 && image_copy(word, &out_variable->module, sizeof out_variable->module) &&
           out_variable->module != 0;
}
