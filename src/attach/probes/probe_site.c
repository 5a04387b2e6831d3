#include "attach/probes/probe_site.h"

#include "attach/probes/breakpoint.h"
#include "attach/probes/malloc_owner.h"
#include "elf/plt.h"
#include "elf/symtab.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define BUILD_ID_BYTES 64 /* longer ones are not compared; real: 20 */

/* The path by which the kernel finds what is mapped; NULL without memory. */
static const char *probe_site_path_of(
    struct hf_site_finder *finder, const struct hf_code_segment *segment)
{
    char path[PATH_MAX + 64];
    struct hf_file_stamp stamp;
    uint32_t pid = finder->images->pid;
    const struct hf_code_image *image = &finder->images->images[segment->image];
    const char **known = &finder->paths[segment->image];
    if (*known != NULL)
        return *known;
    int size = snprintf(path, sizeof path, "/proc/%" PRIu32 "/root%s", pid, image->path);
    if (strpbrk(image->path, " \t\n") != NULL || !hf_file_stamp_of(path, &stamp) ||
        stamp.inode != image->inode || stamp.device != image->device)
        size = snprintf(path, sizeof path, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, pid,
            segment->start, segment->end);
    *known = hf_arena_copy(finder->arena, path, (size_t)size);
    return *known;
}

/* The mapping that has the byte at `offset` of an image, or NULL. */
static const struct hf_code_segment *segment_of(
    const struct hf_images *images, uint32_t image, uint64_t offset)
{
    for (size_t i = 0; i < images->segment_count; i++) {
        const struct hf_code_segment *segment = &images->segments[i];
        if (segment->image == image &&
            offset - segment->file_offset < segment->end - segment->start)
            return segment;
    }
    return NULL;
}

bool hf_site_finder_find(struct hf_site_finder *finder, const struct hf_spec_entry *entry,
    uint32_t image, uint64_t offset, struct hf_probe *out_probe)
{
    const struct hf_code_segment *segment = segment_of(finder->images, image, offset);
    if (segment == NULL)
        return false;
    *out_probe = (struct hf_probe){
        .path = probe_site_path_of(finder, segment),
        .entry_offset = offset,
        .offset = offset,
        .address = segment->start + (offset - segment->file_offset),
        .returns = hf_spec_entry_returns(entry),
        .entry = entry,
    };
    return true;
}

bool hf_site_finder_trusts(const struct hf_site_finder *finder, uint32_t image)
{
    const struct hf_elf *elf = &finder->images->images[image].elf;
    uint64_t bias, address;
    char loaded[BUILD_ID_BYTES];
    size_t size = elf->build_id.size;
    if (size == 0 || size > sizeof loaded || !hf_images_bias(finder->images, image, &bias) ||
        !hf_elf_address_of_offset(
            elf, (uint64_t)(elf->build_id.data - elf->bytes.data), &address) ||
        !hf_memory_copy(&finder->images->memory, address + bias, loaded, size))
        return true;
    return memcmp(loaded, elf->build_id.data, size) == 0;
}

/*
 * The function at an address of an image, or, if that is an entry of its procedure linkage table,
 * the one it leads to, if that is of the same image.
 */
static uint64_t behind_plt(
    struct hf_site_finder *finder, const struct hf_elf *elf, uint64_t address)
{
    struct hf_symbol symbol = {.name = HF_TEXT("")};
    if (hf_plt_resolve(elf, &address, 1, &symbol, finder->arena, NULL) != HF_OK ||
        !hf_text_ends(symbol.name, "@plt"))
        return address;
    symbol.name.size -= strlen("@plt");
    struct hf_symbol_query query = {.name = symbol.name};
    bool is_known = hf_symtab_find(elf, &query, 1, NULL) == HF_OK && query.is_found;
    return is_known ? query.address : address;
}

/* Where in the file the function is that a probed one jumps to; UINT64_MAX: nowhere. */
static uint64_t target_of(struct hf_site_finder *finder, const struct hf_elf *elf, uint64_t offset)
{
    uint64_t address, target;
    if (!hf_elf_address_of_offset(elf, offset, &address) ||
        !hf_elf_offset_of_address(elf, behind_plt(finder, elf, address), &target))
        return UINT64_MAX;
    return target;
}

void hf_site_finder_move(struct hf_site_finder *finder, uint32_t image, struct hf_probe *probe)
{
    struct hf_probe_offset found = {.refusal = HF_PROBE_REFUSED_UNKNOWN};
    const struct hf_elf *elf = &finder->images->images[image].elf;
    for (size_t i = 0; i < elf->segment_count; i++) {
        const struct hf_elf_segment *s = &elf->segments[i];
        if (s->type != PT_LOAD || (s->flags & PF_X) == 0 ||
            probe->entry_offset - s->offset >= s->file_size)
            continue;
        struct hf_text code = hf_text_first(hf_text_from(elf->bytes, s->offset), s->file_size);
        found = hf_probe_offset_find(finder->entry_decoder, code, probe->entry_offset - s->offset,
            hf_spec_entry_arguments(probe->entry));
        break;
    }
    probe->offset += found.distance;
    probe->address += found.distance;
    probe->has_breakpoint = hf_breakpoint_is_at(finder->images, probe->address);
    probe->is_emulated = found.refusal == HF_PROBE_NOT_REFUSED;
    probe->why_stepped = probe->is_emulated ? NULL : hf_probe_refusal_text(found.refusal);
    probe->jumps_to = found.jumps
                          ? target_of(finder, elf, probe->entry_offset + (uint64_t)found.target)
                          : UINT64_MAX;
}

enum hf_status hf_site_finder_init(struct hf_site_finder *finder, const struct hf_images *images,
    struct hf_arena *arena, struct hf_error *err)
{
    *finder = (struct hf_site_finder){.images = images, .arena = arena};
    finder->paths = calloc(images->image_count + 1, sizeof *finder->paths);
    if (finder->paths == NULL)
        return hf_error_memory(err);
    return hf_entry_decoder_new(&finder->entry_decoder, err);
}

void hf_site_finder_done(struct hf_site_finder *finder)
{
    hf_entry_decoder_free(finder->entry_decoder);
    free(finder->paths);
    *finder = (struct hf_site_finder){0};
}
