/*
 * links.h: what an image says about the other files that its debug information is in.
 *
 * Source: GDB manual, "Debugging Information in Separate Files" (.gnu_debuglink); dwz(1)
 * (.gnu_debugaltlink: the path, then the build-id of the file); DWARF 5, section 7.3.6 (.debug_sup:
 * version, whether this is the supplementary file itself, its path, its checksum).
 *
 * Texts borrow from the image.
 */
#ifndef HF_ELF_LINKS_H
#define HF_ELF_LINKS_H

#include "elf/image.h"

/* .gnu_debuglink: the name of the debug file and the CRC-32 of its bytes. False if absent. */
HF_MUST_CHECK bool hf_elf_debuglink(
    const struct hf_elf *elf, struct hf_text *out_name, uint32_t *out_crc);

/*
 * The supplementary file, which holds what the debug information of several files has in common:
 * its path, from the folder of this file if it is not absolute, and its id. False if absent.
 */
HF_MUST_CHECK bool hf_elf_supplement(
    const struct hf_elf *elf, struct hf_text *out_path, struct hf_text *out_id);

/* The id of an image that is a supplementary file: its checksum, or else its build-id. */
struct hf_text hf_elf_supplement_id(const struct hf_elf *elf);

#endif
