/*
 * signal_frames.h: stacks that pass through a signal handler.
 *
 *     handler <- restorer <- what was interrupted <- its callers
 *
 * The kernel starts a handler as if a few instructions of the C library, the *restorer*, had called
 * it, and these had been called where the program was interrupted. Nobody called anything there:
 * both addresses are exact, and the byte before them may belong to another function.
 */
#ifndef HF_SYMBOL_SIGNAL_FRAMES_H
#define HF_SYMBOL_SIGNAL_FRAMES_H

#include "profile/profile.h"

/*
 * In each stack, gives the frame outside of a restorer the flag HF_FRAME_INTERRUPTED. The same
 * frame elsewhere, where it is a call, stays. `is_restorer`: by frame, for all that there are.
 */
HF_MUST_CHECK enum hf_status hf_signal_frames_mark(
    struct hf_profile *profile, const bool *is_restorer, struct hf_error *err);

#endif
