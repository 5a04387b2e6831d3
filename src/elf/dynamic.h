/*
 * dynamic.h: what a program needs from the dynamic linker, and what its variables point to.
 *
 * Source: System V ABI, chapter 5, "Dynamic Section"; gABI, "Relocation". Only what stands in the
 * file is read; nothing is run. A damaged table gives less.
 *
 * Example:
 *
 *     struct hf_elf elf = {0}; // as hf_elf_open leaves it
 *     struct hf_text needed;
 *     for (size_t i = 0; hf_dynamic_string(&elf, DT_NEEDED, i, &needed); i++)
 *         hf_out_text(out, needed);
 */
#ifndef HF_ELF_DYNAMIC_H
#define HF_ELF_DYNAMIC_H

#include "elf/image.h"

/*
 * The `index`-th string of that tag (DT_NEEDED, DT_RUNPATH, DT_RPATH ...); false if there are
 * fewer.
 */
HF_MUST_CHECK bool hf_dynamic_string(
    const struct hf_elf *elf, int64_t tag, size_t index, struct hf_text *out_string);

/* The bytes of the file that are loaded at `address`, up to the end of their segment. */
struct hf_text hf_dynamic_bytes_at(const struct hf_elf *elf, uint64_t address);

/*
 * The text that the variable `name`, a pointer to a string, points to when the program starts.
 * False if there is no such variable, or it is NULL or set later.
 */
HF_MUST_CHECK bool hf_dynamic_pointed_text(
    const struct hf_elf *elf, struct hf_text name, struct hf_text *out_text);

#endif
