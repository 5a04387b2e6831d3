/*
 * chain.h: the Python frames of a thread, each with the native frame that runs it.
 *
 * The interpreter links its frames, innermost first. One run of its eval function, which is one
 * native frame, runs all Python frames up to an *entry*; which native frame that is, a local
 * variable of it in the chain says by where it lies (docs/adr/0008). What a frame executes is a
 * code object: its function, file, lines.
 *
 * Nothing is believed: each frame's code must be of the type of code objects, and function and
 * file of that of strings. A chain that breaks these rules has no frames at all, and is said to be
 * broken. Frames without code or names, which the interpreter makes for itself, are left out.
 *
 * Safety: any context, safe inside malloc; of the thread itself.
 */
#ifndef HF_UNWIND_PYTHON_CHAIN_H
#define HF_UNWIND_PYTHON_CHAIN_H

#include "unwind/interpreted/frame_chain.h"
#include "unwind/python/versions.h"
#include "unwind/walk.h"

struct hf_python {
    const struct hf_python_layout *layout;
    uint64_t code_type, text_type; /* addresses of PyCode_Type and PyUnicode_Type */
};

/* Reads the frames of the thread whose state has this head, and whose native frames are known. */
void hf_python_chain_read(struct hf_interpreted_chain *chain, const struct hf_python *python,
    const struct hf_interpreted_memory *memory, const uint8_t head[HF_PYTHON_THREAD_BYTES],
    const struct hf_unwind_frame *leaf);

#endif
