/*
 * remote_call.h: makes a stopped thread of another process execute one system call. None of the
 * process's own code runs for it: no dlopen, no malloc, no lock. So a thread in the middle of
 * malloc(3) will do, too.
 *
 * The 26 bytes of instructions for the call are written over those at the program's entry (AT_ENTRY
 * of auxv). That code runs once, when a program begins, and never again, so its place can be used
 * without a system call that makes room. Ours stands there only while the thread is stopped.
 *
 *     copy:  syscall                  call:  syscall
 *            test %eax, %eax                 jmp back
 *            jz   end
 *     back:  mov  $15, %eax           end:   xor  %edi, %edi
 *            syscall                         mov  $231, %eax
 *                                            syscall
 *
 * `back` calls rt_sigreturn(2) with a signal frame (signal_frame.h) on the thread's own stack.
 * While heapflame lives, `back` is never reached: heapflame itself gives the thread the registers
 * that it had, so a system call that the stop interrupted continues by the kernel's own rules. If
 * heapflame dies, at any instant, the kernel lets the thread run, and `back` takes it to where it
 * was. A copy that a clone(2) made then ends without executing any of the process's code.
 *
 * A thread is refused if seccomp(2) filters forbid one of these calls, or cannot be read, since
 * they may kill the process for a call that the program never makes (seccomp_filter.h); if it has a
 * shadow stack; if its stack has no room, or is of a kind that heapflame does not know (a
 * coroutine's, a goroutine's). Another thread of the process may do.
 *
 * Example:
 *
 *     #include <sys/syscall.h>
 *
 *     struct hf_stopped stopped = {0};
 *     struct hf_remote_call call = {0};
 *     int64_t result = 0;
 *     status = hf_stop_threads(&stopped, 4711, err);
 *     if (status == HF_OK)
 *         status = hf_remote_call_begin(&call, &stopped, err);
 *     if (status == HF_OK)
 *         status = hf_remote_call_do(&call, SYS_getpid, NULL, 0, &result, err);
 *     hf_remote_call_end(&call);
 *     hf_stopped_release(&stopped);
 */
#ifndef HF_MEMORY_REMOTE_CALL_H
#define HF_MEMORY_REMOTE_CALL_H

#include "memory/signal_frame.h"
#include "memory/stopped_threads.h"

#define HF_REMOTE_CODE_BYTES 26

struct hf_remote_call {
    struct hf_stopped_thread *thread; /* one of the stopped threads: it makes the calls */
    uint64_t entry;
    uint8_t code[HF_REMOTE_CODE_BYTES]; /* what stood at the entry */
    struct hf_signal_frame frame;
    uint8_t below[HF_SIGNAL_FRAME_MAX]; /* what stood where the frame is */
    bool is_written, is_aimed; /* code and frame are written; the registers are set for the call */
    bool may_soon; /* no thread will do now, but one may soon, e.g. after a signal was delivered */
};

/*
 * Chooses one of the stopped threads, and writes code and frame. HF_ERR_SYSTEM: no thread will do;
 * the message says why.
 */
HF_MUST_CHECK enum hf_status hf_remote_call_begin(
    struct hf_remote_call *call, struct hf_stopped *stopped, struct hf_error *err);

/* Makes one call with up to 6 arguments; *out_result is the kernel's answer, -errno if it refuses.
 */
HF_MUST_CHECK enum hf_status hf_remote_call_do(struct hf_remote_call *call, long number,
    const uint64_t *arguments, size_t count, int64_t *out_result, struct hf_error *err);

/*
 * Copies the process by clone(2). The copy is traced, stopped before its first instruction, killed
 * when this process ends, and sends no signal when it ends. *out_copy: its number here; *out_inner:
 * its number in the process's own namespace. HF_ERR_SYSTEM: the kernel refused; the message says
 * why.
 */
HF_MUST_CHECK enum hf_status hf_remote_call_copy(
    struct hf_remote_call *call, pid_t *out_copy, pid_t *out_inner, struct hf_error *err);

/*
 * True if code of such a call still stands at the entry of `pid`, because the heapflame that made
 * the call was killed. hf_remote_call_clear puts back what the program's file has there. A thread
 * may still be executing our code, so all threads must be stopped; it refuses if one of them is in
 * that code.
 */
HF_MUST_CHECK bool hf_remote_call_is_left(pid_t pid);
HF_MUST_CHECK enum hf_status hf_remote_call_clear(
    const struct hf_stopped *stopped, struct hf_error *err);

/* Puts back what the calls overwrote, and gives the thread its registers. Accepts all-zero. */
void hf_remote_call_end(struct hf_remote_call *call);

#endif
