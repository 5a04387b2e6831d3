/*
 * registers.h: what a thread of x86-64 had in its registers when it came to a probe: where a call's
 * arguments and its result are, and where its stack is walked from.
 *
 * System V ABI for x86-64, section 3.2.3: the first six integer arguments are in di, si, dx, cx, r8
 * and r9, the result in ax.
 */
#ifndef HF_SPEC_REGISTERS_H
#define HF_SPEC_REGISTERS_H

#include <stdint.h>

struct hf_registers {
    uint64_t ax, cx, dx, si, di, bp, sp, ip, r8, r9;
};

#endif
