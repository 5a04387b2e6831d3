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
 *     struct hf_dynamic_strings all = hf_dynamic_strings_of(&elf, DT_NEEDED);
 *     while (hf_dynamic_string_next(&all, &needed))
 *         hf_out_text(out, needed);
 */
#ifndef HF_ELF_DYNAMIC_H
#define HF_ELF_DYNAMIC_H

#include "elf/image.h"

/* The strings of a tag (DT_NEEDED, DT_RUNPATH, DT_RPATH ...), one after the other: in one pass. */
struct hf_dynamic_strings {
    struct hf_text table,
        strings; /* what is left of the entries; the file's bytes with the texts */
    int64_t tag;
};

struct hf_dynamic_strings hf_dynamic_strings_of(const struct hf_elf *elf, int64_t tag);

/* The next one; false: there is none, or it does not end. */
HF_MUST_CHECK bool hf_dynamic_string_next(
    struct hf_dynamic_strings *strings, struct hf_text *out_string);

/* The bytes of the file that are loaded at `address`, up to the end of their segment. */
struct hf_text hf_dynamic_bytes_at(const struct hf_elf *elf, uint64_t address);

/*
 * The text that the variable `name`, a pointer to a string, points to when the program starts.
 * False if there is no such variable, or it is NULL or set later.
 */
HF_MUST_CHECK bool hf_dynamic_pointed_text(
    const struct hf_elf *elf, struct hf_text name, struct hf_text *out_text);

#endif
