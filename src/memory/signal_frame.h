/*
 * signal_frame.h: a thread's registers as the kernel puts them on a stack before it calls a signal
 * handler, so that rt_sigreturn(2) takes the thread back to where it was, even if heapflame has
 * died.
 *
 * Source: struct rt_sigframe of arch/x86/include/asm/sigframe.h, struct ucontext and sigcontext_64
 * of its uapi headers, and fpu/signal.c for the registers of floating point and vectors, which are
 * in the form of XSAVE.
 *
 * A system call that the stop interrupted begins again. If it had waited for a part of its time
 * (nanosleep, poll), it waits for the whole time again: only the kernel knows how much of it was
 * left.
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

/* Room for all features of XSAVE (AMX: 8 KiB) and for the rest of a frame. */
#define HF_SIGNAL_FRAME_MAX 16384

struct hf_signal_frame {
    uint64_t address;       /* where the bytes belong: below the red zone of the thread's stack */
    uint64_t stack_pointer; /* for rt_sigreturn(2) */
    size_t size;
    uint64_t mask; /* the thread's signal mask, as the bytes have it */
    uint8_t bytes[HF_SIGNAL_FRAME_MAX];
};

/* Makes the frame of a thread that the calling thread has stopped by ptrace(2). Does not write it
 * to the stack. */
HF_MUST_CHECK enum hf_status hf_signal_frame_of(
    struct hf_signal_frame *frame, pid_t tid, struct hf_error *err);

/* The registers with which a thread goes on that stopped with these: an interrupted system call
 * begins again, as the kernel would have arranged. */
struct user_regs_struct hf_signal_frame_resumed(struct user_regs_struct registers);

#endif
