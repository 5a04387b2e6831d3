/*
 * gate.h: the only way in which the agent makes system calls.
 *
 * A program may put itself under a seccomp filter that kills it for a call which is not on its
 * list. Of the calls of the agent it knows nothing. So they all go through here (the agent asks
 * libc for none: agent/imports.allow), and the door can be shut: then a call fails with EPERM, and
 * never reaches the system. agent/seal.h says when.
 *
 * While a call is under way its number stands in a *note*, if notes were given: 1 + number, 0:
 * none. They lie in the live table, so that who reads that of a dead process can say whether it
 * was a call of the agent's that killed it.
 *
 * No call is a cancellation point. Any thread, and signal handlers. The one variable is that of the
 * process, as the filter is.
 *
 * Example:
 *
 *     long thread = HF_CALL(SYS_gettid);
 *     if (thread < 0)
 *         return HF_ERR_SYSTEM;
 */
#ifndef HF_BASE_GATE_H
#define HF_BASE_GATE_H

#include "base/attr.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#define HF_GATE_NOTES 16

struct hf_gate {
    _Atomic bool is_shut;
    _Atomic uint32_t inside;         /* calls under way */
    _Atomic uint32_t *_Atomic notes; /* HF_GATE_NOTES of them, or NULL */
};
extern HF_HIDDEN struct hf_gate hf_gate;

/* As syscall(2): -1, and errno, if it failed. Of what a number needs not, the rest is 0. */
long hf_gate_call(long number, long a, long b, long c, long d, long e, long f);
#define HF_CALL(...) HF_CALL_PADDED(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define HF_CALL_PADDED(number, a, b, c, d, e, f, ...)                                              \
    hf_gate_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

/* A call of the program's own, which always passes. */
long hf_gate_pass(long number, long a, long b, long c, long d, long e, long f);

static inline bool hf_gate_is_shut(void)
{
    return atomic_load_explicit(&hf_gate.is_shut, memory_order_relaxed);
}

/* No call is begun any more when this returns, and none is under way, but one that does not come
 * back within a tenth of a second. */
void hf_gate_shut(void);
void hf_gate_open(void);

/* In a child after fork: what the parent's threads were about is no business of it. */
void hf_gate_forget(void);

#endif
