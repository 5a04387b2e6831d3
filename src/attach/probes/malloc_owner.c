#include "attach/probes/malloc_owner.h"

#include "base/limits.h"
#include "elf/symtab.h"
#include "os/path.h"

#include <link.h>
#include <stdio.h>

uint32_t hf_images_program(const struct hf_images *images)
{
    char path[64], target[PATH_MAX];
    (void)snprintf(path, sizeof path, "/proc/%u/exe", images->pid);
    if (!hf_path_link(path, target))
        return HF_NO_IMAGE;
    struct hf_text name = hf_text_of(target);
    if (hf_text_ends(name, " (deleted)"))
        name.size -= strlen(" (deleted)");
    for (size_t i = 0; i < images->image_count; i++)
        if (hf_text_is(name, images->images[i].path))
            return (uint32_t)i;
    return HF_NO_IMAGE;
}

bool hf_images_bias(const struct hf_images *images, uint32_t image, uint64_t *out_bias)
{
    uint64_t address;
    for (size_t i = 0; i < images->segment_count; i++) {
        const struct hf_code_segment *segment = &images->segments[i];
        if (segment->image != image ||
            !hf_elf_address_of_offset(&images->images[image].elf, segment->file_offset, &address))
            continue;
        *out_bias = segment->start - address;
        return true;
    }
    return false;
}

static void see_malloc(void *context, const struct hf_symbol *symbol, unsigned type, bool is_local)
{
    bool *exports = context;
    *exports = *exports || (!is_local && type != STT_OBJECT && hf_text_is(symbol->name, "malloc"));
}

static bool exports_malloc(const struct hf_code_image *image)
{
    bool exports = false;
    /* A table that is too long was read up to there. */
    (void)!hf_symtab_each(&image->elf, see_malloc, &exports, NULL);
    return exports;
}

/* The head of the list; 0 if the program has none, or it is not made yet. */
static uint64_t link_map_of(
    const struct hf_memory *memory, const struct hf_elf *program, uint64_t bias)
{
    for (size_t i = 0; i < program->segment_count; i++) {
        const struct hf_elf_segment *segment = &program->segments[i];
        if (segment->type != PT_DYNAMIC)
            continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment->memory_size;
             at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn entry;
            struct r_debug debug;
            if (!hf_memory_copy(memory, segment->address + bias + at, &entry, sizeof entry) ||
                entry.d_tag == DT_NULL)
                break;
            if (entry.d_tag == DT_DEBUG &&
                hf_memory_copy(memory, entry.d_un.d_ptr, &debug, sizeof debug))
                return (uint64_t)(uintptr_t)debug.r_map;
        }
    }
    return 0;
}

static uint32_t image_at_bias(const struct hf_images *images, uint64_t bias)
{
    uint64_t other;
    for (uint32_t i = 0; i < images->image_count; i++)
        if (hf_images_bias(images, i, &other) && other == bias)
            return i;
    return HF_NO_IMAGE;
}

uint32_t hf_malloc_owner(const struct hf_images *images)
{
    uint32_t program = hf_images_program(images);
    uint64_t bias, at = 0;
    if (program != HF_NO_IMAGE && hf_images_bias(images, program, &bias))
        at = link_map_of(&images->memory, &images->images[program].elf, bias);
    for (size_t i = 0; at != 0 && i < HF_LIMIT_LIBRARIES; i++) {
        struct link_map map;
        if (!hf_memory_copy(&images->memory, at, &map, sizeof map))
            break;
        uint32_t image = image_at_bias(images, map.l_addr);
        if (image != HF_NO_IMAGE && exports_malloc(&images->images[image]))
            return image;
        at = (uint64_t)(uintptr_t)map.l_next;
    }
    if (program != HF_NO_IMAGE && exports_malloc(&images->images[program]))
        return program;
    for (uint32_t i = 0; i < images->image_count; i++)
        if (exports_malloc(&images->images[i]))
            return i;
    return HF_NO_IMAGE;
}
