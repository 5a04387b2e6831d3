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
