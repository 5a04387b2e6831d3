/*
 * control_frames.h: the Ruby frames of a thread, each with the native frame that runs it.
 *
 * A thread, and each fiber, has an execution context with a stack of its own, in which control
 * frames (rb_control_frame_t) grow downward: the context says where the innermost is. A frame
 * has its code (iseq) and where in it it is (pc), and an environment (ep), which says what kind of
 * frame it is, and of which method. One run of rb_vm_exec, which is one native frame, runs all
 * frames up to one that is marked with *finish*. Frames of C functions have no code, and are left
 * out, for the native stack has them.
 *
 * Nothing is believed: context and thread must lead to each other, each frame must be of a known
 * kind and within the stack, and each object of its type. A chain that breaks these rules has no
 * frames at all, and is said to be broken.
 *
 * Safety: any context, safe inside malloc; of the thread itself.
 */
#ifndef HF_UNWIND_RUBY_CONTROL_FRAMES_H
#define HF_UNWIND_RUBY_CONTROL_FRAMES_H

#include "unwind/interpreted/frame_chain.h"
#include "unwind/ruby/structures.h"
#include "unwind/walk.h"

/* True if one of these native frames runs Ruby. */
HF_MUST_CHECK bool hf_ruby_runs(const struct hf_ruby *ruby, const struct hf_unwind_frame *leaf);

/* False if there is no context. *out_is_still: its thread holds the lock of the interpreter, and no
 * objects are being freed or moved. */
HF_MUST_CHECK bool hf_ruby_look(const struct hf_ruby *ruby,
    const struct hf_interpreted_memory *memory, uint64_t context, bool *out_is_still);

/* Reads the frames of the context of the thread whose native frames these are. */
void hf_ruby_chain_read(struct hf_interpreted_chain *chain, const struct hf_ruby *ruby,
    const struct hf_interpreted_memory *memory, uint64_t context,
    const struct hf_unwind_frame *leaf);

#endif
