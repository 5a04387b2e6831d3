/*
 * callsite.h: does a return address follow a call? And where are the calls of an image?
 *
 * A heap profile holds no build-id, and another build of a small program fills the same pages. But
 * a return address stands behind a call in the file that was profiled, and seldom in any other.
 *
 * Example:
 *
 *     struct hf_text code = HF_TEXT("\xe8\x10\x00\x00\x00\x90"); // call rel32; nop
 *     if (hf_callsite_ends_at(code, 5))
 *         hf_out_string(out, "what stands at 5 is where the call returns");
 */
#ifndef HF_SYMBOL_CALLSITE_H
#define HF_SYMBOL_CALLSITE_H

#include "elf/image.h"

/*
 * True if an x86-64 call instruction ends at `offset` of `code`: CALL rel32 (E8), or CALL of a
 * register or of memory (FF /2). Source: Intel SDM volume 2, "CALL" and tables 2-2, 2-3.
 */
HF_MUST_CHECK bool hf_callsite_ends_at(struct hf_text code, uint64_t offset);

/*
 * The last byte of each call in the code of an image, which is how stacks tell their callers:
 * addresses of malloc(), in order within each section. On AArch64 calls are BL and BLR (Arm
 * Architecture Reference Manual, C6.2). On x86-64 there are some bytes among them that only look
 * like a call of a register or of memory.
 */
HF_MUST_CHECK enum hf_status hf_callsite_list(
    const struct hf_elf *elf, uint64_t **out_addresses, size_t *out_count, struct hf_error *err);

#endif
