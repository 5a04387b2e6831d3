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
 * Bounded: HF_PYTHON_FRAMES_MAX frames, of which the innermost are kept.
 *
 * Safety: any context, safe inside malloc; of the thread itself.
 */
#ifndef HF_UNWIND_PYTHON_CHAIN_H
#define HF_UNWIND_PYTHON_CHAIN_H

#include "unwind/python/versions.h"
#include "unwind/walk.h"

#define HF_PYTHON_FRAMES_MAX 1024 /* by default, Python recurses 1,000 deep */

struct hf_python_frame {
    uint64_t name, file, lines; /* addresses of objects: strings, and the table of lines */
    uint64_t print; /* hash of where the names of function and file are, and of their ends */
    uint32_t first_line;
    uint32_t offset; /* bytes of the instruction from the start of the code */
    uint32_t native; /* number of the native frame, from the leaf, right inward of it */
};

/* A thread's; of a walk to the next. */
struct hf_python_chain {
    uint32_t count;
    bool is_broken;                                      /* what was read cannot be a chain */
    bool is_cut;                                         /* there were more frames outward */
    uint64_t hash;                                       /* of the frames and where they are */
    const struct hf_python_memory *memory;               /* by which they were read; borrowed */
    struct hf_python_frame frames[HF_PYTHON_FRAMES_MAX]; /* innermost first */
};

struct hf_python {
    const struct hf_python_layout *layout;
    uint64_t code_type, text_type; /* addresses of PyCode_Type and PyUnicode_Type */
};

/* Reads the frames of the thread whose state has this head, and whose native frames are known. */
void hf_python_chain_read(struct hf_python_chain *chain, const struct hf_python *python,
    const struct hf_python_memory *memory, const uint8_t head[HF_PYTHON_THREAD_BYTES],
    const struct hf_unwind_frame *leaf);

#endif
