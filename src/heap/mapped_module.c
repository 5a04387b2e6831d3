#include "heap/mapped_module.h"

#define SEGMENTS_MAX 16
/* How many mappings are looked at for a module: one file may be mapped 65,530 times. */
#define PARTS_MAX 64

const struct hf_process_mapping *hf_mapped_module_start(
    const struct hf_process_image *image, uint64_t address)
{
    const struct hf_process_mapping *at = hf_process_image_find(image, address);
    if (at == NULL || at->inode == 0)
        return NULL;
    const struct hf_process_mapping *m = at;
    for (int i = 0; i < PARTS_MAX; i++, m--) {
        if (m->inode == at->inode && m->device == at->device && m->file_offset == 0)
            return m;
        if (m == image->mappings || (m->inode != 0 && m->inode != at->inode))
            return NULL;
    }
    return NULL;
}

/* True if the parts that are mapped at `first` and behind it belong to this file. */
static bool mapped_module_fits(const struct hf_process_image *image,
    const struct hf_process_mapping *first, struct hf_module_files *files)
{
    struct hf_segment segments[SEGMENTS_MAX];
    struct hf_module module = {.segments = segments};
    const struct hf_process_mapping *end = image->mappings + image->count;
    for (const struct hf_process_mapping *m = first; m < end; m++) {
        bool is_of_file = m->inode == first->inode && m->device == first->device;
        if (module.segment_count == SEGMENTS_MAX || (!is_of_file && m->inode != 0))
            break;
        if (is_of_file)
            segments[module.segment_count++] =
                (struct hf_segment){m->start, m->end, m->file_offset, m->is_executable};
    }
    return files->image_map.stamp.inode == first->inode && hf_module_files_fit(files, &module);
}

bool hf_mapped_module_open(struct hf_mapped_module *module, const struct hf_process_image *image,
    const struct hf_process_mapping *first)
{
    uint64_t linked;
    if (!hf_module_files_open(&module->files, first->path) ||
        !mapped_module_fits(image, first, &module->files) ||
        !hf_elf_address_of_offset(&module->files.image, 0, &linked))
        return false;
    module->bias = first->start - linked;
    return true;
}

void hf_mapped_module_close(struct hf_mapped_module *module)
{
    hf_module_files_close(&module->files);
}
