/*
 * remote_call.h: has a stopped thread of another process make one system call. None of the
 * process's own code runs for it: no dlopen, no malloc, no lock, so that a thread in the middle of
 * malloc(3) is as good as any.
 *
 * Its instructions, 26 bytes, are written over those at the program's entry (AT_ENTRY of auxv),
 * which run once, when a program begins: where nothing ever comes again there is room without a
 * call for it. They stand there only while the thread is stopped.
 *
 *     copy:  syscall                  call:  syscall
 *            test %eax, %eax                 jmp back
 *            jz   end
 *     back:  mov  $15, %eax           end:   xor  %edi, %edi
 *            syscall                         mov  $231, %eax
 *                                            syscall
 *
 * `back` is rt_sigreturn(2) with a signal frame (signal_frame.h) on the thread's own stack. It is
 * never reached while the caller lives: that gives the thread its registers back itself, from
 * before the call, so that a system call which the stop interrupted goes on by the kernel's own
 * rules. If the caller dies at whatever instant, the kernel lets the thread go, and it comes back
 * by itself; the copy that a clone(2) made ends without a step in the process's code.
 *
 * Refused: a thread under seccomp(2) whose filters forbid one of these calls, or cannot be read,
 * since they may kill the process for a call that the program never makes (seccomp_filter.h); one
 * with a shadow stack; one whose stack has no room or is none that heapflame knows (a coroutine's,
 * a goroutine's). Another thread may do.
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
    struct hf_stopped_thread *thread; /* of those that are stopped: it makes the calls */
    uint64_t entry;
    uint8_t code[HF_REMOTE_CODE_BYTES]; /* what stood there */
    struct hf_signal_frame frame;
    uint8_t below[HF_SIGNAL_FRAME_MAX]; /* what stood where the frame is */
    bool is_written, is_aimed;          /* code and frame are there; the registers are the call's */
    bool may_soon; /* no thread will do, but for something that passes, as a signal on its way */
};

/*
 * Chooses one of the stopped threads, and writes code and frame. HF_ERR_SYSTEM: no thread will do,
 * and why.
 */
HF_MUST_CHECK enum hf_status hf_remote_call_begin(
    struct hf_remote_call *call, struct hf_stopped *stopped, struct hf_error *err);

/* Makes one call with up to 6 arguments; *out_result is the kernel's: -errno if it refused. */
HF_MUST_CHECK enum hf_status hf_remote_call_do(struct hf_remote_call *call, long number,
    const uint64_t *arguments, size_t count, int64_t *out_result, struct hf_error *err);

/*
 * clone(2) without a signal when it ends: the process's copy, traced, stopped before its first
 * instruction, to be killed when this process ends. *out_copy: its number here; *out_inner: in the
 * process's own namespace. HF_ERR_SYSTEM: the kernel refuses, and why.
 */
HF_MUST_CHECK enum hf_status hf_remote_call_copy(
    struct hf_remote_call *call, pid_t *out_copy, pid_t *out_inner, struct hf_error *err);

/*
 * Code of such a call still stands at the entry of `pid`: whoever made it was killed. A thread may
 * still be on its way through it, so hf_remote_call_clear, which puts back what the program's file
 * has there, wants all threads stopped, and refuses if one of them is in it.
 */
HF_MUST_CHECK bool hf_remote_call_is_left(pid_t pid);
HF_MUST_CHECK enum hf_status hf_remote_call_clear(
    const struct hf_stopped *stopped, struct hf_error *err);

/* Puts back what it wrote, and gives the thread its registers. Also of all-zero. */
void hf_remote_call_end(struct hf_remote_call *call);

#endif
