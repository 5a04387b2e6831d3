/*
 * go_stack.h: the stacks between which the runtime of Go moves a thread.
 *
 * A goroutine has a small stack of its own, a thread another, which the runtime calls g0. Where a
 * copied stack ends, one of these functions of the runtime stands:
 *
 *     runtime.goexit, mstart, rt0_go   nobody called them, though a frame pointer that the thread
 *                                      inherited may lead on
 *     runtime.mcall                    left the goroutine for good: what follows is done for none
 *     runtime.morestack                left it, too, if the scheduler runs; else it makes the
 *                                      goroutine's stack larger
 *     runtime.systemstack              does something for the goroutine, which waits
 *     runtime.asmcgocall               runs code of C for it
 *
 * Behind the last three, rbp still points into the goroutine's stack. That is not in the copy, and
 * has changed when this is read, but the kernel has followed the frame pointers at the time (perf's
 * call chain). One frame is missing from those: the function of the runtime that called
 * systemstack or asmcgocall, which has its return address there, and no frame of its own; of
 * morestack two: the function that needs more, and who called it. Go 1.22 does not leave rbp as it
 * was in morestack. The same chain leads on where a function is the first to touch a page of its
 * stack, of which there is no copy; then its caller may be missing. C may have another number in
 * rbp, and a chain that C has cut leads nowhere: the goroutine is believed from a call of
 * runtime.cgocall on, to its end.
 *
 * Source: Go, src/runtime/asm_amd64.s (1.19, and that of 1.21 to 1.23 by its text).
 */
#ifndef HF_ATTACH_GO_STACK_H
#define HF_ATTACH_GO_STACK_H

#include "attach/images.h"
#include "attach/saved_stack.h"

/*
 * What was walked of a stack are `count` return addresses, innermost first, and at the last the way
 * out is not known. Adds to them, up to HF_UNWIND_FRAMES_MAX, what the chain has behind them. True
 * if the stack is complete; `chain` may be NULL.
 */
bool hf_go_stack_go_on(struct hf_images *images, const struct hf_pointer_chain *chain,
    uint64_t addresses[HF_UNWIND_FRAMES_MAX], size_t *count);

/* Whether the caller of the code at `pc` is on another stack: nothing is to be searched there. */
bool hf_go_stack_is_left_at(struct hf_images *images, uint64_t pc);

#endif
