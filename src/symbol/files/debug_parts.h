/*
 * debug_parts.h: a debug file made of the sections of one that is too large to be fetched whole.
 *
 * It is an ELF image with the build-id, the section headers of the image it belongs to, without
 * bytes, because symbols name sections by number, and behind them what names come from: .symtab,
 * .strtab, and those of DWARF, all of them or none. A server sends a section as it lies in the
 * file; that it is compressed stood in its header, which it does not send, so a section that begins
 * as the header of a compressed one does (gABI, "Section Compression") is taken for one: no section
 * of DWARF can begin so.
 */
#ifndef HF_SYMBOL_DEBUG_PARTS_H
#define HF_SYMBOL_DEBUG_PARTS_H

#include "base/error.h"
#include "elf/image.h"

#define HF_DEBUG_PARTS_WHY 1024

/*
 * Asks the servers (net/debug_servers.h) for the sections. *out_fd is the file, in memory, for the
 * caller to close; -1 if there is not even a table of symbols. `out_why`: what is missing of it.
 */
HF_MUST_CHECK enum hf_status hf_debug_parts_fetch(const struct hf_elf *image, const char *what,
    int *out_fd, char out_why[HF_DEBUG_PARTS_WHY], struct hf_error *err);

#endif
