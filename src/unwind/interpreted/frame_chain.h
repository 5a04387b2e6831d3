/*
 * frame_chain.h: the frames of an interpreter on a thread, each with the native frame that runs it.
 *
 * The one form in which all interpreters' frames are known: what a language has instead of the C
 * stack is read by a folder of its own (python/chain.h, php/call_chain.h), and the agent makes
 * frames of the table of it (agent/interpreter.h). Names and files are still the interpreter's own
 * strings: they are only looked at when a stack is new.
 *
 * Bounded: HF_INTERPRETED_FRAMES_MAX frames, of which the innermost are kept.
 *
 * Safety: any context, safe inside malloc; of the thread itself.
 *
 * Example:
 *
 *     static struct hf_interpreted_chain chain; // of this thread
 *     struct hf_interpreted_memory memory = {0}; // the caller's own
 *     hf_interpreted_chain_begin(&chain, &memory);
 *     chain.frames[0] = (struct hf_interpreted_frame){.name = 0x5500, .file = 0x5600, .line = 41};
 *     hf_interpreted_chain_settle(&chain, chain.count++, 3); // by the fourth native frame
 */
#ifndef HF_UNWIND_INTERPRETED_FRAME_CHAIN_H
#define HF_UNWIND_INTERPRETED_FRAME_CHAIN_H

#include "base/mix.h"
#include "unwind/interpreted/memory.h"

#define HF_INTERPRETED_FRAMES_MAX 1024 /* by default, Python recurses 1,000 deep */
#define HF_INTERPRETED_STEPS_MAX 8192  /* frames that are looked at, also such as are left out */

struct hf_interpreted_frame {
    /* Addresses of objects: strings, and the table of lines. 0: it has none. */
    uint64_t name, scope, file, lines;
    uint64_t print;  /* hash of where the names of function and file are, and of their ends */
    uint32_t line;   /* of the code's start if it has a table of lines, else of the frame */
    uint32_t offset; /* with that table: bytes of the instruction from the start of the code */
    uint32_t native; /* number of the native frame, from the leaf, right inward of it */
};

/* A thread's; of a walk to the next. */
struct hf_interpreted_chain {
    uint32_t count;
    bool is_broken;    /* what was read cannot be a chain */
    bool is_cut;       /* there were more frames outward */
    bool is_outermost; /* what the walk has outward of the native frame of these is no stack, and
                          `hash` is also of what it has inward */
    uint64_t hash;     /* of the frames and where they are */
    const struct hf_interpreted_memory *memory; /* by which they were read; borrowed */
    struct hf_interpreted_frame frames[HF_INTERPRETED_FRAMES_MAX]; /* innermost first */
};

static inline void hf_interpreted_chain_begin(
    struct hf_interpreted_chain *chain, const struct hf_interpreted_memory *memory)
{
    chain->count = 0;
    chain->hash = 0;
    chain->memory = memory;
    chain->is_broken = chain->is_cut = chain->is_outermost = false;
}

/* Frame number `i`, the next one, is run by this native frame. */
static inline void hf_interpreted_chain_settle(
    struct hf_interpreted_chain *chain, uint32_t i, uint32_t native)
{
    const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);
    struct hf_interpreted_frame *frame = &chain->frames[i];
    frame->native = native;
    uint64_t place = (uint64_t)frame->offset << 32 | frame->native;
    chain->hash = hf_mix(chain->hash ^ frame->print, prime);
    chain->hash = hf_mix(chain->hash ^ place ^ (uint64_t)frame->line << 16, prime);
    chain->hash = hf_mix(chain->hash ^ frame->lines, prime);
}

#endif
