/*
 * signal_frame.h: a thread's registers as the kernel puts them on a stack before it calls a signal
 * handler, so that the thread comes back to where it was by rt_sigreturn(2), with nobody's help.
 *
 * Source: struct rt_sigframe of arch/x86/include/asm/sigframe.h, struct ucontext and sigcontext_64
 * of its uapi headers, and fpu/signal.c for the registers of floating point and vectors, which are
 * in the form of XSAVE.
 *
 * A system call that the stop interrupted begins again. One that has waited for a part of its time
 * (nanosleep, poll) waits for all of it: what is left of it is in the kernel only.
 *
 * Example:
 *
 *     struct hf_signal_frame frame;
 *     status = hf_signal_frame_of(&frame, 4711, err); // a thread that is stopped
 *     if (status == HF_OK)
 *         hf_out_u64(out, frame.stack_pointer); // rt_sigreturn with it finds the frame
 */
#ifndef HF_MEMORY_SIGNAL_FRAME_H
#define HF_MEMORY_SIGNAL_FRAME_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/* XSAVE with all that exists (AMX: 8 KiB) and the rest. */
#define HF_SIGNAL_FRAME_MAX 16384

struct hf_signal_frame {
    uint64_t address;       /* of the bytes, below the red zone of the thread's stack */
    uint64_t stack_pointer; /* for rt_sigreturn(2) */
    size_t size;
    uint64_t mask; /* of the thread's signals, as it is in them */
    uint8_t bytes[HF_SIGNAL_FRAME_MAX];
};

/* Of a thread that this one has stopped by ptrace(2). It is not written yet. */
HF_MUST_CHECK enum hf_status hf_signal_frame_of(
    struct hf_signal_frame *frame, pid_t tid, struct hf_error *err);

/* The registers with which a thread that stopped with these goes on, without the kernel's help. */
struct user_regs_struct hf_signal_frame_resumed(struct user_regs_struct registers);

#endif
