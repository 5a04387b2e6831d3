/*
 * debug_sections.h: the sections that DWARF is read from, decompressed where they are compressed.
 */
#ifndef HF_SYMBOL_DEBUG_SECTIONS_H
#define HF_SYMBOL_DEBUG_SECTIONS_H

#include "dwarf/sections.h"
#include "elf/image.h"

/* What was decompressed. All-zero is empty. */
struct hf_inflated {
    char *blocks[16]; /* each of malloc() */
    size_t count;
};
void hf_inflated_done(struct hf_inflated *inflated);

/*
 * Finds what there is; its bytes are borrowed from the image or from `inflated`, which is added to.
 * Names of sections end in `suffix`: "" or ".dwo", of split DWARF. A section that cannot be
 * decompressed is empty, and the error is of the last such one.
 */
HF_MUST_CHECK enum hf_status hf_debug_sections_load(struct hf_dwarf_sections *sections,
    struct hf_inflated *inflated, const struct hf_elf *elf, const char *suffix,
    struct hf_error *err);

/* The bytes of one section, in the same way. */
HF_MUST_CHECK enum hf_status hf_debug_section_load(struct hf_text *out_bytes,
    struct hf_inflated *inflated, const struct hf_elf *elf, const struct hf_elf_section *section,
    struct hf_error *err);

#endif
