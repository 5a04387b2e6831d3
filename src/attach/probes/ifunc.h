/*
 * ifunc.h: which function the dynamic linker chose for a symbol of type STT_GNU_IFUNC.
 *
 * Such a symbol is a resolver, which returns the function when the program starts, or calls it
 * first. What it returned stands where relocations of the process had it put: R_X86_64_JUMP_SLOT,
 * GLOB_DAT and 64 of the symbol's name in any image, R_X86_64_IRELATIVE of the resolver in its own.
 * Source: System V ABI, AMD64 Architecture Processor Supplement, table 4.9 and 4.4.1.
 */
#ifndef HF_ATTACH_IFUNC_H
#define HF_ATTACH_IFUNC_H

#include "attach/images.h"
#include "elf/symtab.h"

/* The address of the function in the process. False if nobody has asked for it yet. */
HF_MUST_CHECK bool hf_ifunc_target(const struct hf_images *images, uint32_t image,
    const struct hf_symbol *symbol, uint64_t *out_address);

#endif
