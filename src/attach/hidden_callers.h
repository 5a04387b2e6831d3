/*
 * hidden_callers.h: finds the callers of code that cannot be unwound.
 *
 * A JIT makes code without call frame information, and without frame pointers (LLVM's in
 * PostgreSQL): there a stack ends. But its frame is of some bytes, behind which the return address
 * lies; that is searched for, word by word:
 *
 * - it lies in the code of a file, behind a call instruction. A call by a pointer is taken before a
 *   direct one, because nobody calls such code by its name; and
 * - from there the rules of the callers lead to the outermost frame, each through a return address
 *   that lies behind a call, too; or four of them to where the copy of the stack ends, or to a
 * JIT's code again.
 *
 * Words that earlier calls left in the frame pass seldom, but they can: what is found so is marked
 * as guessed. A frame pointer that leads to a return address is believed before anything is
 * searched for.
 */
#ifndef HF_ATTACH_HIDDEN_CALLERS_H
#define HF_ATTACH_HIDDEN_CALLERS_H

#include "attach/images.h"

/* A memo, and the stack that is walked. */
struct hf_hidden_callers {
    struct hf_images *images;
    struct hf_unwind_memo *memo;
    const struct hf_unwind_stack *stack;
};

enum hf_return_kind {
    HF_RETURN_NONE,   /* no call instruction lies before it */
    HF_RETURN_DIRECT, /* of a function that the instruction names */
    HF_RETURN_BY_POINTER,
};

/* Whether `pc` can be a return address into the code of a file. */
enum hf_return_kind hf_return_kind_of(struct hf_images *images, uint64_t pc);

/* The same of code that lies in no file, as the process has it now. */
bool hf_return_is_of_jit(const struct hf_images *images, uint64_t pc);

/*
 * Whether the code that is before `pc` in memory sets rbp as a frame pointer: push rbp; mov rsp,
 * rbp. If it does not, rbp is its caller's, or a number, and leads past the caller.
 */
bool hf_jit_keeps_frames(const struct hf_images *images, uint64_t pc);

/*
 * Searches from `sp`, the stack pointer in the frame that cannot be left; `fp`: what rbp is there,
 * which such code may have left as it was. The walk from there,
 * innermost first, which is the memo's until its next walk; NULL if there is none.
 */
const struct hf_unwind_frame *hf_hidden_callers_find(
    const struct hf_hidden_callers *callers, uint64_t sp, uint64_t fp);

#endif
