/*
 * system_call.h: the system calls that a spec may name, as `syscall:mmap`: those by which a program
 * gets memory from the kernel and gives it back.
 *
 * Their first three arguments are in the registers of a function's; x86-64 has the fourth
 * elsewhere.
 *
 * Example:
 *
 *     uint64_t number;
 *     if (hf_system_call_find(HF_TEXT("munmap"), &number))
 *         hf_out_string(out, hf_system_call_name(number)); // munmap
 */
#ifndef HF_SPEC_SYSTEM_CALL_H
#define HF_SPEC_SYSTEM_CALL_H

#include "base/attr.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

#define HF_SYSTEM_CALLS 3u
#define HF_SYSTEM_CALL_ARGUMENTS 3u

/* As the kernel's trace events have them. NULL: there is none of this number. */
const char *hf_system_call_name(uint64_t number);

HF_MUST_CHECK bool hf_system_call_find(struct hf_text name, uint64_t *out_number);

#endif
