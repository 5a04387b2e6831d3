/*
 * callsite.h: does a return address follow a call?
 *
 * A heap profile holds no build-id, and another build of a small program fills the same pages. But
 * a return address stands behind a call in the file that was profiled, and seldom in any other.
 */
#ifndef HF_SYMBOL_CALLSITE_H
#define HF_SYMBOL_CALLSITE_H

#include "base/attr.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * True if an x86-64 call instruction ends at `offset` of `code`: CALL rel32 (E8), or CALL of a
 * register or of memory (FF /2). Source: Intel SDM volume 2, "CALL" and tables 2-2, 2-3.
 */
HF_MUST_CHECK bool hf_callsite_ends_at(struct hf_text code, uint64_t offset);

#endif
