/*
 * method_frames.h: the Java frames of a thread: of interpreted and of compiled methods, and of
 * those that were compiled into others.
 *
 * HotSpot's code has no call frame information, and compiled methods keep no frame pointer, so the
 * walk of native frames (walk.h) ends where it comes to such code. From there it is followed here:
 * a compiled method says how large its frame is, an interpreted one has its caller's registers at
 * fixed places, and where C++ called Java it had noted where the Java frames before it end
 * (frame_x86.cpp in OpenJDK 17). What lies between these, native code that Java called and that
 * called Java, is left out. All that the walk had guessed further out is none of the stack
 * (hf_interpreted_chain.is_outermost).
 *
 * Which methods stand at a call in compiled code, and at which bytecodes, is packed with the code:
 * a PcDesc for each return address leads to the innermost, and each to the one that it is in.
 *
 * Nothing is believed: an address on the stack lies in the stack, further out each time, and a word
 * that should be an interpreted method is always copied when it is first seen.
 *
 * Safety: any context, safe inside malloc; of the thread itself.
 */
#ifndef HF_UNWIND_JAVA_METHOD_FRAMES_H
#define HF_UNWIND_JAVA_METHOD_FRAMES_H

#include "unwind/interpreted/frame_chain.h"
#include "unwind/java/vm_structs.h"
#include "unwind/walk.h"

/*
 * A frame's `scope` is its Method, its `offset` that of the bytecode and one more, or 0.
 */

#define HF_JAVA_SEEN 512u

/* Words that were methods when memory was copied. All-zero: none. For any number of threads. */
struct hf_java_sight {
    const struct hf_interpreted_memory *surely; /* fails where there is nothing; borrowed */
    _Atomic uint64_t methods[HF_JAVA_SEEN];
};

/* The first native frame whose code has no rule; NULL: there is none. */
const struct hf_unwind_frame *hf_java_first(
    const struct hf_unwind_frame *leaf, uint32_t *out_number);

/* Reads the frames of the thread whose native frames these are, and whose stack ends there. */
void hf_java_chain_read(struct hf_interpreted_chain *chain, const struct hf_java *java,
    const struct hf_interpreted_memory *memory, struct hf_java_sight *sight,
    const struct hf_unwind_frame *leaf, uint64_t stack_end);

#endif
