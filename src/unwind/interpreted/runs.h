/*
 * runs.h: gives the runs of an interpreter's executor the native frames that are these runs.
 *
 * For languages whose frames do not say where the C stack was when they began. Their frames fall
 * into *runs*, of which the interpreter says where each ends; a run is one native frame, which its
 * address tells.
 *
 * Safety: any context, safe inside malloc; of the thread itself.
 *
 * Example:
 *
 *     static struct hf_interpreted_chain chain; // two frames, of the first run and of the second
 *     struct hf_unwind_frame outer = {.pc = 0x4020}, leaf = {.pc = 0x4010, .caller = &outer};
 *     struct hf_interpreted_natives natives = {&leaf, NULL, NULL}; // is_run: the caller's own
 *     chain.frames[1].native = 1;
 *     chain.count = 2;
 *     if (natives.is_run != NULL && hf_interpreted_has_native(&natives))
 *         hf_interpreted_settle_runs(&chain, 1, &natives);
 */
#ifndef HF_UNWIND_INTERPRETED_RUNS_H
#define HF_UNWIND_INTERPRETED_RUNS_H

#include "unwind/interpreted/frame_chain.h"
#include "unwind/walk.h"

/* The native frames of a thread, and which of them run the interpreter. */
struct hf_interpreted_natives {
    const struct hf_unwind_frame *leaf;
    bool (*is_run)(const void *of, const struct hf_unwind_frame *frame);
    const void *of;
};

/* True if one of them does. */
HF_MUST_CHECK bool hf_interpreted_has_native(const struct hf_interpreted_natives *natives);

/* How many of them do. */
uint32_t hf_interpreted_count_natives(const struct hf_interpreted_natives *natives);

/*
 * Settles a chain whose frames have the number of their run, from the innermost, as `native`; of
 * the runs, `ended` are complete. As far as both are known to the outermost, from there inward; of
 * a stack or chain that is cut, from the innermost outward. What has no native frame is given its
 * neighbour's.
 */
void hf_interpreted_settle_runs(struct hf_interpreted_chain *chain, uint32_t ended,
    const struct hf_interpreted_natives *natives);

#endif
