/*
 * rule.h: how to get from a frame of x86-64 to its caller's, in 28 bits.
 *
 * Call frame information (dwarf/callframe_agent.h) is a program: run up to an address it says where
 * the *CFA* is, the stack pointer before the call, and where the caller's registers were saved. Of
 * those, unwinding needs three: the return address, the stack pointer, and rbp, because some frames
 * are found by it. The return address lies at CFA-8 in all code but signal frames, and the caller's
 * stack pointer is the CFA, so that a kind, an offset and the place of rbp are all of a rule:
 *
 *     bits 0-15   offset of the CFA in units of 8 bytes, signed
 *     bits 16-23  where the caller's rbp is: this many units of 8 below the CFA; 0: still in rbp
 *     bits 24-27  enum hf_unwind_kind
 *
 * What compilers and the C library write fits in; the rest, as hand-written code that finds its
 * frame by another register, is of the unknown kind. So is what is damaged.
 *
 * Source: DWARF 5, section 6.4.2; System V ABI for x86-64, section 3.7 (numbers of registers). Code
 * of other machines has no rules. No allocation, no lock: safe inside malloc.
 */
#ifndef HF_UNWIND_RULE_H
#define HF_UNWIND_RULE_H

#include "dwarf/callframe_agent.h"

enum hf_unwind_kind {
    HF_UNWIND_UNKNOWN,  /* no call frame information, or of another kind */
    HF_UNWIND_SP,       /* CFA = rsp + offset */
    HF_UNWIND_FP,       /* CFA = rbp + offset */
    HF_UNWIND_FP_DEREF, /* CFA = *(rbp + offset): the frame was realigned */
    HF_UNWIND_PLT,      /* CFA = rsp + 8, and 8 more from byte `offset / 8` of an entry of 16 on */
    HF_UNWIND_SIGNAL,   /* at rsp lies Linux's ucontext of what a signal interrupted */
    HF_UNWIND_END,      /* the outermost frame: nobody called it */
};

/* Instead of a number of units: */
#define HF_UNWIND_FP_SAME 0u
#define HF_UNWIND_FP_CHAINED 254u /* rbp = *(rbp) */
#define HF_UNWIND_FP_LOST 255u

struct hf_unwind_rule {
    uint32_t bits;
};
#define HF_UNWIND_RULE_BITS 28

/* In a ucontext: what the interrupted code had in its registers. */
#define HF_UNWIND_SIGNAL_FP 120
#define HF_UNWIND_SIGNAL_SP 160
#define HF_UNWIND_SIGNAL_PC 168

static inline struct hf_unwind_rule hf_unwind_rule_make(
    enum hf_unwind_kind kind, int16_t units, uint32_t fp_place)
{
    return (struct hf_unwind_rule){(uint32_t)kind << 24 | fp_place << 16 | (uint16_t)units};
}

static inline enum hf_unwind_kind hf_unwind_rule_kind(struct hf_unwind_rule rule)
{
    return (enum hf_unwind_kind)(rule.bits >> 24);
}

/* In bytes; add it with wrapping. */
static inline uint64_t hf_unwind_rule_offset(struct hf_unwind_rule rule)
{
    return (uint64_t)(int64_t)(int16_t)rule.bits * 8;
}

static inline uint32_t hf_unwind_rule_fp_place(struct hf_unwind_rule rule)
{
    return rule.bits >> 16 & 0xff;
}

/* The rule at the instruction of which `address` is a byte; unknown if it is not in the FDE. */
struct hf_unwind_rule hf_unwind_rule_of(const struct hf_fde *fde, uint64_t address);

/* The rule at a byte of an image. */
struct hf_unwind_rule hf_unwind_rule_at(const struct hf_callframes *callframes, uint64_t address);

#endif
