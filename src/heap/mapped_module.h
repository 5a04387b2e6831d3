/*
 * mapped_module.h: the file of a module that is mapped in an image. It has what memory does not
 * have: symbols and call frame information.
 *
 * Example:
 *
 *     struct hf_process_image image = {0};
 *     struct hf_mapped_module module;
 *     const struct hf_process_mapping *first = hf_mapped_module_start(&image, 0x55d000001234);
 *     if (first != NULL && hf_mapped_module_open(&module, &image, first))
 *         hf_out_hex(out, 0x55d000001234 - module.bias); // as the file has it
 *     if (first != NULL)
 *         hf_mapped_module_close(&module);
 */
#ifndef HF_HEAP_MAPPED_MODULE_H
#define HF_HEAP_MAPPED_MODULE_H

#include "memory/process_image.h"
#include "symbol/lookup/module_files.h"

struct hf_mapped_module {
    struct hf_module_files files;
    uint64_t bias; /* an address in the process minus that in the file */
};

/* Whether a module may start here, i.e. the beginning of a file is mapped here. */
static inline bool hf_mapped_module_starts(const struct hf_process_mapping *mapping)
{
    return mapping->inode != 0 && mapping->file_offset == 0;
}

/* The first mapping of the module that contains this address; NULL: no module does. */
const struct hf_process_mapping *hf_mapped_module_start(
    const struct hf_process_image *image, uint64_t address);

/*
 * Opens the file whose start is mapped at `first`. True if this is the mapped file: it has the same
 * inode, and its code lies where the process has it. Call close in either case.
 */
HF_MUST_CHECK bool hf_mapped_module_open(struct hf_mapped_module *module,
    const struct hf_process_image *image, const struct hf_process_mapping *first);
void hf_mapped_module_close(struct hf_mapped_module *module);

#endif
