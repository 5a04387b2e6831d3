#include "attach/probes/breakpoint.h"

#include <string.h>

#define INT3 0xcc /* of x86-64 */
#define CHUNK 4096u

/* What the file has for a segment from `offset` in the segment on; empty if it was not read. */
static struct hf_text bytes_of_file(
    const struct hf_images *images, const struct hf_code_segment *segment, uint64_t offset)
{
    const struct hf_code_image *image = &images->images[segment->image];
    struct hf_text none = {"", 0};
    if (image->copy != NULL || segment->file_offset + offset >= image->elf.bytes.size)
        return none;
    return hf_text_from(image->elf.bytes, (size_t)(segment->file_offset + offset));
}

bool hf_breakpoint_is_at(const struct hf_images *images, uint64_t address)
{
    unsigned char here = 0;
    const struct hf_code_segment *segment = hf_images_at(images, address);
    if (segment == NULL || !hf_memory_copy(&images->memory, address, &here, 1) || here != INT3)
        return false;
    struct hf_text file = bytes_of_file(images, segment, address - segment->start);
    return file.size != 0 && (unsigned char)file.data[0] != INT3;
}

static void look_at_chunk(const struct hf_images *images, const struct hf_code_segment *segment,
    uint64_t offset, hf_on_breakpoint *on_breakpoint, void *context)
{
    unsigned char here[CHUNK];
    struct hf_text file = bytes_of_file(images, segment, offset);
    uint64_t left = segment->end - segment->start - offset;
    size_t size = left < CHUNK ? (size_t)left : CHUNK;
    size = size < file.size ? size : file.size;
    if (size == 0 || !hf_memory_copy(&images->memory, segment->start + offset, here, size) ||
        memcmp(here, file.data, size) == 0)
        return;
    for (size_t i = 0; i < size; i++) {
        if (here[i] == INT3 && (unsigned char)file.data[i] != INT3)
            on_breakpoint(context, segment, segment->file_offset + offset + i);
    }
}

void hf_breakpoints_each(
    const struct hf_images *images, hf_on_breakpoint *on_breakpoint, void *context)
{
    for (size_t i = 0; i < images->segment_count; i++) {
        const struct hf_code_segment *segment = &images->segments[i];
        for (uint64_t offset = 0; offset < segment->end - segment->start; offset += CHUNK)
            look_at_chunk(images, segment, offset, on_breakpoint, context);
    }
}
