/*
 * frames.h: the JavaScript frames of a thread, each with the native frame that runs it.
 *
 * All code that V8 makes, and all that it has built in, keeps a frame pointer, and has no call
 * frame information: the walk follows the pointers, so each of these frames is one of the walk's
 * (walk.h), and in it, at fixed places, are the context and the function. Where no function runs,
 * a small number is in the place of the context, which says what does. Of a function that others
 * were compiled into there is one frame: the outer one's.
 *
 * A function has no address that stays: the collector moves it. So a frame is told from others by
 * what its names are and where it begins in the source, not by where these are. Functions that are
 * V8's own (Array.prototype.map) have no script, and are left out.
 *
 * Nothing is believed: what is in the place of a function need not be one, nor an address, so it is
 * always copied when it is first seen (hf_v8_sight). A function is one by its type, and so is all
 * that it leads to. What does not fit has no frame; a chain of which nothing fits is said to be
 * broken.
 *
 * Safety: any context, safe inside malloc; of the thread itself.
 */
#ifndef HF_UNWIND_V8_FRAMES_H
#define HF_UNWIND_V8_FRAMES_H

#include "unwind/interpreted/frame_chain.h"
#include "unwind/v8/tagged.h"
#include "unwind/walk.h"

/*
 * Names of frames that are no strings. A frame's `name` and `file` are strings, its `scope` is its
 * script, and its `offset` is where it begins in the script's source.
 */
#define HF_V8_MAIN UINT64_C(0)    /* code of a file, outside of functions */
#define HF_V8_NO_NAME UINT64_C(2) /* a function that has none */

#define HF_V8_SEEN 512u

/* Words that were functions when memory was copied. All-zero: none. For any number of threads. */
struct hf_v8_sight {
    const struct hf_interpreted_memory *surely; /* fails where there is nothing; borrowed */
    _Atomic uint64_t functions[HF_V8_SEEN];
};

/* True if one of these native frames can be V8's. */
HF_MUST_CHECK bool hf_v8_runs(const struct hf_unwind_frame *leaf);

/* Reads the frames of the thread whose native frames these are. */
void hf_v8_chain_read(struct hf_interpreted_chain *chain, const struct hf_v8 *v8,
    const struct hf_interpreted_memory *memory, struct hf_v8_sight *sight,
    const struct hf_unwind_frame *leaf);

#endif
